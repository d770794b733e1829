// Float functions that the hardware has an instruction for.
#pragma once

#include <fa/core/config.hpp>
#include <fa/machine/select.hpp>

#if FA_NV

namespace fa {

/// 2^x within 2 units in the last place; results below the normal floats are 0; 0 for -infinity;
/// NaN for NaN. exp2(0) is exactly 1.
FA_DEVICE float exp2(float x) {
  float y;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}

/// Base-2 logarithm of x >= 0, off by at most 2^-22 times the larger of 1 and itself; log2(0) =
/// -infinity.
FA_DEVICE float log2(float x) {
  float y;
  asm("lg2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}

/// 1 / x within 1 unit in the last place, for x from 2^-126 to 2^126 in magnitude.
FA_DEVICE float reciprocal(float x) {
  float y;
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}

}  // namespace fa

#endif
