// What a forward call is, on every machine: its arguments as the kernel takes them, and the
// kernel's problem for a work item. How it is launched is the machine's affair: see the launchers.
#pragma once

#include <utility>

#include <fa/kernel/forward.hpp>
#include <fa/launch/args.hpp>
#include <fa/launch/call.hpp>
#include <fa/launch/checks.hpp>

namespace fa {

/// What tells apart forward kernels, besides their policies: machines choose tiles by it. Elements
/// of Q and of K and V; head sizes; the rounding of weights; the user's tile, or void.
template <QueryElement QT, KvElement KT, int D, int DV, weight_rounding Rounding, class Tile>
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
                  V::rounding, typename V::shape>;

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

/// Where the first rows of these lie: what is told of them on the way to who writes them.
template <class To>
struct forward_first_outputs {
  To* o;
  float* lse;  ///< or null
};

/// All tensors and policies of a forward call. Packed: the call may be one of packed tokens.
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

  FA_FN query_rows<const query_element> queries(const work_item& item) const {
    return {this->rows_of(q, item), query_factor};
  }
  FA_FN forward_outputs<To> outputs(const work_item& item) const {
    return {this->rows_of(o, item), this->rows_of(lse, item)};
  }

  using first_outputs = forward_first_outputs<To>;
  FA_FN first_outputs first_outputs_of(const work_item& item) const {
    return {this->rows_of(o, item).data, this->rows_of(lse, item).data};
  }
  FA_FN forward_outputs<To> outputs(const first_outputs& first, int rows, int heads) const {
    return {{first.o, o.token_stride, o.head_stride, rows, heads},
            {first.lse, lse.token_stride, lse.head_stride, rows, heads}};
  }
};

/// The forward kernel's problem for a work item: see the concept ForwardProblem. Outputs:
/// held_outputs, or how a machine finds them when they are written.
template <class QT, class KT, BoundMask Mask, BoundScore Score, class Outputs>
struct forward_problem {
  using query_element = QT;
  using kv_element = KT;

  int block;                 ///< number of the block among the rows
  query_rows<const QT> q;    // Q [rows, D]
  strided_rows<const KT> k;  // K [keys, D]
  strided_rows<const KT> v;  // V [keys, DV]
  float scale;
  Mask mask;
  Score score;
  Outputs outputs;

  template <class M, int BM>
  FA_FN auto rows() const {
    return M::template rows_of<BM>(block, q.rows, q.heads);
  }
  template <class M, int BM, int BN, class Position>
  FA_FN auto walk(const Position& at) const {
    return M::template walk_of<BM, BN>(mask, at, k.rows);
  }
  FA_FN auto output() const { return outputs.get().o; }
  FA_FN auto output_lse() const { return outputs.get().lse; }
};

/// The same of a block of rows that somebody else brings: Received says what was told of it.
template <class Call, class Query, class Rows, BoundMask Mask, BoundScore Score, class Received>
struct received_forward_problem {
  using query_element = typename Call::query_element;
  using kv_element = typename Call::kv_element;

  const Call& call;
  Query q;    // Q [rows, D]
  Rows k, v;  // K [keys, D], V [keys, DV]
  float scale;
  Mask mask;
  Score score;
  Received received;

  template <class M, int BM>
  FA_FN auto rows() const {
    return received.rows();
  }
  template <class M, int BM, int BN, class Position>
  FA_FN auto walk(const Position&) const {
    return received.walk();
  }
  FA_FN auto output() const { return outputs().o; }
  FA_FN auto output_lse() const { return outputs().lse; }

 private:
  FA_FN auto outputs() const {
    const auto told = received.published();
    return call.outputs(received.first_outputs(), told.first_row + told.row_count, told.heads);
  }
};

/// The forward kernel as launchers take it: the call that arguments mean, the problem of one of its
/// work items, and what a block of threads does with that.
struct forward_kernel {
  /// The call of some arguments, which have rows. The launcher sets blocks_per_head.
  template <bool Packed, class V>
  [[gnu::always_inline]] static auto call_of(const forward_arguments<V>& a);

  /// Bounds the queries of a sequence, as far as can be told without a look at lengths.
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

  template <class V>
  static status check_offsets(const forward_arguments<V>& a) {
    return detail::check_sequences(a);
  }

  /// Whether arguments are of packed tokens.
  template <class V>
  static constexpr std::bool_constant<V::packed> packed(const forward_arguments<V>&) {
    return {};
  }

  template <class Call>
  static constexpr bool has_score = !is_identity<decltype(Call::score)>;

  /// Calls f(tensor, name) for the tensors of keys that the kernel streams, in the stream's order.
  template <class Call, class F>
  static void for_each_streamed(Call& call, const F& f) {
    f(call.k, "k.token_stride");
    f(call.v, "v.token_stride");
  }
  /// The I-th of them.
  template <int I, class Call>
  FA_FN static const auto& streamed(const Call& call) {
    if constexpr (I == 0) return call.k;
    else return call.v;
  }

  template <class Call, class Outputs>
  FA_FN static auto problem_of(const Call& call, const work_item& item, const Outputs& outputs) {
    const sequence s = item.bound_sequence();
    using mask = decltype(call.mask.bind(s));
    using score = decltype(call.score.bind(s));
    return forward_problem<typename Call::query_element, typename Call::kv_element, mask, score,
                           Outputs>{.block = item.block,
                                    .q = call.queries(item),
                                    .k = call.keys_of(call.k, item),
                                    .v = call.keys_of(call.v, item),
                                    .scale = call.scale,
                                    .mask = call.mask.bind(s),
                                    .score = call.score.bind(s),
                                    .outputs = outputs};
  }

  /// The same of a block of rows that somebody else brings.
  template <class Call, class Received>
  FA_FN static auto problem_of_received(const Call& call, const Received& received) {
    const sequence s = received.of;
    using mask = decltype(call.mask.bind(s));
    using score = decltype(call.score.bind(s));
    return received_forward_problem<Call, typename Received::query, typename Received::rows_type,
                                    mask, score, Received>{
        call, {}, {}, {}, call.scale, call.mask.bind(s), call.score.bind(s), received};
  }

  template <class M, forward_config cfg, class Problem>
  FA_FN static void run(const Problem& problem) {
    forward<M, cfg>(problem);
  }
};

template <bool Packed, class V>
inline auto forward_kernel::call_of(const forward_arguments<V>& a) {
  using mask = decltype(shared_mask(detail::mask_of(a)));
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
  call.mask = shared_mask(detail::mask_of(a));
  call.score = detail::score_of(a);
  return call;
}

}  // namespace fa
