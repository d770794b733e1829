#pragma once
// y = x W^T + b for row-major floats, in plain blocked loops that keep a tile of y in registers.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <utility>
#include <vector>

#include "thread_pool.hpp"

namespace encoder {

/// Activations, one row a token. Storage is rounded up to whole tiles of rows, so that no loop has
/// a remainder and a row's bits do not depend on how many rows there are; the rows behind the last
/// are zero or garbage, and never looked at.
class matrix {
 public:
  static constexpr std::size_t tile_rows = 6;

  matrix() = default;
  matrix(std::size_t rows, std::size_t columns)
      : rows_(rows),
        columns_(columns),
        values_((rows + tile_rows - 1) / tile_rows * tile_rows * columns) {}

  std::size_t rows() const { return rows_; }
  std::size_t columns() const { return columns_; }
  float* row(std::size_t i) { return values_.data() + i * columns_; }
  const float* row(std::size_t i) const { return values_.data() + i * columns_; }
  float* data() { return values_.data(); }
  const float* data() const { return values_.data(); }

 private:
  std::size_t rows_ = 0, columns_ = 0;
  std::vector<float> values_;
};

class linear {
 public:
  linear() = default;

  /// `weight` [outputs, inputs] and `bias` [outputs], as PyTorch stores them; outputs
  /// a multiple of 16.
  linear(const std::vector<float>& weight, std::vector<float> bias)
      : inputs_(weight.size() / bias.size()),
        outputs_(bias.size()),
        packed_(weight.size()),
        bias_(std::move(bias)) {
    if (outputs_ % 16 != 0)
      throw std::invalid_argument("a layer's outputs must be a multiple of 16");
    for (std::size_t n = 0; n < outputs_; ++n) {
      float* panel = packed_.data() + n / tile_columns * tile_columns * inputs_ + n % tile_columns;
      for (std::size_t k = 0; k < inputs_; ++k) panel[k * tile_columns] = weight[n * inputs_ + k];
    }
  }

  /// y [rows, outputs] = f(x [rows, inputs] W^T + b), f element by element.
  template <class F>
  void apply(thread_pool& pool, const matrix& x, matrix& y, F f) const {
    // of x: stays in the second-level cache
    constexpr std::size_t chunk_rows = 16 * matrix::tile_rows;
    constexpr std::size_t chunk_columns = 6 * tile_columns;
    const std::size_t across = (outputs_ + chunk_columns - 1) / chunk_columns;
    const std::size_t down = (x.rows() + chunk_rows - 1) / chunk_rows;
    pool(static_cast<std::int64_t>(across * down), [&](std::int64_t chunk) {
      const std::size_t n0 = static_cast<std::size_t>(chunk) % across * chunk_columns;
      const std::size_t i0 = static_cast<std::size_t>(chunk) / across * chunk_rows;
      for (std::size_t n = n0; n < std::min(n0 + chunk_columns, outputs_); n += tile_columns) {
        for (std::size_t i = i0; i < std::min(i0 + chunk_rows, x.rows()); i += matrix::tile_rows)
          tile(x, y, i, n, f);
      }
    });
  }
  void apply(thread_pool& pool, const matrix& x, matrix& y) const {
    apply(pool, x, y, [](float value) { return value; });
  }

 private:
#ifdef __AVX__
  static constexpr std::size_t vector_bytes = 32;
#else
  static constexpr std::size_t vector_bytes = 16;
#endif
  // One register of floats, anywhere in memory. A typedef, because clang 14 ignores `aligned` in a
  // using declaration.
  typedef float vector
      __attribute__((vector_size(vector_bytes), aligned(alignof(float)), may_alias));
  static constexpr std::size_t lanes = vector_bytes / sizeof(float), vectors = 2,
                               tile_columns = vectors * lanes;

  /// One tile of y, [tile_rows, tile_columns]. The loops over it must be unrolled, all of them, for
  /// it to stay in registers.
  template <class F>
  void tile(const matrix& x, matrix& y, std::size_t i0, std::size_t n0, F f) const {
    constexpr std::size_t rows = matrix::tile_rows;
    const float* panel = packed_.data() + n0 * inputs_;
    const float* from = x.row(i0);
    vector sum[rows][vectors];
#pragma GCC unroll 16
    for (std::size_t i = 0; i < rows; ++i) {
#pragma GCC unroll 16
      for (std::size_t j = 0; j < vectors; ++j)
        sum[i][j] = reinterpret_cast<const vector&>(bias_[n0 + j * lanes]);
    }
    for (std::size_t k = 0; k < inputs_; ++k, panel += tile_columns) {
#pragma GCC unroll 16
      for (std::size_t i = 0; i < rows; ++i) {
#pragma GCC unroll 16
        for (std::size_t j = 0; j < vectors; ++j) {
          sum[i][j] += from[i * inputs_ + k] * reinterpret_cast<const vector&>(panel[j * lanes]);
        }
      }
    }
#pragma GCC unroll 16
    for (std::size_t i = 0; i < rows; ++i) {
#pragma GCC unroll 16
      for (std::size_t j = 0; j < vectors; ++j)
        reinterpret_cast<vector&>(y.row(i0 + i)[n0 + j * lanes]) = sum[i][j];
    }
    for (std::size_t i = 0; i < rows; ++i) {
      for (std::size_t n = n0; n < n0 + tile_columns; ++n) y.row(i0 + i)[n] = f(y.row(i0 + i)[n]);
    }
  }

  std::size_t inputs_ = 0, outputs_ = 0;
  std::vector<float> packed_;  // panels of tile_columns outputs, each [inputs, tile_columns]
  std::vector<float> bias_;
};

}  // namespace encoder
