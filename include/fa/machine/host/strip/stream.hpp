// K and V of the first orientation: read where they lie, one step of keys after the other.
#pragma once

#include <type_traits>

#include <fa/machine/host/strip/memory_verbs.hpp>

namespace fa::host_machine {
inline namespace FA_HOST_ISA {

/// Walks the keys that the rows of a block see. f32 is read in place, unless its stride crowds the
/// caches; 16-bit steps are widened to floats once per block; with bf16 dot products keys are read
/// in place and values are packed as pairs of keys.
template <class T, int R, int BN, int D, int DV>
struct strip_stream {
  row_view<const T> k;  // K [keys, D]
  row_view<const T> v;  // V [keys, DV]
  block_position at;

  /// For each step: p = weigh(scores(K), first key, edge), then accumulate(p, V). `edge`: the mask
  /// may drop something inside.
  template <class Mask, class Scores, class Weigh, class Accumulate>
  FA_FN void visit(const Mask& mask, const Scores& scores, const Weigh& weigh,
                   const Accumulate& accumulate) {
    const key_span span = within(mask.span(at.tokens(), k.rows), k.rows);
    int ends[R / lanes];  // of the keys that each vector of rows sees
    for (int i = 0; i < R / lanes; ++i) {
      const int row = i * lanes, rows = min_of(lanes, at.row_count - row);
      ends[i] = rows > 0 ? mask.span(at.tokens(row, rows), k.rows).end : 0;
    }
    buffers b;
    feed_of_keys(span.begin, min_of(BN, span.end - span.begin), b).finish();
    for (int first = span.begin; first < span.end; first += BN) {
      const int count = min_of(BN, span.end - first), next = first + count,
                next_count = min_of(BN, span.end - next);
      const bool edge = first < span.full_begin || next > span.full_end;
      const auto wanted = wanted_of(ends, first, count);

      auto values_feed = feed_of_values(first, count,
                                        b);  // V comes in while the scores are computed,
      auto s = scores(step_of_keys(first, count, wanted, values_feed, b));  // S [R, BN]
      auto keys_feed = feed_of_keys(next, next_count,
                                    b);  // and the next K under the second product
      const auto values = step_of_values(first, count, wanted, edge, keys_feed, b);
      s.record = !values.finite;
      const auto& p = weigh(s, first, edge);  // P [R, BN]
      accumulate(p, values);
    }
  }

 private:
  static constexpr bool pairs = multiplies_pairs<T>;
  using key_copy = std::conditional_t<pairs, in_place, widened<T, D>>;
  using value_copy = std::conditional_t<pairs, paired<DV>, widened<T, DV>>;

  struct nothing {};
  struct alignas(64) wide_keys {
    float data[BN][pitch_of(D)];
  };
  struct alignas(64) wide_values {
    float data[BN][pitch_of(DV)];
  };
  struct alignas(64) paired_values {
    std::uint32_t data[(BN + 1) / 2][pitch_of(DV)];
  };
  struct buffers {
    [[no_unique_address]] std::conditional_t<pairs, nothing, wide_keys> k;
    std::conditional_t<pairs, paired_values, wide_values> v;
  };

  /// What each vector of rows wants of the step of `count` keys from `first` on.
  FA_FN static wanted_keys<R> wanted_of(const int (&ends)[R / lanes], int first, int count) {
    wanted_keys<R> wanted;
    for (int g = 0; g < R / strip_rows; ++g) {
      int most = 0;
      for (int r = 0; r < strip_vectors; ++r) {
        most = max_of(most, clamp(ends[g * strip_vectors + r] - first, 0, count));
        wanted.ends[g][r] = min_of(round_up(most, 2), count);
      }
    }
    return wanted;
  }

  FA_FN bool copies_keys() const {
    return !pairs && (sizeof(T) != 4 || crowds_caches<T>(k.stride));
  }
  FA_FN bool copies_values() const { return sizeof(T) != 4 || crowds_caches<T>(v.stride); }

  FA_FN auto feed_of_keys(int first, int count, buffers& b) const {
    if constexpr (pairs) return row_feed<T, D, key_copy>(k, first, count, {}, false);
    else return row_feed<T, D, key_copy>(k, first, count, {b.k.data[0]}, copies_keys());
  }

  FA_FN auto feed_of_values(int first, int count, buffers& b) const {
    return row_feed<T, DV, value_copy>(v, first, count, {b.v.data[0]}, copies_values());
  }

  template <class Feed>
  FA_FN auto step_of_keys(int first, int count, const wanted_keys<R>& wanted, Feed& feed,
                          buffers& b) const {
    if constexpr (pairs) {
      return step_key_pairs<R, BN, Feed>{&k.row(first)->bits, k.stride, wanted, feed};
    } else {
      if constexpr (sizeof(T) == 4) {
        if (!copies_keys())
          return step_rows<R, BN, Feed>{k.row(first), k.stride, count, wanted, true, feed};
      }
      return step_rows<R, BN, Feed>{b.k.data[0], pitch_of(D), count, wanted, true, feed};
    }
  }

  template <class Feed>
  FA_FN auto step_of_values(int first, int count, const wanted_keys<R>& wanted, bool edge,
                            Feed& feed, buffers& b) const {
    const bool finite = !edge || all_finite(first, count);
    if constexpr (pairs) {
      return step_value_pairs<R, BN, Feed>{b.v.data[0], pitch_of(DV), count, finite, feed};
    } else {
      if constexpr (sizeof(T) == 4) {
        if (!copies_values())
          return step_rows<R, BN, Feed>{v.row(first), v.stride, count, wanted, finite, feed};
      }
      return step_rows<R, BN, Feed>{b.v.data[0], pitch_of(DV), count, wanted, finite, feed};
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
