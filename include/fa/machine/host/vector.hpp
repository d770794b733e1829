// One SIMD register of floats, in the compiler's vector extension: no intrinsics, so any target
// works.
#pragma once

#include <cstdint>
#include <utility>

#include <fa/core/config.hpp>
#include <fa/core/dtype.hpp>
#include <fa/core/math.hpp>
#include <fa/core/numeric.hpp>
#include <fa/machine/builtin_math.hpp>
#include <fa/machine/select.hpp>

namespace fa::host_machine {
inline namespace FA_HOST_ISA {

inline constexpr int vector_bytes = FA_HOST_VECTOR_BYTES;
inline constexpr int lanes = vector_bytes / 4;  ///< floats in a register

using floats = float __attribute__((vector_size(vector_bytes)));
using ints = std::int32_t __attribute__((vector_size(vector_bytes)));
using words = std::uint32_t __attribute__((vector_size(vector_bytes)));
using halves = std::uint16_t __attribute__((vector_size(vector_bytes / 2)));
// At any address. By typedef: clang before 15 takes no notice of `aligned` in an alias declaration.
typedef float unaligned_floats __attribute__((vector_size(vector_bytes), aligned(4), may_alias));
typedef std::uint32_t unaligned_words
    __attribute__((vector_size(vector_bytes), aligned(2), may_alias));
typedef std::uint16_t unaligned_halves
    __attribute__((vector_size(vector_bytes / 2), aligned(2), may_alias));
static_assert(alignof(unaligned_floats) == 4 && alignof(unaligned_words) == 2 &&
              alignof(unaligned_halves) == 2);

/// x in all lanes.
FA_FN floats splat(float x) { return x - floats{}; }
FA_FN words splat_bits(std::uint32_t x) { return x - words{}; }

FA_FN floats load(const float* from) { return *reinterpret_cast<const floats*>(from); }  // aligned
FA_FN void store(float* to, floats x) { *reinterpret_cast<floats*>(to) = x; }            // aligned
FA_FN floats load_unaligned(const float* from) {
  return *reinterpret_cast<const unaligned_floats*>(from);
}
FA_FN void store_unaligned(float* to, floats x) { *reinterpret_cast<unaligned_floats*>(to) = x; }
FA_FN words load_pairs(const std::uint16_t* from) {
  return *reinterpret_cast<const unaligned_words*>(from);
}

/// Makes a value be in a register: compilers would else read it from memory again for each of its
/// uses.
FA_FN void hold(floats& x) {
#if defined(__x86_64__)
  asm("" : "+v"(x));
#else
  (void)x;
#endif
}

/// True if any lane of a comparison is set.
FA_FN bool any(ints comparison) {
  std::int32_t some = 0;
  FA_UNROLL for (int lane = 0; lane < lanes; ++lane) some |= comparison[lane];
  return some != 0;
}

/// The floats of 16-bit numbers that lie in the lower halves of words.
FA_FN floats widen_low(words x, bf16) { return reinterpret_cast<floats>(x << 16); }
FA_FN floats widen_low(words x, f16) {
  // Exponent and mantissa move up 13 bits and are rebased by an exact product with 2^112, which
  // also makes normal numbers of subnormals; infinity and NaN (65536 and above after the product)
  // get an exponent of all ones.
  const floats magnitude = reinterpret_cast<floats>((x & 0x7fffu) << 13) * 0x1p112f;
  const words special = reinterpret_cast<words>(magnitude >= 65536.f) & 0x7f800000u;
  return reinterpret_cast<floats>(reinterpret_cast<words>(magnitude) | special |
                                  (x & 0x8000u) << 16);
}

/// The floats of 16-bit numbers that lie in the upper halves of words.
FA_FN floats widen_high(words x, bf16) { return reinterpret_cast<floats>(x & 0xffff0000u); }
FA_FN floats widen_high(words x, f16) { return widen_low(x >> 16, f16{}); }

/// `lanes` consecutive elements as floats.
FA_FN floats load_elements(const float* from) { return load_unaligned(from); }
template <class T>
FA_FN floats load_elements(const T* from) {
  return widen_low(__builtin_convertvector(*reinterpret_cast<const unaligned_halves*>(from), words),
                   T{});
}
#if FA_HOST_F16_CONVERT
FA_FN floats load_elements(const f16* from) {
  floats x;
  asm("vcvtph2ps %1, %0" : "=v"(x) : "m"(*reinterpret_cast<const unaligned_halves*>(from)));
  return x;
}
#endif

/// The 16-bit numbers nearest to floats (ties to even, NaN stays NaN), in the lower halves of
/// words.
FA_FN words narrow(floats x, bf16) {
  const words bits = reinterpret_cast<words>(x);
  const words rounded = (bits + 0x7fffu + (bits >> 16 & 1u)) >> 16;
  return x == x ? rounded : (bits >> 16 | 0x40u);
}
FA_FN words narrow(floats x, f16) {  // see float_to_f16_bits
  const words bits = reinterpret_cast<words>(x);
  const words magnitude = bits & 0x7fffffffu;
  const words normal = (magnitude - ((127u - 15u) << 23) + 0x0fffu + (magnitude >> 13 & 1u)) >> 13;
  const words subnormal = reinterpret_cast<words>(reinterpret_cast<floats>(magnitude) + 0.5f) -
                          0x3f000000u;
  words half = magnitude >= 0x38800000u ? normal : subnormal;
  half = magnitude >= 0x477ff000u ? splat_bits(0x7c00u) : half;
  half = x == x ? half : (0x7e00u | (magnitude >> 13 & 0x03ffu));
  return half | (bits >> 16 & 0x8000u);
}

/// Stores floats as `lanes` consecutive elements.
FA_FN void store_elements(float* to, floats x) { store_unaligned(to, x); }
template <class T>
FA_FN void store_elements(T* to, floats x) {
  *reinterpret_cast<unaligned_halves*>(to) = __builtin_convertvector(narrow(x, T{}), halves);
}

/// Exchanges the upper halves of blocks of 2 * Distance lanes of a with the lower halves of those
/// of b. All distances below `lanes` in turn, applied to rows i and i + Distance, transpose a
/// square of registers.
template <int Distance, int... Lane>
FA_FN void butterfly(floats& a, floats& b, std::integer_sequence<int, Lane...>) {
  const floats low = __builtin_shufflevector(a, b,
                                             (Lane & Distance ? lanes + Lane - Distance : Lane)...);
  const floats high = __builtin_shufflevector(
      a, b, (Lane & Distance ? lanes + Lane : Lane + Distance)...);
  a = low;
  b = high;
}
template <int Distance>
FA_FN void butterfly(floats& a, floats& b) {
  butterfly<Distance>(a, b, std::make_integer_sequence<int, lanes>{});
}

/// Transposes a square: element j of row i becomes element i of row j.
template <int Distance = lanes / 2>
FA_FN void transpose(floats (&square)[lanes]) {
  FA_UNROLL for (int i = 0; i < lanes; ++i) {
    if ((i & Distance) == 0) butterfly<Distance>(square[i], square[i + Distance]);
  }
  if constexpr (Distance > 1) transpose<Distance / 2>(square);
}

/// Lanes whose value is infinite or NaN.
FA_FN ints not_finite(floats x) {
  return (reinterpret_cast<words>(x) & 0x7f800000u) == 0x7f800000u;
}

}  // namespace FA_HOST_ISA
}  // namespace fa::host_machine

namespace fa {

/// The vector forms of the functions in core/math.hpp and machine/builtin_math.hpp.
FA_FN host_machine::floats larger(host_machine::floats a, host_machine::floats b) {
  return a > b ? a : b;
}

FA_FN host_machine::floats smaller(host_machine::floats a, host_machine::floats b) {
  return a < b ? a : b;
}

FA_FN host_machine::floats absolute(host_machine::floats x) {
  return reinterpret_cast<host_machine::floats>(reinterpret_cast<host_machine::words>(x) &
                                                0x7fffffffu);
}

FA_FN host_machine::floats to_float(host_machine::ints x) {
  return __builtin_convertvector(x, host_machine::floats);
}

FA_FN host_machine::floats reciprocal(host_machine::floats x) { return 1.f / x; }

FA_FN host_machine::floats log2(host_machine::floats x) {
  for (int lane = 0; lane < host_machine::lanes; ++lane) x[lane] = log2(x[lane]);
  return x;
}

/// 2^x for a single float.
FA_FN float exp2(float x) { return __builtin_exp2f(x); }

/// 2^x for x < 127, within 3 units in the last place; 0 below -127 and for -infinity; NaN for NaN.
/// exp2(0) is exactly 1. x = n + f with |f| <= 1/2: adding 1.5 * 2^23 + 127 leaves n + 127, the
/// exponent of 2^n, in the lowest bits; a polynomial gives 2^f. That sum must not be reassociated.
FA_FN host_machine::floats exp2(host_machine::floats x) {
  using namespace host_machine;
  x = larger(splat(-127.f), x);  // in this order: a NaN stays
  const floats shifted = x + 12583039.f;
  const floats f = x - (shifted - 12583039.f);
  floats p = 1.3264729641e-03f * f + 9.6715139225e-03f;
  p = p * f + 5.5507335812e-02f;
  p = p * f + 2.4022242427e-01f;
  p = p * f + 6.9314700365e-01f;
  p = p * f + 1.f;
  return p * reinterpret_cast<floats>(reinterpret_cast<words>(shifted) << 23);
}

}  // namespace fa
