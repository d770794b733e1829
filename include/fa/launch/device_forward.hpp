// A forward call as kernels on a GPU get it, and which block does what.
#pragma once

#include <cstdint>

#include <fa/core/tensor.hpp>
#include <fa/kernel/forward.hpp>
#include <fa/launch/args.hpp>

namespace fa {

/// Whatever decides how a row is computed depends on the row's own sequence only, so no bit of it depends on the batch, the other
/// sequences or the order of blocks.
template <class T, class To, class Mask, class Score>
struct device_forward {
  static constexpr bool merges_heads = same_for_all_heads<Mask> && same_for_all_heads<Score>;

  tensor<const T> q, k, v;
  tensor<To> o;
  row_tensor lse;
  const std::int32_t *cu_q, *cu_k, *used_q, *used_k;       ///< null: dense
  i64 blocks_per_head;
  int group;
  float scale, query_factor;
  Mask mask;
  Score score;

  struct token_range { i64 first, count; };

  /// Runs work item `item`: head by head, so that the keys of a head stay in the cache, and within a head from the last block to
  /// the first: under a causal mask the heaviest come first.
  template <class M, forward_config cfg>
  FA_FN void run(i64 item) const {
    const i64 index = item % blocks_per_head, head = item / blocks_per_head % q.heads, b = item / blocks_per_head / q.heads;
    const token_range queries = tokens<M>(cu_q, used_q, b, q.seqlen), keys = tokens<M>(cu_k, used_k, b, k.seqlen);
    // With few queries the heads that share keys become rows of the same block.
    const int merged = merges_heads && 2 * queries.count <= cfg.q_rows ? group : 1;
    const i64 first_head = head - head % merged, strip = head % merged * blocks_per_head + index;
    const i64 rows = queries.count * merged, blocks = ceil_div<i64>(rows, cfg.q_rows);
    if (strip >= blocks) return;
    const sequence s{static_cast<int>(queries.count), static_cast<int>(keys.count), b, first_head};
    const auto of_block = problem_of<M>(b, first_head, merged, queries, keys);
    forward<M, cfg>(of_block, mask.bind(s), score.bind(s), static_cast<int>(blocks - 1 - strip));
  }

 private:
  template <class M>
  FA_FN static token_range tokens(const std::int32_t* starts, const std::int32_t* used, i64 b, i64 all) {
    if (starts == nullptr) return {0, all};
    const std::int32_t first = uniform<M>(starts[b]);
    return {first, uniform<M>(used != nullptr ? used[b] : starts[b + 1] - first)};
  }

  /// Address of a sequence's first token in one head.
  template <class X>
  FA_FN X* start(const tensor<X>& t, i64 b, i64 token, i64 head) const {
    return t.data + (cu_q != nullptr ? 0 : b * t.batch_stride) + token * t.token_stride + head * t.head_stride;
  }

  /// What the kernel asks for; see forward_problem. Where outputs lie is read from the arguments when they are written: *this is
  /// the kernel's first argument.
  template <class M>
  struct problem {
    using element = T;
    group_view<const T> q;
    row_view<const T> k, v;
    float scale, query_factor;
    i64 batch, head, first_query;

    FA_FN group_view<To> output() const {
      const device_forward& a = M::template first_argument<device_forward>();
      return {a.start(a.o, batch, first_query, head), a.o.token_stride, a.o.head_stride, q.rows, q.group};
    }
    FA_FN group_view<float> output_lse() const {
      const device_forward& a = M::template first_argument<device_forward>();
      if (a.lse.data == nullptr) return {nullptr, 0, 0, q.rows, q.group};
      const i64 of_batch = a.cu_q != nullptr ? 0 : batch * a.lse.batch_stride;
      return {a.lse.data + of_batch + first_query * a.lse.token_stride + head * a.lse.head_stride, a.lse.token_stride,
              a.lse.head_stride, q.rows, q.group};
    }
  };

  template <class M>
  FA_FN problem<M> problem_of(i64 b, i64 head, int merged, token_range queries, token_range keys) const {
    const i64 kv_head = head / group;
    const int rows = static_cast<int>(queries.count) * merged, key_count = static_cast<int>(keys.count);
    return {.q = {start(q, b, queries.first, head), q.token_stride, q.head_stride, rows, merged},
            .k = {start(k, b, keys.first, kv_head), k.token_stride, key_count},
            .v = {start(v, b, keys.first, kv_head), v.token_stride, key_count},
            .scale = scale,
            .query_factor = query_factor,
            .batch = b,
            .head = head,
            .first_query = queries.first};
  }
};

namespace detail {

/// Built-in masks that differ by their numbers only share one kernel.
constexpr window device_mask(no_mask) { return {-1, -1}; }
constexpr window device_mask(causal) { return {-1, 0}; }
template <class Mask>
constexpr Mask device_mask(const Mask& mask) { return mask; }

/// The arguments of a call as kernels get them.
template <class V>
using device_forward_of =
    device_forward<typename V::element, typename V::out, decltype(device_mask(mask_of(forward_arguments<V>{}))), typename V::score>;

/// Fills in `work` for blocks of so many rows; returns how many work items there are.
template <class V>
i64 device_work(device_forward_of<V>& work, const forward_arguments<V>& a, int q_rows) {
  const float scale = a.softmax_scale.value_or(1.f / __builtin_sqrtf(static_cast<float>(V::dims::query)));
  work = {.q = a.q, .k = a.k, .v = a.v, .o = a.o, .lse = a.lse,
          .cu_q = nullptr, .cu_k = nullptr, .used_q = nullptr, .used_k = nullptr,
          .blocks_per_head = 0, .group = a.k.heads > 0 ? static_cast<int>(a.q.heads / a.k.heads) : 1,
          .scale = scale == 0.f ? 1.f : scale < 0.f ? -scale : scale,
          .query_factor = scale == 0.f ? 0.f : scale < 0.f ? -1.f : 1.f,
          .mask = device_mask(mask_of(a)), .score = score_of(a)};
  i64 batch = a.q.batch, longest = a.q.seqlen;
  if constexpr (V::packed) {
    work.cu_q = a.cu_seqlens_q;
    work.cu_k = a.cu_seqlens_k;
    work.used_q = a.seqused_q;
    work.used_k = a.seqused_k;
    batch = a.batch;
    if (a.max_seqlen_q > 0) longest = min_of(longest, a.max_seqlen_q);
  }
  work.blocks_per_head = ceil_div<i64>(longest, q_rows);
  return batch * a.q.heads * work.blocks_per_head;
}

}  // namespace detail

}  // namespace fa
