// Scalar float functions that kernels and policies share.
#pragma once

#include <fa/core/config.hpp>
#include <fa/core/numeric.hpp>

namespace fa {

/// The larger of two floats; where one is NaN, the second.
FA_FN float larger(float a, float b) { return a > b ? a : b; }

}  // namespace fa
