// Conversions between formats.
#include <algorithm>
#include <tuple>
#include <utility>

#include "lanes.hpp"
#include "math.hpp"
#include "small_float.hpp"
#include "valu.hpp"

namespace amdsim {
namespace {

inline u32 pack16(u32 lo, u32 hi) { return (lo & 0xffffu) | hi << 16; }
inline i32 sat(i32 x, i32 lo, i32 hi) { return std::clamp(x, lo, hi); }
inline u32 snorm(float x) {
  return static_cast<u32>(
      static_cast<i32>(round_even((x != x ? 0.f : std::clamp(x, -1.f, 1.f)) * 32767.f)));
}
inline u32 unorm(float x) {
  return static_cast<u32>(
      static_cast<i32>(round_even((x != x ? 0.f : std::clamp(x, 0.f, 1.f)) * 65535.f)));
}
inline i16 half_to_i16(float x) {
  return x != x ? i16{0}
                : static_cast<i16>(
                      sat(static_cast<i32>(std::clamp(x, -70000.f, 70000.f)), -32768, 32767));
}
inline u16 half_to_u16(float x) {
  return x != x ? u16{0}
                : static_cast<u16>(sat(static_cast<i32>(std::clamp(x, -1.f, 70000.f)), 0, 65535));
}
inline u32 cvt_pk_u8(float x, u32 byte, u32 old) {
  const u32 v = static_cast<u32>(sat(
                static_cast<i32>(x != x ? 0.f : std::clamp(round_even(x), 0.f, 255.f)), 0, 255)),
            shift = 8 * (byte & 3);
  return (old & ~(0xffu << shift)) | v << shift;
}
inline u16 sat_pk_u8(u32 x) {
  const i32 a = sign_extend(x & 0xffffu, 16), b = static_cast<i32>(x) >> 16;
  return static_cast<u16>(sat(a, 0, 255) | sat(b, 0, 255) << 8);
}

/// Two floats to a pair of halves.
template <auto F>
constexpr valu_def def_halves(const char* name) {
  valu_def d = def<F, b32, f32, f32>(name);
  d.d = type::pkf16;
  return d;
}

constexpr float nibble_offsets[16] = {0.f,    0.0625f,  0.125f,  0.1875f,  0.25f,   0.3125f,
                                      0.375f, 0.4375f,  -0.5f,   -0.4375f, -0.375f, -0.3125f,
                                      -0.25f, -0.1875f, -0.125f, -0.0625f};

const valu_def table[] = {
    def<[](i32 a) { return static_cast<float>(a); }, f32, i32s>("v_cvt_f32_i32"),
    def<[](u32 a) { return static_cast<float>(a); }, f32, u32s>("v_cvt_f32_u32"),
    def<[](float a) { return to_i32(a); }, i32s, f32>("v_cvt_i32_f32"),
    def<[](float a) { return to_u32(a); }, u32s, f32>("v_cvt_u32_f32"),
    def<[](float a) { return to_i32(std::floor(a + 0.5f)); }, i32s, f32>("v_cvt_rpi_i32_f32"),
    def<[](float a) { return to_i32(std::floor(operand(a))); }, i32s, f32>("v_cvt_flr_i32_f32"),
    def<[](float a) { return a; }, f16, f32>("v_cvt_f16_f32"),
    def<[](float a) { return a; }, f32, f16>("v_cvt_f32_f16"),
    def<[](float a) { return a; }, f32, bf16>("v_cvt_f32_bf16"),
    def<[](u16 a) { return static_cast<float>(a); }, f16, u16s>("v_cvt_f16_u16"),
    def<[](i16 a) { return static_cast<float>(a); }, f16, i16s>("v_cvt_f16_i16"),
    def<half_to_u16, u16s, f16>("v_cvt_u16_f16"),
    def<half_to_i16, i16s, f16>("v_cvt_i16_f16"),
    def<[](u16 a) { return u32{a}; }, u32s, u16s>("v_cvt_u32_u16"),
    def<[](i16 a) { return i32{a}; }, i32s, i16s>("v_cvt_i32_i16"),
    def<[](float a) { return static_cast<double>(a); }, f64, f32>("v_cvt_f64_f32"),
    def<[](double a) { return static_cast<float>(a); }, f32, f64>("v_cvt_f32_f64"),
    def<[](i32 a) { return static_cast<double>(a); }, f64, i32s>("v_cvt_f64_i32"),
    def<[](u32 a) { return static_cast<double>(a); }, f64, u32s>("v_cvt_f64_u32"),
    def<[](double a) { return to_i32(a); }, i32s, f64>("v_cvt_i32_f64"),
    def<[](double a) { return to_u32(a); }, u32s, f64>("v_cvt_u32_f64"),
    def<[](u32 a) { return static_cast<float>(a & 255); }, f32, u32s>("v_cvt_f32_ubyte0"),
    def<[](u32 a) { return static_cast<float>(a >> 8 & 255); }, f32, u32s>("v_cvt_f32_ubyte1"),
    def<[](u32 a) { return static_cast<float>(a >> 16 & 255); }, f32, u32s>("v_cvt_f32_ubyte2"),
    def<[](u32 a) { return static_cast<float>(a >> 24); }, f32, u32s>("v_cvt_f32_ubyte3"),
    def<[](u32 a) { return nibble_offsets[a & 15]; }, f32, u32s>("v_cvt_off_f32_i4"),
    def_halves<[](float a, float b) { return pack16(float_to_half_rtz(a), float_to_half_rtz(b)); }>(
        "v_cvt_pkrtz_f16_f32"),
    def_halves<[](float a, float b) {
      return pack16(float_to_half_by_mode(a), float_to_half_by_mode(b));
    }>("v_cvt_pk_f16_f32"),
    def<[](float a, float b) { return pack16(float_to_bfloat(a), float_to_bfloat(b)); }, b32, f32,
        f32>("v_cvt_pk_bf16_f32"),
    def<[](float a, float b) { return pack16(snorm(a), snorm(b)); }, b32, f32, f32>(
        "v_cvt_pknorm_i16_f32"),
    def<[](float a, float b) { return pack16(unorm(a), unorm(b)); }, b32, f32, f32>(
        "v_cvt_pknorm_u16_f32"),
    def<[](float a, float b) { return pack16(snorm(a), snorm(b)); }, b32, f16, f16>(
        "v_cvt_pknorm_i16_f16"),
    def<[](float a, float b) { return pack16(unorm(a), unorm(b)); }, b32, f16, f16>(
        "v_cvt_pknorm_u16_f16"),
    def<[](float a) { return static_cast<i16>(snorm(a)); }, i16s, f16>("v_cvt_norm_i16_f16"),
    def<[](float a) { return static_cast<u16>(unorm(a)); }, u16s, f16>("v_cvt_norm_u16_f16"),
    def<[](i32 a, i32 b) {
      return pack16(static_cast<u32>(sat(a, -32768, 32767)),
                    static_cast<u32>(sat(b, -32768, 32767)));
    },
        b32, i32s, i32s>("v_cvt_pk_i16_i32"),
    def<[](u32 a, u32 b) { return pack16(std::min(a, 65535u), std::min(b, 65535u)); }, b32, u32s,
        u32s>("v_cvt_pk_u16_u32"),
    def<[](float a, float b) {
      return pack16(static_cast<u32>(sat(to_i32(a), -32768, 32767)),
                    static_cast<u32>(sat(to_i32(b), -32768, 32767)));
    },
        b32, f32, f32>("v_cvt_pk_i16_f32"),
    def<[](float a, float b) {
      return pack16(std::min(to_u32(a), 65535u), std::min(to_u32(b), 65535u));
    },
        b32, f32, f32>("v_cvt_pk_u16_f32"),
    def<cvt_pk_u8, u32s, f32, u32s, u32s>("v_cvt_pk_u8_f32"),
    def<sat_pk_u8, b16, b32>("v_sat_pk_u8_i16"),
};

// ---- 8-bit floats. flags: bit 0 bf8, bit 1 FNUZ. data[0]: which byte or half.

const small_format& format_of(const op& o) {
  return o.flags & 1 ? bf8_format(o.flags & 2) : fp8_format(o.flags & 2);
}
/// MODE bit 23: conversions to 8 bits clamp to the largest number instead of overflowing.
bool saturates(const wave& w) { return w.mode >> 23 & 1; }

void unpack8(wave& w, const op& o) {
  u64 mask = w.exec();
  if (!mask) return;
  alignas(32) u32 room[max_rows * row_lanes], result[max_rows * row_lanes];
  const u32* s = o.uses_dpp ? fetch_dpp(w, o, room, mask) : fetch(w, o.src[0], room);
  const float* values = small_values(format_of(o));
  const u32 shift = 8 * o.x->data[0];
  for (u32 l = 0; l < w.lanes; ++l) {
    const u32 x = s[l] >> shift;
    result[l] = bits_as<u32>(values[x & 255]);
    result[row_lanes + l] = bits_as<u32>(values[x >> 8 & 255]);
  }
  retire(w, o, result, mask);
}

void pack8(wave& w, const op& o) {
  u64 mask = w.exec();
  if (!mask) return;
  alignas(32) u32 ra[row_lanes], rb[row_lanes], result[row_lanes];
  const u32 *a = o.uses_dpp ? fetch_dpp(w, o, ra, mask) : fetch(w, o.src[0], ra),
            *b = fetch(w, o.src[1], rb), *old = w.row(o.dst.reg);
  const small_format& f = format_of(o);
  const bool clamp = saturates(w);
  const u32 shift = 8 * o.x->data[0];
  for (u32 l = 0; l < w.lanes; ++l) {
    const u32 v = float_to_small(f, bits_as<float>(a[l]), clamp) |
                  float_to_small(f, bits_as<float>(b[l]), clamp) << 8;
    result[l] = (old[l] & ~(0xffffu << shift)) | v << shift;
  }
  write_rows(w, o.dst.reg, 1, result, mask);
}

void round8(wave& w, const op& o) {
  u64 mask = w.exec();
  if (!mask) return;
  alignas(32) u32 ra[row_lanes], rb[row_lanes], result[row_lanes];
  const u32 *a = o.uses_dpp ? fetch_dpp(w, o, ra, mask) : fetch(w, o.src[0], ra),
            *b = fetch(w, o.src[1], rb), *old = w.row(o.dst.reg);
  const small_format& f = format_of(o);
  const bool clamp = saturates(w);
  const u32 shift = 8 * o.x->data[0];
  for (u32 l = 0; l < w.lanes; ++l) {
    const u32 v = float_to_small_random(f, bits_as<float>(a[l]), b[l], clamp);
    result[l] = (old[l] & ~(0xffu << shift)) | v << shift;
  }
  write_rows(w, o.dst.reg, 1, result, mask);
}

struct fp8_form {
  const char* name;
  handler run;
  bool bf8, wide;
};
constexpr fp8_form fp8_table[] = {
    {"v_cvt_f32_fp8", unpack8, false, false},   {"v_cvt_f32_bf8", unpack8, true, false},
    {"v_cvt_pk_f32_fp8", unpack8, false, true}, {"v_cvt_pk_f32_bf8", unpack8, true, true},
    {"v_cvt_pk_fp8_f32", pack8, false, false},  {"v_cvt_pk_bf8_f32", pack8, true, false},
    {"v_cvt_sr_fp8_f32", round8, false, false}, {"v_cvt_sr_bf8_f32", round8, true, false},
};

void build_fp8(binder& b, const void* payload) {
  const auto& f = *static_cast<const fp8_form*>(payload);
  op& o = b.o;
  const bool unpacks = f.run == unpack8;
  const type types[] = {unpacks ? type::b32 : type::f32, f.run == round8 ? type::b32 : type::f32};
  bind_sources(b, 1, types, unpacks ? 1 : 2);
  bind_destination(b, 0, unpacks ? (f.wide ? type::pkf32 : type::f32) : type::b32);
  if (unpacks) o.src[0].neg = o.src[0].abs = false;
  const u32 sel = b.in.bits("op_sel").value_or(b.op_sel());
  u32 at = 0;  // byte
  if (unpacks) {
    source& s = o.src[0];
    if (b.in.encoding == form::sdwa) {
      at = s.sel < 4 ? s.sel : s.sel < 6 ? 2u * (s.sel - 4u) : 0;
    } else if (b.in.has("byte_sel")) {
      at = static_cast<u32>(b.in.number("byte_sel"));
    } else if (f.wide) {
      at = 2 * (sel & 1);
    } else {
      at = (sel & 1) * 2 + (sel >> 1 & 1);  // the two bits stand in reverse
    }
    if (f.wide && (b.in.halves & 1)) at = 2;
    s.sel = 6;
    s.sext = false;
    s.plain = s.k == source::vgpr;
  } else if (f.run == pack8) {
    at = b.operand(0).high || (sel >> (b.count() - 1 >= 3 ? 3 : 2) & 1) || (sel >> 3 & 1) ? 2 : 0;
    if (!b.operand(0).high && !(sel >> 2 & 3)) at = 0;
  } else if (b.in.has("byte_sel")) {
    at = static_cast<u32>(b.in.number("byte_sel"));
  } else {
    at = sel >> 2 & 3;
  }
  b.x.data[0] = at;
  o.flags = static_cast<u8>((f.bf8 ? 1 : 0) | (b.prog.target->fp8_fnuz() ? 2 : 0));
  o.run = f.run;
}

}  // namespace

void define_valu_convert(definitions& d) {
  d.add(std::begin(table), std::end(table));
  d.alias("v_cvt_floor_i32_f32", "v_cvt_flr_i32_f32");
  d.alias("v_cvt_nearest_i32_f32", "v_cvt_rpi_i32_f32");
  d.alias("v_cvt_pk_rtz_f16_f32", "v_cvt_pkrtz_f16_f32");
  d.alias("v_cvt_pk_norm_i16_f32", "v_cvt_pknorm_i16_f32");
  d.alias("v_cvt_pk_norm_u16_f32", "v_cvt_pknorm_u16_f32");
  d.alias("v_cvt_pk_norm_i16_f16", "v_cvt_pknorm_i16_f16");
  d.alias("v_cvt_pk_norm_u16_f16", "v_cvt_pknorm_u16_f16");
  for (const fp8_form& f : fp8_table) d.add(f.name, build_fp8, &f, f.wide ? 1u : 0u);
}

}  // namespace amdsim
