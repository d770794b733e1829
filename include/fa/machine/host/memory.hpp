// Rows of elements and SIMD registers.
#pragma once

#include <cstddef>
#include <cstring>

#include <fa/core/view.hpp>
#include <fa/machine/host/vector.hpp>

namespace fa::host_machine {
inline namespace FA_HOST_ISA {

/// `lanes` elements as floats, of which the last ones, beyond `count`, are zero and not read.
template <class T>
FA_FN floats load_first(const T* from, int count) {
  if (count >= lanes) return load_elements(from);
  T some[lanes] = {};
  std::memcpy(some, from, static_cast<std::size_t>(count) * sizeof(T));
  return load_elements(some);
}

/// Stores the first `count` floats.
template <class T>
FA_FN void store_first(T* to, floats x, int count) {
  if (count >= lanes) return store_elements(to, x);
  T some[lanes];
  store_elements(some, x);
  std::memcpy(to, some, static_cast<std::size_t>(count) * sizeof(T));
}

/// Rows that will be read soon. Register tiles jump from row to row, which the processor's own prefetching does not follow, so
/// whoever computes asks for a share of them as it goes.
struct rows_ahead {
  const char* data = nullptr;
  i64 stride_bytes = 0;
  int row_bytes = 0;
  int rows = 0;

  template <class T>
  FA_FN static rows_ahead of(const row_view<const T>& view, int columns, int first, int count) {
    return {reinterpret_cast<const char*>(view.row(first)), view.stride * static_cast<i64>(sizeof(T)),
            columns * static_cast<int>(sizeof(T)), count};
  }

  /// Brings the share [done, done + part) of `total` into the second-level cache.
  FA_FN void fetch(int done, int part, int total) const {
    for (int row = done * rows / total; row < (done + part) * rows / total; ++row) {
      for (int byte = 0; byte < row_bytes; byte += 64) __builtin_prefetch(data + row * stride_bytes + byte, 0, 2);
    }
  }
};

}  // namespace FA_HOST_ISA
}  // namespace fa::host_machine
