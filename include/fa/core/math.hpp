// Scalar float functions that kernels and policies share.
#pragma once

#include <fa/core/config.hpp>
#include <fa/core/numeric.hpp>

namespace fa {

/// The larger of two floats; where one is NaN, the second.
FA_FN float larger(float a, float b) { return a > b ? a : b; }

/// The smaller of two floats; where one is NaN, the second.
FA_FN float smaller(float a, float b) { return a < b ? a : b; }

/// |x|.
FA_FN float absolute(float x) { return __builtin_fabsf(x); }

/// A position, or a distance of two, as a float; exact up to 2^24.
FA_FN float to_float(int x) { return static_cast<float>(x); }

}  // namespace fa
