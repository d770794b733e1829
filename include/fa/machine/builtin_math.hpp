// Float functions of machines that have no instruction of their own for them.
#pragma once

#include <fa/core/config.hpp>

namespace fa {

/// Base-2 logarithm of x >= 0; log2(0) = -infinity.
FA_FN float log2(float x) { return __builtin_log2f(x); }

/// 1 / x.
FA_FN float reciprocal(float x) { return 1.f / x; }

}  // namespace fa
