// The forward kernel on host threads: which blocks there are, in which order, and on which of the
// host's two machines.
#pragma once

#include <fa/kernel/forward.hpp>
#include <fa/launch/checks.hpp>
#include <fa/launch/host_threads.hpp>
#include <fa/launch/tuning.hpp>
#include <fa/machine/host/line/machine.hpp>
#include <fa/machine/host/strip/machine.hpp>

namespace fa {
inline namespace FA_HOST_ISA {

/// Block `block` of a problem. A function for each instance, so that the tiles of two never share a
/// stack frame; masks that bind to the same type share it.
template <class M, forward_config cfg, class T, class To, BoundMask Mask, BoundScore Score>
[[gnu::noinline]] void run_block(const forward_problem<T, To>& problem, const Mask& mask,
                                 const Score& score, int block) {
  forward<M, cfg>(problem, mask, score, block);
}

/// The blocks of a forward call. Whatever decides how a row is computed (its machine, its block,
/// its steps) depends on the row's own sequence only, so no bit of it depends on the batch, the
/// other sequences or the threads.
template <class V>
class host_forward {
  using T = typename V::element;
  using To = typename V::out;
  static constexpr int D = V::dims::query, DV = V::dims::value;

  static constexpr forward_config strip_config() {
    forward_config c = host_forward_config(D, DV);
    if constexpr (!std::is_void_v<typename V::shape>) {
      c.q_rows = V::shape::q_rows;
      c.kv_rows = V::shape::kv_rows;
    }
    return c;
  }
  static constexpr forward_config line_config(int rows) {
    return {.q_rows = rows, .kv_rows = host_line_kv_rows, .head_dim = D, .value_dim = DV};
  }

 public:
  explicit host_forward(const forward_arguments<V>& a)
      : a_(a),
        mask_(detail::mask_of(a)),
        score_(detail::score_of(a)),
        scale_(a.softmax_scale.value_or(default_scale())) {
    group_ = a.k.heads > 0 ? static_cast<int>(a.q.heads / a.k.heads) : 1;
    i64 longest = 0;
    for (i64 b = 0; b < (V::packed ? batch() : 1); ++b) longest = max_of(longest, queries(b).count);
    blocks_per_head_ = ceil_div<i64>(longest, strip_config().q_rows);
  }

  /// Number of work items; some may turn out to be empty.
  i64 items() const { return a_.q.empty() ? 0 : batch() * a_.q.heads * blocks_per_head_; }

  /// Runs item `item`. Items go head by head, so that the keys of a head stay in the caches, and
  /// within a head from the last block to the first: under a causal mask the heaviest come first.
  void operator()(i64 item) const {
    const i64 index = item % blocks_per_head_, head = item / blocks_per_head_ % a_.q.heads;
    const i64 b = item / blocks_per_head_ / a_.q.heads;
    const i64 count = queries(b).count;
    // With few queries the heads that share keys become rows of the same block.
    const int group = merges_heads && 2 * count <= strip_config().q_rows ? group_ : 1;
    if (count * group <= host_machine::most_line_rows) {
      if (head % group == 0 && index == 0 && count > 0)
        run_lines(b, head, group, static_cast<int>(count) * group);
    } else {
      run_strips(b, head - head % group, group, head % group * blocks_per_head_ + index);
    }
  }

 private:
  static constexpr bool merges_heads = same_for_all_heads<typename V::mask> &&
                                       same_for_all_heads<typename V::score>;

  struct token_range {
    i64 first, count;
  };

  static float default_scale() { return 1.f / __builtin_sqrtf(static_cast<float>(D)); }

  i64 batch() const {
    if constexpr (V::packed) return a_.batch;
    else return a_.q.batch;
  }

  token_range queries(i64 b) const {
    if constexpr (V::packed) return tokens(a_.cu_seqlens_q, a_.seqused_q, b);
    else return {0, a_.q.seqlen};
  }

  token_range keys(i64 b) const {
    if constexpr (V::packed) return tokens(a_.cu_seqlens_k, a_.seqused_k, b);
    else return {0, a_.k.seqlen};
  }

  static token_range tokens(const std::int32_t* starts, const std::int32_t* used, i64 b) {
    return {starts[b], used != nullptr ? i64{used[b]} : i64{starts[b + 1]} - starts[b]};
  }

  /// Address of a sequence's first token in one head.
  template <class X>
  static X* start(const tensor<X>& t, i64 b, i64 token, i64 head) {
    if (t.empty()) return t.data;  // its strides mean nothing, and were not checked
    return t.data +
           ((V::packed ? 0 : b * t.batch_stride) + token * t.token_stride + head * t.head_stride);
  }

  /// The kernel's view of `group` heads from `head` on of sequence b.
  forward_problem<T, To> problem(i64 b, i64 head, int group) const {
    const token_range q = queries(b), k = keys(b);
    const i64 kv_head = head / group_;
    const int rows = static_cast<int>(q.count) * group, key_count = static_cast<int>(k.count);
    float* lse = a_.lse.data;
    if (lse != nullptr) {
      lse += (V::packed ? 0 : b * a_.lse.batch_stride) + q.first * a_.lse.token_stride +
             head * a_.lse.head_stride;
    }
    return {.q = {start(a_.q, b, q.first, head), a_.q.token_stride, a_.q.head_stride, rows, group},
            .k = {start(a_.k, b, k.first, kv_head), a_.k.token_stride, key_count},
            .v = {start(a_.v, b, k.first, kv_head), a_.v.token_stride, key_count},
            .o = {start(a_.o, b, q.first, head), a_.o.token_stride, a_.o.head_stride, rows, group},
            .lse = {lse, a_.lse.token_stride, a_.lse.head_stride, rows, group},
            .scale = scale_ == 0.f  ? 1.f
                     : scale_ < 0.f ? -scale_
                                    : scale_,
            .query_factor = scale_ == 0.f  ? 0.f
                            : scale_ < 0.f ? -1.f
                                           : 1.f};
  }

  /// Block `index`, counted from the last, of the strips of `group` heads.
  void run_strips(i64 b, i64 head, int group, i64 index) const {
    const i64 blocks = ceil_div<i64>(queries(b).count * group, strip_config().q_rows);
    if (index < blocks)
      run<host_machine::strips, strip_config()>(b, head, group,
                                                static_cast<int>(blocks - 1 - index));
  }

  /// All rows of `group` heads at once.
  void run_lines(i64 b, i64 head, int group, int rows) const {
    if (rows == 1) run<host_machine::lines, line_config(1)>(b, head, group, 0);
    else if (rows <= 4) run<host_machine::lines, line_config(4)>(b, head, group, 0);
    else run<host_machine::lines, line_config(host_machine::most_line_rows)>(b, head, group, 0);
  }

  template <class M, forward_config cfg>
  void run(i64 b, i64 head, int group, int block) const {
    const sequence s{static_cast<int>(queries(b).count), static_cast<int>(keys(b).count), b, head};
    run_block<M, cfg>(problem(b, head, group), mask_.bind(s), score_.bind(s), block);
  }

  const forward_arguments<V>& a_;
  typename V::mask mask_;
  typename V::score score_;
  float scale_;
  int group_ = 1;
  i64 blocks_per_head_ = 0;
};

}  // namespace FA_HOST_ISA

namespace detail {

/// Runs a call whose arguments were checked, but for the offsets, and returns when it is done.
template <class Where, class V>
status run_forward(const Where& where, const forward_arguments<V>& a) {
  if (status s = check_sequences(a); !s) return s;
  const host_forward<V> work(a);
  where.parallel_for(work.items(), work);
  return {};
}

}  // namespace detail

}  // namespace fa
