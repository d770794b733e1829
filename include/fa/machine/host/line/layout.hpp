// The host's second orientation, for few query rows: the head size in SIMD lanes, a row of K or V
// at a time.
//
// Time is that of reading K and V, so they are read a few rows at a time, in order. Elements of
// bf16 (and f16, where no instruction converts it) are loaded as words and split into even and odd
// ones; Q and O keep that order of columns:
//
//   memory:   0 1 2 3 4 5 6 7 ...        registers:  0 2 4 6 ... | 1 3 5 7 ...
//
// Scores lie flat, [key][row], so a register holds lanes / R keys for all R rows, and lane l
// belongs to row l % R.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include <fa/core/rows.hpp>
#include <fa/machine/block_rows.hpp>
#include <fa/machine/host/memory.hpp>

namespace fa::host_machine {
inline namespace FA_HOST_ISA {

struct lines;

/// The most rows a block of this orientation may have.
inline constexpr int most_line_rows = lanes < 8 ? lanes : 8;

/// One value for each of R rows, in every lane that belongs to the row; or a lane's part of a
/// maximum or sum.
template <int R>
struct line_row {
  using machine = lines;
  floats v;
};

/// How a row of D elements of type T lies in registers.
template <class T, int D>
struct line_format {
  static constexpr bool splits_pairs = is_16_bit<T> && !(FA_HOST_F16_CONVERT &&
                                                         kind_of<T> == element_kind::binary16);
  static constexpr int registers_per_load = splits_pairs ? 2 : 1;
  static constexpr int elements_per_load = registers_per_load * lanes;
  static constexpr int loads = ceil_div(D, elements_per_load);
  static constexpr int registers = loads * registers_per_load;

  /// What one load of a row gives.
  struct piece {
    floats x[registers_per_load];
  };

  /// Calls f(i, load) for the loads of a row in turn, i counting registers; load(row) gives the
  /// piece of any row. Lanes beyond D are zero and not read.
  template <class F>
  FA_FN static void for_loads(const F& f) {
    constexpr int full = D / elements_per_load;
    FA_NO_UNROLL for (int i = 0; i < full; ++i) {
      f(i * registers_per_load,
        [i](const T* row) FA_LAMBDA { return load(row + i * elements_per_load); });
    }
    if constexpr (full < loads) {
      f(full * registers_per_load, [](const T* row) FA_LAMBDA {
        T some[elements_per_load] = {};
        std::memcpy(some, row + full * elements_per_load,
                    static_cast<std::size_t>(D - full * elements_per_load) * sizeof(T));
        return load(some);
      });
    }
  }

  /// The column in which lane `lane` of register `index` lies in memory.
  FA_FN static constexpr int column(int index, int lane) {
    if constexpr (splits_pairs) return index / 2 * elements_per_load + 2 * lane + index % 2;
    else return index * lanes + lane;
  }

 private:
  FA_FN static piece load(const T* from) {
    if constexpr (splits_pairs) {
      const words pairs = load_pairs(&from->bits);
      return {widen_low(pairs, T{}), widen_high(pairs, T{})};
    } else {
      return {load_elements(from)};
    }
  }
};

/// Q or O: R rows of registers, [R, D] in the order of line_format.
template <class T, int R, int D>
struct line_tile {
  using machine = lines;
  using format = line_format<T, D>;
  alignas(64) float values[R][format::registers][lanes];
};

/// Scores S [R, C], flat: [key][row]. Lanes behind the last key hold -infinity.
template <int R, int C>
struct line_scores {
  using machine = lines;
  static_assert(
      lanes % R == 0,
      "fa: on the host, blocks with the head size in lanes have a power of two of rows, at most 8");
  static constexpr int keys_per_register = lanes / R;
  int keys = C;
  bool record = false;   ///< keep_only shall note which scores it kept
  std::uint8_t kept[C];  ///< a bit for each row, where `record` is set
  alignas(64) float values[round_up(C, keys_per_register) * R];
  FA_FN int registers() const { return ceil_div(keys, keys_per_register); }
};

/// Rows of keys or values of one step of at most C keys, in place. [rows, D]
template <class T, int C>
struct line_step {
  strided_rows<const T> source;
  int rows;
  bool finite;    ///< no infinity or NaN inside (asked of values at edges only)
  int rows_left;  ///< from the first row to the last that any step reads
  FA_FN const T* row(int j) const { return source.row(j); }

  /// Asks for `count` rows of D elements that will be read soon after row j, in the order in which
  /// they lie. Prefetching by the processor stops at each page, and the few rows that are read side
  /// by side would look to it like as many streams.
  template <int D>
  FA_FN void fetch_ahead(int j, int count) const {
    constexpr int distance = 16;
    for (int ahead = j + distance; ahead < min_of(j + distance + count, rows_left); ++ahead) {
      const char* line = reinterpret_cast<const char*>(row(ahead));
      FA_UNROLL for (int byte = 0; byte < D * element_bytes<T>; byte += 64)
          __builtin_prefetch(line + byte);
    }
  }
};

}  // namespace FA_HOST_ISA
}  // namespace fa::host_machine
