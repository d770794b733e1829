// Float functions that the hardware has an instruction for.
#pragma once

#include <fa/core/config.hpp>
#include <fa/machine/select.hpp>

#if FA_NV

namespace fa {

/// 2^x within 2 units in the last place; results below the normal floats are 0; 0 for -infinity; NaN for NaN. exp2(0) is exactly 1.
FA_DEVICE float exp2(float x) {
  float y;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}

}  // namespace fa

#endif
