// Shared memory of a block: what lies where, and who waits for whom.
//
//   barriers, progress of the warps | Q slots | K slots | V slots
//
// Slots are used in turn, over all blocks of rows that a persistent block works on.
#pragma once

#include <fa/machine/nv/hopper/barrier.hpp>
#include <fa/machine/nv/hopper/wgmma.hpp>
#include <fa/machine/nv/memory.hpp>
#include <fa/machine/nv/position.hpp>

#if FA_NV

namespace fa::nv_machine {

inline constexpr int shared_alignment = 1024;              ///< of what products read: eight rows of a chunk

/// Address in shared memory, `offset` bytes from the first aligned one.
FA_DEVICE std::uint32_t shared_at(int offset) {
  return (shared_base() + (shared_alignment - 1)) / shared_alignment * shared_alignment + static_cast<std::uint32_t>(offset);
}

/// What consumers are told of the next block of rows, eight numbers that mean nothing here.
struct block_note {
  int x[8];
};

/// The barriers of each slot, `full`: its copies have come, and `empty`: all who read it are done. Beside them, a note with each Q,
/// and how far each warp of the consumers has come, and its rows.
template <class M>
struct block_state {
  static constexpr int bytes = shared_alignment;

  FA_DEVICE static std::uint32_t query_full(int slot) { return shared_at(8 * slot); }
  FA_DEVICE static std::uint32_t query_empty(int slot) { return query_full(M::query_slots + slot); }
  FA_DEVICE static std::uint32_t keys_full(int slot) { return query_full(2 * M::query_slots + slot); }
  FA_DEVICE static std::uint32_t keys_empty(int slot) { return keys_full(M::slots + slot); }
  FA_DEVICE static std::uint32_t values_full(int slot) { return keys_full(2 * M::slots + slot); }
  FA_DEVICE static std::uint32_t values_empty(int slot) { return keys_full(3 * M::slots + slot); }

  /// Blocks of rows that this warp is done with, and steps of K and V.
  struct progress {
    std::uint32_t blocks, steps;
  };
  FA_DEVICE static progress load_progress() {
    progress p;
    asm volatile("ld.shared.v2.u32 {%0, %1}, [%2];" : "=r"(p.blocks), "=r"(p.steps) : "r"(progress_at()) : "memory");
    return p;
  }
  /// The rows of this warp.
  FA_DEVICE static void store_position(const block_position& p) {
    store_shared(position_at(), {word(p.first_row), word(p.row_count), word(p.group), 0u});
    __syncwarp();
  }
  FA_DEVICE static block_position load_position() {
    std::uint32_t x[4];
    load_shared(position_at(), x);
    return M::position_of(static_cast<int>(x[0]), static_cast<int>(x[1]), static_cast<int>(x[2]));
  }
  FA_DEVICE static void store_progress(progress p) {
    __syncwarp();
    asm volatile("st.shared.v2.u32 [%0], {%1, %2};" :: "r"(progress_at()), "r"(p.blocks), "r"(p.steps) : "memory");
    __syncwarp();
  }

  /// The note that comes with a Q: written before its `full`.
  FA_DEVICE static void write_note(int slot, const block_note& note) {
    FA_UNROLL for (int i = 0; i < 2; ++i) {
      store_shared(note_at(slot) + static_cast<std::uint32_t>(16 * i),
                   {word(note.x[4 * i]), word(note.x[4 * i + 1]), word(note.x[4 * i + 2]), word(note.x[4 * i + 3])});
    }
  }
  /// Waits for the next Q, and gives its note. All lanes read it, and all say later that the slot is free.
  FA_DEVICE static block_note next_note() {
    const auto place = ring_place<M::query_slots>::after(load_progress().blocks);
    wait_phase(query_full(place.slot), place.parity);
    block_note note;
    FA_UNROLL for (int i = 0; i < 2; ++i) {
      std::uint32_t x[4];
      load_shared(note_at(place.slot) + static_cast<std::uint32_t>(16 * i), x);
      FA_UNROLL for (int j = 0; j < 4; ++j) note.x[4 * i + j] = static_cast<int>(x[j]);
    }
    return note;
  }

  /// Once, by all threads of the block, before anything else.
  FA_DEVICE static void prepare() {
    if (thread() == 0) {
      for (int i = 0; i < M::query_slots; ++i) {
        init_barrier(query_full(i), M::query_warps);
        init_barrier(query_empty(i), M::consumer_warps * warp_lanes);
      }
      for (int i = 0; i < M::slots; ++i) {
        init_barrier(keys_full(i), 1);
        init_barrier(keys_empty(i), M::consumer_warps);
        init_barrier(values_full(i), 1);
        init_barrier(values_empty(i), M::consumer_warps);
      }
      publish_barriers();
    }
    if (warp() < M::consumer_warps) store_progress({0, 0});
    block_barrier();
  }

 private:
  static constexpr int barriers = 2 * M::query_slots + 4 * M::slots;
  static constexpr int positions_at = round_up(8 * (barriers + M::consumer_warps), 16);
  static constexpr int notes_at = positions_at + 16 * M::consumer_warps;
  static_assert(notes_at + 32 * M::query_slots <= bytes);

  FA_DEVICE static std::uint32_t word(int x) { return static_cast<std::uint32_t>(x); }
  FA_DEVICE static std::uint32_t position_at() { return shared_at(positions_at + 16 * warp()); }
  FA_DEVICE static std::uint32_t progress_at() { return query_full(barriers + warp()); }
  FA_DEVICE static std::uint32_t note_at(int slot) { return shared_at(notes_at + 32 * slot); }
};

/// The rows of a block, kept in shared memory: between the first step and the last all registers are needed.
template <class M>
struct kept_position {
  FA_DEVICE block_position here() const { return block_state<M>::load_position(); }
};

/// Sizes of the slots, and what a block needs in all.
template <class M, int R, int BN, int D, int DV>
struct block_memory {
  static constexpr int query_bytes = R * chunks_of<D> * chunk_row_bytes;
  static constexpr int key_bytes = BN * chunks_of<D> * chunk_row_bytes;
  static constexpr int value_bytes = BN * chunks_of<DV> * chunk_row_bytes;
  static constexpr int query_at = block_state<M>::bytes;
  static constexpr int keys_at = query_at + M::query_slots * query_bytes;
  static constexpr int values_at = keys_at + M::slots * key_bytes;
  static constexpr int bytes = values_at + M::slots * value_bytes + shared_alignment;
  static_assert(query_bytes % shared_alignment == 0 && key_bytes % shared_alignment == 0 && value_bytes % shared_alignment == 0);

  FA_DEVICE static std::uint32_t query(int slot) { return shared_at(query_at + slot * query_bytes); }
  FA_DEVICE static std::uint32_t keys(int slot) { return shared_at(keys_at + slot * key_bytes); }
  FA_DEVICE static std::uint32_t values(int slot) { return shared_at(values_at + slot * value_bytes); }
};

}  // namespace fa::nv_machine

#endif
