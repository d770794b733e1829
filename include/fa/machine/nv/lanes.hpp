// Threads of a block, and what lanes of a warp exchange.
#pragma once

#include <cstdint>

#include <fa/core/config.hpp>
#include <fa/machine/select.hpp>

#if FA_NV

namespace fa::nv_machine {

inline constexpr int warp_lanes = 32;

/// The number of the block in its launch, and how many blocks that has.
FA_DEVICE unsigned block_number() { return blockIdx.x; }
FA_DEVICE unsigned block_count() { return gridDim.x; }

/// The thread's number in its block, and the lane's in its warp. Unsigned: known to be 0 to 31.
FA_DEVICE int thread() { return static_cast<int>(threadIdx.x); }
FA_DEVICE int lane() { return static_cast<int>(threadIdx.x % unsigned{warp_lanes}); }

/// The lane's number, read anew: what is computed of it is not kept in registers beyond its use.
FA_DEVICE int lane_anew() {
  std::uint32_t x;
  asm volatile("mov.u32 %0, %%laneid;" : "=r"(x));
  return static_cast<int>(x % unsigned{warp_lanes});
}

/// The warp's number in its block, known to the compiler to be the same in all lanes.
FA_DEVICE int warp() { return __shfl_sync(~0u, thread() / warp_lanes, 0); }

/// Waits for all threads of the block.
FA_DEVICE void block_barrier() { __syncthreads(); }

/// f over the four lanes that hold a row of an accumulator; every lane gets the result.
template <class F>
FA_DEVICE float across_row(float x, const F& f) {
  x = f(x, __shfl_xor_sync(~0u, x, 1));
  return f(x, __shfl_xor_sync(~0u, x, 2));
}

/// The value that lane `of` of the four lanes of this row holds.
FA_DEVICE float from_row_lane(float x, int of) { return __shfl_sync(~0u, x, of, 4); }

/// Among the four lanes of a row: x[i] of lane j goes to x[j] of lane i.
FA_DEVICE void transpose_row_lanes(std::uint32_t (&x)[4]) {
  const int j = lane() % 4;
  const auto exchange = [&](std::uint32_t& a, std::uint32_t& b, int distance) FA_LAMBDA {
    // b of the lower lane for a of the upper
    const bool upper = (j & distance) != 0;
    const std::uint32_t got = __shfl_xor_sync(~0u, upper ? a : b, distance);
    a = upper ? got : a;
    b = upper ? b : got;
  };
  exchange(x[0], x[1], 1);
  exchange(x[2], x[3], 1);
  exchange(x[0], x[2], 2);
  exchange(x[1], x[3], 2);
}

/// True if x is in any lane of the warp.
FA_DEVICE bool any_lane(bool x) { return __any_sync(~0u, x) != 0; }

}  // namespace fa::nv_machine

#endif
