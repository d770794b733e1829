// What a forward call is, on every machine: its arguments as the kernel takes them, and the
// kernel's problem for a work item. How it is launched is the machine's affair: see the launchers.
#pragma once

#include <type_traits>

#include <fa/kernel/forward.hpp>
#include <fa/launch/args.hpp>
#include <fa/launch/call.hpp>

namespace fa {

/// What tells apart forward kernels, besides their policies: machines choose tiles by it. Elements
/// of Q and of K and V; head sizes; the rounding of weights; the user's tile, or void.
template <class QT, class KT, int D, int DV, weight_rounding Rounding, class Tile>
  requires MultipliedElements<QT, KT>
struct forward_shape {
  using query_element = QT;
  using kv_element = KT;
  using tile_option = Tile;
  static constexpr int head_dim = D;
  static constexpr int value_dim = DV;
  static constexpr weight_rounding rounding = Rounding;
};
template <class V>
using forward_shape_of =
    forward_shape<typename V::query_element, typename V::kv_element, V::dims::query, V::dims::value,
                  V::rounding, typename V::tile>;

/// Built-in masks that differ by their numbers only share one kernel.
constexpr window shared_mask(no_mask) { return {-1, -1}; }
constexpr window shared_mask(causal) { return {-1, 0}; }
template <class M>
constexpr M shared_mask(const M& mask) {
  return mask;
}

/// What a work item of a forward call writes.
template <class To>
struct forward_outputs {
  packed_rows<To> o;       // O [rows, DV]
  packed_rows<float> lse;  // LSE [rows], or absent
};

/// Where the first rows of these lie: all that a producer publishes of them.
template <class To>
struct forward_first_outputs {
  To* o;
  float* lse;  ///< or null
};

/// All tensors and policies of a forward call, as launchers take it: see launch/call.hpp. Packed:
/// the call may be one of packed tokens.
template <class Shape, class To, class Mask, class Score, bool Packed>
struct forward_call
    : call_sequences<Packed, same_for_all_heads<Mask> && same_for_all_heads<Score>> {
  using shape = Shape;
  using query_element = typename Shape::query_element;
  using kv_element = typename Shape::kv_element;

  tensor<const query_element> q;
  tensor<const kv_element> k, v;
  tensor<To> o;
  row_tensor lse;
  float scale;         ///< softmax scale, > 0
  float query_factor;  ///< see split_scale
  Mask mask;
  Score score;

  // Of a work item: Q, and what it writes.
  FA_FN query_rows<const query_element> queries(const work_item& item) const {
    return {this->rows_of(q, item), query_factor};
  }
  FA_FN forward_outputs<To> outputs(const work_item& item) const {
    return {this->rows_of(o, item), this->rows_of(lse, item)};
  }

  // The same where only the first rows were published.
  using first_outputs = forward_first_outputs<To>;
  FA_FN first_outputs first_outputs_of(const work_item& item) const {
    return {this->rows_of(o, item).data, this->rows_of(lse, item).data};
  }
  FA_FN forward_outputs<To> outputs(const first_outputs& first, int rows, int heads) const {
    return {{first.o, o.token_stride, o.head_stride, rows, heads},
            {first.lse, lse.token_stride, lse.head_stride, rows, heads}};
  }
};

/// The forward kernel's problem: see the concept ForwardProblem. Query and Rows: where Q, and K and
/// V, lie. Block: which rows these are, see item_block and received_block.
template <class QT, class KT, class Query, class Rows, BoundMask Mask, BoundScore Score,
          class Block>
struct forward_problem {
  using query_element = QT;
  using kv_element = KT;

  Block block;
  Query q;    // Q [rows, D]
  Rows k, v;  // K [keys, D], V [keys, DV]
  float scale;
  Mask mask;
  Score score;

  template <class M, int BM>
  FA_FN auto rows() const {
    return block.template rows<M, BM>(q);
  }
  template <class M, int BM, int BN, class Position>
  FA_FN auto walk(const Position& at) const {
    return block.template walk<M, BM, BN>(mask, at, k);
  }
  FA_FN auto output() const { return block.outputs().o; }
  FA_FN auto output_lse() const { return block.outputs().lse; }
};

/// The forward kernel as launchers take it: see launch/call.hpp.
struct forward_kernel {
  /// The call of some arguments, which have rows. The launcher sets blocks_per_head.
  template <bool Packed, class V>
  [[gnu::always_inline]] static auto call_of(const forward_arguments<V>& a) {
    using mask = decltype(fa::shared_mask(detail::mask_of(a)));
    const split_scale scale(
        a.softmax_scale.value_or(1.f / __builtin_sqrtf(static_cast<float>(V::dims::query))));
    forward_call<forward_shape_of<V>, typename V::out, mask, typename V::score, Packed> call{};
    call.batch = a.q.batch;
    call.heads = a.q.heads;
    call.seqlen_q = a.q.seqlen;
    call.seqlen_k = a.k.seqlen;
    call.heads_per_key_head = a.k.heads > 0 ? static_cast<int>(a.q.heads / a.k.heads) : 1;
    if constexpr (V::packed) {
      call.batch = a.batch;
      call.cu_q = a.cu_seqlens_q;
      call.cu_k = a.cu_seqlens_k;
      call.used_q = a.seqused_q;
      call.used_k = a.seqused_k;
    }
    call.q = a.q;
    call.k = with_safe_strides(a.k);
    call.v = with_safe_strides(a.v);
    call.o = with_safe_strides(a.o);
    call.lse = a.lse;
    call.scale = scale.magnitude;
    call.query_factor = scale.query_factor;
    call.mask = fa::shared_mask(detail::mask_of(a));
    call.score = detail::score_of(a);
    return call;
  }

  /// A bound of the queries of a sequence, from the arguments alone: offsets are not read.
  template <class V>
  static i64 most_queries(const forward_arguments<V>& a) {
    if constexpr (V::packed) {
      if (a.max_seqlen_q > 0) return min_of(a.q.seqlen, a.max_seqlen_q);
    }
    return a.q.seqlen;
  }

  /// Whether there is nothing to do.
  template <class V>
  static bool has_no_rows(const forward_arguments<V>& a) {
    if constexpr (V::packed) {
      if (a.batch == 0) return true;
    }
    return a.q.empty();
  }

  /// Whether arguments are of packed tokens.
  template <class V>
  static constexpr std::bool_constant<V::packed> packed(const forward_arguments<V>&) {
    return {};
  }

  /// Whether a call has a score, which takes registers: machines choose tiles by it.
  template <class Call>
  static constexpr bool has_score = !is_identity<decltype(Call::score)>;

  /// Calls f(tensor, name) for the tensors of keys that the kernel streams, in the stream's order.
  template <class Call, class F>
  static void for_each_streamed(const Call& call, const F& f) {
    f(call.k, "k.token_stride");
    f(call.v, "v.token_stride");
  }
  /// The I-th of them.
  template <int I, class Call>
  FA_FN static const auto& streamed(const Call& call) {
    if constexpr (I == 0) return call.k;
    else return call.v;
  }

  /// The problem of a work item of a call. Outputs: see item_block.
  template <class Call, class Outputs>
  FA_FN static auto problem_of(const Call& call, const work_item& item, const Outputs& outputs) {
    return problem_of(call, item.bound_sequence(), item_block<Outputs>{item.block, outputs},
                      call.queries(item), call.keys_of(call.k, item), call.keys_of(call.v, item));
  }

  /// The same of a block of rows that a producer brings.
  template <class Call, class Received>
  FA_FN static auto problem_of_received(const Call& call, const Received& received) {
    using source = typename Received::source;
    return problem_of(call, received.of, received_block<Call, Received>{call, received},
                      typename Received::query{}, source{}, source{});
  }

  /// What the threads of a block do with their problem.
  template <class M, forward_config cfg, class Problem>
  FA_FN static void run(const Problem& problem) {
    forward<M, cfg>(problem);
  }

 private:
  template <class Call, class Block, class Query, class Rows>
  FA_FN static auto problem_of(const Call& call, const sequence& s, const Block& block,
                               const Query& q, const Rows& k, const Rows& v) {
    using mask = decltype(call.mask.bind(s));
    using score = decltype(call.score.bind(s));
    return forward_problem<typename Call::query_element, typename Call::kv_element, Query, Rows,
                           mask, score, Block>{.block = block,
                                               .q = q,
                                               .k = k,
                                               .v = v,
                                               .scale = call.scale,
                                               .mask = call.mask.bind(s),
                                               .score = call.score.bind(s)};
  }
};

}  // namespace fa
