// The element type of Q, K and V: float, fa::f16 or fa::bf16.
#pragma once

#include <fa/core/dtype.hpp>
#include <fa/launch/option/option.hpp>

namespace fa::detail {

struct element_option : option {
  template <class X>
  static constexpr bool is = Element<X>;

  template <bool Stop, class Chosen>
  static consteval bool fits() {
    constexpr bool named = Element<typename Chosen::template of<element_option>>;
    static_assert(!Stop || named,
                  "fa::attention: no element type. Rule: the type of q, k and v must be named. "
                  "Remedy: add float, fa::f16 or fa::bf16");
    return named;
  }

  template <class Chosen>
  struct names {
    using element = typename Chosen::template of<element_option>;
    using query_element = element;
    using kv_element = element;
  };
};

}  // namespace fa::detail
