// Tiles of a workgroup of waves. A wave owns rows of queries, which are the columns of its
// accumulators: S and O are held transposed, 16 rows of queries by 16 keys (or value columns) in a
// matrix instruction's D. So a row's maximum and sum lie in one lane and its 1 or 3 partners, and P
// is the second product's operand where it stands.
//
//   S^T, of a wave: row_tiles x key tiles of [16 keys, 16 queries]; lane l holds query l % 16 of
//   each (see fragment.hpp)
#pragma once

#include <cstdint>
#include <type_traits>

#include <fa/machine/amd/fragment.hpp>
#include <fa/machine/amd/memory.hpp>
#include <fa/machine/amd/rounding.hpp>
#include <fa/machine/block_rows.hpp>
#include <fa/machine/roles.hpp>

namespace fa::amd_machine {

/// What the tuning chooses for a workgroup, besides its tile.
struct block_shape {
  int waves;          ///< of a workgroup; each owns the same number of rows
  int staged_keys;    ///< keys that are brought to LDS at a time: steps of BN keys
  int key_buffers;    ///< 2: the next K is written while this is read; 1: afterwards
  int value_buffers;  ///< the same of V
  bool query_in_lds;  ///< else in registers
  weight_rounding rounding = weight_rounding::nearest_even;
  bool operator==(const block_shape&) const = default;
};

/// Sizes that follow from a tile, for elements of type T on a chip.
template <amd_chip Chip, class T>
struct tile_sizes {
  using format = fragment<Chip, T>;
  /// Columns of Q and K in LDS and registers: whole operands, zero beyond D.
  static constexpr int padded_cols(int d) { return round_up(d, format::cols); }
  static constexpr int key_chunks(int d) { return padded_cols(d) / format::chunk_elements; }
  /// Columns of V and O: whole accumulators, as many as a word has elements, so that the columns of
  /// a word stay together.
  static constexpr int padded_values(int dv) { return round_up(dv, 16 * per_word<T>); }
  /// Chunks of a row of V^T, of so many keys.
  static constexpr int value_chunks(int keys) { return keys / format::chunk_elements; }
};

/// LDS of a workgroup: the streamed tensors that Brings names, then Q [rows, QueryCols] where it
/// lies there, then gfx11's place to exchange P. As second operand of mma_abt a tensor lies as it
/// is, as that of mma_ab transposed, and as both it lies there twice. All in bytes.
template <amd_chip Chip, class T, int QueryCols, class Brings>
struct lds_plan : unsupported_stream<Brings> {};
template <amd_chip Chip, class T, int QueryCols, class... Tensors>
struct lds_plan<Chip, T, QueryCols, brings<0, Tensors...>> {
  using sizes = tile_sizes<Chip, T>;

  /// A tile of keys of a tensor of so many columns.
  static constexpr int as_rows(const block_shape& shape, int cols) {
    return shape.staged_keys * sizes::key_chunks(cols) * 16;
  }
  static constexpr int transposed(const block_shape& shape, int cols) {
    return sizes::padded_values(cols) * sizes::value_chunks(shape.staged_keys) * 16;
  }
  static constexpr int of_tensor(const block_shape& shape, use used_as, int cols) {
    return (used_as == use::ab ? 0 : shape.key_buffers * as_rows(shape, cols)) +
           (used_as == use::abt ? 0 : shape.value_buffers * transposed(shape, cols));
  }

  static constexpr int streamed(const block_shape& shape) {
    return (0 + ... + of_tensor(shape, Tensors::used_as, Tensors::cols));
  }
  static constexpr int query(const block_shape& shape, int rows) {
    return shape.query_in_lds ? rows * sizes::key_chunks(QueryCols) * 16 : 0;
  }
  static constexpr int exchange(int rows) {
    return fragment<Chip, T>::whole_rows ? rows / 16 * 512 : 0;
  }
  static constexpr int all(const block_shape& shape, int rows) {
    return streamed(shape) + query(shape, rows) + exchange(rows);
  }
};

#if FA_AMD

template <int Values>
using floats = float __attribute__((ext_vector_type(Values)));

/// Scores S [R, BN]: accumulators, but as floats on their own, since a step may change them one by
/// one.
template <class M, int R, int BN>
struct score_tile {
  using machine = M;
  static constexpr int row_tiles = M::template row_tiles<R>;
  static constexpr int col_tiles = BN / 16;
  float v[row_tiles][col_tiles][M::format::values];
  int keys;  ///< of the step that exist
};

/// Output O [R, C].
template <class M, int R, int C>
struct output_tile {
  using machine = M;
  static constexpr int row_tiles = M::template row_tiles<R>;
  static constexpr int col_tiles = M::sizes::padded_values(C) / 16;
  floats<M::format::values> v[row_tiles][col_tiles];

  FA_DEVICE void clear() {
    FA_UNROLL for (auto& row : v) {
      FA_UNROLL for (auto& x : row) x = floats<M::format::values>(0.f);
    }
  }
};

/// One float for each of R rows.
template <class M, int R>
struct row_values {
  using machine = M;
  static constexpr int row_tiles = M::template row_tiles<R>;
  float v[row_tiles];
};

/// A lane's part of a sum for each of R rows, in two halves: additions are packed.
template <class M, int R>
struct row_parts {
  using machine = M;
  static constexpr int row_tiles = M::template row_tiles<R>;
  float2 v[row_tiles];
};

/// What a lane gives to a matrix instruction, or to several: a fragment's share, 16 bytes or 32.
template <class M>
using operand = std::conditional_t<M::format::whole_rows, words8, words4>;

/// Q [R, D] as operands in registers.
template <class M, int R, int D>
struct query_registers {
  using machine = M;
  static constexpr int steps = M::sizes::padded_cols(D) / M::format::cols;
  operand<M> v[M::template row_tiles<R>][steps];
};

/// Where a lane reads fragments in LDS. The constant is known to the compiler and goes into the
/// instruction.
struct lane_address {
  std::uint32_t even;  ///< its chunk of the first fragment
  std::uint32_t odd;   ///< its second chunk, where it reads whole rows
  std::uint32_t constant;

  /// In a tile at `base`.
  template <class Format>
  FA_DEVICE static lane_address in(std::uint32_t base) {
    return {base + static_cast<std::uint32_t>(Format::read_address(lane(), 0)),
            base + static_cast<std::uint32_t>(Format::read_address(lane(), 1)), 0};
  }
  FA_DEVICE lane_address operator+(std::uint32_t bytes) const {
    return {even, odd, constant + bytes};
  }
  FA_DEVICE void move(std::uint32_t bytes) {
    even += bytes;
    odd += bytes;
  }
};

/// Q [R, D] in LDS.
template <class M, int R, int D>
struct query_in_lds {
  using machine = M;
  lane_address at;  ///< in the wave's rows
};

/// P [R, BN] as operands; where those are whole rows, a lane's half of them.
template <class M, int R, int BN>
struct weight_tile {
  using machine = M;
  words4 v[M::template row_tiles<R>][BN / M::weight_keys];
};

/// K of a step, [BN, D] in LDS, in a tile that may hold more keys.
template <class M, int BN, int D>
struct key_tile {
  lane_address at;
  int keys;  ///< of the step that exist
};

/// V^T of a step, [C, BN] in LDS, a part of rows of more keys.
template <class M, int BN, int C>
struct value_tile {
  lane_address at;
};

#endif

}  // namespace fa::amd_machine
