// Threads of a block, and what lanes of a warp tell each other.
#pragma once

#include <fa/core/config.hpp>
#include <fa/machine/select.hpp>

#if FA_NV

namespace fa::nv_machine {

inline constexpr int warp_lanes = 32;

FA_DEVICE int thread() { return static_cast<int>(threadIdx.x); }
FA_DEVICE int lane() { return thread() % warp_lanes; }

/// The warp's number in its block, known to the compiler to be the same in all lanes.
FA_DEVICE int warp() { return __shfl_sync(~0u, thread() / warp_lanes, 0); }

FA_DEVICE void block_barrier() { __syncthreads(); }

/// f over the four lanes that hold a row of an accumulator; every lane gets the result.
template <class F>
FA_DEVICE float across_row(float x, const F& f) {
  x = f(x, __shfl_xor_sync(~0u, x, 1));
  return f(x, __shfl_xor_sync(~0u, x, 2));
}

/// The value that lane `of` of the four lanes of this row holds.
FA_DEVICE float from_row_lane(float x, int of) { return __shfl_sync(~0u, x, of, 4); }

FA_DEVICE bool any_lane(bool x) { return __any_sync(~0u, x) != 0; }

}  // namespace fa::nv_machine

#endif
