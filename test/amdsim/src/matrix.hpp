// Matrix products: how operands stand in registers, and the product itself.
#pragma once
#include "machine.hpp"
#include "small_float.hpp"

namespace amdsim {

/// Element formats of matrix operands.
enum class element : u8 { f16, bf16, f32, xf32, fp8, bf8, fp6, bf6, fp4, i8, u8_, i4, u4 };

inline constexpr u32 element_bits(element e) {
  switch (e) {
    case element::f16:
    case element::bf16: return 16;
    case element::f32:
    case element::xf32: return 32;
    case element::fp6:
    case element::bf6: return 6;
    case element::fp4:
    case element::i4:
    case element::u4: return 4;
    default: return 8;
  }
}

/// Most values of one operand: 16 x 128 or 32 x 64.
inline constexpr u32 matrix_max = 2048;

/// Spreads an operand into `out`, k-major: out[k * width + i]. Lane `width * g + i` holds k = n * g
/// + e, e = 0 .. n - 1.
void unpack_matrix(float* out, const u32* rows, u32 width, u32 groups, u32 n, element e, bool fnuz);
/// c[i] (rows of `Width` floats) plus the product of a[K][Width] and b[K][Width], transposed
/// a; `d` may be `c`.
template <u32 Width>
void multiply_rows(float* const* d, const float* const* c, const float* a, const float* b, u32 k);

}  // namespace amdsim
