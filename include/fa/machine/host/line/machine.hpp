// The host's second machine: the head size in SIMD lanes, for blocks of few rows.
#pragma once

#include <fa/machine/host/line/verbs.hpp>

namespace fa::host_machine {
inline namespace FA_HOST_ISA {

/// K and V of the second orientation, in place.
template <class T, int R, int BN, int D, int DV>
struct line_stream {
  row_view<const T> k;  // K [keys, D]
  row_view<const T> v;  // V [keys, DV]
  block_position at;

  /// For each step: p = weigh(scores(K), first key, edge), then accumulate(p, V). `edge`: the mask
  /// may drop something inside.
  template <class Mask, class Scores, class Weigh, class Accumulate>
  FA_FN void visit(const Mask& mask, const Scores& scores, const Weigh& weigh,
                   const Accumulate& accumulate) {
    const key_span span = within(mask.span(at.tokens(), k.rows), k.rows);
    for (int first = span.begin; first < span.end; first += BN) {
      const int count = min_of(BN, span.end - first);
      const bool edge = first < span.full_begin || first + count > span.full_end;
      auto s = scores(
          line_step<T, BN>{k.row(first), k.stride, count, true, span.end - first});  // S [R, BN]
      s.record = edge;
      const auto& p = weigh(s, first, edge);  // P [R, BN]
      accumulate(p, line_step<T, BN>{v.row(first), v.stride, count, !edge, span.end - first});
    }
  }
};

/// Models fa::Machine: one thread runs a block of R rows, R a power of two up to most_line_rows.
struct lines : line_verbs {
  template <int R>
  using row = line_row<R>;
  template <int R>
  using row_part = line_row<R>;
  template <class T, int R, int BN, int D, int DV>
  using kv_stream = line_stream<T, R, BN, D, DV>;
  using position = block_position;
};

}  // namespace FA_HOST_ISA
}  // namespace fa::host_machine
