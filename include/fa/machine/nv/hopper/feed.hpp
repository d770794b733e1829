// The producer warps: one brings K and V, the others Q.
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
  const i64 distances = byte_stride<T>(t.batch, t.batch_stride) |
                        byte_stride<T>(t.seqlen, t.token_stride) |
                        byte_stride<T>(t.heads, t.head_stride);
  return reinterpret_cast<std::uintptr_t>(t.data) % 16 == 0 && distances % 16 == 0;
}

/// Where K and V of a block of rows lie.
template <class Rows>
struct keys_and_values {
  Rows k, v;
};

/// Copies of tiles [BN, C] by tensor maps; one thread.
struct mapped_copies {
  template <int BN, int C>
  FA_DEVICE void start(std::uint32_t to, const mapped_rows& from, int row,
                       std::uint32_t full) const {
    constexpr int chunk_bytes = BN * chunk_row_bytes;
    arrive_expecting(full, chunks_of<C> * chunk_bytes);
    FA_UNROLL for (int c = 0; c < chunks_of<C>; ++c) {
      copy_box(to + static_cast<std::uint32_t>(c * chunk_bytes), from, c * chunk_cols, row, full);
    }
  }
  FA_DEVICE void finish() const {}
};

/// The same of rows at any addresses of 16 bytes: all lanes of a warp copy, and tell of a tile when
/// they have started the next.
template <class T>
struct strided_copies {
  std::uint32_t started = 0;  // the barrier of the tile that is under way, or 0

  template <int BN, int C>
  FA_DEVICE void start(std::uint32_t to, const strided_rows<const T>& from, int row,
                       std::uint32_t full) {
    const int lane = lane_anew(), part = lane % 8, first = lane / 8;
    FA_NO_UNROLL for (int c = 0; c < chunks_of<C>; ++c) {
      const int col = c * chunk_cols + part * 8,
                bytes = clamp((C - col) * static_cast<int>(sizeof(T)), 0, 16);
      i64 offset = (row + first) * from.stride + col;
      FA_NO_UNROLL for (int r = first; r < BN; r += warp_lanes / 8) {
        const bool exists = row + r < from.rows && bytes > 0;
        copy_async<16>(
            to + static_cast<std::uint32_t>(c * BN * chunk_row_bytes + place_in_chunk(r, part)),
            from.data + (exists ? offset : 0), exists ? bytes : 0);
        offset += from.stride * (warp_lanes / 8);
      }
    }
    commit_copies();
    tell<1>();
    started = full;
  }
  FA_DEVICE void finish() { tell<0>(); }

 private:
  /// Waits until at most Pending tiles are under way, and tells of the one before these.
  template <int Pending>
  FA_DEVICE void tell() {
    wait_copies<Pending>();
    publish_to_products();
    __syncwarp();
    if (started != 0) arrive_for_warp(started);
    started = 0;
  }
};

/// Brings K and V of one block of rows after another.
template <class M, int R, int BN, int D, int DV, class Copies>
struct key_feed {
  using memory = block_memory<M, R, BN, D, DV>;
  using state = block_state<M>;
  Copies copies;
  ring_place<M::slots> place;

  template <class Rows, class Mask>
  FA_DEVICE void feed(const keys_and_values<Rows>& from, const Mask& mask, const block_rows& at,
                      int keys) {
    const block_steps steps = steps_of<BN>(mask, at, keys);
    FA_NO_UNROLL for (int step = 0; step < steps.count; ++step) {
      const int row = steps.first + step * BN, slot = place.slot();
      wait_phase(state::keys_empty(slot), place.empty_parity());
      copies.template start<BN, D>(memory::keys(slot), from.k, row, state::keys_full(slot));
      wait_phase(state::values_empty(slot), place.empty_parity());
      copies.template start<BN, DV>(memory::values(slot), from.v, row, state::values_full(slot));
      ++place.step;
    }
    copies.finish();
  }
};

/// Brings Q of one block of rows after another; all threads of M::query_warps warps. By bulk copies
/// where there is a map, else any rows at addresses of 16 bytes.
template <class M, class T, int R, int BN, int D, int DV>
struct query_feed {
  using memory = block_memory<M, R, BN, D, DV>;
  using state = block_state<M>;
  ring_place<M::query_slots> place;  // its step: the number of the next block

  static constexpr int parts = chunks_of<D> * (chunk_row_bytes / 16);  // of 16 bytes, of a row
  static constexpr int row_step = M::query_warps * warp_lanes /
                                  parts;  // a thread brings every so many rows
  static_assert(row_step * parts == M::query_warps * warp_lanes);

  /// `note` and `to`: what the consumers are told with it.
  template <class Mask>
  FA_DEVICE void feed(const packed_rows<const T>& rows, const mapped_query& mapped, float factor,
                      const Mask& mask, int keys, const block_rows& at, const block_note& note,
                      const block_outputs& to) {
    wait_phase(state::query_empty(place.slot()), place.empty_parity());
    if (mapped.map != nullptr) bring_boxes(mapped, rows.group, at);
    else bring_rows(rows, at);
    const block_steps steps = steps_of<BN>(mask, at, keys);
    if (const int g = first(); g < M::groups) {
      const int row = g * M::group_rows;
      state::tell(place.step, g,
                  steps_of<BN>(mask, at, steps, row, min_of(M::group_rows, at.row_count - row)));
    }
    if (mapped.map == nullptr) {
      wait_copies<0>();
      if (factor != 1.f) [[unlikely]]
        multiply(factor);
      publish_to_products();
    }
    hand_over(note, at, steps, to);
  }

  /// Only a note: that there are no more rows.
  FA_DEVICE void finish(const block_note& note) {
    wait_phase(state::query_empty(place.slot()), place.empty_parity());
    hand_over(note, {}, {}, {});
  }

 private:
  FA_DEVICE void bring_boxes(const mapped_query& from, int group, const block_rows& at) const {
    if (first() != 0) return;
    const std::uint32_t base = memory::query(place.slot()), full = state::query_full(place.slot());
    expect_bytes(full, memory::query_bytes);
    FA_UNROLL for (int g = 0; g < M::groups; ++g) {
      FA_UNROLL for (int c = 0; c < chunks_of<D>; ++c) {
        copy_query_box(base + static_cast<std::uint32_t>(chunk_at(g, c)), from, c * chunk_cols,
                       (at.first_row + g * M::group_rows) / group, full);
      }
    }
  }

  FA_DEVICE void bring_rows(const packed_rows<const T>& rows, const block_rows& at) const {
    const std::uint32_t base = memory::query(place.slot());
    const int part = first() % parts;
    const int bytes = clamp((D - part * 8) * static_cast<int>(sizeof(T)), 0, 16),
              count = bytes > 0 ? at.row_count : 0;
    if (rows.group == 1) {
      const T* from = rows.data + (at.first_row + first() / parts) * rows.token_stride + part * 8;
      copy_rows(base, part, bytes, count, rows.data,
                [&](int r) FA_LAMBDA { return from + (r - first() / parts) * rows.token_stride; });
    } else {
      copy_rows(base, part, bytes, count, rows.data,
                [&](int r) FA_LAMBDA { return rows.row(at.first_row + r) + part * 8; });
    }
    commit_copies();
  }

  FA_DEVICE void hand_over(const block_note& note, const block_rows& rows, block_steps steps,
                           const block_outputs& to) {
    if (first() == 0) state::tell(place.step, note, rows, steps, to);
    __syncwarp();
    arrive_if(state::query_full(place.slot()), lane() == 0);
    arrive_if(state::query_full(place.slot()), first() < M::groups);
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
  FA_DEVICE static void copy_rows(std::uint32_t base, int part, int bytes, int count,
                                  const T* readable, const Address& address) {
#pragma unroll 4
    for (int r = first() / parts; r < R; r += row_step) {
      copy_async<16>(base + offset(r, part), r < count ? address(r) : readable,
                     r < count ? bytes : 0);
    }
  }

  /// Bytes to a chunk of 64 rows of a warpgroup.
  FA_DEVICE static constexpr int chunk_at(int group, int chunk) {
    return (group * chunks_of<D> + chunk) * (M::group_rows * chunk_row_bytes);
  }
  /// To 16 bytes of a row.
  FA_DEVICE static std::uint32_t offset(int row, int part) {
    return static_cast<std::uint32_t>(chunk_at(row / M::group_rows, part / 8) +
                                      place_in_chunk(row % M::group_rows, part % 8));
  }

  /// Each thread what it has copied.
  FA_DEVICE void multiply(float factor) const {
    const std::uint32_t base = memory::query(place.slot());
    const int part = first() % parts;
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
