// Scores: what happens to the scaled product of a query and a key before softmax, such as a soft
// cap or a bias by distance.
//
// A bound score is called as s(x, i, j): x is the scaled product of query i and key j, and what it
// gives is the logit. It may take one product,
//
//   float operator()(float x, int i, int j) const
//
// or be a template that also takes as many as the machine holds together,
//
//   template <class X, class I, class J>
//   X operator()(X x, I i, J j) const
//
// which machines with vectors then call with those. X is float or a vector of floats; I and J are
// each an int, where all products share the position, or a vector of as many ints:
//
//   host, rows in lanes        X: a register   I: a register of ints   J: int
//   host, few rows             X: a register   I: a register of ints   J: a register of ints
//   AMD                        X: two floats   I: int                  J: two ints
//   NVIDIA                     X: float        I: int                  J: int
//
// Vectors add, subtract, multiply, divide and compare lane by lane, also with a float or an int of
// the same kind. For both forms there are, called as fa::name: larger, smaller, absolute, exp2 (of
// x < 127), log2, reciprocal, tanh, and to_float for positions. Both of their arguments are of one
// type: a constant beside a vector is X{} + c. Choices are made by ?: and not by if, and tables are
// for the form with one product.
#pragma once

#include <concepts>
#include <type_traits>

#include <fa/core/sequence.hpp>
#include <fa/machine/math.hpp>
#include <fa/machine/packed_scores.hpp>

namespace fa {

/// A score bound to one head of one sequence: the logit of query i and key j from the scaled
/// product.
template <class S>
concept BoundScore = requires(const S s, float x, int i, int j) {
  { s(x, i, j) } -> std::convertible_to<float>;
};

/// A bound score that knows its slope: `derivative(x, i, j)` = d s(x, i, j) / d x, at the scaled
/// product x. What gradients of the logits are multiplied by. It may be a template as the call
/// operator may.
template <class S>
concept DifferentiableScore = BoundScore<S> && requires(const S s, float x, int i, int j) {
  { s.derivative(x, i, j) } -> std::convertible_to<float>;
};

/// A score type that users may name: `x.bind(sequence)` gives the score of that sequence.
template <class S>
concept Score = std::default_initializable<S> && requires(const S x, const sequence s) {
  { x.bind(s) } -> BoundScore;
};

/// The scaled product itself. Kernels leave the step out.
struct no_score {
  static constexpr bool same_for_all_heads = true;
  static constexpr bool is_identity = true;
  FA_FN constexpr no_score bind(const sequence&) const { return {}; }
  template <class X, class I, class J>
  FA_FN constexpr X operator()(X x, I, J) const {
    return x;
  }
  template <class X, class I, class J>
  FA_FN constexpr X derivative(X, I, J) const {
    return X{} + 1.f;
  }
};

/// True if the score leaves every logit as it is, which its type and that of the bound score say by
/// a member `static constexpr bool is_identity = true`.
template <class S>
inline constexpr bool is_identity = false;
template <class S>
  requires requires { S::is_identity; }
inline constexpr bool is_identity<S> = S::is_identity;

/// The hyperbolic tangent within 2^-22, for a float or a vector of them; NaN for NaN.
template <class X>
  requires(std::is_same_v<X, float> || !(std::is_arithmetic_v<X> || std::is_class_v<X>))
FA_FN X tanh(X x) {
  const X bounded = larger(X{} - 20.f, x);  // 1 - tanh(20) is less than 2^-57
  const X power = exp2(smaller(X{} + 20.f, bounded) * (2.f * log2_e));
  return 1.f - 2.f * reciprocal(power + 1.f);
}

static_assert(Score<no_score> && DifferentiableScore<no_score>);

}  // namespace fa
