// What becomes of the scaled product of a query and a key before softmax: any type that models
// fa::Score. Without one, nothing.
#pragma once

#include <type_traits>
#include <utility>

#include <fa/launch/option/option.hpp>
#include <fa/policy/score.hpp>

namespace fa::detail {

/// A derivative that is there, but not as scores have it, would be ignored in silence.
template <class Bound>
inline constexpr bool has_other_derivative = requires(Bound s, float x, int i, int j) {
  s.derivative(x, i, j);
} && !DifferentiableScore<Bound>;

struct score_option : option {
  template <class X>
  static constexpr bool is = Score<X>;

  template <class Chosen>
  using otherwise = no_score;

  template <bool Stop, class Chosen>
  static consteval bool fits() {
    using score = typename Chosen::template of<score_option>;
    constexpr bool other =
        has_other_derivative<decltype(std::declval<const score&>().bind(sequence{}))>;
    static_assert(!Stop || !other,
                  "fa::attention: a score with a derivative of another form. Rule: what bind "
                  "returns may have float derivative(float, int, int) const. Remedy: give it this "
                  "form, or another name");
    return !other;
  }

  template <class Chosen>
  struct names {
    using score = typename Chosen::template of<score_option>;
  };

  template <class Pass, class V>
    requires(!std::is_empty_v<typename V::score>)
  struct members {
    typename V::score score{};  ///< run-time values of the score
  };
};

/// The score of a call.
template <class Pass, class V>
typename V::score score_of(const arguments<Pass, V>& a) {
  if constexpr (std::is_empty_v<typename V::score>) return {};
  else return a.score;
}

}  // namespace fa::detail
