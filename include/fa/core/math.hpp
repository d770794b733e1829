// Scalar float functions that kernels and policies share.
#pragma once

#include <cstdint>

#include <fa/core/config.hpp>
#include <fa/core/numeric.hpp>

namespace fa {

/// Base-2 logarithm of x >= 0; log2(0) = -infinity.
FA_FN float log2(float x) { return __builtin_log2f(x); }

/// The larger of two floats; where one is NaN, the second.
FA_FN float larger(float a, float b) { return a > b ? a : b; }

}  // namespace fa
