// How a machine asks whether a function of scores takes several at once.
#pragma once

#include <concepts>

namespace fa {

/// f(x, i, j) works for packed scores: x is X, a vector of floats, and so is what it gives; the
/// positions i of queries and j of keys are each an int, where all of x share it, or a vector of as
/// many ints.
template <class F, class X, class I, class J>
concept TakesPackedScores = requires(const F f, const X x, const I i, const J j) {
  { f(x, i, j) } -> std::same_as<X>;
};

}  // namespace fa
