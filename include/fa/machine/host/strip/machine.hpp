// The host's first machine: query rows in SIMD lanes.
#pragma once

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
  template <class T, int R, int BN, int D, int DV>
  using kv_stream = strip_stream<T, R, BN, D, DV>;
  using position = block_position;
};

}  // namespace FA_HOST_ISA
}  // namespace fa::host_machine
