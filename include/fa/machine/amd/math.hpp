// Float functions that the hardware has an instruction for, for one value and for the pairs that
// packed instructions take.
#pragma once

#include <fa/core/config.hpp>
#include <fa/core/math.hpp>
#include <fa/machine/builtin_math.hpp>
#include <fa/machine/select.hpp>

#if FA_AMD

namespace fa {

namespace amd_machine {
using float2 = float __attribute__((ext_vector_type(2)));
using int2 = int __attribute__((ext_vector_type(2)));
}  // namespace amd_machine

/// x * factor + y, rounded once.
FA_FN amd_machine::float2 fused(amd_machine::float2 x, amd_machine::float2 factor,
                                amd_machine::float2 y) {
#if __has_builtin(__builtin_elementwise_fma)
  return __builtin_elementwise_fma(x, factor, y);
#else
  const float x0 = x.x, x1 = x.y, f0 = factor.x, f1 = factor.y, y0 = y.x, y1 = y.y;
  return amd_machine::float2{__builtin_fmaf(x0, f0, y0), __builtin_fmaf(x1, f1, y1)};
#endif
}

/// 2^x within 1 unit in the last place; results below the normal floats are 0; 0 for -infinity; NaN
/// for NaN. exp2(0) is exactly 1.
FA_FN float exp2(float x) {
#if FA_AMD_DEVICE && __has_builtin(__builtin_amdgcn_exp2f)
  return __builtin_amdgcn_exp2f(x);
#else
  return __builtin_exp2f(x);
#endif
}

FA_FN amd_machine::float2 exp2(amd_machine::float2 x) {
  const float low = x.x, high = x.y;
  return amd_machine::float2{exp2(low), exp2(high)};
}

FA_FN amd_machine::float2 larger(amd_machine::float2 a, amd_machine::float2 b) {
  const float a0 = a.x, a1 = a.y, b0 = b.x, b1 = b.y;
  return amd_machine::float2{larger(a0, b0), larger(a1, b1)};
}

FA_FN amd_machine::float2 smaller(amd_machine::float2 a, amd_machine::float2 b) {
  const float a0 = a.x, a1 = a.y, b0 = b.x, b1 = b.y;
  return amd_machine::float2{smaller(a0, b0), smaller(a1, b1)};
}

FA_FN amd_machine::float2 absolute(amd_machine::float2 x) {
  const float low = x.x, high = x.y;
  return amd_machine::float2{absolute(low), absolute(high)};
}

FA_FN amd_machine::float2 log2(amd_machine::float2 x) {
  const float low = x.x, high = x.y;
  return amd_machine::float2{log2(low), log2(high)};
}

FA_FN amd_machine::float2 reciprocal(amd_machine::float2 x) {
  const float low = x.x, high = x.y;
  return amd_machine::float2{reciprocal(low), reciprocal(high)};
}

FA_FN amd_machine::float2 to_float(amd_machine::int2 x) {
  const int low = x.x, high = x.y;
  return amd_machine::float2{to_float(low), to_float(high)};
}

}  // namespace fa

#endif
