// K and V of the first orientation: read where they lie, one step of keys after the other.
#pragma once

#include <type_traits>

#include <fa/machine/host/strip/memory_verbs.hpp>

namespace fa::host_machine {
inline namespace FA_HOST_ISA {

/// Walks the keys that the rows of a block see. f32 is read in place; 16-bit steps are widened to floats once per block; with
/// bf16 dot products keys are read in place and values are packed as pairs of keys.
template <class T, int R, int BN, int D, int DV>
struct strip_stream {
  row_view<const T> k;                                     // K [keys, D]
  row_view<const T> v;                                     // V [keys, DV]
  block_position at;

  static constexpr bool pairs = multiplies_pairs<T>;
  static constexpr bool in_place = std::is_same_v<T, float>;

  /// For each step: p = weigh(scores(K), first key, edge), then accumulate(p, V). `edge`: the mask may drop something inside.
  template <class Mask, class Scores, class Weigh, class Accumulate>
  FA_FN void visit(const Mask& mask, const Scores& scores, const Weigh& weigh, const Accumulate& accumulate) {
    const key_span span = mask.span(at.tokens(), k.rows);
    int end[R / strip_rows];                               // of the keys that each strip sees
    for (int g = 0; g < R / strip_rows; ++g) {
      const int row = g * strip_rows, rows = min_of(strip_rows, at.row_count - row);
      end[g] = rows > 0 ? mask.span(at.tokens(row, rows), k.rows).end : 0;
    }
    buffers b;
    for (int first = span.begin; first < span.end; first += BN) {
      const int count = min_of(BN, span.end - first);
      const bool edge = first < span.full_begin || first + count > span.full_end;
      strip_keys<R> wanted;
      for (int g = 0; g < R / strip_rows; ++g) wanted.count[g] = clamp(end[g] - first, 0, count);
      const auto keys = this->keys(first, count, wanted, rows_ahead::of(v, DV, first, count), b);
      auto s = scores(keys);                               // S [R, BN]
      const int next = min_of(first + BN, span.end);
      const rows_ahead next_keys = rows_ahead::of(k, D, next, min_of(BN, span.end - next));
      const auto values = this->values(first, count, wanted, next_keys, edge, b);
      s.record = !values.finite;
      const auto& p = weigh(s, first, edge);               // P [R, BN]
      accumulate(p, values);
    }
  }

 private:
  struct nothing {};
  struct alignas(64) wide_keys { float data[BN][D]; };
  struct alignas(64) wide_values { float data[BN][DV]; };
  struct alignas(64) packed_values { std::uint32_t data[(BN + 1) / 2][DV]; };
  struct buffers {
    [[no_unique_address]] std::conditional_t<in_place || pairs, nothing, wide_keys> k;
    [[no_unique_address]] std::conditional_t<in_place, nothing, std::conditional_t<pairs, packed_values, wide_values>> v;
  };

  FA_FN auto keys(int first, int count, const strip_keys<R>& wanted, const rows_ahead& ahead, buffers& b) const {
    if constexpr (in_place) {
      return step_rows<R, BN>{k.row(first), k.stride, count, wanted, true, ahead};
    } else if constexpr (pairs) {
      return step_pairs<R, BN>{&k.row(first)->bits, nullptr, k.stride, count, wanted, true, ahead, nullptr, 0};
    } else {
      for (int j = 0; j < count; ++j) widen<D>(k.row(first + j), b.k.data[j]);
      return step_rows<R, BN>{b.k.data[0], D, count, wanted, true, ahead};
    }
  }

  FA_FN auto values(int first, int count, const strip_keys<R>& wanted, const rows_ahead& ahead, bool edge, buffers& b) const {
    const bool finite = !edge || all_finite(first, count);
    if constexpr (in_place) {
      return step_rows<R, BN>{v.row(first), v.stride, count, wanted, finite, ahead};
    } else if constexpr (pairs) {
      for (int j = 0; j < count; j += 2) pack(v.row(first + j), j + 1 < count ? v.row(first + j + 1) : nullptr, b.v.data[j / 2]);
      return step_pairs<R, BN>{nullptr, b.v.data[0], DV, count, wanted, finite, ahead, v.row(first), v.stride};
    } else {
      for (int j = 0; j < count; ++j) widen<DV>(v.row(first + j), b.v.data[j]);
      return step_rows<R, BN>{b.v.data[0], DV, count, wanted, finite, ahead};
    }
  }

  template <int Columns>
  FA_FN static void widen(const T* from, float* to) {
    int c = 0;
    for (; c + lanes <= Columns; c += lanes) store_unaligned(to + c, load_elements(from + c));
    for (; c < Columns; ++c) to[c] = convert<float>(from[c]);
  }

  /// Two rows of values as pairs; a missing second row is zero.
  FA_FN static void pack(const T* first, const T* second, std::uint32_t* to) {
    for (int c = 0; c < DV; ++c) {
      to[c] = first[c].bits | static_cast<std::uint32_t>(second != nullptr ? second[c].bits : 0) << 16;
    }
  }

  FA_FN bool all_finite(int first, int count) const {
    ints bad{};
    bool tail = true;
    for (int j = 0; j < count; ++j) {
      const T* row = v.row(first + j);
      int c = 0;
      for (; c + lanes <= DV; c += lanes) bad |= not_finite(load_elements(row + c));
      for (; c < DV; ++c) tail = tail && is_finite(convert<float>(row[c]));
    }
    return tail && !any(bad);
  }
};

}  // namespace FA_HOST_ISA
}  // namespace fa::host_machine
