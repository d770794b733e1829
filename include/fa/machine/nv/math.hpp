// Float functions that the hardware has an instruction for. Functions of policies, which users may
// call on the host too, call them there.
#pragma once

#include <fa/core/config.hpp>
#include <fa/machine/select.hpp>

#if FA_NV

namespace fa {

/// 2^x within 2 units in the last place; results below the normal floats are 0; 0 for -infinity;
/// NaN for NaN. exp2(0) is exactly 1.
FA_FN float exp2(float x) {
#if FA_NV_DEVICE
  float y;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
#else
  return __builtin_exp2f(x);
#endif
}

/// Base-2 logarithm of x >= 0, off by at most 2^-22 times the larger of 1 and itself; log2(0) =
/// -infinity.
FA_FN float log2(float x) {
#if FA_NV_DEVICE
  float y;
  asm("lg2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
#else
  return __builtin_log2f(x);
#endif
}

/// 1 / x within 1 unit in the last place, for x from 2^-126 to 2^126 in magnitude.
FA_FN float reciprocal(float x) {
#if FA_NV_DEVICE
  float y;
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
#else
  return 1.f / x;
#endif
}

}  // namespace fa

#endif
