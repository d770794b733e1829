// The host's first machine: query rows in SIMD lanes.
#pragma once

#include <fa/machine/concept.hpp>
#include <fa/machine/host/strip/memory_verbs.hpp>
#include <fa/machine/host/strip/product_verbs.hpp>
#include <fa/machine/host/strip/softmax_verbs.hpp>
#include <fa/machine/host/strip/stream.hpp>

namespace fa::host_machine {
inline namespace FA_HOST_ISA {

/// Models fa::Machine: one thread runs a block of R rows, R a multiple of strip_rows.
struct strips : strip_memory_verbs, strip_product_verbs, strip_softmax_verbs {
  template <int R>
  using row = strip_row<R>;
  template <int R>
  using row_part = strip_row<R>;
  template <int R, int BN>
  using scores = score_tile<R, BN>;
  template <int R, int BN, class Brings, class... Sources>
  using stream = strip_stream<R, BN, Brings, Sources...>;
  using position = block_rows;

  template <int R, int BN, class Mask>
  FA_FN static strip_walk<R, BN> walk_of(const Mask& mask, const position& at, int keys) {
    return strip_walk<R, BN>::of(mask, at, keys);
  }
};

static_assert(Machine<strips, float, 2 * strip_rows, 16, 40, 24>);
static_assert(Machine<strips, f16, 2 * strip_rows, 16, 40, 24>);
static_assert(Machine<strips, bf16, 2 * strip_rows, 16, 40, 24>);

}  // namespace FA_HOST_ISA
}  // namespace fa::host_machine
