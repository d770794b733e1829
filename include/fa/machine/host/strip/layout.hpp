// The host's first orientation: a block is a few strips of query rows, and the rows of a strip lie
// in SIMD lanes.
//
//   strip 0: rows 0 .. W-1        values[strip][column][row in strip]
//   strip 1: rows W .. 2W-1       one column of a strip = `strip_vectors` registers
//
// Scores are held transposed (one register row per key), so K and V are read where they lie, an
// element at a time, and softmax runs down the columns without crossing lanes.
#pragma once

#include <cstdint>

#include <fa/core/rows.hpp>
#include <fa/machine/block_rows.hpp>
#include <fa/machine/host/vector.hpp>

namespace fa::host_machine {
inline namespace FA_HOST_ISA {

struct strips;

inline constexpr int strip_vectors = 3;  ///< registers that hold one column of a strip
inline constexpr int strip_rows = strip_vectors * lanes;
/// Keys (or value columns) of a register tile: with 3 vectors of rows they fill the register file
/// of each vector width, and they stay more than the vectors, else compilers fold the row loads
/// into every multiply-add.
inline constexpr int tile_keys = lanes == 16 ? 8 : lanes == 8 ? 4 : 2;

/// One value for each of R rows.
template <int R>
struct strip_row {
  using machine = strips;
  static constexpr int count = R / lanes;
  floats v[count];  // [R]
};

/// A tile of R rows and C columns of floats; only the first `used` strips hold anything.
template <int R, int C>
struct strip_tile {
  using machine = strips;
  static constexpr int strip_count = R / strip_rows;
  static_assert(R % strip_rows == 0,
                "fa: on the host, q_rows must be a multiple of the rows of a strip");
  int used = strip_count;
  alignas(64) float values[strip_count][C][strip_rows];  // [R, C] transposed
};

/// How many keys of a step each vector of rows wants. Under a mask like causal they end apart.
/// Ascending within a strip, and even but at the end of the step, since some products take keys in
/// pairs.
template <int R>
struct wanted_keys {
  int ends[R / strip_rows][strip_vectors];
};

/// Scores S [R, C] of which each strip has the columns that its last vector wants. Those that
/// another vector does not want are not computed, and keep_only must drop them.
template <int R, int C>
struct score_tile : strip_tile<R, C> {
  wanted_keys<R> wanted;
  FA_FN int keys(int g) const { return wanted.ends[g][strip_vectors - 1]; }
  bool record = false;                    ///< keep_only shall note which scores it kept
  std::uint64_t kept[R / strip_rows][C];  ///< a bit for each row of a strip, where `record` is set
};

/// Pairs of bf16 in words: two neighbouring columns of Q, or two neighbouring keys of P. [R, C]
/// with C in pairs.
template <int R, int C>
struct pair_tile {
  using machine = strips;
  static constexpr int strip_count = R / strip_rows;
  static constexpr int pairs = (C + 1) / 2;
  int used = strip_count;
  /// Bits of two bf16, moved around as floats.
  alignas(64) float values[strip_count][pairs][strip_rows];  // [R, C] transposed
};

/// The rows of keys or values of one step of at most C keys, from row 0 of `source` on. [rows, D]
/// Feed: brings in, meanwhile, the rows of the product after this one.
template <int R, int C, class Feed>
struct step_rows {
  using element = float;
  strided_rows<const float> source;
  int rows;
  wanted_keys<R> wanted;
  bool finite;  ///< no infinity or NaN inside (asked of values at edges only)
  Feed& feed;
  FA_FN int stored_rows() const { return rows; }
  FA_FN float value(int row, int column) const { return source.row(row)[column]; }
  FA_FN static float only_finite(float x) { return is_finite(x) ? x : 0.f; }
};

/// The same for bf16, as pairs of columns of keys (in place).
template <int R, int C, class Feed>
struct step_key_pairs {
  strided_rows<const bf16> source;
  wanted_keys<R> wanted;
  Feed& feed;
};

/// The same for bf16, as pairs of rows of values. [rows / 2, DV]
template <int R, int C, class Feed>
struct step_value_pairs {
  using element = std::uint32_t;
  strided_rows<const std::uint32_t> source;
  int rows;
  bool finite;
  Feed& feed;
  FA_FN int stored_rows() const { return (rows + 1) / 2; }
  FA_FN float value(int row, int column) const {
    const std::uint32_t pair = source.row(row / 2)[column];
    return __builtin_bit_cast(float, row % 2 == 0 ? pair << 16 : pair & 0xffff0000u);
  }
  FA_FN static std::uint32_t only_finite(std::uint32_t pair) {
    const bool low = (pair & 0x7f80u) != 0x7f80u, high = (pair & 0x7f800000u) != 0x7f800000u;
    return (low ? pair & 0xffffu : 0u) | (high ? pair & 0xffff0000u : 0u);
  }
};

}  // namespace FA_HOST_ISA
}  // namespace fa::host_machine
