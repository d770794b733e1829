// The order of work items. A schedule is a permutation of the blocks of rows of a call.
#pragma once

#include <fa/launch/call.hpp>

namespace fa {

/// Head by head, so that the keys of a head stay in the caches: the place of item i of `items()`.
struct head_by_head {
  i64 batch;
  i64 heads;
  i64 blocks_per_head;

  FA_FN constexpr i64 items() const { return batch * heads * blocks_per_head; }
  FA_FN constexpr work_place operator()(i64 i) const {
    const i64 head = i / blocks_per_head;
    return {head / heads, head % heads, i % blocks_per_head};
  }
};

/// That order of a call's items.
template <class Call>
FA_FN constexpr head_by_head in_order(const Call& call) {
  return {call.batch, call.heads, call.blocks_per_head};
}

/// The blocks of rows of a call for workers that stay (persistent blocks of threads): dealt out in
/// units of some blocks of the same head, one unit after the other, each to the next worker. In
/// units of more than one the heaviest rows and the lightest take turns, so that under a causal
/// mask all units cost the same.
struct tile_schedule {
  unsigned units;  ///< of all heads; 0: too many for this schedule
  unsigned units_per_head;
  unsigned unit_blocks;   ///< blocks of a unit; the last unit of a head may have fewer
  unsigned head_blocks;   ///< blocks of a head
  unsigned heads;         ///< of a sequence, packed heads counted once
  unsigned packed_heads;  ///< heads whose rows are packed

  /// Calls f(place) for each block of rows of a worker, in their order.
  template <class F>
  FA_FN constexpr void for_each(unsigned worker, unsigned workers, const F& f) const {
    unsigned done = 0;  // blocks of the unit
    for (unsigned unit = worker; unit < units;) {
      const unsigned head = unit / units_per_head, b = head / heads;
      const unsigned i = (unit - head * units_per_head) * unit_blocks + done;
      const unsigned place = unit_blocks == 1 ? i : i % 2 == 0 ? i / 2 : head_blocks - 1 - i / 2;
      ++done;
      if (done == unit_blocks || i + 1 == head_blocks) {
        done = 0;
        unit += workers;
      }
      f(work_place{b, (head - b * heads) * packed_heads, place});
    }
  }
};

/// The schedule of a call in blocks of q_rows rows. `grows`: the first rows of a sequence see fewer
/// keys than the last, or more. `most_units`: of those a launch can have; where there are more, the
/// schedule has none.
template <class Call>
constexpr tile_schedule schedule_of(const Call& call, int q_rows, bool grows, i64 most_units) {
  const bool packed = call.packed();
  const int together = packed ? 1 : call.packed_heads(call.seqlen_q, q_rows);
  const i64 heads = call.heads / together;
  const i64 blocks = packed ? call.blocks_per_head
                            : ceil_div<i64>(call.seqlen_q * together, q_rows);
  const auto small = [](i64 x) { return static_cast<unsigned>(x); };
  tile_schedule s{.units = 0,
                  .units_per_head = 0,
                  .unit_blocks = 1,
                  .head_blocks = small(blocks),
                  .heads = small(heads),
                  .packed_heads = small(together)};
  if (call.batch * heads * blocks > most_units) return s;
  if (!packed && grows) s.unit_blocks = blocks <= 3 ? s.head_blocks : 2;
  s.units_per_head = ceil_div(s.head_blocks, s.unit_blocks);
  s.units = small(call.batch * heads) * s.units_per_head;
  return s;
}

}  // namespace fa
