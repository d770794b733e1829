// K and V: tiles of keys in LDS, walked in steps of BN; the next tile is under way while one is computed with.
#pragma once

#include <fa/machine/amd/staging.hpp>

#if FA_AMD

namespace fa::amd_machine {

/// Walks the keys that the rows of a block see.
template <class M, class T, int R, int BN, int D, int DV>
struct key_stream {
  row_view<const T> k;                                     // K [keys, D]
  row_view<const T> v;                                     // V [keys, DV]
  block_rows at;

  static constexpr int staged = M::shape.staged_keys, steps = staged / BN;
  using keys_type = key_staging<M, T, staged, D>;
  using values_type = value_staging<M, T, staged, DV>;
  static constexpr std::uint32_t buffer_bytes = keys_type::bytes + values_type::bytes;
  static_assert(staged % BN == 0);

  /// For each step: p = weigh(scores(K), first key, edge), then accumulate(p, V). `edge`: the mask may drop something inside, or
  /// keys end. Barriers are the block's, the steps that are computed the wave's.
  template <class Mask, class Scores, class Weigh, class Accumulate>
  FA_DEVICE void visit(const Mask& mask, const Scores& scores, const Weigh& weigh, const Accumulate& accumulate) const {
    const key_span all = within(mask.span(at.block_tokens(), k.rows), k.rows);
    const key_span own = at.own_rows > 0 ? within(mask.span(at.own_tokens(), k.rows), k.rows) : key_span{0, 0, 0, 0};
    if (all.begin >= all.end) return;

    const std::uint32_t base = M::lds();
    keys_type keys(k, all.begin, base);
    values_type values(v, all.begin, base + keys_type::bytes);
    int left = all.end - all.begin;                        // keys that are not yet loaded
    keys.load(left);
    values.load(left);
    keys.store(left);
    values.store(left);
    block_barrier<M::chip>();

    auto at_lane = lane_address::in<typename M::format>(base);                           // in the buffer that is read
    std::uint32_t from = base;
    std::uint32_t other = M::shape.buffers == 2 ? buffer_bytes : 0;                      // how much farther the other one lies
    // Steps from `wanted_from` on are computed, those from full_begin on without a look at the mask: so many first keys.
    const int wanted_from = own.begin - BN + 1;
    const unsigned wanted = own.begin < own.end ? static_cast<unsigned>(own.end - wanted_from) : 0u;
    const unsigned full = static_cast<unsigned>(max_of(own.full_end - own.full_begin - BN + 1, 0));
    FA_NO_UNROLL for (int first = all.begin; first < all.end; first += staged) {
      keys.lds += other;
      values.lds += other;
      left -= staged;
      const auto part = [&](auto step) FA_LAMBDA {
        const int key0 = first + step * BN;
        if (static_cast<unsigned>(key0 - wanted_from) >= wanted) return;
        const bool edge = key0 < own.full_begin || key0 + BN > own.full_end;
        constexpr std::uint32_t keys_at = step * (BN * keys_type::chunks * 16);
        constexpr std::uint32_t values_at = keys_type::bytes + step * (M::sizes::value_chunks(BN) * 256);
        auto s = scores(key_tile<M, BN, D>{from + keys_at, at_lane + keys_at, all.end - key0});              // S [R, BN]
        const auto& p = weigh(s, key0, edge);                                                        // P [R, BN]
        accumulate(p, value_tile<M, BN, DV>{from + values_at, at_lane + values_at});
      };
      keys.load(left);
      if constexpr (steps == 1 || M::shape.buffers == 1) values.load(left);
      part(constant<0>{});
      if constexpr (steps > 1 && M::shape.buffers == 2) {  // between the steps, K's registers become V's
        keys.store(left);
        values.load(left);
      }
      if constexpr (steps > 1) part(constant<1>{});
      static_assert(steps <= 2);
      if constexpr (M::shape.buffers == 1) block_barrier<M::chip>();
      if constexpr (steps == 1 || M::shape.buffers == 1) keys.store(left);
      values.store(left);
      block_barrier<M::chip>();
      from += other;
      at_lane.move(other);
      other = 0u - other;
    }
  }
};

}  // namespace fa::amd_machine

#endif
