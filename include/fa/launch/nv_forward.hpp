// The forward kernel on an NVIDIA GPU: which blocks there are, in which order, and how they are launched.
#pragma once

#include <fa/launch/on.hpp>

#if FA_NV

#include <fa/kernel/forward.hpp>
#include <fa/launch/checks.hpp>
#include <fa/launch/nv_tuning.hpp>
#include <fa/machine/nv/launch.hpp>
#include <fa/machine/nv/machine.hpp>

namespace fa {

/// A forward call as kernels get it. Whatever decides how a row is computed depends on the row's own sequence only, so no bit of it
/// depends on the batch, the other sequences or the order of blocks.
template <class T, class To, nv_config cfg, class Mask, class Score>
struct nv_forward {
  using machine = nv_machine::warps<T, cfg.warps, cfg.parts, cfg.stages>;
  using stream = typename machine::template kv_stream<T, cfg.tile.q_rows, cfg.tile.kv_rows, cfg.tile.head_dim, cfg.tile.value_dim>;
  static constexpr int threads = machine::threads;
  static constexpr int shared_bytes = stream::shared_bytes;
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
  FA_DEVICE void run(i64 item) const {
    const i64 index = item % blocks_per_head, head = item / blocks_per_head % q.heads, b = item / blocks_per_head / q.heads;
    const token_range queries = tokens(cu_q, used_q, b, q.seqlen), keys = tokens(cu_k, used_k, b, k.seqlen);
    // With few queries the heads that share keys become rows of the same block.
    const int merged = merges_heads && 2 * queries.count <= cfg.tile.q_rows ? group : 1;
    const i64 first_head = head - head % merged, strip = head % merged * blocks_per_head + index;
    const i64 rows = queries.count * merged, blocks = ceil_div<i64>(rows, cfg.tile.q_rows);
    if (strip >= blocks) return;
    const sequence s{static_cast<int>(queries.count), static_cast<int>(keys.count), b, first_head};
    const auto problem = problem_of(b, first_head, merged, queries, keys);
    forward<machine, cfg.tile>(problem, mask.bind(s), score.bind(s), static_cast<int>(blocks - 1 - strip));
  }

 private:
  FA_DEVICE static token_range tokens(const std::int32_t* starts, const std::int32_t* used, i64 b, i64 all) {
    if (starts == nullptr) return {0, all};
    const i64 first = starts[b];
    return {first, used != nullptr ? i64{used[b]} : starts[b + 1] - first};
  }

  /// Address of a sequence's first token in one head.
  template <class X>
  FA_DEVICE X* start(const tensor<X>& t, i64 b, i64 token, i64 head) const {
    return t.data + (cu_q != nullptr ? 0 : b * t.batch_stride) + token * t.token_stride + head * t.head_stride;
  }

  FA_DEVICE forward_problem<T, To> problem_of(i64 b, i64 head, int merged, token_range queries, token_range keys) const {
    const i64 kv_head = head / group;
    const int rows = static_cast<int>(queries.count) * merged, key_count = static_cast<int>(keys.count);
    float* l = lse.data;
    if (l != nullptr) l += (cu_q != nullptr ? 0 : b * lse.batch_stride) + queries.first * lse.token_stride + head * lse.head_stride;
    return {.q = {start(q, b, queries.first, head), q.token_stride, q.head_stride, rows, merged},
            .k = {start(k, b, keys.first, kv_head), k.token_stride, key_count},
            .v = {start(v, b, keys.first, kv_head), v.token_stride, key_count},
            .o = {start(o, b, queries.first, head), o.token_stride, o.head_stride, rows, merged},
            .lse = {l, lse.token_stride, lse.head_stride, rows, merged},
            .scale = scale,
            .query_factor = query_factor};
  }
};

/// Block i is work item first + i.
template <class Work, int Threads, int Blocks>
__global__ void __launch_bounds__(Threads, Blocks) nv_forward_kernel(const __grid_constant__ Work work, i64 first) {
  work.run(first + blockIdx.x);
}

namespace detail {

/// Built-in masks that differ by their numbers only share one kernel.
constexpr window nv_mask(no_mask) { return {-1, -1}; }
constexpr window nv_mask(causal) { return {-1, 0}; }
template <class Mask>
constexpr Mask nv_mask(const Mask& mask) { return mask; }

/// Enqueues a call with the tiles of `cfg`.
template <nv_config cfg, class V>
status nv_run(const cuda_stream& where, const forward_arguments<V>& a) {
  using mask_type = decltype(nv_mask(mask_of(a)));
  using work_type = nv_forward<typename V::element, typename V::out, cfg, mask_type, typename V::score>;
  const float scale = a.softmax_scale.value_or(1.f / __builtin_sqrtf(static_cast<float>(V::dims::query)));
  work_type work{.q = a.q, .k = a.k, .v = a.v, .o = a.o, .lse = a.lse,
                 .cu_q = nullptr, .cu_k = nullptr, .used_q = nullptr, .used_k = nullptr,
                 .blocks_per_head = 0, .group = a.k.heads > 0 ? static_cast<int>(a.q.heads / a.k.heads) : 1,
                 .scale = scale == 0.f ? 1.f : scale < 0.f ? -scale : scale,
                 .query_factor = scale == 0.f ? 0.f : scale < 0.f ? -1.f : 1.f,
                 .mask = nv_mask(mask_of(a)), .score = score_of(a)};
  i64 batch = a.q.batch, longest = a.q.seqlen;
  if constexpr (V::packed) {
    work.cu_q = a.cu_seqlens_q;
    work.cu_k = a.cu_seqlens_k;
    work.used_q = a.seqused_q;
    work.used_k = a.seqused_k;
    batch = a.batch;
    if (a.max_seqlen_q > 0) longest = min_of(longest, a.max_seqlen_q);
  }
  work.blocks_per_head = ceil_div<i64>(longest, cfg.tile.q_rows);
  return nv_machine::launch(nv_forward_kernel<work_type, work_type::threads, cfg.blocks>, work,
                            batch * a.q.heads * work.blocks_per_head, work_type::threads, work_type::shared_bytes, where.stream);
}

/// Enqueues a call whose arguments were checked. Large heads have tiles for GPUs with much and with little shared memory.
template <class V>
status run_forward(const cuda_stream& where, const forward_arguments<V>& a) {
  static_assert(std::is_void_v<typename V::shape>,
                "fa::attention: tile<q_rows, kv_rows> on a GPU. Rule: it tunes the host. Remedy: leave it out");
  if constexpr (V::packed) {
    if (a.batch == 0) return {};
  }
  if (a.q.empty()) return {};
  using T = typename V::element;
  constexpr nv_config large = nv_forward_config<T, V::dims::query, V::dims::value>(nv_most_shared_bytes);
  constexpr nv_config small = nv_forward_config<T, V::dims::query, V::dims::value>(nv_least_shared_bytes);
  if constexpr (large != small) {
    int most = 0;
    if (status s = nv_machine::shared_limit(most); !s) return s;
    if (most < nv_most_shared_bytes) return nv_run<small>(where, a);
  }
  return nv_run<large>(where, a);
}

}  // namespace detail

}  // namespace fa

#endif
