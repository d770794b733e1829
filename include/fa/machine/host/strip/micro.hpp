// The register tiles in which all the time of the first orientation is spent: N keys (or columns) by one strip of rows.
#pragma once

#include <fa/machine/host/strip/layout.hpp>

namespace fa::host_machine {
inline namespace FA_HOST_ISA {

/// acc[n][r] for N keys or columns and the vectors of a strip.
template <int N>
struct register_tile {
  floats acc[N][strip_vectors];
  FA_FN void clear() {
    FA_UNROLL for (int n = 0; n < N; ++n) FA_UNROLL for (int r = 0; r < strip_vectors; ++r) acc[n][r] = floats{};
  }
  FA_FN void load_from(const float* from) {
    FA_UNROLL for (int n = 0; n < N; ++n)
      FA_UNROLL for (int r = 0; r < strip_vectors; ++r) acc[n][r] = load(from + n * strip_rows + r * lanes);
  }
  FA_FN void store_to(float* to) const {
    FA_UNROLL for (int n = 0; n < N; ++n)
      FA_UNROLL for (int r = 0; r < strip_vectors; ++r) store(to + n * strip_rows + r * lanes, acc[n][r]);
  }
};

/// S^T [N, strip] = K [N, depth] Q^T [depth, strip]. Not inlined: it needs every register.
template <int N>
[[gnu::noinline]] void score_columns(const float* q, const float* k, i64 k_stride, int depth, float* s) {
  register_tile<N> tile;
  tile.clear();
  FA_NO_UNROLL for (int d = 0; d < depth; ++d, q += strip_rows, ++k) {
    floats rows[strip_vectors];
    FA_UNROLL for (int r = 0; r < strip_vectors; ++r) hold(rows[r] = load(q + r * lanes));
    FA_UNROLL for (int n = 0; n < N; ++n)
      FA_UNROLL for (int r = 0; r < strip_vectors; ++r) tile.acc[n][r] += rows[r] * k[n * k_stride];
  }
  tile.store_to(s);
}

/// O^T [N, strip] += V^T [N, keys] P^T [keys, strip].
template <int N>
[[gnu::noinline]] void value_columns(const float* p, const float* v, i64 v_stride, int keys, float* o) {
  register_tile<N> tile;
  tile.load_from(o);
  FA_NO_UNROLL for (int j = 0; j < keys; ++j, p += strip_rows, v += v_stride) {
    floats rows[strip_vectors];
    FA_UNROLL for (int r = 0; r < strip_vectors; ++r) hold(rows[r] = load(p + r * lanes));
    FA_UNROLL for (int n = 0; n < N; ++n)
      FA_UNROLL for (int r = 0; r < strip_vectors; ++r) tile.acc[n][r] += rows[r] * v[n];
  }
  tile.store_to(o);
}

/// Calls f(constant<N>, first) for tiles that cover [0, count), as many as possible of the largest size.
template <int N = tile_keys, class F>
FA_FN void for_register_tiles(int count, const F& f, int first = 0) {
  for (; first + N <= count; first += N) f(constant<N>{}, first);
  if constexpr (N > 1) for_register_tiles<N / 2>(count, f, first);
}

}  // namespace FA_HOST_ISA
}  // namespace fa::host_machine
