// FlashAttention-2 forward (Dao 2023, Algorithm 1) for one block of query rows.
#pragma once

#include <concepts>
#include <type_traits>

#include <fa/machine/concept.hpp>
#include <fa/machine/roles.hpp>
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

/// What its stream brings: keys of D columns and values of DV.
template <class T, int D, int DV>
using keys_and_values = abt_then_ab<T, D, DV>;

/// What the forward kernel may ask of its problem: a block of rows of one head, or of heads that
/// share keys, of one sequence. Outputs are asked for where they are written, so that no registers
/// need hold them before.
template <class P, class M, int BM, int BN>
concept ForwardProblem = requires(const P a) {
  typename P::query_element;
  typename P::kv_element;
  // The block's rows, as load_rows and store_rows take them, and the steps of keys that they see.
  a.template walk<M, BM, BN>(a.template rows<M, BM>());
  a.q;  // Q [rows, D], as load_rows takes it
  a.k;  // K [keys, D], as the stream takes it
  a.v;  // V [keys, DV]
  { a.mask } -> BoundMask;
  { a.score } -> BoundScore;
  { a.scale } -> std::convertible_to<float>;  // softmax scale, > 0
  a.output();                                 // O [rows, DV], as store_rows takes it
  a.output_lse();                             // LSE [rows], or absent
};

/// O = softmax(score(scale Q K^T) where mask keeps) V for a block of rows, and their LSE.
template <class M, forward_config cfg, ForwardProblem<M, cfg.q_rows, cfg.kv_rows> Problem>
FA_FN void forward(const Problem& a) {
  using T = typename Problem::kv_element;
  constexpr int BM = cfg.q_rows, BN = cfg.kv_rows, D = cfg.head_dim, DV = cfg.value_dim;
  static_assert(Machine<M, T, BM, BN, D, DV, std::remove_cvref_t<decltype(a.q)>,
                        std::remove_cvref_t<decltype(a.k)>>);
  constexpr bool plain = is_identity<std::remove_cvref_t<decltype(a.score)>>;
  const float score_scale = plain ? 1.f : a.scale;    // either the score or
  const float softmax_scale = plain ? a.scale : 1.f;  // softmax applies the scale

  const auto at = a.template rows<M, BM>();                              // the block's rows
  const auto q = load_rows<M, BM, D>(a.q, at);                           // Q [BM, D]
  auto o = zeros<M, T, BM, DV>();                                        // O [BM, DV] f32
  softmax_state<M, BM> ml(softmax_scale * log2_e);                       // m, l [BM]
  auto kv = stream<M, BM, BN, keys_and_values<T, D, DV>>(at, a.k, a.v);  // K [BN, D], V [BN, DV]

  kv.visit(
      a.template walk<M, BM, BN>(at),
      [&](const auto& k) FA_LAMBDA { return mma_abt(q, k); },  // S = Q K^T [BM, BN] f32
      [&](auto& s, int key0, bool edge) FA_LAMBDA -> decltype(auto) {
        if constexpr (!plain) {
          map_at(s, at, key0, [&](auto x, auto i, auto j) FA_LAMBDA -> decltype(a.score(x, i, j)) {
            return a.score(x * score_scale, i, j);
          });
        }
        if (edge) keep_only(s, at, key0, a.mask);  // S = -inf where dropped
        ml.advance(s, o);                          // S becomes P; m, l, O keep up
        return as_operand<T>(s);                   // P [BM, BN]
      },
      [&](const auto& p, const auto& v) FA_LAMBDA { mma_ab(o, p, v); });  // O += P V

  store_row(a.output_lse(), ml.finish(o), at);  // O = diag(1/l) O; LSE = m + ln l
  store_rows(a.output(), o, at);
}

}  // namespace fa
