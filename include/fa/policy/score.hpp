// Scores: what happens to the scaled product of a query and a key before softmax, such as a soft
// cap or a bias by distance.
#pragma once

#include <concepts>

#include <fa/core/sequence.hpp>

namespace fa {

/// A score bound to one head of one sequence: the logit of query i and key j from the scaled
/// product.
template <class S>
concept BoundScore = requires(const S s, float x, int i, int j) {
  { s(x, i, j) } -> std::convertible_to<float>;
};

/// A score type that users may name: `x.bind(sequence)` gives the score of that sequence.
template <class S>
concept Score = std::default_initializable<S> && requires(const S x, const sequence s) {
  { x.bind(s) } -> BoundScore;
};

/// The scaled product itself. Kernels leave the step out.
struct no_score {
  static constexpr bool same_for_all_heads = true;
  FA_FN constexpr no_score bind(const sequence&) const { return {}; }
  FA_FN constexpr float operator()(float x, int, int) const { return x; }
};

/// True if the score leaves every logit as it is.
template <class S>
inline constexpr bool is_identity = std::same_as<S, no_score>;

static_assert(Score<no_score>);

}  // namespace fa
