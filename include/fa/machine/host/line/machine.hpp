// The host's second machine: the head size in SIMD lanes, for blocks of few rows.
#pragma once

#include <fa/machine/concept.hpp>
#include <fa/machine/host/line/verbs.hpp>
#include <fa/machine/roles.hpp>
#include <fa/machine/walk.hpp>

namespace fa::host_machine {
inline namespace FA_HOST_ISA {

/// Steps of BN rows of what Brings names.
template <int R, int BN, class Brings, class... Sources>
struct line_stream : unsupported_stream<Brings> {};

/// Keys and values, in place.
template <int R, int BN, class T, int D, int DV, RowSource K, RowSource V>
struct line_stream<R, BN, abt_then_ab<T, D, DV>, K, V> {
  K k;  // K [keys, D]
  V v;  // V [keys, DV]
  block_rows at;

  using abt_tile = line_step<T, BN>;  ///< what `scores` gets
  using ab_tile = line_step<T, BN>;   ///< what `accumulate` gets

  template <class Scores, class Weigh, class Accumulate>
  FA_FN void visit(const key_walk<BN>& walk, const Scores& scores, const Weigh& weigh,
                   const Accumulate& accumulate) {
    for (int first = walk.first; first < walk.end; first += BN) {
      const int count = walk.keys_in(first), left = walk.end - first;
      const bool edge = walk.own.edge(first);
      auto s = scores(abt_tile{k.run(first), count, true, left});  // S [R, BN]
      s.record = edge;
      const auto& p = weigh(s, first, edge);  // P [R, BN]
      accumulate(p, ab_tile{v.run(first), count, !edge, left});
    }
  }
};

/// Models fa::Machine: one thread runs a block of R rows, R a power of two up to most_line_rows.
struct lines : line_verbs {
  template <int R>
  using row = line_row<R>;
  template <int R>
  using row_part = line_row<R>;
  template <int R, int BN>
  using scores = line_scores<R, BN>;
  template <int R, int BN, class Brings, class... Sources>
  using stream = line_stream<R, BN, Brings, Sources...>;
  using position = block_rows;

  template <int, int BN, class Mask>
  FA_FN static key_walk<BN> walk_of(const Mask& mask, const position& at, int keys) {
    return fa::walk_of<void, BN, last_step::shortened>(mask, at, keys);
  }
};

static_assert(Machine<lines, float, 1, 16, 40, 24>);
static_assert(Machine<lines, f16, 2, 16, 40, 24>);
static_assert(Machine<lines, bf16, most_line_rows, 16, 40, 24>);

}  // namespace FA_HOST_ISA
}  // namespace fa::host_machine
