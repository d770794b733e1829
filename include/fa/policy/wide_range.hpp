// Softmax of logits so far from 0 that 2^(c S - c m) cannot be computed as c S + (-c m): from
// |c m| = 2^24 on, a rounded -c m is off by a whole power of two. Then a state (softmax.hpp) holds
// m itself and P is 2^(c (S - m)) literally, at one more operation a score. Rare, so nothing of it
// may cost the other states registers.
#pragma once

#include <fa/core/numeric.hpp>
#include <fa/machine/math.hpp>
#include <fa/tile/verbs.hpp>

namespace fa {

/// 2^24: below it, a rounded float is off by less than 1.
inline constexpr float wide_range_begin = 16777216.f;

/// True for -infinity, lane by lane.
template <class X>
FA_FN auto is_lowest(const X& x) {
  return x < -largest_float;
}

/// The maximum m [BM] in a row of the state, in units of S, or -largest_float where nothing was
/// seen; valid in wide range only.
template <class State>
FA_FN const auto& wide_range_max(const State& state) {
  return state.rescale_threshold;
}

/// |c m| [BM] of maxima m, or -infinity where m is.
template <class Row>
FA_FN Row scaled_distance(const Row& raised, float scale) {
  return map(raised, raised, [=](auto m, auto) FA_LAMBDA {
    return is_lowest(m) ? m : larger(m * scale, -(m * scale));
  });
}

/// Turns a state into one of wide range. `raised` [BM]: new m, or -infinity for rows that keep
/// theirs. Returns the factor [BM] of what was summed up so far.
template <class State, class Row>
FA_FN auto enter_wide_range(State& state, const Row& raised) {
  const float scale = state.log2_scale, inverse = 1.f / scale;
  auto m = state.neg_scaled_max;
  fill(m, -largest_float);
  const auto before = map(state.rescale_threshold, state.neg_scaled_max,
                          [=](auto u, auto b)
                              FA_LAMBDA { return is_lowest(u) ? u : -(b * inverse); });
  const auto higher = [](auto a, auto b) FA_LAMBDA { return larger(a, b); };
  m = map(map(raised, before, higher), m, higher);
  const auto change = map(m, state.neg_scaled_max,
                          [=](auto now, auto b) FA_LAMBDA { return -(now * scale + b); });
  const auto alpha = map(state.rescale_threshold, change,
                         [](auto u, auto x) FA_LAMBDA { return exp2(is_lowest(u) ? u : x); });
  state.wide_range = true;
  fill(state.neg_scaled_max, 0.f);
  state.rescale_threshold = m;
  return alpha;
}

/// Raises m of a state of wide range to the maxima `top` [BM] of a step; returns the factor [BM] of
/// what was summed up so far.
template <class State, class Top>
FA_FN auto raise_in_wide_range(State& state, const Top& top) {
  const float scale = state.log2_scale;
  const auto before = state.rescale_threshold;
  state.rescale_threshold = map(top, state.rescale_threshold,
                                [](auto t, auto m) FA_LAMBDA { return larger(t, m); });
  return map(state.rescale_threshold, before,
             [=](auto now, auto m) FA_LAMBDA { return exp2((m - now) * scale); });
}

}  // namespace fa
