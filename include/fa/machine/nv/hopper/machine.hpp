// The Hopper machine: warpgroups of consumers, each with 64 rows, and a warpgroup of producers that
// brings what they need.
#pragma once

#include <fa/machine/nv/hopper/output.hpp>
#include <fa/machine/nv/hopper/stream.hpp>
#include <fa/machine/nv/memory_verbs.hpp>

#if FA_NV

namespace fa::nv_machine {

/// In the place of Q: producers know where it lies, and bring it multiplied by its factor.
struct received_query {};

/// Models fa::Machine for elements of the 16-bit type T: Warpgroups warpgroups of 64 rows, Stages
/// steps of K and V in shared memory, QueryStages blocks of Q, OutputPanels panels of the rows of O
/// of each warp on their way out. FirstOutputs: what is published of where outputs lie.
template <class T, int Warpgroups, int Stages, int QueryStages, int OutputPanels,
          class FirstOutputs>
struct warpgroups : memory_verbs, softmax_verbs, warpgroup_product_verbs {
  static_assert(is_16_bit<T> && Warpgroups >= 2 && Warpgroups <= 4);
  using element = T;
  using first_outputs = FirstOutputs;
  static constexpr int warpgroup_count = Warpgroups;
  static constexpr int stages = Stages;
  static constexpr int query_stages = QueryStages;
  static constexpr int output_panels = OutputPanels;
  static constexpr int warpgroup_threads = 4 * warp_lanes;
  static constexpr int consumer_warps = 4 * Warpgroups;
  static constexpr int query_warps = 3;  ///< of the four producers; the first brings K and V
  static constexpr int threads = (Warpgroups + 1) * warpgroup_threads;
  /// Registers of a thread: together at most what `threads` have of equal shares, in eights, of
  /// 65536.
  static constexpr int consumer_registers = Warpgroups == 2 ? 232 : Warpgroups == 3 ? 160 : 112;
  static constexpr int producer_registers = Warpgroups == 2 ? 40 : 32;

  template <int R>
  static constexpr int row_tiles = 1;  ///< of 16 rows, of a warp
  template <int C>
  static constexpr int padded_cols = round_up(C, 32);
  template <int C>
  static constexpr int split_cols = padded_cols<C>;

  template <int R>
  using row = row_values<warpgroups, R>;
  template <int R>
  using row_part = row_values<warpgroups, R>;
  template <int R, int BN>
  using scores = score_tile<warpgroups, R, BN>;
  template <int R, int BN, class Brings, class... Sources>
  using stream = warpgroup_stream<warpgroups, R, BN, Brings, Sources...>;
  using position = kept_position<warpgroups>;

  FA_DEVICE static int column_split() { return 0; }
  FA_DEVICE static int warpgroup() { return warp() / 4; }

  /// The rows of this warp in a block of so many rows from the first on.
  FA_DEVICE static block_position position_of(int first_row, int row_count, int heads) {
    const int own = warp() * 16;
    return {{first_row, row_count, own, min_of(16, row_count - own), heads}};
  }

  /// Q of the block that this warp has received, the rows of its warpgroup.
  template <int R, int D>
  FA_DEVICE static panel_query<warpgroups, T, R, D> load_rows(received_query, const position&) {
    static_assert(R == Warpgroups * warpgroup_rows, "fa: a warpgroup owns 64 rows");
    using state = block_state<warpgroups>;
    constexpr int warpgroup_bytes = warpgroup_rows * panels_of<D> * panel_row_bytes;
    return {shared_at(state::query_at +
                      (state::query_stage() * Warpgroups + warpgroup()) * warpgroup_bytes)};
  }

  template <class, int R, int C>
  FA_DEVICE static deferred_scale_output<warpgroups, T, R, C> zeros() {
    deferred_scale_output<warpgroups, T, R, C> tile;
    tile.clear();
    fill(tile.factor, 1.f);
    return tile;
  }

  template <int R, int C>
  FA_DEVICE static void scale_rows(deferred_scale_output<warpgroups, T, R, C>& tile,
                                   const row_values<warpgroups, R>& factor) {
    softmax_verbs::scale_rows(tile.factor, factor);
  }
  template <int R>
  FA_DEVICE static void scale_rows(row_values<warpgroups, R>& row,
                                   const row_values<warpgroups, R>& factor) {
    softmax_verbs::scale_rows(row, factor);
  }

  // Scores know how many of their keys exist where it is asked for: the numbers of full steps do
  // not matter.

  template <int R, int BN, class F>
  FA_DEVICE static void map_at(score_tile<warpgroups, R, BN>& s, const position& at, int key0,
                               const F& f) {
    s.keys = min_of(BN, kept_walk<warpgroups>::keys() - key0);
    softmax_verbs::map_at(s, at, key0, f);
  }
  template <int R, int BN, class Mask>
  FA_DEVICE static void keep_only(score_tile<warpgroups, R, BN>& s, const position& at, int key0,
                                  const Mask& mask) {
    s.keys = min_of(BN, kept_walk<warpgroups>::keys() - key0);
    softmax_verbs::keep_only(s, at, key0, mask);
  }

  /// Behind the last product.
  template <class To, int R, int C>
  FA_DEVICE static void store_rows(const packed_rows<To>& rows,
                                   deferred_scale_output<warpgroups, T, R, C> tile,
                                   const position& at) {
    await<0, T>(tile);
    tile.apply_scale();
    const auto& whole = static_cast<const output_tile<warpgroups, T, R, C>&>(tile);
    if constexpr (is_16_bit<To> && C % 8 == 0) {
      if (rows.alignment() == 16) {
        return send_rows<output_panels>(block_state<warpgroups>::output(), rows, whole, at.here());
      }
    }
    memory_verbs::store_rows(rows, whole, at);
  }
};

}  // namespace fa::nv_machine

#endif
