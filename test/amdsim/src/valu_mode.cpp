#include "valu_mode.hpp"

#if defined(__SSE__)
#include <xmmintrin.h>
#endif

#include "math.hpp"

namespace amdsim {

const float unit_f32 = 1.0f;
const double unit_f64 = 1.0;

namespace {

#if defined(__SSE__)
constexpr u32 masked = 0x1f80u, zero_inputs = 0x0040u, zero_results = 0x8000u;
u32 state() { return _mm_getcsr() & ~0x3fu; }
void set_state(u32 s) { _mm_setcsr(s); }
u32 state_for(u32 mode, precision inputs, precision result) {
  constexpr u32 rounding[] = {0x0000, 0x4000, 0x2000, 0x6000};  // nearest, up, down, to zero
  const u32 from = inputs == precision::other ? 2 : 0, to = result == precision::other ? 2 : 0;
  return masked | rounding[mode >> to & 3] | (mode >> (4 + from) & 1 ? 0 : zero_inputs) |
         (mode >> (5 + to) & 1 ? 0 : zero_results);
}
#else
constexpr u32 masked = 0;
u32 state() { return 0; }
void set_state(u32) {}
u32 state_for(u32, precision, precision) { return 0; }
#endif

bool exchange(u32 wanted, u32& before) {
  before = state();
  if (before == wanted) return false;
  set_state(wanted);
  return true;
}

}  // namespace

other_precision_scope::other_precision_scope(const wave& w, precision inputs, precision result) {
  // The usual case costs two shifts: both pairs of fields say the same.
  if ((w.mode & 0x33u) != (w.mode >> 2 & 0x33u))
    changed_ = exchange(state_for(w.mode, inputs, result), before_);
}
other_precision_scope::~other_precision_scope() {
  if (changed_) set_state(before_);
}

default_float_scope::default_float_scope() { changed_ = exchange(masked, before_); }
default_float_scope::~default_float_scope() {
  if (changed_) set_state(before_);
}

bool flush_row(u32* to, const u32* from, type t, u32 n) {
  switch (t) {
    case type::f16:
      for (u32 l = 0; l < n; ++l) to[l] = flush_half(from[l] & 0xffffu) | (from[l] & 0xffff0000u);
      return true;
    case type::pkf16:
      for (u32 l = 0; l < n; ++l) to[l] = flush_halves(from[l]);
      return true;
    case type::f32:
      for (u32 l = 0; l < n; ++l) to[l] = from[l] & 0x7f800000u ? from[l] : from[l] & 0x80000000u;
      return true;
    default: return false;
  }
}

}  // namespace amdsim
