// How rows lie in LDS so that a 16-byte read of each lane is an operand: "fragments" of 16 rows,
// chunk by chunk.
//
//   chunk c (16 bytes) of the row in slot s of a tile in LDS
//     ->  ((s / 16 * chunks + c) * 16 + (s % 16 ^ rotation(c))) * 16
//
// A wave that reads a fragment reads contiguous memory, so no two lanes meet in a bank; the address
// is one term of the lane plus constants. The rotation keeps the writes apart: lanes that write
// neighbouring chunks of one row meet different banks.
#pragma once

#include <fa/machine/amd/instructions.hpp>

namespace fa::amd_machine {

/// Fragments of elements of type T on a chip.
template <amd_chip Chip, class T>
struct fragment {
  static constexpr chip_facts facts = facts_of(Chip);
  static constexpr int lanes = facts.lanes;
  /// Of 16 lanes; a lane of group g reads chunk g of its row.
  static constexpr int lane_groups = lanes / 16;
  static constexpr int values = 256 / lanes;  ///< of an accumulator [16, 16], in a lane
  static constexpr int chunk_elements = per_chunk<T>;
  /// gfx11 wants all of a row in each lane: two chunks, the same ones in both groups. But not where
  /// it multiplies without matrix instructions.
  static constexpr bool whole_rows = facts.matrix == matrix_kind::wmma_whole_rows &&
                                     has_matrix_instruction<Chip, T>;
  static constexpr int chunks = lane_groups;  ///< of a row in a fragment, on every chip
  static constexpr int cols = chunks * chunk_elements;

  /// The row of K or V^T that lies in a slot of a tile. gfx11 spreads neighbouring rows of an
  /// accumulator over the lanes: exchanged here, on every chip lane l holds the rows values * (l /
  /// 16) + i.
  static constexpr int row_in(int slot) {
    return whole_rows ? slot / 16 * 16 + slot % 2 * 8 + slot % 16 / 2 : slot;
  }

  /// Slots in the order in which lanes write rows: those that write at once (as many as fill all
  /// banks) must not meet in a bank.
  static constexpr int write_lanes = facts.lds_banks * 4 / 16;  ///< of 16 bytes each
  static constexpr int slot_written(int index) {
    if (write_lanes == 8) return index;
    return index / 16 * 16 + index % 2 + index / 2 % 2 * 8 + index / 4 % 2 * 2 + index / 8 % 2 * 4;
  }

  /// In slots; different for the chunks that a wave reads at once.
  static constexpr int rotation(int chunk) { return chunk % lane_groups * (8 / lane_groups); }

  /// Byte at which a chunk of a slot lies in a tile of `tile_chunks` chunks a row.
  static constexpr int address(int slot, int chunk, int tile_chunks) {
    return ((slot / 16 * tile_chunks + chunk) * 16 + (slot % 16 ^ rotation(chunk))) * 16;
  }

  /// The byte of a fragment that a lane reads, of its chunk `half`: 0, or 0 and 1 where it reads
  /// whole rows.
  static constexpr int read_address(int lane, int half = 0) {
    const int chunk = whole_rows ? half : lane / 16;
    return (chunk * 16 + (lane % 16 ^ rotation(chunk))) * 16;
  }

  /// The row of an accumulator's value, counted as the rows of K or V are; its column is lane % 16.
  static constexpr int accumulator_row(int lane, int value) { return lane / 16 * values + value; }

  /// Where the weight of a key stands in a row of V^T in LDS, within the keys of a fragment: in the
  /// order in which a lane holds accumulators, of which a chunk may take several. `key` counts from
  /// the fragment's first.
  static constexpr int key_position(int key) {
    if constexpr (chunk_elements > values)
      return key % 16 / values * chunk_elements + key / 16 * values + key % values;
    else return key;
  }
};

}  // namespace fa::amd_machine
