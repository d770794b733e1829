// FlashAttention-2 forward (Dao 2023, Algorithm 1) for one block of query rows.
#pragma once

#include <fa/machine/concept.hpp>
#include <fa/policy/mask.hpp>
#include <fa/policy/score.hpp>
#include <fa/policy/softmax.hpp>
#include <fa/tile/verbs.hpp>

namespace fa {

/// Sizes of a kernel instance.
struct forward_config {
  int q_rows;     ///< BM, rows of a block
  int kv_rows;    ///< BN, keys of a step
  int head_dim;   ///< D, of queries and keys
  int value_dim;  ///< DV, of values and outputs
  bool operator==(const forward_config&) const = default;
};

/// One head (or a group of heads that share keys) of one sequence. A launcher may give the kernel
/// another type with the members that it asks for; outputs are asked for where they are written, so
/// that no registers need hold them before.
template <class T, class To>
struct forward_problem {
  using element = T;
  group_view<const T> q;  // Q [rows, D]
  row_view<const T> k;    // K [keys, D]
  row_view<const T> v;    // V [keys, DV]
  group_view<To> o;       // O [rows, DV]
  group_view<float> lse;  // LSE [rows], or absent
  float scale;            // softmax scale, >= 0
  float query_factor;     // 1, or -1 for a negative softmax scale, or 0 for none
  FA_FN const group_view<To>& output() const { return o; }
  FA_FN const group_view<float>& output_lse() const { return lse; }
};

/// O = softmax(score(scale Q K^T) where mask keeps) V for block `block` of the rows, and their LSE.
template <class M, forward_config cfg, class Problem, BoundMask Mask, BoundScore Score>
  requires Machine<M, typename Problem::element, cfg.q_rows, cfg.kv_rows, cfg.head_dim,
                   cfg.value_dim>
FA_FN void forward(const Problem& a, const Mask& mask, const Score& score, int block) {
  using T = typename Problem::element;
  constexpr int BM = cfg.q_rows, BN = cfg.kv_rows, D = cfg.head_dim, DV = cfg.value_dim;
  const float score_scale = is_identity<Score> ? 1.f : a.scale;    // either the score or
  const float softmax_scale = is_identity<Score> ? a.scale : 1.f;  // softmax applies the scale

  const auto at = rows_of<M, BM>(block, a.q.rows, a.q.group);         // the block's rows
  const auto q = load_rows<M, BM, D>(a.q, at, a.query_factor);        // Q [BM, D]
  auto o = zeros<M, T, BM, DV>();                                     // O [BM, DV] f32
  softmax_state<M, BM> ml(softmax_scale * log2_e);                    // m, l [BM]
  typename M::template kv_stream<T, BM, BN, D, DV> kv{a.k, a.v, at};  // K [BN, D], V [BN, DV]

  kv.visit(
      mask, [&](const auto& k) FA_LAMBDA { return mma_abt(q, k); },  // S = Q K^T [BM, BN] f32
      [&](auto& s, int key0, bool edge) FA_LAMBDA -> decltype(auto) {
        if constexpr (!is_identity<Score>)
          map_at(s, at, key0,
                 [&](float x, int i, int j) FA_LAMBDA { return score(x * score_scale, i, j); });
        if (edge) keep_only(s, at, key0, mask);  // S = -inf where dropped
        ml.advance(s, o);                        // S becomes P; m, l, O keep up
        return as_operand<T>(s);                 // P [BM, BN]
      },
      [&](const auto& p, const auto& v) FA_LAMBDA { mma_ab(o, p, v); });  // O += P V

  store_row(a.output_lse(), ml.finish(o), at);  // O = diag(1/l) O; LSE = m + ln l
  store_rows(a.output(), o, at);
}

}  // namespace fa
