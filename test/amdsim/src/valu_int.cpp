// Vector arithmetic on 32-bit integers.
#include <algorithm>
#include <tuple>
#include <utility>

#include "lanes.hpp"

namespace amdsim {
namespace {

inline u32 bfe_u(u32 x, u32 at, u32 n) {
  return (n &= 31) == 0 ? 0 : x >> (at & 31) & ((1u << n) - 1);
}
inline u32 bfe_i(u32 x, u32 at, u32 n) {
  at &= 31;
  n &= 31;
  if (n == 0) return 0;
  const u32 part = static_cast<u32>(static_cast<i32>(x) >> at);
  return at + n >= 32 ? part : static_cast<u32>(sign_extend(part & ((1u << n) - 1), n));
}
inline u32 perm_byte(u64 both, u32 sel) {
  if (sel >= 13) return 0xff;
  if (sel == 12) return 0;
  if (sel >= 8) return both >> (16 * (sel - 8) + 15) & 1 ? 0xff : 0;
  return static_cast<u32>(both >> (8 * sel)) & 0xff;
}
inline u32 perm(u32 a, u32 b, u32 s) {
  const u64 both = join(b, a);
  return perm_byte(both, s & 255) | perm_byte(both, s >> 8 & 255) << 8 |
         perm_byte(both, s >> 16 & 255) << 16 | perm_byte(both, s >> 24) << 24;
}
/// Bytes all selected by index 0..7: the usual selectors, and a loop that vectorises.
void perm_lanes(u32* d, const u32* const* s, u32 blocks) {
  for (u32 b = 0; b < blocks; ++b) {
    const u32 at = b * block_lanes;
    const u32 *x = s[0] + at, *y = s[1] + at, *z = s[2] + at;
    u32 special = 0, differs = 0;
    for (u32 l = 0; l < block_lanes; ++l) {
      special |= z[l] & 0xf8f8f8f8u;
      differs |= z[l] ^ z[0];
    }
    if (special) {
      for (u32 l = 0; l < block_lanes; ++l) d[at + l] = perm(x[l], y[l], z[l]);
    } else if (!differs) {  // one selector for all lanes: shifts by constants
      const u32 sel = z[0];
      u32 out[block_lanes] = {};
      for (u32 i = 0; i < 4; ++i) {
        const u32 pick = sel >> (8 * i) & 7, shift = 8 * (pick & 3);
        const u32* from = pick >= 4 ? x : y;
        for (u32 l = 0; l < block_lanes; ++l) out[l] |= (from[l] >> shift & 0xffu) << (8 * i);
      }
      std::memcpy(d + at, out, sizeof out);
    } else {
      AMDSIM_LANES for (u32 l = 0; l < block_lanes; ++l) {
        u32 r = 0;
        for (u32 i = 0; i < 4; ++i) {
          const u32 pick = z[l] >> (8 * i) & 7;
          r |= ((pick >= 4 ? x[l] : y[l]) >> (8 * (pick & 3)) & 0xffu) << (8 * i);
        }
        d[at + l] = r;
      }
    }
  }
}
inline u32 sad_u8(u32 a, u32 b, u32 c, bool masked) {
  for (u32 i = 0; i < 32; i += 8) {
    const i32 x = static_cast<i32>(a >> i & 255), y = static_cast<i32>(b >> i & 255);
    if (!masked || y) c += static_cast<u32>(x < y ? y - x : x - y);
  }
  return c;
}
inline u32 absdiff(u32 a, u32 b) { return a > b ? a - b : b - a; }
inline i32 mul24(i32 a, i32 b) {
  return static_cast<i32>(static_cast<u32>(sign_extend(static_cast<u32>(a), 24)) *
                          static_cast<u32>(sign_extend(static_cast<u32>(b), 24)));
}
inline u32 u24(u32 a) { return a & 0xffffffu; }
inline u32 sat_add(u32 a, u32 b) { return a + b < a ? ~0u : a + b; }
inline u32 sat_sub(u32 a, u32 b) { return a < b ? 0 : a - b; }
inline i32 sat_i(i64 x) {
  return static_cast<i32>(std::clamp<i64>(x, -0x80000000ll, 0x7fffffffll));
}
inline i32 wrap_add(i32 a, i32 b) {
  return static_cast<i32>(static_cast<u32>(a) + static_cast<u32>(b));
}
inline i32 wrap_sub(i32 a, i32 b) {
  return static_cast<i32>(static_cast<u32>(a) - static_cast<u32>(b));
}
inline u32 bit_reverse(u32 x) {
  x = (x >> 1 & 0x55555555u) | (x & 0x55555555u) << 1;
  x = (x >> 2 & 0x33333333u) | (x & 0x33333333u) << 2;
  x = (x >> 4 & 0x0f0f0f0fu) | (x & 0x0f0f0f0fu) << 4;
  return __builtin_bswap32(x);
}
/// Position of the first bit that differs from the sign, from the top; -1 if none.
inline u32 ffbh_i32(u32 x) {
  const u32 y = x ^ static_cast<u32>(static_cast<i32>(x) >> 31);
  return y ? static_cast<u32>(__builtin_clz(y)) : ~0u;
}
template <class T>
T median(T a, T b, T c) {
  return std::max(std::min(a, b), std::min(std::max(a, b), c));
}
inline i32 dot4(u32 a, u32 b, i32 c, bool sa, bool sb) {
  for (u32 i = 0; i < 32; i += 8) {
    const i32 x = sa ? sign_extend(a >> i & 255, 8) : static_cast<i32>(a >> i & 255),
              y = sb ? sign_extend(b >> i & 255, 8) : static_cast<i32>(b >> i & 255);
    c = wrap_add(c, x * y);
  }
  return c;
}
inline i32 dot8(u32 a, u32 b, i32 c, bool sign) {
  for (u32 i = 0; i < 32; i += 4) {
    const i32 x = sign ? sign_extend(a >> i & 15, 4) : static_cast<i32>(a >> i & 15),
              y = sign ? sign_extend(b >> i & 15, 4) : static_cast<i32>(b >> i & 15);
    c = wrap_add(c, x * y);
  }
  return c;
}
inline u32 lerp(u32 a, u32 b, u32 c) {
  u32 r = 0;
  for (u32 i = 0; i < 32; i += 8) r |= (((a >> i & 255) + (b >> i & 255) + (c >> i & 1)) >> 1) << i;
  return r;
}

void mbcnt_lo(u32* d, const u32* const* s, u32 blocks) {
  for (u32 l = 0; l < blocks * block_lanes; ++l) {
    const u32 below = l >= 32 ? ~0u : (1u << l) - 1;
    d[l] = static_cast<u32>(__builtin_popcount(s[0][l] & below)) + s[1][l];
  }
}
void mbcnt_hi(u32* d, const u32* const* s, u32 blocks) {
  for (u32 l = 0; l < blocks * block_lanes; ++l) {
    const u32 below = l < 32 ? 0 : (1u << (l - 32)) - 1;
    d[l] = static_cast<u32>(__builtin_popcount(s[0][l] & below)) + s[1][l];
  }
}

using std::max;
using std::min;

const valu_def table[] = {
    def<[](u32 a, u32 b) { return a + b; }, u32s, u32s, u32s>("v_add_u32"),
    def<[](u32 a, u32 b) { return a - b; }, u32s, u32s, u32s>("v_sub_u32"),
    def<[](u32 a, u32 b) { return b - a; }, u32s, u32s, u32s>("v_subrev_u32"),
    def<sat_add, u32s, u32s, u32s>("v_add_u32 clamp"),
    def<sat_sub, u32s, u32s, u32s>("v_sub_u32 clamp"),
    def<[](u32 a, u32 b) { return sat_sub(b, a); }, u32s, u32s, u32s>("v_subrev_u32 clamp"),
    def<wrap_add, i32s, i32s, i32s>("v_add_i32"),
    def<wrap_sub, i32s, i32s, i32s>("v_sub_i32"),
    def<[](i32 a, i32 b) { return sat_i(i64{a} + b); }, i32s, i32s, i32s>("v_add_i32 clamp"),
    def<[](i32 a, i32 b) { return sat_i(i64{a} - b); }, i32s, i32s, i32s>("v_sub_i32 clamp"),
    def<[](u32 a, u32 b) { return a * b; }, u32s, u32s, u32s>("v_mul_lo_u32"),
    def<[](u32 a, u32 b) { return static_cast<u32>(u64{a} * b >> 32); }, u32s, u32s, u32s>(
        "v_mul_hi_u32"),
    def<[](i32 a, i32 b) { return static_cast<i32>(i64{a} * b >> 32); }, i32s, i32s, i32s>(
        "v_mul_hi_i32"),
    def<[](u32 a, u32 b) { return u24(a) * u24(b); }, u32s, u32s, u32s>("v_mul_u32_u24"),
    def<mul24, i32s, i32s, i32s>("v_mul_i32_i24"),
    def<[](u32 a, u32 b) { return static_cast<u32>(u64{u24(a)} * u24(b) >> 32); }, u32s, u32s,
        u32s>("v_mul_hi_u32_u24"),
    def<[](i32 a, i32 b) {
      return static_cast<i32>(
          i64{sign_extend(static_cast<u32>(a), 24)} * sign_extend(static_cast<u32>(b), 24) >> 32);
    },
        i32s, i32s, i32s>("v_mul_hi_i32_i24"),
    def<[](u32 a, u32 b, u32 c) { return u24(a) * u24(b) + c; }, u32s, u32s, u32s, u32s>(
        "v_mad_u32_u24"),
    def<[](i32 a, i32 b, i32 c) { return wrap_add(mul24(a, b), c); }, i32s, i32s, i32s, i32s>(
        "v_mad_i32_i24"),
    def<[](u16 a, u16 b, u32 c) { return u32{a} * b + c; }, u32s, u16s, u16s, u32s>(
        "v_mad_u32_u16"),
    def<[](i16 a, i16 b, i32 c) { return wrap_add(i32{a} * b, c); }, i32s, i16s, i16s, i32s>(
        "v_mad_i32_i16"),
    def<[](u32 a, u32 b) { return a & b; }, b32, b32, b32>("v_and_b32"),
    def<[](u32 a, u32 b) { return a | b; }, b32, b32, b32>("v_or_b32"),
    def<[](u32 a, u32 b) { return a ^ b; }, b32, b32, b32>("v_xor_b32"),
    def<[](u32 a, u32 b) { return ~(a ^ b); }, b32, b32, b32>("v_xnor_b32"),
    def<[](u32 a) { return ~a; }, b32, b32>("v_not_b32"),
    def<[](u32 a, u32 b) { return b << (a & 31); }, b32, b32, b32>("v_lshlrev_b32"),
    def<[](u32 a, u32 b) { return (b >> (a & 31)); }, b32, b32, b32>("v_lshrrev_b32"),
    def<[](u32 a, i32 b) { return (b >> (a & 31)); }, i32s, b32, i32s>("v_ashrrev_i32"),
    def<[](u32 a, u32 b, u32 c) { return (a << (b & 31)) + c; }, u32s, u32s, u32s, u32s>(
        "v_lshl_add_u32"),
    def<[](u32 a, u32 b, u32 c) { return (a + b) << (c & 31); }, u32s, u32s, u32s, u32s>(
        "v_add_lshl_u32"),
    def<[](u32 a, u32 b, u32 c) { return a + b + c; }, u32s, u32s, u32s, u32s>("v_add3_u32"),
    def<[](u32 a, u32 b, u32 c) { return (a << (b & 31)) | c; }, b32, b32, b32, b32>(
        "v_lshl_or_b32"),
    def<[](u32 a, u32 b, u32 c) { return (a & b) | c; }, b32, b32, b32, b32>("v_and_or_b32"),
    def<[](u32 a, u32 b, u32 c) { return a | b | c; }, b32, b32, b32, b32>("v_or3_b32"),
    def<[](u32 a, u32 b, u32 c) { return a ^ b ^ c; }, b32, b32, b32, b32>("v_xor3_b32"),
    def<[](u32 a, u32 b, u32 c) { return (a ^ b) + c; }, b32, b32, b32, b32>("v_xad_u32"),
    def<bfe_u, u32s, u32s, u32s, u32s>("v_bfe_u32"),
    def<bfe_i, b32, b32, b32, b32>("v_bfe_i32"),
    def<[](u32 a, u32 b, u32 c) { return (a & b) | (~a & c); }, b32, b32, b32, b32>("v_bfi_b32"),
    def<[](u32 a, u32 b) { return ((1u << (a & 31)) - 1) << (b & 31); }, b32, b32, b32>(
        "v_bfm_b32"),
    def<[](u32 a, u32 b, u32 c) { return (low32(join(b, a) >> (c & 31))); }, b32, b32, b32, b32>(
        "v_alignbit_b32"),
    def<[](u32 a, u32 b, u32 c) { return (low32(join(b, a) >> (8 * (c & 3)))); }, b32, b32, b32,
        b32>("v_alignbyte_b32"),
    {"v_perm_b32", perm_lanes, type::b32, {type::b32, type::b32, type::b32}, 3, 0},
    def<[](u32 a, u32 b) { return (static_cast<u32>(__builtin_popcount(a)) + b); }, u32s, u32s,
        u32s>("v_bcnt_u32_b32"),
    {"v_mbcnt_lo_u32_b32", mbcnt_lo, type::u32, {type::u32, type::u32}, 2, 0},
    {"v_mbcnt_hi_u32_b32", mbcnt_hi, type::u32, {type::u32, type::u32}, 2, 0},
    def<bit_reverse, b32, b32>("v_bfrev_b32"),
    def<[](u32 a) { return (a ? static_cast<u32>(__builtin_clz(a)) : ~0u); }, u32s, u32s>(
        "v_ffbh_u32"),
    def<ffbh_i32, u32s, u32s>("v_ffbh_i32"),
    def<[](u32 a) { return (a ? static_cast<u32>(__builtin_ctz(a)) : ~0u); }, u32s, u32s>(
        "v_ffbl_b32"),
    def<[](u32 a, u32 b) { return min(a, b); }, u32s, u32s, u32s>("v_min_u32"),
    def<[](u32 a, u32 b) { return max(a, b); }, u32s, u32s, u32s>("v_max_u32"),
    def<[](i32 a, i32 b) { return min(a, b); }, i32s, i32s, i32s>("v_min_i32"),
    def<[](i32 a, i32 b) { return max(a, b); }, i32s, i32s, i32s>("v_max_i32"),
    def<[](u32 a, u32 b, u32 c) { return min(min(a, b), c); }, u32s, u32s, u32s, u32s>(
        "v_min3_u32"),
    def<[](u32 a, u32 b, u32 c) { return max(max(a, b), c); }, u32s, u32s, u32s, u32s>(
        "v_max3_u32"),
    def<[](i32 a, i32 b, i32 c) { return min(min(a, b), c); }, i32s, i32s, i32s, i32s>(
        "v_min3_i32"),
    def<[](i32 a, i32 b, i32 c) { return max(max(a, b), c); }, i32s, i32s, i32s, i32s>(
        "v_max3_i32"),
    def<[](u32 a, u32 b, u32 c) { return median(a, b, c); }, u32s, u32s, u32s, u32s>("v_med3_u32"),
    def<[](i32 a, i32 b, i32 c) { return median(a, b, c); }, i32s, i32s, i32s, i32s>("v_med3_i32"),
    def<[](u32 a, u32 b, u32 c) { return min(max(a, b), c); }, u32s, u32s, u32s, u32s>(
        "v_maxmin_u32"),
    def<[](i32 a, i32 b, i32 c) { return min(max(a, b), c); }, i32s, i32s, i32s, i32s>(
        "v_maxmin_i32"),
    def<[](u32 a, u32 b, u32 c) { return max(min(a, b), c); }, u32s, u32s, u32s, u32s>(
        "v_minmax_u32"),
    def<[](i32 a, i32 b, i32 c) { return max(min(a, b), c); }, i32s, i32s, i32s, i32s>(
        "v_minmax_i32"),
    def<[](u32 a, u32 b, u32 c) { return sad_u8(a, b, c, false); }, u32s, u32s, u32s, u32s>(
        "v_sad_u8"),
    def<[](u32 a, u32 b, u32 c) { return sad_u8(a, b, c, true); }, u32s, u32s, u32s, u32s>(
        "v_msad_u8"),
    def<[](u32 a, u32 b, u32 c) { return (sad_u8(a, b, 0, false) << 16) + c; }, u32s, u32s, u32s,
        u32s>("v_sad_hi_u8"),
    def<[](u32 a, u32 b, u32 c) {
      return (absdiff(a & 0xffff, b & 0xffff) + absdiff(a >> 16, b >> 16) + c);
    },
        u32s, u32s, u32s, u32s>("v_sad_u16"),
    def<[](u32 a, u32 b, u32 c) { return absdiff(a, b) + c; }, u32s, u32s, u32s, u32s>("v_sad_u32"),
    def<lerp, u32s, u32s, u32s, u32s>("v_lerp_u8"),
    def<[](u32 a, u32 b, i32 c) { return dot4(a, b, c, true, true); }, i32s, b32, b32, i32s>(
        "v_dot4_i32_i8"),
    def<[](u32 a, u32 b, i32 c) { return dot4(a, b, c, true, true); }, i32s, b32, b32, i32s>(
        "v_dot4c_i32_i8", reads_dst),
    def<[](u32 a, u32 b, i32 c) { return dot4(a, b, c, false, false); }, i32s, b32, b32, i32s>(
        "v_dot4_u32_u8"),
    def<[](u32 a, u32 b, i32 c) { return dot8(a, b, c, true); }, i32s, b32, b32, i32s>(
        "v_dot8_i32_i4"),
    def<[](u32 a, u32 b, i32 c) { return dot8(a, b, c, true); }, i32s, b32, b32, i32s>(
        "v_dot8c_i32_i4", reads_dst),
    def<[](u32 a, u32 b, i32 c) { return dot8(a, b, c, false); }, i32s, b32, b32, i32s>(
        "v_dot8_u32_u4"),
    def<[](u32 a, u32 b, i32 c) {
      return (wrap_add(wrap_add(c, sign_extend(a & 0xffff, 16) * sign_extend(b & 0xffff, 16)),
                       (static_cast<i32>(a) >> 16) * (static_cast<i32>(b) >> 16)));
    },
        i32s, b32, b32, i32s>("v_dot2_i32_i16"),
    def<[](u32 a, u32 b, u32 c) {
      return (c + (a & 0xffff) * (b & 0xffff) + (a >> 16) * (b >> 16));
    },
        u32s, b32, b32, u32s>("v_dot2_u32_u16"),
};

}  // namespace

void define_valu_int(definitions& d) {
  d.add(std::begin(table), std::end(table));
  for (const char* n : {"add", "sub", "subrev"}) {
    const std::string a = std::string("v_") + n + "_nc_u32", b = std::string("v_") + n + "_u32";
    d.alias(a.c_str(), b.c_str());
    d.alias((a + " clamp").c_str(), (b + " clamp").c_str());
  }
  d.alias("v_add_nc_i32", "v_add_i32");
  d.alias("v_sub_nc_i32", "v_sub_i32");
  d.alias("v_add_nc_i32 clamp", "v_add_i32 clamp");
  d.alias("v_sub_nc_i32 clamp", "v_sub_i32 clamp");
  d.alias("v_clz_i32_u32", "v_ffbh_u32");
  d.alias("v_cls_i32", "v_ffbh_i32");
  d.alias("v_ctz_i32_b32", "v_ffbl_b32");
}

}  // namespace amdsim
