// K and V: tiles of keys in LDS, walked in steps of BN; the next tile is under way while one is
// computed with.
#pragma once

#include <fa/machine/amd/staging.hpp>

#if FA_AMD

namespace fa::amd_machine {

/// Walks the keys that the rows of a block see.
template <class M, class T, int R, int BN, int D, int DV>
struct key_stream {
  row_view<const T> k;  // K [keys, D]
  row_view<const T> v;  // V [keys, DV]
  block_rows at;

  static constexpr int staged = M::shape.staged_keys, steps = staged / BN;
  using keys_type = key_staging<M, T, staged, D>;
  using values_type = value_staging<M, T, staged, DV>;
  static_assert(staged % BN == 0 && (steps == 1 || (steps == 2 && M::shape.key_buffers == 2)));

  /// For each step: p = weigh(scores(K), first key, edge), then accumulate(p, V). `edge`: the mask
  /// may drop something inside, or keys end. Barriers are the block's, the steps that are computed
  /// the wave's.
  ///
  /// The next K is loaded before the first scores and written after them (or after the first of two
  /// steps); the registers that held it then take the next V, which is written at the end.
  template <class Mask, class Scores, class Weigh, class Accumulate>
  FA_DEVICE void visit(const Mask& mask, const Scores& scores, const Weigh& weigh,
                       const Accumulate& accumulate) const {
    const key_span all = uniform_span(mask.span(at.block_tokens(), k.rows));
    if (all.begin >= all.end) return;
    const key_span own = at.own_rows > 0 ? uniform_span(mask.span(at.own_tokens(), k.rows))
                                         : key_span{0, 0, 0, 0};

    const std::uint32_t base = M::lds();
    keys_type keys(k, all.begin, base);
    values_type values(v, all.begin, base + M::shape.key_buffers * keys_type::bytes);
    if constexpr (M::loads_ahead) {
      keys.load(all.end - all.begin);
      values.load(all.end - all.begin);
      keys.store();
      values.store();
    } else {
      bring(keys, all.end - all.begin);
      bring(values, all.end - all.begin);
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
    // Steps from `wanted_from` on are computed: so many first keys.
    const int wanted_from = own.begin - BN + 1;
    const unsigned wanted = own.begin < own.end ? static_cast<unsigned>(own.end - wanted_from) : 0u;
    // Steps that need no look at the mask begin at so many keys from full_begin on; where there are
    // none, no key is full_begin.
    const int full_steps = own.full_end - own.full_begin - BN;
    const int full_begin = full_steps >= 0 ? own.full_begin : 0x7fffffff;
    const unsigned full = static_cast<unsigned>(max_of(full_steps, 0));
    FA_NO_UNROLL for (int first = all.begin; first < all.end; first += staged) {
      keys.lds += other_keys;
      values.lds += other_values;
      const int left = all.end - first - staged;  // keys that are not yet loaded
      const auto is_wanted = [&](int key0) FA_LAMBDA {
        return static_cast<unsigned>(key0 - wanted_from) < wanted;
      };
      const auto is_edge =
          [&](int key0)
              FA_LAMBDA {  // "above": a compiler keeps this sense, and the scores where they are
                return static_cast<unsigned>(key0) - static_cast<unsigned>(full_begin) > full;
              };
      const auto scores_of = [&](auto step) FA_LAMBDA {  // S [R, BN]
        constexpr std::uint32_t offset = step * (BN * keys_type::chunks * 16);
        return scores(key_tile<M, BN, D>{keys_at + offset, all.end - first - step * BN});
      };
      const auto finish = [&](auto step, auto& s) FA_LAMBDA {
        constexpr std::uint32_t offset = step * (M::sizes::value_chunks(BN) * 256);
        const auto& p = weigh(s, first + step * BN, is_edge(first + step * BN));  // P [R, BN]
        accumulate(p, value_tile<M, BN, DV>{values_at + offset});
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
        if (is_wanted(first)) {
          auto s = scores_of(constant<0>{});
          finish(constant<0>{}, s);
        }
        pass_keys();
        if (is_wanted(first + BN)) {
          auto s = scores_of(constant<1>{});
          finish(constant<1>{}, s);
        }
      } else {
        typename M::template scores_type<R, BN> s;
        if (is_wanted(first)) s = scores_of(constant<0>{});
        pass_keys();
        if (is_wanted(first)) finish(constant<0>{}, s);
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

  /// What lies within the keys, in scalar registers.
  FA_DEVICE key_span uniform_span(const key_span& span) const {
    const key_span inside = within(span, k.rows);
    return {uniform(inside.begin), uniform(inside.full_begin), uniform(inside.full_end),
            uniform(inside.end)};
  }
};

}  // namespace fa::amd_machine

#endif
