// The element type of O, where it differs from that of Q, K and V: output<T>.
#pragma once

#include <concepts>

#include <fa/launch/option/element.hpp>

namespace fa {

/// The element type of the output, where it shall differ from that of the inputs: output<float>.
template <class T>
struct output {
  using type = T;
};

namespace detail {

template <class X>
inline constexpr bool is_output = false;
template <class T>
inline constexpr bool is_output<output<T>> = true;

struct output_option : option {
  template <class X>
  static constexpr bool is = is_output<X>;

  template <class Chosen>
  using otherwise = output<typename Chosen::template of<element_option>>;

  template <bool Stop, class Chosen>
  static consteval bool fits() {
    using out = typename Chosen::template of<output_option>::type;
    constexpr bool supported = std::same_as<out, typename Chosen::template of<element_option>> ||
                               std::same_as<out, float>;
    static_assert(!Stop || supported,
                  "fa::attention: output<T> of an unsupported type. Rule: T is the element type or "
                  "float. Remedy: use output<float> and convert");
    return supported;
  }

  template <class Chosen>
  struct names {
    using out = typename Chosen::template of<output_option>::type;
  };
};

}  // namespace detail

}  // namespace fa
