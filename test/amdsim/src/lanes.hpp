// Lane kernels: a function of scalars becomes a loop over the lanes of register rows, written so
// that compilers vectorise it.
#pragma once
#include "decode.hpp"

#if defined(__clang__)
#define AMDSIM_LANES _Pragma("clang loop vectorize(assume_safety)")
#else
#define AMDSIM_LANES _Pragma("GCC ivdep")
#endif

namespace amdsim {

// Operand tags: how a lane's value stands in rows, and its C++ type. `in` reads one block of 32
// lanes, `out` writes one.
template <class T, type Kind>
struct word_tag {
  static constexpr type kind = Kind;
  using value = T;
  struct in {
    const u32* p;
    explicit in(const u32* q) : p(q) {}
    T operator[](u32 l) const { return bits_as<T>(p[l]); }
  };
  struct out {
    u32* p;
    explicit out(u32* q) : p(q) {}
    void set(u32 l, T v) { p[l] = bits_as<u32>(v); }
    void flush() {}
  };
};
template <class T, type Kind>
struct pair_tag {
  static constexpr type kind = Kind;
  using value = T;
  struct in {
    const u32* p;
    explicit in(const u32* q) : p(q) {}
    T operator[](u32 l) const { return bits_as<T>(join(p[l], p[row_lanes + l])); }
  };
  struct out {
    u32* p;
    explicit out(u32* q) : p(q) {}
    void set(u32 l, T v) {
      const u64 b = bits_as<u64>(v);
      p[l] = low32(b);
      p[row_lanes + l] = high32(b);
    }
    void flush() {}
  };
};
template <class T, type Kind>
struct short_tag {
  static constexpr type kind = Kind;
  using value = T;
  struct in {
    const u32* p;
    explicit in(const u32* q) : p(q) {}
    T operator[](u32 l) const { return static_cast<T>(p[l]); }
  };
  struct out {
    u32* p;
    explicit out(u32* q) : p(q) {}
    void set(u32 l, T v) { p[l] = static_cast<u16>(v); }
    void flush() {}
  };
};

/// 32 halves in the low 16 bits of `p` to floats.
inline void halves_to_floats(const u32* p, float* f) {
#if defined(__F16C__) && defined(__AVX2__)
  for (u32 l = 0; l < block_lanes; l += 8) {
    const __m256i x = _mm256_and_si256(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(p + l)),
                                       _mm256_set1_epi32(0xffff));
    const __m128i h = _mm_packus_epi32(_mm256_castsi256_si128(x), _mm256_extracti128_si256(x, 1));
    _mm256_storeu_ps(f + l, _mm256_cvtph_ps(h));
  }
#else
  for (u32 l = 0; l < block_lanes; ++l) f[l] = half_to_float(p[l] & 0xffffu);
#endif
}
/// Rounds as the host does at the moment.
inline void floats_to_halves(const float* f, u32* p) {
#if defined(__F16C__) && defined(__AVX2__)
  for (u32 l = 0; l < block_lanes; l += 8)
    _mm256_storeu_si256(
        reinterpret_cast<__m256i*>(p + l),
        _mm256_cvtepu16_epi32(_mm256_cvtps_ph(_mm256_loadu_ps(f + l), _MM_FROUND_CUR_DIRECTION)));
#else
  for (u32 l = 0; l < block_lanes; ++l) p[l] = float_to_half_by_mode(f[l]);
#endif
}

struct half_tag {
  static constexpr type kind = type::f16;
  using value = float;
  struct in {
    alignas(32) float f[block_lanes];
    explicit in(const u32* q) { halves_to_floats(q, f); }
    float operator[](u32 l) const { return f[l]; }
  };
  struct out {
    u32* p;
    alignas(32) float f[block_lanes];
    explicit out(u32* q) : p(q) {}
    void set(u32 l, float v) { f[l] = v; }
    void set(u32 l, double v) { f[l] = to_odd_float(v); }
    void flush() { floats_to_halves(f, p); }
  };
};
/// A half whose NaN stay signaling or quiet in single precision.
struct half_signal_tag : half_tag {
  struct in : half_tag::in {
    explicit in(const u32* q) : half_tag::in(q) {
      for (u32 l = 0; l < block_lanes; ++l) {
        const u32 h = q[l];
        f[l] = (h & 0x7fffu) > 0x7c00u
                   ? bits_as<float>((h & 0x8000u) << 16 | 0x7f800000u | (h & 0x3ffu) << 13)
                   : f[l];
      }
    }
  };
};
struct bfloat_tag {
  static constexpr type kind = type::bf16;
  using value = float;
  struct in {
    const u32* p;
    explicit in(const u32* q) : p(q) {}
    float operator[](u32 l) const { return bfloat_to_float(p[l] & 0xffffu); }
  };
  struct out {
    u32* p;
    explicit out(u32* q) : p(q) {}
    void set(u32 l, float v) { p[l] = float_to_bfloat(v); }
    void flush() {}
  };
};

using f32 = word_tag<float, type::f32>;
using i32s = word_tag<i32, type::i32>;
using u32s = word_tag<u32, type::u32>;
using b32 = word_tag<u32, type::b32>;
using f64 = pair_tag<double, type::f64>;
using i64s = pair_tag<i64, type::i64>;
using u64s = pair_tag<u64, type::u64>;
using b64 = pair_tag<u64, type::b64>;
using i16s = short_tag<i16, type::i16>;
using u16s = short_tag<u16, type::u16>;
using b16 = short_tag<u16, type::b16>;
using f16 = half_tag;
using bf16 = bfloat_tag;

/// d = F(s...) on every lane.
template <auto F, class D, class... S>
void lanes(u32* d, const u32* const* s, u32 blocks) {
  for (u32 b = 0; b < blocks; ++b) {
    const u32 at = b * block_lanes;
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      const std::tuple<typename S::in...> in{typename S::in(s[I] + at)...};
      typename D::out out(d + at);
      AMDSIM_LANES for (u32 l = 0; l < block_lanes; ++l) out.set(l, F(std::get<I>(in)[l]...));
      out.flush();
    }(std::index_sequence_for<S...>{});
  }
}

/// F on the low and on the high half of packed 16-bit operands.
template <auto F, class D, class... S>
void packed(u32* d, const u32* const* s, u32 blocks) {
  constexpr std::size_t n = sizeof...(S);
  for (u32 b = 0; b < blocks; ++b) {
    const u32 at = b * block_lanes;
    alignas(32) u32 low[n][block_lanes], high[n][block_lanes], rl[block_lanes], rh[block_lanes];
    for (std::size_t i = 0; i < n; ++i)
      for (u32 l = 0; l < block_lanes; ++l) {
        low[i][l] = s[i][at + l] & 0xffffu;
        high[i][l] = s[i][at + l] >> 16;
      }
    const u32 *pl[n], *ph[n];
    for (std::size_t i = 0; i < n; ++i) {
      pl[i] = low[i];
      ph[i] = high[i];
    }
    lanes<F, D, S...>(rl, pl, 1);
    lanes<F, D, S...>(rh, ph, 1);
    for (u32 l = 0; l < block_lanes; ++l) d[at + l] = (rl[l] & 0xffffu) | rh[l] << 16;
  }
}

/// F on both 32-bit parts of packed single-precision operands.
template <auto F, u32 Sources>
void packed32(u32* d, const u32* const* s, u32 blocks) {
  alignas(32) u32 result[2 * row_lanes];  // operands may be the other half of the destination
  for (u32 part = 0; part < 2; ++part) {
    const u32* p[Sources];
    for (u32 i = 0; i < Sources; ++i) p[i] = s[i] + part * row_lanes;
    if constexpr (Sources == 2) lanes<F, f32, f32, f32>(result + part * row_lanes, p, blocks);
    else lanes<F, f32, f32, f32, f32>(result + part * row_lanes, p, blocks);
  }
  std::memcpy(d, result, sizeof(u32) * (row_lanes + blocks * block_lanes));
}

/// Table row for a vector operation.
template <auto F, class D, class... S>
constexpr valu_def def(const char* name, u8 flags = 0) {
  return {name, lanes<F, D, S...>, D::kind, {S::kind...}, sizeof...(S), flags};
}
/// The same with another function where MODE.IEEE is set, whose sources are read as tag I.
template <auto F, auto Ieee, class D, class I, class... S>
constexpr valu_def def_ieee(const char* name) {
  valu_def d = def<F, D, S...>(name);
  d.ieee = lanes<Ieee, D, std::conditional_t<true, I, S>...>;
  return d;
}
template <type Packed, auto F, class D, class... S>
constexpr valu_def def_packed(const char* name, u8 flags = 0) {
  valu_def d{name, packed<F, D, S...>, Packed, {}, sizeof...(S), flags};
  for (std::size_t i = 0; i < sizeof...(S); ++i) d.s[i] = Packed;
  return d;
}

}  // namespace amdsim
