// A forward call as kernels on NVIDIA GPUs get it: all tensors, and which rows of which head a block of rows is.
#pragma once

#include <fa/launch/on.hpp>

#if FA_NV

#include <fa/kernel/forward.hpp>
#include <fa/launch/checks.hpp>

namespace fa {

/// Whatever decides how a row is computed depends on the row's own sequence only, so no bit of it depends on the batch, the other
/// sequences or the order of blocks. `Packed`: the call may be one of packed tokens.
template <class T, class To, class Mask, class Score, bool Packed>
struct nv_call {
  using element = T;
  static constexpr bool merges_heads = same_for_all_heads<Mask> && same_for_all_heads<Score>;

  tensor<const T> q, k, v;
  tensor<To> o;
  row_tensor lse;
  const std::int32_t *cu_q, *cu_k, *used_q, *used_k;       ///< null: dense
  i64 batch, blocks_per_head;
  int group;
  float scale, query_factor;
  Mask mask;
  Score score;

  struct token_range { i64 first, count; };

  FA_HOST_DEVICE bool packed() const { return Packed && cu_q != nullptr; }

  /// Block number `block` of the rows of some heads of a sequence.
  struct rows_block {
    bool exists;
    i64 batch, head;                                       ///< the first head
    int merged;                                            ///< heads
    int block;
    token_range queries, keys;
  };

  /// Heads of a sequence of so many queries that a block of q_rows rows holds: with few queries those that share keys become rows
  /// of the same block.
  FA_HOST_DEVICE int merged(i64 queries, int q_rows) const { return merges_heads && 2 * queries <= q_rows ? group : 1; }

  /// Number `index` of `blocks_per_head` of a head, from the last block of rows to the first: under a causal mask the heaviest come
  /// first. The blocks of merged heads are numbered through.
  FA_DEVICE rows_block block_of(i64 b, i64 head, i64 index, int q_rows) const {
    const token_range queries = tokens(cu_q, used_q, b, q.seqlen), keys = tokens(cu_k, used_k, b, k.seqlen);
    const int together = merged(queries.count, q_rows), place = together == 1 ? 0 : static_cast<int>(head % together);
    const i64 strip = place * blocks_per_head + index;
    const int blocks = ceil_div(static_cast<int>(queries.count) * together, q_rows);
    return {strip < blocks, b, head - place, together, blocks - 1 - static_cast<int>(strip), queries, keys};
  }

  FA_DEVICE int kv_head(const rows_block& at) const {
    return static_cast<int>(static_cast<unsigned>(at.head) / static_cast<unsigned>(group));
  }

  FA_DEVICE sequence sequence_of(const rows_block& at) const {
    return {static_cast<int>(at.queries.count), static_cast<int>(at.keys.count), at.batch, at.head};
  }

  FA_DEVICE forward_problem<T, To> problem_of(const rows_block& at) const {
    const i64 kv = kv_head(at), first = at.queries.first;
    const int rows = static_cast<int>(at.queries.count) * at.merged, key_count = static_cast<int>(at.keys.count);
    float* l = lse.data;
    if (l != nullptr) l += (packed() ? 0 : at.batch * lse.batch_stride) + first * lse.token_stride + at.head * lse.head_stride;
    return {.q = {start(q, at.batch, first, at.head), q.token_stride, q.head_stride, rows, at.merged},
            .k = {start(k, at.batch, at.keys.first, kv), k.token_stride, key_count},
            .v = {start(v, at.batch, at.keys.first, kv), v.token_stride, key_count},
            .o = {start(o, at.batch, first, at.head), o.token_stride, o.head_stride, rows, at.merged},
            .lse = {l, lse.token_stride, lse.head_stride, rows, at.merged},
            .scale = scale,
            .query_factor = query_factor};
  }

 private:
  FA_DEVICE token_range tokens(const std::int32_t* starts, const std::int32_t* used, i64 b, i64 all) const {
    if (!packed()) return {0, all};
    const i64 first = starts[b];
    return {first, used != nullptr ? i64{used[b]} : starts[b + 1] - first};
  }

  /// Address of a sequence's first token in one head.
  template <class X>
  FA_DEVICE X* start(const tensor<X>& t, i64 b, i64 token, i64 head) const {
    return t.data + (packed() ? 0 : b * t.batch_stride) + token * t.token_stride + head * t.head_stride;
  }
};

namespace detail {

/// Built-in masks that differ by their numbers only share one kernel.
constexpr window nv_mask(no_mask) { return {-1, -1}; }
constexpr window nv_mask(causal) { return {-1, 0}; }
template <class Mask>
constexpr Mask nv_mask(const Mask& mask) { return mask; }

template <class V>
using nv_mask_of = decltype(nv_mask(mask_of(std::declval<const forward_arguments<V>&>())));

template <class V, bool Packed>
using nv_call_of = nv_call<typename V::element, typename V::out, nv_mask_of<V>, typename V::score, Packed>;

/// A call for blocks of q_rows rows.
template <bool Packed, class V>
nv_call_of<V, Packed> nv_call_from(const forward_arguments<V>& a, int q_rows) {
  const float scale = a.softmax_scale.value_or(1.f / __builtin_sqrtf(static_cast<float>(V::dims::query)));
  nv_call_of<V, Packed> call{.q = a.q, .k = a.k, .v = a.v, .o = a.o, .lse = a.lse,
                     .cu_q = nullptr, .cu_k = nullptr, .used_q = nullptr, .used_k = nullptr,
                     .batch = a.q.batch, .blocks_per_head = 0,
                     .group = a.k.heads > 0 ? static_cast<int>(a.q.heads / a.k.heads) : 1,
                     .scale = scale == 0.f ? 1.f : scale < 0.f ? -scale : scale,
                     .query_factor = scale == 0.f ? 0.f : scale < 0.f ? -1.f : 1.f,
                     .mask = nv_mask(mask_of(a)), .score = score_of(a)};
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

#endif
