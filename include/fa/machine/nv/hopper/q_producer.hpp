// The producer warps that bring Q of one block of rows after another, and publish what consumers
// must know of it.
#pragma once

#include <fa/core/dtype.hpp>
#include <fa/machine/nv/hopper/block_memory.hpp>
#include <fa/machine/nv/hopper/tensor_map.hpp>
#include <fa/machine/nv/memory_verbs.hpp>

#if FA_NV

namespace fa::nv_machine {

/// Brings Q of one block of rows after another; all threads of M::query_warps warps. By bulk copies
/// where there is a map, else any rows at addresses of 16 bytes.
template <class M, class T, int R, int BN, int D, int DV>
struct q_producer {
  using memory = block_memory<M, R, BN, D, DV>;
  using state = block_state<M>;
  using tile = typename state::tile;
  ring_place<M::query_stages> place;  // its step: the number of the next block

  static constexpr int chunks = panels_of<D> * (panel_row_bytes / 16);  // of 16 bytes, of a row
  // A thread brings every so many rows.
  static constexpr int row_step = M::query_warps * warp_lanes / chunks;
  static_assert(row_step * chunks == M::query_warps * warp_lanes);

  /// Q of the block `at` of `rows`, with its walk through `keys` keys under a mask. `of` and
  /// `outputs` are published with it.
  template <class Mask>
  FA_DEVICE void bring(const query_rows<const T>& rows, const mapped_query& mapped,
                       const block_rows& at, const Mask& mask, int keys, const sequence& of,
                       const typename M::first_outputs& outputs) {
    wait_phase(state::query_empty(place.stage()), place.empty_parity());
    if (mapped.map != nullptr) bring_boxes(mapped, rows.heads, at);
    else bring_rows(rows, at);
    const key_span block = keys_of_rows(mask, at, 0, at.row_count, keys);
    if (const int g = first(); g < M::warpgroup_count) {
      const int row = g * M::warpgroup_rows, count = min_of(M::warpgroup_rows, at.row_count - row);
      const key_span own = keys_of_rows(mask, at, row, count, keys);
      state::publish(place.step, g, steps_of<BN, last_step::padded>(block, own));
    }
    if (mapped.map == nullptr) {
      wait_copies<0>();
      if (rows.factor != 1.f) [[unlikely]]
        multiply(rows.factor);
      publish_to_products();
    }
    hand_over({{of, 0},
               {at.first_row, at.row_count, at.heads, 0},
               {block.begin, ceil_div(block.end - block.begin, BN), keys, 0},
               outputs});
  }

  /// Publishes that there are no more rows.
  FA_DEVICE void finish() {
    wait_phase(state::query_empty(place.stage()), place.empty_parity());
    hand_over({});
  }

 private:
  FA_DEVICE void bring_boxes(const mapped_query& from, int heads, const block_rows& at) const {
    if (first() != 0) return;
    const std::uint32_t base = memory::query(place.stage()),
                        full = state::query_full(place.stage());
    expect_bytes(full, memory::query_bytes);
    FA_UNROLL for (int g = 0; g < M::warpgroup_count; ++g) {
      FA_UNROLL for (int c = 0; c < panels_of<D>; ++c) {
        copy_query_box(base + static_cast<std::uint32_t>(panel_at(g, c)), from, c * panel_cols,
                       (at.first_row + g * M::warpgroup_rows) / heads, full);
      }
    }
  }

  FA_DEVICE void bring_rows(const packed_rows<const T>& rows, const block_rows& at) const {
    const std::uint32_t base = memory::query(place.stage());
    const int chunk = first() % chunks;
    const int bytes = clamp((D - chunk * 8) * element_bytes<T>, 0, 16);
    const int count = bytes > 0 ? at.row_count : 0;
    if (rows.heads == 1) {
      const T* from = rows.row(at.first_row + first() / chunks) + chunk * 8;
      copy_rows(base, chunk, bytes, count, rows.data,
                [&](int r) FA_LAMBDA { return from + (r - first() / chunks) * rows.distance(); });
    } else {
      copy_rows(base, chunk, bytes, count, rows.data,
                [&](int r) FA_LAMBDA { return rows.row(at.first_row + r) + chunk * 8; });
    }
    commit_copies();
  }

  FA_DEVICE void hand_over(const tile& published) {
    if (first() == 0) state::publish(place.step, published);
    __syncwarp();
    arrive_if(state::query_full(place.stage()), lane() == 0);
    arrive_if(state::query_full(place.stage()), first() < M::warpgroup_count);
    ++place.step;
  }

  /// This thread's number among those that bring Q. The remainder tells the compiler that it is
  /// small.
  FA_DEVICE static int first() {
    return static_cast<int>((threadIdx.x - (M::consumer_warps + 1u) * warp_lanes) % 128u);
  }

  /// Starts the copies of this thread's rows: of `bytes` at address(r) where r < count, else of
  /// nothing, which gives zeros.
  template <class Address>
  FA_DEVICE static void copy_rows(std::uint32_t base, int chunk, int bytes, int count,
                                  const T* readable, const Address& address) {
#pragma unroll 4
    for (int r = first() / chunks; r < R; r += row_step) {
      copy_async<16>(base + offset(r, chunk), r < count ? address(r) : readable,
                     r < count ? bytes : 0);
    }
  }

  /// Bytes from the beginning of Q to a panel of 64 rows of a warpgroup.
  FA_DEVICE static constexpr int panel_at(int warpgroup, int panel) {
    return (warpgroup * panels_of<D> + panel) * (M::warpgroup_rows * panel_row_bytes);
  }
  /// Bytes from there to 16 bytes of a row.
  FA_DEVICE static std::uint32_t offset(int row, int chunk) {
    return static_cast<std::uint32_t>(panel_at(row / M::warpgroup_rows, chunk / 8) +
                                      place_in_panel(row % M::warpgroup_rows, chunk % 8));
  }

  /// Multiplies Q by its factor: each thread what it has copied.
  FA_DEVICE void multiply(float factor) const {
    const std::uint32_t base = memory::query(place.stage());
    const int chunk = first() % chunks;
    FA_NO_UNROLL for (int r = first() / chunks; r < R; r += row_step) {
      const std::uint32_t at = base + offset(r, chunk);
      std::uint32_t x[4];
      load_shared(at, x);
      FA_UNROLL for (std::uint32_t& word : x) word = multiplied(word, factor, T{});
      store_shared(at, x);
    }
  }
};

}  // namespace fa::nv_machine

#endif
