// Shared memory of a block: what lies where, who waits for whom, and what producers publish.
//
//   barriers, progress of the warps, published tiles | outgoing O | Q stages | K stages | V stages
//
// Stages are used in turn, over all blocks of rows that a persistent block of threads works on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <fa/core/sequence.hpp>
#include <fa/machine/nv/hopper/barrier.hpp>
#include <fa/machine/nv/hopper/wgmma.hpp>
#include <fa/machine/nv/memory.hpp>
#include <fa/machine/nv/position.hpp>
#include <fa/machine/roles.hpp>
#include <fa/machine/walk.hpp>

namespace fa::nv_machine {

inline constexpr int shared_alignment = 1024;  ///< of what products read: eight rows of a panel

/// Shared memory of a block of the Hopper machine, in bytes: barriers and what is published, rows
/// of O on their way out, Q [q_rows, QueryCols], and stages of BN rows of the streamed tensors that
/// Brings names. A product reads a panel either way, so roles do not matter.
template <int QueryCols, class Brings>
struct hopper_plan : unsupported_stream<Brings> {};
template <int QueryCols, class... Tensors>
struct hopper_plan<QueryCols, brings<0, Tensors...>> {
  static constexpr int tensor(int rows, int cols) {
    return rows * ceil_div(cols, panel_cols) * panel_row_bytes;
  }
  /// `output_panels`: panels of O there at a time.
  static constexpr int before_query(int q_rows, int output_panels) {
    return shared_alignment + q_rows * output_panels * panel_row_bytes;
  }
  static constexpr int query(int q_rows) { return tensor(q_rows, QueryCols); }
  static constexpr int stage(int kv_rows) { return (0 + ... + tensor(kv_rows, Tensors::cols)); }
  static constexpr int all(int q_rows, int kv_rows, int output_panels, int query_stages,
                           int stages) {
    return before_query(q_rows, output_panels) + query_stages * query(q_rows) +
           stages * stage(kv_rows);
  }
};

#if FA_NV

/// Address in shared memory of the block's dynamic allocation, `offset` bytes further on.
FA_DEVICE std::uint32_t shared_at(int offset) {
  extern __shared__ __align__(shared_alignment) unsigned char fa_hopper_shared[];
  return static_cast<std::uint32_t>(__cvta_generic_to_shared(fa_hopper_shared)) +
         static_cast<std::uint32_t>(offset);
}

/// A plain record on its way through shared memory, in pieces of 16 bytes.
template <class Record>
struct record_chunks {
  static_assert(sizeof(Record) % 16 == 0 && std::is_trivially_copyable_v<Record>);
  static constexpr int count = static_cast<int>(sizeof(Record) / 16);
  int x[count][4];
};

/// Stores or loads a record in shared memory.
template <class Record>
FA_DEVICE void store_record(std::uint32_t to, const Record& record) {
  const auto all = __builtin_bit_cast(record_chunks<Record>, record);
  FA_UNROLL for (int i = 0; i < all.count; ++i) {
    std::uint32_t x[4];
    FA_UNROLL for (int j = 0; j < 4; ++j) x[j] = static_cast<std::uint32_t>(all.x[i][j]);
    store_shared(to + static_cast<std::uint32_t>(16 * i), x);
  }
}
template <class Record>
FA_DEVICE Record load_record(std::uint32_t from) {
  record_chunks<Record> all;
  FA_UNROLL for (int i = 0; i < all.count; ++i) {
    std::uint32_t x[4];
    load_shared(from + static_cast<std::uint32_t>(16 * i), x);
    FA_UNROLL for (int j = 0; j < 4; ++j) all.x[i][j] = static_cast<int>(x[j]);
  }
  return __builtin_bit_cast(Record, all);
}

/// The rows of a block that are published; none: there are no more blocks.
struct alignas(16) published_rows {
  int first_row, row_count, heads, unused;
};

/// Its walk: step i brings keys first + i BN and following, as far as there are `keys`.
struct alignas(16) published_walk {
  int first, count, keys, unused;
};

/// What masks and scores are bound to.
struct alignas(16) published_sequence {
  sequence bound;
  i64 unused;
};

/// What a warpgroup needs of the walk.
struct alignas(16) published_steps {
  row_steps own;
};

/// What producers publish of a block of rows. First: where the first rows of its outputs lie, a
/// record of the kernel.
template <class First>
struct work_tile {
  published_sequence of;
  published_rows rows;
  published_walk walk;
  First outputs;
};

/// The barriers of each stage, `full`: its copies have come, and `empty`: all who read it are done.
/// Beside them, what producers publish of each Q, and how far each warp of the consumers has come.
template <class M>
struct block_state {
  using tile = work_tile<typename M::first_outputs>;
  static constexpr int output_bytes = M::output_panels * 16 * panel_row_bytes;  ///< of a warp
  static constexpr int query_at = shared_alignment + M::consumer_warps * output_bytes;

  /// Where some columns of this warp's rows of O lie on their way out.
  FA_DEVICE static std::uint32_t output() {
    return shared_at(shared_alignment + warp() * output_bytes);
  }

  FA_DEVICE static std::uint32_t query_full(int stage) { return shared_at(8 * stage); }
  FA_DEVICE static std::uint32_t query_empty(int stage) {
    return query_full(M::query_stages + stage);
  }
  FA_DEVICE static std::uint32_t keys_full(int stage) {
    return query_full(2 * M::query_stages + stage);
  }
  FA_DEVICE static std::uint32_t keys_empty(int stage) { return keys_full(M::stages + stage); }
  FA_DEVICE static std::uint32_t values_full(int stage) { return keys_full(2 * M::stages + stage); }
  FA_DEVICE static std::uint32_t values_empty(int stage) {
    return keys_full(3 * M::stages + stage);
  }

  // Of a producer, for the block of rows number `block`: before its Q is `full`.

  FA_DEVICE static void publish(std::uint32_t block, const tile& published) {
    store_record(tile_at(block), published);
  }
  FA_DEVICE static void publish(std::uint32_t block, int warpgroup, const row_steps& own) {
    store_record(steps_at(block, warpgroup), published_steps{own});
  }

  // Of a warp of the consumers.

  /// Turns to the next block of rows and waits for its Q.
  FA_DEVICE static void next_block() {
    const progress p = load_progress();
    const ring_place<M::query_stages> place{p.blocks};
    wait_phase(query_full(place.stage()), place.full_parity());
    store_progress({p.blocks + 1, p.steps});
  }
  FA_DEVICE static int query_stage() { return static_cast<int>(block() % M::query_stages); }

  /// What is asked of it at first. In one go, and before warps vote on it: what is loaded behind
  /// that leaves no uniform registers for the products' addresses, at 2 percent of speed.
  struct head {
    sequence of;
    published_rows rows;
  };
  FA_DEVICE static head received_head() {
    const std::uint32_t at = tile_at(block());
    return {load_record<published_sequence>(at + offset_of_sequence).bound,
            load_record<published_rows>(at + offset_of_rows)};
  }

  /// The rest of what was published, member by member when it is needed: registers are scarce.
  FA_DEVICE static published_rows received_rows() {
    return load_record<published_rows>(tile_at(block()) + offset_of_rows);
  }
  FA_DEVICE static published_walk received_walk() {
    return load_record<published_walk>(tile_at(block()) + offset_of_walk);
  }
  FA_DEVICE static typename M::first_outputs received_outputs() {
    return load_record<typename M::first_outputs>(tile_at(block()) + offset_of_outputs);
  }
  FA_DEVICE static row_steps received_steps() {
    return load_record<published_steps>(steps_at(block(), M::warpgroup())).own;
  }

  /// Steps of K and V that this warp is done with, over all blocks of rows.
  FA_DEVICE static std::uint32_t steps_done() { return load_progress().steps; }
  FA_DEVICE static void set_steps_done(std::uint32_t steps) {
    store_progress({load_progress().blocks, steps});
  }

  /// Once, by all threads of the block, before anything else.
  FA_DEVICE static void prepare() {
    if (thread() == 0) {
      for (int i = 0; i < M::query_stages; ++i) {
        // Full: each warp that brings Q arrives, and each thread that publishes the steps of a
        // warpgroup. Empty: each lane of the consumers, since all read what was published.
        init_barrier(query_full(i), M::query_warps + M::warpgroup_count);
        init_barrier(query_empty(i), M::consumer_warps * warp_lanes);
      }
      for (int i = 0; i < M::stages; ++i) {
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
  static constexpr auto offset_of_sequence = static_cast<std::uint32_t>(offsetof(tile, of));
  static constexpr auto offset_of_rows = static_cast<std::uint32_t>(offsetof(tile, rows));
  static constexpr auto offset_of_walk = static_cast<std::uint32_t>(offsetof(tile, walk));
  static constexpr auto offset_of_outputs = static_cast<std::uint32_t>(offsetof(tile, outputs));

  // A tile is read until O is written, when the stage of its Q may already be filled again: so
  // there is one more than stages. Who has given back the next Q has read it.
  static constexpr int tiles = M::query_stages + 1;
  static constexpr int barriers = 2 * M::query_stages + 4 * M::stages;
  static constexpr int tile_bytes = static_cast<int>(sizeof(tile)) + 16 * M::warpgroup_count;
  static constexpr int tiles_at = round_up(8 * (barriers + M::consumer_warps), 16);
  static_assert(tiles_at + tile_bytes * tiles <= shared_alignment);

  FA_DEVICE static std::uint32_t progress_at() { return query_full(barriers + warp()); }
  FA_DEVICE static std::uint32_t tile_at(std::uint32_t block) {
    return shared_at(tiles_at + static_cast<int>(block % tiles) * tile_bytes);
  }
  FA_DEVICE static std::uint32_t steps_at(std::uint32_t block, int warpgroup) {
    return tile_at(block) +
           static_cast<std::uint32_t>(static_cast<int>(sizeof(tile)) + 16 * warpgroup);
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
  FA_DEVICE block_position here() const {
    const published_rows rows = block_state<M>::received_rows();
    return M::position_of(rows.first_row, rows.row_count, rows.heads);
  }
};

/// The walk of a block, kept there too.
template <class M>
struct kept_walk {
  FA_DEVICE static int first() { return block_state<M>::received_walk().first; }
  FA_DEVICE static int count() { return block_state<M>::received_walk().count; }
  FA_DEVICE static int keys() { return block_state<M>::received_walk().keys; }
  FA_DEVICE static row_steps own() { return block_state<M>::received_steps(); }
};

/// Where the stages lie, of blocks of R rows of D columns and steps of BN keys with DV columns of
/// values.
template <class M, int R, int BN, int D, int DV>
struct block_memory {
  using plan = hopper_plan<D, abt_then_ab<typename M::element, D, DV>>;
  static constexpr int query_bytes = plan::query(R);
  static constexpr int key_bytes = plan::tensor(BN, D);
  static constexpr int value_bytes = plan::tensor(BN, DV);
  static constexpr int query_at = plan::before_query(R, M::output_panels);
  static constexpr int keys_at = query_at + M::query_stages * query_bytes;
  static constexpr int values_at = keys_at + M::stages * key_bytes;
  static_assert(query_at == block_state<M>::query_at);
  static_assert(query_bytes % shared_alignment == 0 && key_bytes % shared_alignment == 0 &&
                value_bytes % shared_alignment == 0);

  FA_DEVICE static std::uint32_t query(int stage) {
    return shared_at(query_at + stage * query_bytes);
  }
  FA_DEVICE static std::uint32_t keys(int stage) { return shared_at(keys_at + stage * key_bytes); }
  FA_DEVICE static std::uint32_t values(int stage) {
    return shared_at(values_at + stage * value_bytes);
  }
};

#endif

}  // namespace fa::nv_machine
