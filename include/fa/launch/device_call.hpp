// A forward call as kernels on a GPU get it: all tensors, and which rows of which head a block of
// rows is.
#pragma once

#include <cstdint>
#include <utility>

#include <fa/core/tensor.hpp>
#include <fa/core/view.hpp>
#include <fa/kernel/forward.hpp>
#include <fa/launch/args.hpp>
#include <fa/tile/verbs.hpp>

namespace fa {

/// Whatever decides how a row is computed depends on the row's own sequence only, so no bit of it
/// depends on the batch, the other sequences or the order of blocks. `Packed`: the call may be one
/// of packed tokens. M, in members: the machine, where it should know that what is read from memory
/// is the same for all lanes.
template <class T, class To, class Mask, class Score, bool Packed>
struct device_call {
  using element = T;
  using output_element = To;
  static constexpr bool merges_heads = same_for_all_heads<Mask> && same_for_all_heads<Score>;

  tensor<const T> q, k, v;
  tensor<To> o;
  row_tensor lse;
  const std::int32_t *cu_q, *cu_k, *used_q, *used_k;  ///< null: dense
  i64 batch, blocks_per_head;
  int group;
  float scale, query_factor;  ///< see forward_problem
  Mask mask;
  Score score;

  struct token_range {
    i64 first, count;
  };

  /// Block number `block` of the rows of some heads of a sequence.
  struct rows_block {
    bool exists;
    i64 batch, head;  ///< the first head
    int merged;       ///< heads
    int block;
    token_range queries, keys;
  };

  FA_FN bool packed() const { return Packed && cu_q != nullptr; }

  /// Heads of a sequence of so many queries that a block of q_rows rows holds: with few queries
  /// those that share keys become rows of the same block.
  FA_FN int merged(i64 queries, int q_rows) const {
    return merges_heads && 2 * queries <= q_rows ? group : 1;
  }

  /// Number `index` of `blocks_per_head` of a head, from the last block of rows to the first: under
  /// a causal mask the heaviest come first. The blocks of merged heads are numbered through.
  template <class M = void>
  FA_FN rows_block block_of(i64 b, i64 head, i64 index, int q_rows) const {
    const token_range queries = tokens<M>(cu_q, used_q, b, q.seqlen),
                      keys = tokens<M>(cu_k, used_k, b, k.seqlen);
    const int together = merged(queries.count, q_rows),
              place = together == 1 ? 0 : static_cast<int>(head % together);
    const i64 strip = place * blocks_per_head + index;
    const int blocks = ceil_div(static_cast<int>(queries.count) * together, q_rows);
    return {strip < blocks, b,   head - place, together, blocks - 1 - static_cast<int>(strip),
            queries,        keys};
  }

  /// Work item `item` of batch * heads * blocks_per_head: head by head, so that the keys of a head
  /// stay in the cache.
  template <class M = void>
  FA_FN rows_block block_of_item(i64 item, int q_rows) const {
    const i64 index = item % blocks_per_head, head = item / blocks_per_head % q.heads,
              b = item / blocks_per_head / q.heads;
    return block_of<M>(b, head, index, q_rows);
  }
  FA_FN i64 items() const { return batch * q.heads * blocks_per_head; }

  FA_FN int kv_head(const rows_block& at) const {
    return static_cast<int>(static_cast<unsigned>(at.head) / static_cast<unsigned>(group));
  }
  FA_FN static sequence sequence_of(const rows_block& at) {
    return {static_cast<int>(at.queries.count), static_cast<int>(at.keys.count), at.batch, at.head};
  }

  // What forward_problem asks for.

  FA_FN group_view<const T> queries(const rows_block& at) const {
    return {start(q, at.batch, at.queries.first, at.head), q.token_stride, q.head_stride, rows(at),
            at.merged};
  }
  FA_FN row_view<const T> keys(const rows_block& at) const { return of_keys(k, at); }
  FA_FN row_view<const T> values(const rows_block& at) const { return of_keys(v, at); }
  FA_FN group_view<To> output(const rows_block& at) const {
    return {start(o, at.batch, at.queries.first, at.head), o.token_stride, o.head_stride, rows(at),
            at.merged};
  }
  FA_FN group_view<float> output_lse(const rows_block& at) const {
    if (lse.data == nullptr) return {nullptr, 0, 0, rows(at), at.merged};
    float* first = lse.data + (packed() ? 0 : at.batch * lse.batch_stride) +
                   at.queries.first * lse.token_stride;
    return {first + at.head * lse.head_stride, lse.token_stride, lse.head_stride, rows(at),
            at.merged};
  }
  FA_FN forward_problem<T, To> problem_of(const rows_block& at) const {
    return {queries(at), keys(at), values(at), output(at), output_lse(at), scale, query_factor};
  }

 private:
  FA_FN static int rows(const rows_block& at) {
    return static_cast<int>(at.queries.count) * at.merged;
  }

  FA_FN row_view<const T> of_keys(const tensor<const T>& t, const rows_block& at) const {
    return {start(t, at.batch, at.keys.first, kv_head(at)), t.token_stride,
            static_cast<int>(at.keys.count)};
  }

  template <class M>
  FA_FN token_range tokens(const std::int32_t* starts, const std::int32_t* used, i64 b,
                           i64 all) const {
    if (!packed()) return {0, all};
    const i64 first = uniform<M>(starts[b]);
    return {first, used != nullptr ? i64{uniform<M>(used[b])} : uniform<M>(starts[b + 1]) - first};
  }

  /// Address of a sequence's first token in one head.
  template <class X>
  FA_FN X* start(const tensor<X>& t, i64 b, i64 token, i64 head) const {
    return t.data + (packed() ? 0 : b * t.batch_stride) + token * t.token_stride +
           head * t.head_stride;
  }
};

namespace detail {

/// Built-in masks that differ by their numbers only share one kernel.
constexpr window device_mask(no_mask) { return {-1, -1}; }
constexpr window device_mask(causal) { return {-1, 0}; }
template <class Mask>
constexpr Mask device_mask(const Mask& mask) {
  return mask;
}

template <class V>
using device_mask_of = decltype(device_mask(mask_of(std::declval<const forward_arguments<V>&>())));

/// The arguments of a call as kernels get them.
template <class V, bool Packed>
using device_call_of =
    device_call<typename V::element, typename V::out, device_mask_of<V>, typename V::score, Packed>;

/// Whether a call has no row: then there is nothing to launch.
template <class V>
bool has_no_rows(const forward_arguments<V>& a) {
  if constexpr (V::packed) {
    if (a.batch == 0) return true;
  }
  return a.q.empty();
}

/// A call for blocks of q_rows rows.
template <bool Packed, class V>
device_call_of<V, Packed> device_call_from(const forward_arguments<V>& a, int q_rows) {
  const float scale = a.softmax_scale.value_or(1.f /
                                               __builtin_sqrtf(static_cast<float>(V::dims::query)));
  device_call_of<V, Packed> call{
      .q = a.q,
      .k = a.k,
      .v = a.v,
      .o = a.o,
      .lse = a.lse,
      .cu_q = nullptr,
      .cu_k = nullptr,
      .used_q = nullptr,
      .used_k = nullptr,
      .batch = a.q.batch,
      .blocks_per_head = 0,
      .group = a.k.heads > 0 ? static_cast<int>(a.q.heads / a.k.heads) : 1,
      .scale = scale == 0.f  ? 1.f
               : scale < 0.f ? -scale
                             : scale,
      .query_factor = scale == 0.f  ? 0.f
                      : scale < 0.f ? -1.f
                                    : 1.f,
      .mask = device_mask(mask_of(a)),
      .score = score_of(a)};
  i64 longest = a.q.seqlen;
  if constexpr (V::packed) {
    call.cu_q = a.cu_seqlens_q;
    call.cu_k = a.cu_seqlens_k;
    call.used_q = a.seqused_q;
    call.used_k = a.seqused_k;
    call.batch = a.batch;
    if (a.max_seqlen_q > 0) longest = min_of(longest, a.max_seqlen_q);
  }
  call.blocks_per_head = ceil_div<i64>(longest, q_rows);
  return call;
}

}  // namespace detail

}  // namespace fa
