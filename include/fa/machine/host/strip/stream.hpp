// K and V of the first orientation: read where they lie, one step of keys after the other.
#pragma once

#include <type_traits>

#include <fa/machine/host/strip/memory_verbs.hpp>
#include <fa/machine/roles.hpp>
#include <fa/machine/walk.hpp>

namespace fa::host_machine {
inline namespace FA_HOST_ISA {

/// The walk of a block of R rows through keys: of the block, and of each vector of rows.
template <int R, int BN>
struct strip_walk {
  key_walk<BN> block;
  int ends[R / lanes];  ///< of the keys that each vector of rows sees

  template <class Mask>
  FA_FN static strip_walk of(const Mask& mask, const block_rows& at, int keys) {
    strip_walk walk{fa::walk_of<void, BN, last_step::shortened>(mask, at, keys), {}};
    for (int i = 0; i < R / lanes; ++i) {
      const int row = i * lanes, rows = min_of(lanes, at.row_count - row);
      walk.ends[i] = keys_of_rows(mask, at, row, rows, keys).end;
    }
    return walk;
  }

  /// What each vector of rows wants of the step of `count` keys from `first` on.
  FA_FN wanted_keys<R> wanted(int first, int count) const {
    wanted_keys<R> result;
    for (int g = 0; g < R / strip_rows; ++g) {
      int most = 0;
      for (int r = 0; r < strip_vectors; ++r) {
        most = max_of(most, clamp(ends[g * strip_vectors + r] - first, 0, count));
        result.ends[g][r] = min_of(round_up(most, 2), count);
      }
    }
    return result;
  }
};

/// Steps of BN rows of what Brings names.
template <int R, int BN, class Brings, class... Sources>
struct strip_stream : unsupported_stream<Brings> {};

/// Keys and values. f32 is read in place, unless its distance crowds the caches; 16-bit steps are
/// widened to floats once per block; with bf16 dot products keys are read in place and values are
/// packed as pairs of keys.
template <int R, int BN, class T, int D, int DV, RowSource K, RowSource V>
struct strip_stream<R, BN, abt_then_ab<T, D, DV>, K, V> {
  K k;  // K [keys, D]
  V v;  // V [keys, DV]
  block_rows at;

  template <class Scores, class Weigh, class Accumulate>
  FA_FN void visit(const strip_walk<R, BN>& walk, const Scores& scores, const Weigh& weigh,
                   const Accumulate& accumulate) {
    const key_walk<BN>& block = walk.block;
    buffers b;
    feed_of_keys(block.first, block.keys_in(block.first), b).finish();
    for (int first = block.first; first < block.end; first += BN) {
      const int count = block.keys_in(first), next = first + count;
      const bool edge = block.own.edge(first);
      const auto wanted = walk.wanted(first, count);

      auto values_feed = feed_of_values(first, count, b);  // V comes in while scores are computed,
      auto s = scores(step_of_keys(first, count, wanted, values_feed, b));  // S [R, BN]
      auto keys_feed = feed_of_keys(next, block.keys_in(next), b);  // K under the second product
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
  using k_feed = row_feed<K, D, key_copy>;
  using v_feed = row_feed<V, DV, value_copy>;

 public:
  using abt_tile = std::conditional_t<pairs, step_key_pairs<R, BN, v_feed>,
                                      step_rows<R, BN, v_feed>>;  ///< what `scores` gets
  using ab_tile = std::conditional_t<pairs, step_value_pairs<R, BN, k_feed>,
                                     step_rows<R, BN, k_feed>>;  ///< what `accumulate` gets

 private:
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

  FA_FN bool copies_keys() const {
    return !pairs && (!is_f32<T> || crowds_caches<T>(k.distance()));
  }
  FA_FN bool copies_values() const { return !is_f32<T> || crowds_caches<T>(v.distance()); }

  FA_FN auto feed_of_keys(int first, int count, buffers& b) const {
    if constexpr (pairs) return k_feed(k, first, count, {}, false);
    else return k_feed(k, first, count, {b.k.data[0]}, copies_keys());
  }

  FA_FN auto feed_of_values(int first, int count, buffers& b) const {
    return v_feed(v, first, count, {b.v.data[0]}, copies_values());
  }

  FA_FN abt_tile step_of_keys(int first, int count, const wanted_keys<R>& wanted, v_feed& feed,
                              buffers& b) const {
    if constexpr (pairs) {
      return {k.run(first), wanted, feed};
    } else {
      if constexpr (is_f32<T>) {
        if (!copies_keys()) return {k.run(first), count, wanted, true, feed};
      }
      return {{b.k.data[0], pitch_of(D), count}, count, wanted, true, feed};
    }
  }

  FA_FN ab_tile step_of_values(int first, int count, const wanted_keys<R>& wanted, bool edge,
                               k_feed& feed, buffers& b) const {
    const bool finite = !edge || all_finite(first, count);
    if constexpr (pairs) {
      return {{b.v.data[0], pitch_of(DV), count}, count, finite, feed};
    } else {
      if constexpr (is_f32<T>) {
        if (!copies_values()) return {v.run(first), count, wanted, finite, feed};
      }
      return {{b.v.data[0], pitch_of(DV), count}, count, wanted, finite, feed};
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
