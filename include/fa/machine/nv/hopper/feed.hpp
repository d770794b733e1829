// The producer warps: one starts bulk copies of K and V, the others bring Q.
#pragma once

#include <fa/core/dtype.hpp>
#include <fa/machine/nv/hopper/stream.hpp>
#include <fa/machine/nv/hopper/tensor_map.hpp>
#include <fa/machine/nv/memory_verbs.hpp>

#if FA_NV

namespace fa::nv_machine {

/// Whether addresses and strides let rows be copied by 16 bytes.
template <class T>
bool copies_rows(const tensor<const T>& t) {
  constexpr i64 size = sizeof(T);
  const i64 bits = static_cast<i64>(reinterpret_cast<std::uintptr_t>(t.data)) | t.batch_stride * size | t.token_stride * size |
                   t.head_stride * size;
  return bits % 16 == 0;
}

/// Brings K and V of one block of rows after another; one thread.
template <class M, int R, int BN, int D, int DV>
struct key_feed {
  using memory = block_memory<M, R, BN, D, DV>;
  using state = block_state<M>;
  ring_place<M::slots> place{0, 1};                        // the first wait of each slot passes

  template <class Mask>
  FA_DEVICE void feed(const mapped_rows& k, const mapped_rows& v, const Mask& mask, const block_position& at, int keys) {
    const key_steps<BN> steps = key_steps<BN>::of(mask, at, keys);
    FA_NO_UNROLL for (int step = 0; step < steps.count; ++step) {
      const int row = steps.first + step * BN;
      bring<D>(memory::keys(place.slot), k, row, state::keys_empty(place.slot), state::keys_full(place.slot));
      bring<DV>(memory::values(place.slot), v, row, state::values_empty(place.slot), state::values_full(place.slot));
      place.next();
    }
  }

 private:
  template <int C>
  FA_DEVICE void bring(std::uint32_t to, const mapped_rows& from, int row, std::uint32_t empty, std::uint32_t full) const {
    constexpr int chunk_bytes = BN * chunk_row_bytes;
    wait_phase(empty, place.parity);
    arrive_expecting(full, chunks_of<C> * chunk_bytes);
    FA_UNROLL for (int c = 0; c < chunks_of<C>; ++c) {
      copy_box(to + static_cast<std::uint32_t>(c * chunk_bytes), from, c * chunk_cols, row, full);
    }
  }
};

/// Brings Q of one block of rows after another, any rows at addresses of 16 bytes; all threads of M::query_warps warps.
template <class M, class T, int R, int BN, int D, int DV>
struct query_feed {
  using memory = block_memory<M, R, BN, D, DV>;
  using state = block_state<M>;
  ring_place<M::query_slots> place{0, 1};

  static constexpr int parts = chunks_of<D> * (chunk_row_bytes / 16);                    // of 16 bytes, of a row
  static constexpr int row_step = M::query_warps * warp_lanes / parts;                   // a thread brings every so many rows
  static_assert(row_step * parts == M::query_warps * warp_lanes);

  /// `note`: what the consumers are told with it.
  FA_DEVICE void feed(const group_view<const T>& rows, const block_position& at, float factor, const block_note& note) {
    wait_phase(state::query_empty(place.slot), place.parity);
    const std::uint32_t base = memory::query(place.slot);
    const int part = first() % parts;
    const int bytes = clamp((D - part * 8) * static_cast<int>(sizeof(T)), 0, 16), count = bytes > 0 ? at.row_count : 0;
    if (rows.group == 1) {
      const T* from = rows.data + (at.first_row + first() / parts) * rows.token_stride + part * 8;
      copy_rows(base, part, bytes, count, rows.data,
                [&](int r) FA_LAMBDA { return from + (r - first() / parts) * rows.token_stride; });
    } else {
      copy_rows(base, part, bytes, count, rows.data, [&](int r) FA_LAMBDA { return rows.row(at.first_row + r) + part * 8; });
    }
    commit_copies();
    wait_copies<0>();
    if (factor != 1.f) [[unlikely]] multiply(base, part, factor);
    publish_to_products();
    hand_over(note);
  }

  /// Only a note: that there are no more rows.
  FA_DEVICE void finish(const block_note& note) {
    wait_phase(state::query_empty(place.slot), place.parity);
    hand_over(note);
  }

 private:
  FA_DEVICE void hand_over(const block_note& note) {
    if (first() == 0) state::write_note(place.slot, note);
    __syncwarp();
    if (lane() == 0) arrive(state::query_full(place.slot));
    place.next();
  }

  FA_DEVICE static int first() { return thread() - (M::consumer_warps + 1) * warp_lanes; }

  /// Starts the copies of this thread's rows: of `bytes` at address(r) where r < count, else of nothing, which gives zeros.
  template <class Address>
  FA_DEVICE static void copy_rows(std::uint32_t base, int part, int bytes, int count, const T* readable, const Address& address) {
#pragma unroll 4
    for (int r = first() / parts; r < R; r += row_step) {
      copy_async<16>(base + offset(r, part), r < count ? address(r) : readable, r < count ? bytes : 0);
    }
  }

  /// Of 16 bytes of a row: chunks of 64 rows of each warpgroup.
  FA_DEVICE static std::uint32_t offset(int row, int part) {
    const int group = row / M::group_rows, chunk = part / 8, r = row % M::group_rows;
    const int start = (group * chunks_of<D> + chunk) * (M::group_rows * chunk_row_bytes);
    return static_cast<std::uint32_t>(start + r * chunk_row_bytes + ((part % 8) ^ (r % 8)) * 16);
  }

  /// Each thread what it has copied.
  FA_DEVICE static void multiply(std::uint32_t base, int part, float factor) {
    FA_NO_UNROLL for (int r = first() / parts; r < R; r += row_step) {
      const std::uint32_t at = base + offset(r, part);
      std::uint32_t x[4];
      load_shared(at, x);
      FA_UNROLL for (std::uint32_t& word : x) word = multiplied(word, factor, T{});
      store_shared(at, x);
    }
  }
};

}  // namespace fa::nv_machine

#endif
