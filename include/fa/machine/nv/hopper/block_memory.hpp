// Shared memory of a block: what lies where, and who waits for whom.
//
//   barriers, progress of the warps, notes | outgoing rows of O | Q slots | K slots | V slots
//
// Slots are used in turn, over all blocks of rows that a persistent block works on.
#pragma once

#include <fa/machine/nv/hopper/barrier.hpp>
#include <fa/machine/nv/hopper/wgmma.hpp>
#include <fa/machine/nv/memory.hpp>
#include <fa/machine/nv/position.hpp>

#if FA_NV

namespace fa::nv_machine {

inline constexpr int shared_alignment = 1024;  ///< of what products read: eight rows of a chunk

/// Address in shared memory of the block's dynamic allocation, `offset` bytes further on.
FA_DEVICE std::uint32_t shared_at(int offset) {
  extern __shared__ __align__(shared_alignment) unsigned char fa_hopper_shared[];
  return static_cast<std::uint32_t>(__cvta_generic_to_shared(fa_hopper_shared)) +
         static_cast<std::uint32_t>(offset);
}

/// Eight numbers that tell consumers of a block of rows, and mean nothing here.
struct block_note {
  int x[8];
};

/// Where the first row of a head's outputs lies.
struct block_outputs {
  void* o;
  float* lse;  ///< or null
};

/// The steps of BN keys that a block of rows needs: step i brings keys first + i BN and following,
/// as far as there are `keys`.
struct block_steps {
  int first, count, keys;
};

/// The steps among these that a warpgroup computes, by their first keys: from `begin` on, below
/// `end`. Those from full_begin on, below full_end, need no mask.
struct group_steps {
  int begin, end, full_begin, full_end;
};

/// The barriers of each slot, `full`: its copies have come, and `empty`: all who read it are done.
/// Beside them, what producers tell of each Q, and how far each warp of the consumers has come.
template <class M>
struct block_state {
  static constexpr int output_bytes = M::output_chunks * 16 * chunk_row_bytes;  ///< of a warp
  static constexpr int bytes = shared_alignment + M::consumer_warps * output_bytes;

  /// Where some columns of this warp's rows of O lie on their way out.
  FA_DEVICE static std::uint32_t output() {
    return shared_at(shared_alignment + warp() * output_bytes);
  }

  FA_DEVICE static std::uint32_t query_full(int slot) { return shared_at(8 * slot); }
  FA_DEVICE static std::uint32_t query_empty(int slot) { return query_full(M::query_slots + slot); }
  FA_DEVICE static std::uint32_t keys_full(int slot) {
    return query_full(2 * M::query_slots + slot);
  }
  FA_DEVICE static std::uint32_t keys_empty(int slot) { return keys_full(M::slots + slot); }
  FA_DEVICE static std::uint32_t values_full(int slot) { return keys_full(2 * M::slots + slot); }
  FA_DEVICE static std::uint32_t values_empty(int slot) { return keys_full(3 * M::slots + slot); }

  // Of a producer, for the block of rows number `block`: before its Q is `full`.

  FA_DEVICE static void tell(std::uint32_t block, const block_note& note, const block_rows& rows,
                             block_steps steps, const block_outputs& to) {
    const std::uint32_t at = note_at(block);
    store(at, {note.x[0], note.x[1], note.x[2], note.x[3]});
    store(at + 16, {note.x[4], note.x[5], note.x[6], note.x[7]});
    store(at + 32, {rows.first_row, rows.row_count, rows.group, 0});
    store(at + 48, {steps.first, steps.count, steps.keys, 0});
    store(at + 64, __builtin_bit_cast(numbers, to));
  }
  FA_DEVICE static void tell(std::uint32_t block, int group, const group_steps& steps) {
    store(steps_at(block, group), __builtin_bit_cast(numbers, steps));
  }

  // Of a warp of the consumers.

  /// Turns to the next block of rows and waits for its Q.
  FA_DEVICE static void next_block() {
    const progress p = load_progress();
    const ring_place<M::query_slots> place{p.blocks};
    wait_phase(query_full(place.slot()), place.full_parity());
    store_progress({p.blocks + 1, p.steps});
  }
  FA_DEVICE static int query_slot() { return static_cast<int>(block() % M::query_slots); }
  FA_DEVICE static block_note note() {
    const std::uint32_t at = note_at(block());
    const numbers a = load(at), b = load(at + 16);
    return {{a.x[0], a.x[1], a.x[2], a.x[3], b.x[0], b.x[1], b.x[2], b.x[3]}};
  }
  FA_DEVICE static block_position position() {
    const numbers a = load(note_at(block()) + 32);
    return M::position_of(a.x[0], a.x[1], a.x[2]);
  }
  FA_DEVICE static block_outputs outputs() {
    return __builtin_bit_cast(block_outputs, load(note_at(block()) + 64));
  }
  FA_DEVICE static block_steps steps() {
    const numbers a = load(note_at(block()) + 48);
    return {a.x[0], a.x[1], a.x[2]};
  }
  FA_DEVICE static group_steps own_steps() {
    return __builtin_bit_cast(group_steps, load(steps_at(block(), M::group())));
  }

  /// Steps of K and V that this warp is done with, over all blocks of rows.
  FA_DEVICE static std::uint32_t steps_done() { return load_progress().steps; }
  FA_DEVICE static void set_steps_done(std::uint32_t steps) {
    store_progress({load_progress().blocks, steps});
  }

  /// Once, by all threads of the block, before anything else.
  FA_DEVICE static void prepare() {
    if (thread() == 0) {
      for (int i = 0; i < M::query_slots; ++i) {
        init_barrier(query_full(i),
                     M::query_warps + M::groups);  // each warp, and those who tell of steps
        init_barrier(query_empty(i),
                     M::consumer_warps * warp_lanes);  // all lanes: they have read what was told
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
  // A note is read until O is written, when the slot of its Q may already be filled again: so there
  // is one more than slots. Who has given back the next Q has read it.
  static constexpr int notes = M::query_slots + 1;
  static constexpr int barriers = 2 * M::query_slots + 4 * M::slots;
  static constexpr int steps_in_note = 80, note_bytes = steps_in_note + 16 * M::groups;
  static constexpr int notes_at = round_up(8 * (barriers + M::consumer_warps), 16);
  static_assert(notes_at + note_bytes * notes <= shared_alignment);

  FA_DEVICE static std::uint32_t progress_at() { return query_full(barriers + warp()); }
  FA_DEVICE static std::uint32_t note_at(std::uint32_t block) {
    return shared_at(notes_at + static_cast<int>(block % notes) * note_bytes);
  }
  FA_DEVICE static std::uint32_t steps_at(std::uint32_t block, int group) {
    return note_at(block) + static_cast<std::uint32_t>(steps_in_note + 16 * group);
  }

  struct numbers {
    int x[4];
  };
  FA_DEVICE static void store(std::uint32_t to, const numbers& n) {
    std::uint32_t x[4];
    FA_UNROLL for (int i = 0; i < 4; ++i) x[i] = static_cast<std::uint32_t>(n.x[i]);
    store_shared(to, x);
  }
  FA_DEVICE static numbers load(std::uint32_t from) {
    std::uint32_t x[4];
    load_shared(from, x);
    numbers n;
    FA_UNROLL for (int i = 0; i < 4; ++i) n.x[i] = static_cast<int>(x[i]);
    return n;
  }

  /// Blocks of rows that this warp has begun, and steps it is done with.
  struct progress {
    std::uint32_t blocks, steps;
  };
  FA_DEVICE static std::uint32_t block() { return load_progress().blocks - 1; }
  FA_DEVICE static progress load_progress() {
    progress p;
    asm volatile("ld.shared.v2.u32 {%0, %1}, [%2];"
                 : "=r"(p.blocks), "=r"(p.steps)
                 : "r"(progress_at())
                 : "memory");
    return p;
  }
  FA_DEVICE static void store_progress(progress p) {
    __syncwarp();
    asm volatile("st.shared.v2.u32 [%0], {%1, %2};" ::"r"(progress_at()), "r"(p.blocks),
                 "r"(p.steps)
                 : "memory");
    __syncwarp();
  }
};

/// The rows of a block, kept in shared memory: between the first step and the last all registers
/// are needed.
template <class M>
struct kept_position {
  FA_DEVICE block_position here() const { return block_state<M>::position(); }
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
  static constexpr int bytes = values_at + M::slots * value_bytes;
  static_assert(query_bytes % shared_alignment == 0 && key_bytes % shared_alignment == 0 &&
                value_bytes % shared_alignment == 0);

  FA_DEVICE static std::uint32_t query(int slot) {
    return shared_at(query_at + slot * query_bytes);
  }
  FA_DEVICE static std::uint32_t keys(int slot) { return shared_at(keys_at + slot * key_bytes); }
  FA_DEVICE static std::uint32_t values(int slot) {
    return shared_at(values_at + slot * value_bytes);
  }
};

}  // namespace fa::nv_machine

#endif
