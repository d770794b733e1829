// MODE's rules for floating-point values: which field rounds and flushes which format, and what NaN
// and output modifiers become.
#pragma once
#include "machine.hpp"

namespace amdsim {

/// MODE has two pairs of fields: rounding in bits 0..1 and subnormals in 4..5 for single
/// precision, 2..3 and 6..7 for 16 and 64 bits. Of a pair of subnormal bits the low one keeps
/// subnormal inputs, the high one subnormal results.
enum class precision : u8 { single, other };

inline bool keeps_subnormal_inputs(const wave& w, precision p) {
  return w.mode >> (p == precision::single ? 4 : 6) & 1;
}
inline bool keeps_subnormal_results(const wave& w, precision p) {
  return w.mode >> (p == precision::single ? 5 : 7) & 1;
}
inline precision precision_of(type t) {
  return t == type::f16 || t == type::pkf16 || t == type::f64 ? precision::other
                                                              : precision::single;
}

/// MODE.IEEE, which gfx12 does not have: output modifiers are ignored.
inline bool ieee_mode(const wave& w) {
  return (w.mode >> 9 & 1) && w.prog->target->gen != family::gfx12;
}
/// MODE.DX10_CLAMP, always on from gfx12: clamp turns NaN into zero.
inline bool clamps_nan(const wave& w) {
  return (w.mode >> 8 & 1) || w.prog->target->gen == family::gfx12;
}

/// While it lives, the host flushes inputs by the field for `inputs`, and rounds and flushes
/// results by that for `result`.
class other_precision_scope {
 public:
  explicit other_precision_scope(const wave& w, precision inputs = precision::other,
                                 precision result = precision::other);
  ~other_precision_scope();
  other_precision_scope(const other_precision_scope&) = delete;
  other_precision_scope& operator=(const other_precision_scope&) = delete;

 private:
  u32 before_ = 0;
  bool changed_ = false;
};

/// While it lives, the host rounds to nearest even and keeps subnormals, whatever MODE says: the
/// rule of matrix products.
class default_float_scope {
 public:
  default_float_scope();
  ~default_float_scope();
  default_float_scope(const default_float_scope&) = delete;
  default_float_scope& operator=(const default_float_scope&) = delete;

 private:
  u32 before_ = 0;
  bool changed_ = false;
};

/// A half that is subnormal becomes zero of its sign.
inline u32 flush_half(u32 h) { return h & 0x7c00u ? h : h & 0x8000u; }
inline u32 flush_halves(u32 pair) {
  return flush_half(pair & 0xffffu) | flush_half(pair >> 16) << 16;
}
/// The same for `n` lanes of halves (upper bits are kept), pairs of halves or floats; false, and
/// nothing done, for other types.
bool flush_row(u32* to, const u32* from, type t, u32 n);

}  // namespace amdsim
