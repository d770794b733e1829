// K and V: tiles of keys in LDS, walked in steps of BN; the next tile is under way while one is
// computed with.
#pragma once

#include <fa/machine/amd/staging.hpp>
#include <fa/machine/roles.hpp>
#include <fa/machine/walk.hpp>

#if FA_AMD

namespace fa::amd_machine {

/// Steps of BN rows of what Brings names, in tiles of M::shape.staged_keys.
template <class M, int R, int BN, class Brings, class... Sources>
struct key_stream : unsupported_stream<Brings> {};

/// Keys and values.
template <class M, int R, int BN, class T, int D, int DV, RowSource K, RowSource V>
struct key_stream<M, R, BN, abt_then_ab<T, D, DV>, K, V> {
  K k;  // K [keys, D]
  V v;  // V [keys, DV]
  block_rows at;

  using abt_tile = key_tile<M, BN, D>;    ///< what `scores` gets
  using ab_tile = value_tile<M, BN, DV>;  ///< what `accumulate` gets

  static constexpr int staged = M::shape.staged_keys, steps = staged / BN;
  using keys_type = key_staging<M, K, staged, D>;
  using values_type = value_staging<M, V, staged, DV>;
  static_assert(staged % BN == 0 && (steps == 1 || (steps == 2 && M::shape.key_buffers == 2)));

  /// Barriers are the block's, the steps that are computed the wave's.
  ///
  /// The next K is loaded before the first scores and written after them (or after the first of two
  /// steps); the registers that held it then take the next V, which is written at the end.
  template <class Scores, class Weigh, class Accumulate>
  FA_DEVICE void visit(const key_walk<BN>& walk, const Scores& scores, const Weigh& weigh,
                       const Accumulate& accumulate) const {
    if (walk.first >= walk.end) return;
    const compact_row_steps own(walk.own);

    const std::uint32_t base = M::lds();
    keys_type keys(k, walk.first, base);
    values_type values(v, walk.first, base + M::shape.key_buffers * keys_type::bytes);
    if constexpr (M::loads_ahead) {
      keys.load(walk.end - walk.first);
      values.load(walk.end - walk.first);
      keys.store();
      values.store();
    } else {
      bring(keys, walk.end - walk.first);
      bring(values, walk.end - walk.first);
    }
    keys.advance();
    values.advance();
    block_barrier<M::chip>();

    // Where this lane reads K and V, and how much farther the other buffer lies.
    auto keys_at = lane_address::in<typename M::format>(base);
    auto values_at = lane_address::in<typename M::format>(base +
                                                          M::shape.key_buffers * keys_type::bytes);
    std::uint32_t other_keys = M::shape.key_buffers == 2 ? keys_type::bytes : 0;
    std::uint32_t other_values = M::shape.value_buffers == 2 ? values_type::bytes : 0;
    FA_NO_UNROLL for (int first = walk.first; first < walk.end; first += staged) {
      keys.lds += other_keys;
      values.lds += other_values;
      const int left = walk.end - first - staged;        // keys that are not yet loaded
      const auto scores_of = [&](auto step) FA_LAMBDA {  // S [R, BN]
        constexpr std::uint32_t offset = step * (BN * keys_type::chunks * 16);
        return scores(abt_tile{keys_at + offset, walk.end - first - step * BN});
      };
      const auto finish = [&](auto step, auto& s) FA_LAMBDA {
        constexpr std::uint32_t offset = step * (M::sizes::value_chunks(BN) * 256);
        const auto& p = weigh(s, first + step * BN, own.edge(first + step * BN));  // P [R, BN]
        accumulate(p, ab_tile{values_at + offset});
      };
      const auto pass_keys = [&]() FA_LAMBDA {  // the next K to LDS, the next V under way
        if constexpr (M::shape.key_buffers == 1) block_barrier<M::chip>();
        if constexpr (M::loads_ahead) {
          keys.store();
          values.load(left);
        } else {
          bring(keys, left);
        }
        keys.advance();
      };
      if constexpr (M::loads_ahead) keys.load(left);
      if constexpr (steps == 2) {
        if (own.needs(first)) {
          auto s = scores_of(constant<0>{});
          finish(constant<0>{}, s);
        }
        pass_keys();
        if (own.needs(first + BN)) {
          auto s = scores_of(constant<1>{});
          finish(constant<1>{}, s);
        }
      } else {
        typename M::template scores<R, BN> s;
        if (own.needs(first)) s = scores_of(constant<0>{});
        pass_keys();
        if (own.needs(first)) finish(constant<0>{}, s);
      }
      if constexpr (M::shape.value_buffers == 1) block_barrier<M::chip>();
      if constexpr (M::loads_ahead) values.store();
      else bring(values, left);
      values.advance();
      block_barrier<M::chip>();
      keys_at.move(other_keys);
      values_at.move(other_values);
      other_keys = 0u - other_keys;
      other_values = 0u - other_values;
    }
  }

 private:
  /// A tile to LDS by way of few registers.
  template <class Staging>
  FA_DEVICE static void bring(Staging& tile, int rows) {
    tile.template load<0, 2>(rows);
    tile.template store<0, 2>();
    tile.template load<1, 2>(rows);
    tile.template store<1, 2>();
  }
};

}  // namespace fa::amd_machine

#endif
