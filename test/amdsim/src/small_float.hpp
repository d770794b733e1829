// 8-, 6- and 4-bit floats in the dialects of the chips: FNUZ (gfx942) and OCP (gfx950, gfx12), and
// the MX formats.
#pragma once
#include "base.hpp"

namespace amdsim {

/// Describes one small format: exponent bias, mantissa bits, largest finite code, what
/// overflow and NaN become.
struct small_format {
  u32 bits, mantissa;
  i32 bias;
  u32 max_code;   ///< magnitude of the largest finite number
  u32 over_code;  ///< magnitude that overflow becomes; max_code where the format saturates
  u32 nan_code;   ///< magnitude of NaN, or 0 if there is none
  bool infinity;  ///< over_code is an infinity, codes beyond it are NaN
  bool fnuz;      ///< the code of -0 is the only NaN
};

inline constexpr small_format e4m3_fnuz{8, 3, 8, 0x7f, 0x80, 0x80, false, true};
inline constexpr small_format e5m2_fnuz{8, 2, 16, 0x7f, 0x80, 0x80, false, true};
inline constexpr small_format e4m3_ocp{8, 3, 7, 0x7e, 0x7f, 0x7f, false, false};
inline constexpr small_format e5m2_ocp{8, 2, 15, 0x7b, 0x7c, 0x7f, true, false};
inline constexpr small_format e2m3{6, 3, 1, 0x1f, 0x1f, 0, false, false};
inline constexpr small_format e3m2{6, 2, 3, 0x1f, 0x1f, 0, false, false};
inline constexpr small_format e2m1{4, 1, 1, 0x7, 0x7, 0, false, false};

/// The format of fp8 (or bf8) on a chip.
inline const small_format& fp8_format(bool fnuz) { return fnuz ? e4m3_fnuz : e4m3_ocp; }
inline const small_format& bf8_format(bool fnuz) { return fnuz ? e5m2_fnuz : e5m2_ocp; }

/// Value of a code.
float small_to_float(const small_format& f, u32 code);
/// All values of a format by code, computed once.
const float* small_values(const small_format& f);
/// Nearest code, ties to even; `saturate` clamps instead of overflowing.
u32 float_to_small(const small_format& f, float x, bool saturate = false);
/// Stochastic rounding: the mantissa bits that are cut off are first increased by the
/// top bits of `random`.
u32 float_to_small_random(const small_format& f, float x, u32 random, bool saturate = false);

}  // namespace amdsim
