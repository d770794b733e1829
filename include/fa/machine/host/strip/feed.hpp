// How rows of K and V come to the register tiles of the first orientation: while one product
// computes, the rows of the next are fetched, and copied where they cannot stay in place.
#pragma once

#include <fa/core/rows.hpp>
#include <fa/machine/host/memory.hpp>
#include <fa/machine/host/strip/dot.hpp>

namespace fa::host_machine {
inline namespace FA_HOST_ISA {

/// Element types whose products run on pairs of bf16.
template <class T>
inline constexpr bool multiplies_pairs = has_bf16_dot && kind_of<T> == element_kind::bfloat16;

/// Rows at such a stride fall into a few sets of the caches and drive each other out, so they are
/// copied one by one.
template <class T>
FA_FN bool crowds_caches(i64 distance) {
  return distance % (2048 / element_bytes<T>) == 0;
}

/// Distance of copied rows in floats: an odd number of cache lines, so that a column of them
/// spreads over all sets of the cache.
constexpr int pitch_of(int columns) { return (round_up(columns, 16) / 16 | 1) * 16; }

/// Leaves rows where they are.
struct in_place {
  static constexpr bool copies = false;
};

/// Copies rows as floats.
template <class T, int Columns>
struct widened {
  static constexpr bool copies = true;
  float* to;
  template <RowSource Rows>
  FA_FN void operator()(const Rows& rows, int first, int row, int) const {
    const T* from = rows.row(first + row);
    float* at = to + i64{row} * pitch_of(Columns);
    int c = 0;
    for (; c + lanes <= Columns; c += lanes) store_unaligned(at + c, load_elements(from + c));
    for (; c < Columns; ++c) at[c] = convert<float>(from[c]);
  }
};

/// Copies neighbouring rows of bf16 as pairs; a missing last row is zero.
template <int Columns>
struct paired {
  static constexpr bool copies = true;
  std::uint32_t* to;
  template <RowSource Rows>
  FA_FN void operator()(const Rows& rows, int first, int row, int count) const {
    if (row % 2 != 0) return;
    const bf16* even = rows.row(first + row);
    std::uint32_t* at = to + i64{row / 2} * pitch_of(Columns);
    if (row + 1 < count) {
      const bf16* odd = rows.row(first + row + 1);
      for (int c = 0; c < Columns; ++c)
        at[c] = even[c].bits | static_cast<std::uint32_t>(odd[c].bits) << 16;
    } else {
      for (int c = 0; c < Columns; ++c) at[c] = even[c].bits;
    }
  }
};

/// The rows of one step, brought in by and by. Register tiles jump from row to row, which the
/// processor's own prefetching does not follow, and a whole step at once would stall them.
template <RowSource Rows, int Columns, class Copy>
class row_feed {
 public:
  FA_FN row_feed(const Rows& rows, int first, int count, const Copy& copy, bool copies)
      : rows_(rows), first_(first), count_(count), copy_(copy), copies_(copies) {}

  /// Work of `part` of `total` is about to be done: brings in the same share of the rows.
  FA_FN void share(int part, int total) {
    progress_ += part;
    bring(progress_ >= total ? count_ : progress_ * count_ / total);
  }

  /// Brings in whatever is left.
  FA_FN void finish() { bring(count_); }

 private:
  static constexpr int distance = 8;  // rows between fetch and copy

  FA_FN void bring(int end) {
    const bool copies = Copy::copies && copies_;
    const int fetched = copies ? min_of(end + distance, count_) : end;
    for (; fetched_ < fetched; ++fetched_) {
      const char* line = reinterpret_cast<const char*>(rows_.row(first_ + fetched_));
      FA_UNROLL for (int byte = 0; byte < Columns * element_bytes<typename Rows::element>;
                     byte += 64) {
        // Else into the second-level cache: the first holds what is computed on.
        if (copies) __builtin_prefetch(line + byte);
        else __builtin_prefetch(line + byte, 0, 2);
      }
    }
    if constexpr (Copy::copies) {
      if (copies) {
        for (; copied_ < end; ++copied_) copy_(rows_, first_, copied_, count_);
      }
    }
  }

  Rows rows_;
  int first_;
  int count_;
  [[no_unique_address]] Copy copy_;
  bool copies_;
  int progress_ = 0;
  int fetched_ = 0;
  int copied_ = 0;
};

}  // namespace FA_HOST_ISA
}  // namespace fa::host_machine
