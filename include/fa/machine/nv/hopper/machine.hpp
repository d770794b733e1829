// The Hopper machine: warpgroups of consumers, each with 64 rows, and a warpgroup of producers that brings what they need.
#pragma once

#include <fa/machine/nv/hopper/feed.hpp>
#include <fa/machine/nv/memory_verbs.hpp>

#if FA_NV

namespace fa::nv_machine {

/// Models fa::Machine for elements of the 16-bit type T: Groups warpgroups of 64 rows, Slots steps of K and V in shared memory,
/// QuerySlots blocks of Q.
template <class T, int Groups, int Slots, int QuerySlots>
struct warpgroups : memory_verbs, softmax_verbs, warpgroup_product_verbs {
  static_assert(sizeof(T) == 2 && (Groups == 2 || Groups == 3));
  static constexpr int groups = Groups;
  static constexpr int slots = Slots;
  static constexpr int query_slots = QuerySlots;
  static constexpr int group_threads = 4 * warp_lanes;
  static constexpr int consumer_warps = 4 * Groups;
  static constexpr int query_warps = 3;                    ///< of the four producers; the first brings K and V
  static constexpr int threads = (Groups + 1) * group_threads;
  /// Registers of a thread: together at most what `threads` have of equal shares, in eights, of 65536.
  static constexpr int consumer_registers = Groups == 2 ? 232 : 160;
  static constexpr int producer_registers = Groups == 2 ? 40 : 32;

  template <int R>
  static constexpr int row_tiles = 1;                                                    ///< of 16 rows, of a warp
  template <int C>
  static constexpr int padded_cols = round_up(C, 32);
  template <int C>
  static constexpr int part_cols = padded_cols<C>;

  template <int R>
  using row = row_values<warpgroups, R>;
  template <int R>
  using row_part = row_values<warpgroups, R>;
  template <class, int R, int BN, int D, int DV>
  using kv_stream = warpgroup_stream<warpgroups, T, R, BN, D, DV>;
  using position = block_position;

  FA_DEVICE static int part() { return 0; }
  FA_DEVICE static int group() { return warp() / 4; }

  template <int R>
  FA_DEVICE static block_position rows_of(int block, int rows, int group) {
    static_assert(R == Groups * group_rows, "fa: a warpgroup owns 64 rows");
    const int first = block * R, count = min_of(R, rows - first), own = warp() * 16;
    return {first, count, own, min_of(16, count - own), group};
  }

  /// The producers bring Q, multiplied by its factor: this waits for it.
  template <class, int R, int D>
  FA_DEVICE static chunked_query<warpgroups, T, R, D> load_rows(const group_view<const T>&, const block_position&, float) {
    using state = block_state<warpgroups>;
    const auto place = ring_place<query_slots>::after(state::load_progress().blocks);
    constexpr int group_bytes = group_rows * chunks_of<D> * chunk_row_bytes;
    wait_phase(state::query_full(place.slot), place.parity);
    return {shared_at(state::bytes + (place.slot * Groups + group()) * group_bytes)};
  }

  template <class, int R, int C>
  FA_DEVICE static output_tile<warpgroups, T, R, C> zeros() {
    output_tile<warpgroups, T, R, C> tile;
    tile.clear();
    return tile;
  }

  /// Awaits the product that still adds to the tile.
  template <int R, int C>
  FA_DEVICE static void scale_rows(output_tile<warpgroups, T, R, C>& tile, const row_values<warpgroups, R>& factor) {
    await<0, T>(tile);
    softmax_verbs::scale_rows(tile, factor);
  }
  template <int R>
  FA_DEVICE static void scale_rows(row_values<warpgroups, R>& row, const row_values<warpgroups, R>& factor) {
    softmax_verbs::scale_rows(row, factor);
  }

  // Warpgroups issue products in turn: group g waits for barrier g, on which the group before arrives.

  FA_DEVICE static void take_turn() { named_wait(turn(group()), 2 * group_threads); }
  FA_DEVICE static void pass_turn() { named_arrive(turn(group() + 1 == Groups ? 0 : group() + 1), 2 * group_threads); }
  /// Before the first step of all, and behind the last one.
  FA_DEVICE static void begin_turns() {
    if (group() == Groups - 1) pass_turn();
  }
  FA_DEVICE static void end_turns() {
    if (group() == 0) take_turn();
  }

 private:
  FA_DEVICE static int turn(int g) { return 1 + g; }       // barrier 0 is that of the block
};

}  // namespace fa::nv_machine

#endif
