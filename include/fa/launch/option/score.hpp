// What becomes of the scaled product of a query and a key before softmax: any type that models
// fa::Score. Without one, nothing.
#pragma once

#include <type_traits>

#include <fa/launch/option/option.hpp>
#include <fa/policy/score.hpp>

namespace fa::detail {

struct score_option : option {
  template <class X>
  static constexpr bool is = Score<X>;

  template <class Chosen>
  using otherwise = no_score;

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
