// How the weights P become bf16 where that is not an instruction: round_weights<R>.
#pragma once

#include <fa/core/dtype.hpp>
#include <fa/launch/option/option.hpp>

namespace fa {

/// How weights become bf16 where that is not an instruction:
/// round_weights<weight_rounding::nearest_away>.
template <weight_rounding Rounding>
struct round_weights {
  static constexpr weight_rounding value = Rounding;
};

namespace detail {

template <class X>
inline constexpr bool is_rounding = false;
template <weight_rounding R>
inline constexpr bool is_rounding<round_weights<R>> = true;

struct rounding_option : option {
  template <class X>
  static constexpr bool is = is_rounding<X>;

  template <class Chosen>
  using otherwise = round_weights<weight_rounding::nearest_even>;

  template <class Chosen>
  struct names {
    static constexpr weight_rounding rounding = Chosen::template of<rounding_option>::value;
  };
};

}  // namespace detail

}  // namespace fa
