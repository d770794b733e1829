// Tables of instructions: each row has a rule in plain C++, and each lane its own inputs from a
// pool of edge values and random bits.
#pragma once
#include <array>
#include <cmath>
#include <cstring>

#include "assembly.hpp"

namespace assembly {

using i8 = std::int8_t;
using i16 = std::int16_t;
using i32 = std::int32_t;
using i64 = std::int64_t;
using u8 = std::uint8_t;
using u16 = std::uint16_t;

/// Rule of one lane: `in` are v2, v3, ...; `out` are v20, v21, which hold `untouched` before.
using rule = std::function<void(const u32* in, u32* out)>;

/// What input registers hold: one letter per register, the same twice for a register pair.
/// i 32-bit integers, s 16-bit integers in pairs, h halves in pairs, f floats, b bfloats in pairs,
/// D and d the low and high half of a double, L and l those of a 64-bit integer, n shift counts and
/// other small numbers, 8 bytes of small floats.
std::vector<u32> lane_inputs(const std::string& kinds);

/// Adds a program that runs `code` with some lanes inactive, and once more with EXEC = 0 on v22 and
/// v23 in place of v20 and v21. With `preset`, v20 and v21 are zero at first.
void table(u32 on, const std::string& code, const std::string& kinds, rule r, u32 results = 1,
           bool preset = false);
/// The same for an instruction that writes a lane mask: `code` writes VCC (spelled @), bits of
/// inactive lanes become zero.
void mask_table(u32 on, const std::string& code, const std::string& kinds,
                std::function<bool(const u32* in)> r);
/// "v5" or "v[5:8]".
std::string vector_registers(u32 first, u32 count);
/// Whether tables leave the lane active.
bool active(u32 lane);

inline float as_float(u32 x) { return std::bit_cast<float>(x); }
inline double as_double(u32 lo, u32 hi) { return std::bit_cast<double>(u64{lo} | u64{hi} << 32); }
inline u64 as_u64(const u32* p) { return u64{p[0]} | u64{p[1]} << 32; }
inline void put(u32* out, double x) {
  out[0] = lo(x);
  out[1] = hi(x);
}
inline void put(u32* out, u64 x) {
  out[0] = static_cast<u32>(x);
  out[1] = static_cast<u32>(x >> 32);
}
/// A float result; any NaN is as good as another.
inline u32 number(float x) { return x != x ? nan : f(x); }

/// The half in the low 16 bits; `_Float16` is the compiler's own.
inline double half(u32 x) {
  return static_cast<double>(std::bit_cast<_Float16>(static_cast<u16>(x)));
}
inline u32 to_half(double x) { return std::bit_cast<u16>(static_cast<_Float16>(x)); }
/// The sum of a product and a half, rounded once.
inline u32 half_fma(double a, double b, double c) {
  const auto exact = static_cast<__float128>(a) * static_cast<__float128>(b) +
                     static_cast<__float128>(c);
  return std::bit_cast<u16>(static_cast<_Float16>(exact));
}
inline float bfloat(u32 x) { return as_float(x << 16); }
/// Nearest even by arithmetic on the value.
u32 to_bfloat(float x);

/// maximumNumber and minimumNumber with -0 < +0.
template <class T>
T greater_of(T a, T b) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) ? b : a;
  if (a == 0 && b == 0) return std::signbit(a) ? b : a;
  return a < b ? b : a;
}
template <class T>
T lesser_of(T a, T b) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) ? b : a;
  if (a == 0 && b == 0) return std::signbit(a) ? a : b;
  return b < a ? b : a;
}
template <class T>
T clamped(T x, T low, T high) {
  return x < low ? low : x > high ? high : x;
}

}  // namespace assembly
