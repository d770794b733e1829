// The register tiles for bf16 where the processor multiplies pairs of bf16 and adds them to a float
// (AVX512-BF16).
#pragma once

#include <cstring>

#include <fa/machine/host/strip/micro.hpp>

namespace fa::host_machine {
inline namespace FA_HOST_ISA {

inline constexpr bool has_bf16_dot = FA_HOST_BF16_DOT != 0;

#if FA_HOST_BF16_DOT
/// acc + a.low * b.low + a.high * b.high in each lane. The instruction by its name: compilers
/// disagree about the builtin's types.
FA_FN floats dot_pairs(floats acc, floats a, words b) {
  asm("vdpbf16ps %2, %1, %0" : "+v"(acc) : "v"(a), "v"(b));
  return acc;
}

/// Two neighbouring bf16 at any address, the first in the lower half.
FA_FN std::uint32_t load_pair(const bf16* from) {
  std::uint32_t pair;
  std::memcpy(&pair, from, sizeof pair);
  return pair;
}

/// S^T [N, V] = K [N, depth] Q^T [depth, V]; Q in pairs of columns, K in place.
template <int N, int V>
[[gnu::noinline]] void score_columns(const float* q, const bf16* k, i64 k_stride, int depth,
                                     float* s) {
  register_tile<N, V> tile;
  tile.clear();
  FA_NO_UNROLL for (int d = 0; d + 2 <= depth; d += 2, q += strip_rows, k += 2) {
    floats rows[V];
    FA_UNROLL for (int r = 0; r < V; ++r) hold(rows[r] = load(q + r * lanes));
    FA_UNROLL for (int n = 0; n < N; ++n) {
      const words pair = splat_bits(load_pair(k + n * k_stride));
      FA_UNROLL for (int r = 0; r < V; ++r)
          tile.acc[n][r] = dot_pairs(tile.acc[n][r], rows[r], pair);
    }
  }
  if (depth % 2 != 0) {  // the element after the last is not ours to read
    FA_UNROLL for (int n = 0; n < N; ++n) {
      const words pair = splat_bits(k[n * k_stride].bits);
      FA_UNROLL for (int r = 0; r < V; ++r)
          tile.acc[n][r] = dot_pairs(tile.acc[n][r], load(q + r * lanes), pair);
    }
  }
  tile.store_to(s);
}

/// O^T [N, V] += V^T [N, keys] P^T [keys, V]; both in pairs of keys.
template <int N, int V>
[[gnu::noinline]] void value_columns(const float* p, const std::uint32_t* v, i64 v_stride,
                                     int pairs, float* o) {
  register_tile<N, V> tile;
  tile.load_from(o);
  FA_NO_UNROLL for (int j = 0; j < pairs; ++j, p += strip_rows, v += v_stride) {
    floats rows[V];
    FA_UNROLL for (int r = 0; r < V; ++r) hold(rows[r] = load(p + r * lanes));
    FA_UNROLL for (int n = 0; n < N; ++n) {
      const words pair = splat_bits(v[n]);
      FA_UNROLL for (int r = 0; r < V; ++r)
          tile.acc[n][r] = dot_pairs(tile.acc[n][r], rows[r], pair);
    }
  }
  tile.store_to(o);
}
#endif

}  // namespace FA_HOST_ISA
}  // namespace fa::host_machine
