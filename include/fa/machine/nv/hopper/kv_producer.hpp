// The producer warp that brings K and V of one block of rows after another.
#pragma once

#include <fa/machine/nv/hopper/block_memory.hpp>
#include <fa/machine/nv/hopper/tensor_map.hpp>

#if FA_NV

namespace fa::nv_machine {

/// Copies of tiles [BN, C] by tensor maps; one thread.
struct mapped_copies {
  template <int BN, int C>
  FA_DEVICE void start(std::uint32_t to, const mapped_rows& from, int row,
                       std::uint32_t full) const {
    constexpr int panel_bytes = BN * panel_row_bytes;
    arrive_expecting(full, panels_of<C> * panel_bytes);
    FA_UNROLL for (int c = 0; c < panels_of<C>; ++c) {
      copy_box(to + static_cast<std::uint32_t>(c * panel_bytes), from, c * panel_cols, row, full);
    }
  }
  FA_DEVICE void finish() const {}
};

/// The same of rows at any addresses of 16 bytes: all lanes of a warp copy. They arrive for a tile
/// when they have started the next.
struct strided_copies {
  std::uint32_t started = 0;  // the barrier of the tile that is under way, or 0

  template <int BN, int C, RowSource Rows>
  FA_DEVICE void start(std::uint32_t to, const Rows& from, int row, std::uint32_t full) {
    constexpr int size = element_bytes<typename Rows::element>;
    const int lane = lane_anew(), chunk = lane % 8, first = lane / 8;
    FA_NO_UNROLL for (int c = 0; c < panels_of<C>; ++c) {
      const int col = c * panel_cols + chunk * 8, bytes = clamp((C - col) * size, 0, 16);
      FA_NO_UNROLL for (int r = first; r < BN; r += warp_lanes / 8) {
        const bool exists = row + r < from.rows && bytes > 0;
        copy_async<16>(
            to + static_cast<std::uint32_t>(c * BN * panel_row_bytes + place_in_panel(r, chunk)),
            exists ? from.row(row + r) + col : from.row(0), exists ? bytes : 0);
      }
    }
    commit_copies();
    arrive_for_started<1>();
    started = full;
  }
  FA_DEVICE void finish() { arrive_for_started<0>(); }

 private:
  /// Waits until at most Pending tiles are under way, and arrives for the one before these.
  template <int Pending>
  FA_DEVICE void arrive_for_started() {
    wait_copies<Pending>();
    publish_to_products();
    __syncwarp();
    if (started != 0) arrive_for_warp(started);
    started = 0;
  }
};

/// Brings K and V of one block of rows after another, in steps of BN.
template <class M, int R, int BN, int D, int DV, class Copies>
struct kv_producer {
  using memory = block_memory<M, R, BN, D, DV>;
  using state = block_state<M>;
  Copies copies;
  ring_place<M::stages> place;

  /// The steps of a walk of a block, from these sources.
  template <class Rows>
  FA_DEVICE void bring(const key_walk<BN>& walk, const Rows& k, const Rows& v) {
    FA_NO_UNROLL for (int row = walk.first; row < walk.end; row += BN) {
      const int stage = place.stage();
      wait_phase(state::keys_empty(stage), place.empty_parity());
      copies.template start<BN, D>(memory::keys(stage), k, row, state::keys_full(stage));
      wait_phase(state::values_empty(stage), place.empty_parity());
      copies.template start<BN, DV>(memory::values(stage), v, row, state::values_full(stage));
      ++place.step;
    }
    copies.finish();
  }
};

}  // namespace fa::nv_machine

#endif
