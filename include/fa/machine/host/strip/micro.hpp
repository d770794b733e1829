// The register tiles in which all the time of the first orientation is spent: N keys (or columns)
// by the V last vectors of a strip. V is all of them but at the end of a causal mask, where the
// first rows of a strip see fewer keys than the last.
#pragma once

#include <fa/machine/host/strip/layout.hpp>

namespace fa::host_machine {
inline namespace FA_HOST_ISA {

/// acc[n][r] for N keys or columns and V vectors of a strip.
template <int N, int V>
struct register_tile {
  floats acc[N][V];
  FA_FN void clear() {
    FA_UNROLL for (int n = 0; n < N; ++n) FA_UNROLL for (int r = 0; r < V; ++r)
        acc[n][r] = floats{};
  }
  FA_FN void load_from(const float* from) {
    FA_UNROLL for (int n = 0; n < N; ++n) FA_UNROLL for (int r = 0; r < V; ++r)
        acc[n][r] = load(from + n * strip_rows + r * lanes);
  }
  FA_FN void store_to(float* to) const {
    FA_UNROLL for (int n = 0; n < N; ++n) FA_UNROLL for (int r = 0; r < V; ++r)
        store(to + n * strip_rows + r * lanes, acc[n][r]);
  }
};

/// S^T [N, V] = K [N, depth] Q^T [depth, V]. Not inlined: it needs every register.
template <int N, int V>
[[gnu::noinline]] void score_columns(const float* q, const float* k, i64 k_stride, int depth,
                                     float* s) {
  register_tile<N, V> tile;
  tile.clear();
  FA_NO_UNROLL for (int d = 0; d < depth; ++d, q += strip_rows, ++k) {
    floats rows[V];
    FA_UNROLL for (int r = 0; r < V; ++r) hold(rows[r] = load(q + r * lanes));
    FA_UNROLL for (int n = 0; n < N; ++n) FA_UNROLL for (int r = 0; r < V; ++r)
        tile.acc[n][r] += rows[r] * k[n * k_stride];
  }
  tile.store_to(s);
}

/// O^T [N, V] += V^T [N, keys] P^T [keys, V].
template <int N, int V>
[[gnu::noinline]] void value_columns(const float* p, const float* v, i64 v_stride, int keys,
                                     float* o) {
  register_tile<N, V> tile;
  tile.load_from(o);
  FA_NO_UNROLL for (int j = 0; j < keys; ++j, p += strip_rows, v += v_stride) {
    floats rows[V];
    FA_UNROLL for (int r = 0; r < V; ++r) hold(rows[r] = load(p + r * lanes));
    FA_UNROLL for (int n = 0; n < N; ++n) FA_UNROLL for (int r = 0; r < V; ++r)
        tile.acc[n][r] += rows[r] * v[n];
  }
  tile.store_to(o);
}

/// Calls f(constant<N>, at) for tiles that cover [first, end), as many as possible of the largest
/// size.
template <int N = tile_keys, class F>
FA_FN void for_register_tiles(int first, int end, const F& f) {
  for (; first + N <= end; first += N) f(constant<N>{}, first);
  if constexpr (N > 1) for_register_tiles<N / 2>(first, end, f);
}

/// Calls f(constant<vector>, first, end) for the ranges of keys that the vectors from `vector` on
/// share; `ends` ascend.
template <int Vector = 0, class F>
FA_FN void for_key_ranges(const int (&ends)[strip_vectors], const F& f, int first = 0) {
  if (first < ends[Vector]) f(constant<Vector>{}, first, ends[Vector]);
  if constexpr (Vector + 1 < strip_vectors) for_key_ranges<Vector + 1>(ends, f, ends[Vector]);
}

}  // namespace FA_HOST_ISA
}  // namespace fa::host_machine
