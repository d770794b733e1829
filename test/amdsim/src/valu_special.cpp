// Vector operations that read or write lane masks, mix formats or keep part of their destination.
#include <cfenv>
#include <tuple>
#include <utility>

#include "lanes.hpp"
#include "math.hpp"
#include "valu.hpp"
#include "valu_mode.hpp"

namespace amdsim {
namespace {

// ---- select

void cndmask(wave& w, const op& o) {
  u64 mask = w.exec();
  if (!mask) return;
  alignas(32) u32 ra[row_lanes], rb[row_lanes], pick[row_lanes], result[row_lanes];
  const u32* a = o.uses_dpp ? fetch_dpp(w, o, ra, mask) : fetch(w, o.src[0], ra);
  const u32* b = fetch(w, o.src[1], rb);
  const u64 m = o.ssrc == sreg::exec ? w.exec() : w.mask(o.ssrc);
  expand_mask(pick, m);
  u32* d = mask == w.full && !o.post ? w.row(o.dst.reg) : result;
  const u32 n = w.blocks * block_lanes;
  AMDSIM_LANES for (u32 l = 0; l < n; ++l) d[l] = (a[l] & ~pick[l]) | (b[l] & pick[l]);
  if (d == result) retire(w, o, result, mask);
}

void build_cndmask(binder& b, const void* payload) {
  // signs may be changed, so the wide form counts as a float
  const type t = payload ? type::b16 : type::f32;
  const type types[] = {t, t};
  bind_sources(b, 1, types, 2);
  bind_destination(b, 0, payload ? type::b16 : type::b32);
  if (b.count() > 3) b.o.ssrc = b.mask_read(3);
  else {
    b.o.ssrc = sreg::vcc;
    b.note_scalar_read(sreg::vcc, b.mask_registers());
  }
  b.o.run = cndmask;
}

// ---- additions with carry

struct carry_form {
  const char* name;
  bool in, out, sub, reverse;
};
constexpr carry_form carry_table[] = {
    {"v_add_co_u32", false, true, false, false},    {"v_sub_co_u32", false, true, true, false},
    {"v_subrev_co_u32", false, true, true, true},   {"v_addc_co_u32", true, true, false, false},
    {"v_subb_co_u32", true, true, true, false},     {"v_subbrev_co_u32", true, true, true, true},
    {"v_add_co_ci_u32", true, true, false, false},  {"v_sub_co_ci_u32", true, true, true, false},
    {"v_subrev_co_ci_u32", true, true, true, true},
};

void carry(wave& w, const op& o) {
  u64 mask = w.exec();
  if (!mask) {
    w.set_mask(o.sdst, 0);
    return;
  }
  const bool in = o.flags & 1, sub = o.flags & 2, reverse = o.flags & 4;
  alignas(32) u32 ra[row_lanes], rb[row_lanes], cin[row_lanes] = {}, result[row_lanes],
                                                over[row_lanes];
  const u32* a = o.uses_dpp ? fetch_dpp(w, o, ra, mask) : fetch(w, o.src[0], ra);
  const u32* b = fetch(w, o.src[1], rb);
  if (reverse) std::swap(a, b);
  if (in) expand_mask(cin, w.mask(o.ssrc));
  const u32 n = w.blocks * block_lanes;
  if (sub) {
    AMDSIM_LANES for (u32 l = 0; l < n; ++l) {
      const u32 c = cin[l] & 1u, d = a[l] - b[l];
      result[l] = d - c;
      over[l] = (a[l] < b[l] ? ~0u : 0u) | (d < c ? ~0u : 0u);
    }
  } else {
    AMDSIM_LANES for (u32 l = 0; l < n; ++l) {
      const u32 c = cin[l] & 1u, d = a[l] + b[l];
      result[l] = d + c;
      over[l] = (d < a[l] ? ~0u : 0u) | (result[l] < d ? ~0u : 0u);
    }
  }
  if (o.clamp)
    for (u32 l = 0; l < n; ++l)
      if (over[l]) result[l] = sub ? 0 : ~0u;
  const u64 bits = gather_mask(over, w.blocks);
  write_rows(w, o.dst.reg, 1, result, mask);
  w.set_mask(o.sdst, bits & mask);
}

void build_carry(binder& b, const void* payload) {
  const auto& f = *static_cast<const carry_form*>(payload);
  const type types[] = {type::u32, type::u32};
  bind_sources(b, 2, types, 2);
  b.o.dst = b.write(0, 1);
  b.o.sdst = b.mask_write(1);
  b.o.clamp = b.in.has("clamp");
  if (f.in) b.o.ssrc = b.mask_read(4);
  b.o.flags = static_cast<u8>((f.in ? 1 : 0) | (f.sub ? 2 : 0) | (f.reverse ? 4 : 0));
  b.o.run = carry;
}

// ---- multiply-add to 64 bits

void mad64(wave& w, const op& o) {
  const u64 mask = w.exec();
  if (!mask) {
    w.set_mask(o.sdst, 0);
    return;
  }
  alignas(32) u32 r[3][2 * row_lanes], result[2 * row_lanes], over[row_lanes];
  const u32 *a = fetch(w, o.src[0], r[0]), *b = fetch(w, o.src[1], r[1]),
            *c = fetch(w, o.src[2], r[2]);
  for (u32 l = 0; l < w.lanes; ++l) {
    const u64 z = join(c[l], c[row_lanes + l]);
    const u64 p = o.flags ? static_cast<u64>(static_cast<i64>(static_cast<i32>(a[l])) *
                                             static_cast<i32>(b[l]))
                          : u64{a[l]} * b[l];
    const u64 sum = p + z;
    result[l] = low32(sum);
    result[row_lanes + l] = high32(sum);
    const bool carry_out = o.flags ? static_cast<i64>((p ^ sum) & (z ^ sum)) < 0 : sum < p;
    over[l] = carry_out ? ~0u : 0;
  }
  for (u32 l = w.lanes; l < w.blocks * block_lanes; ++l) over[l] = 0;
  write_rows(w, o.dst.reg, 2, result, mask);
  w.set_mask(o.sdst, gather_mask(over, w.blocks) & mask);
}
void build_mad64(binder& b, const void* payload) {
  const type types[] = {type::u32, type::u32, type::u64};
  bind_sources(b, 2, types, 3);
  b.o.dst = b.write(0, 2);
  b.o.sdst = b.mask_write(1);
  b.o.flags = payload ? 1 : 0;
  b.o.run = mad64;
}

// ---- division helpers

template <class T>
struct scaled {
  T value;
  bool vcc;
};
inline i32 exponent_of(float x) { return static_cast<i32>(bits_as<u32>(x) >> 23 & 255); }
inline i32 exponent_of(double x) { return static_cast<i32>(bits_as<u64>(x) >> 52 & 2047); }
inline bool denormal(float x) { return x != 0 && exponent_of(x) == 0; }
inline bool denormal(double x) { return x != 0 && exponent_of(x) == 0; }

/// Doubles have a mode of their own.
template <class T>
auto scope_of(const wave& w) {
  if constexpr (sizeof(T) == 8) return other_precision_scope(w);
  else return static_cast<const void*>(nullptr);
}

/// s0 is the operand to scale: the denominator s1 or the numerator s2.
template <class T>
scaled<T> div_scale(T s0, T s1, T s2) {
  constexpr bool single = sizeof(T) == 4;
  constexpr int step = single ? 64 : 128;
  constexpr i32 far = single ? 96 : 768, tiny = single ? 23 : 53;
  if (s2 == 0 || s1 == 0)
    return {single ? static_cast<T>(bits_as<float>(0x7fc00000u)) : static_cast<T>(NAN), false};
  const double inverse = 1.0 / static_cast<double>(s1);
  const bool inverse_small = single ? denormal(static_cast<float>(inverse)) : denormal(inverse);
  const bool quotient_small = denormal(static_cast<T>(s2 / s1));
  if (exponent_of(s2) - exponent_of(s1) >= far) return {s0 == s1 ? std::ldexp(s0, step) : s0, true};
  if (denormal(s1)) return {std::ldexp(s0, step), false};
  if (inverse_small && quotient_small) return {s0 == s1 ? std::ldexp(s0, step) : s0, true};
  if (inverse_small) return {std::ldexp(s0, -step), false};
  if (quotient_small) return {s0 == s2 ? std::ldexp(s0, step) : s0, true};
  if (exponent_of(s2) <= tiny) return {std::ldexp(s0, step), false};
  return {s0, false};
}

template <class T>
void run_div_scale(wave& w, const op& o) {
  const u64 mask = w.exec();
  if (!mask) {
    w.set_mask(o.sdst, 0);
    return;
  }
  [[maybe_unused]] const auto scope = scope_of<T>(w);
  alignas(32) u32 r[3][2 * row_lanes], result[2 * row_lanes];
  const u32* s[3];
  for (u32 i = 0; i < 3; ++i) s[i] = fetch(w, o.src[i], r[i]);
  u64 bits = 0;
  for (u32 l = 0; l < w.lanes; ++l) {
    if constexpr (sizeof(T) == 4) {
      const auto x = div_scale(bits_as<float>(s[0][l]), bits_as<float>(s[1][l]),
                               bits_as<float>(s[2][l]));
      result[l] = bits_as<u32>(x.value);
      bits |= u64{x.vcc} << l;
    } else {
      const auto get = [&](u32 i) { return bits_as<double>(join(s[i][l], s[i][row_lanes + l])); };
      const auto x = div_scale(get(0), get(1), get(2));
      result[l] = low32(bits_as<u64>(x.value));
      result[row_lanes + l] = high32(bits_as<u64>(x.value));
      bits |= u64{x.vcc} << l;
    }
  }
  write_rows(w, o.dst.reg, sizeof(T) / 4, result, mask);
  w.set_mask(o.sdst, bits & mask);
}
void build_div_scale(binder& b, const void* payload) {
  const type t = payload ? type::f64 : type::f32;
  const type types[] = {t, t, t};
  bind_sources(b, 2, types, 3);
  b.o.dst = b.write(0, payload ? 2 : 1);
  b.o.sdst = b.mask_write(1);
  b.o.run = payload ? run_div_scale<double> : run_div_scale<float>;
}

/// fma, scaled back where VCC says that div_scale changed an operand.
template <class T>
void run_div_fmas(wave& w, const op& o) {
  const u64 mask = w.exec();
  if (!mask) return;
  [[maybe_unused]] const auto scope = scope_of<T>(w);
  alignas(32) u32 r[3][2 * row_lanes], result[2 * row_lanes];
  const u32* s[3];
  for (u32 i = 0; i < 3; ++i) s[i] = fetch(w, o.src[i], r[i]);
  const u64 vcc = w.mask(sreg::vcc);
  for (u32 l = 0; l < w.lanes; ++l) {
    if constexpr (sizeof(T) == 4) {
      const float c = bits_as<float>(s[2][l]);
      float x = __builtin_fmaf(bits_as<float>(s[0][l]), bits_as<float>(s[1][l]), c);
      if (vcc >> l & 1) x = std::ldexp(x, exponent_of(c) > 127 ? 64 : -64);
      result[l] = bits_as<u32>(x);
    } else {
      const auto get = [&](u32 i) { return bits_as<double>(join(s[i][l], s[i][row_lanes + l])); };
      double x = __builtin_fma(get(0), get(1), get(2));
      if (vcc >> l & 1) x = std::ldexp(x, exponent_of(get(2)) > 1023 ? 128 : -128);
      result[l] = low32(bits_as<u64>(x));
      result[row_lanes + l] = high32(bits_as<u64>(x));
    }
  }
  retire(w, o, result, mask);
}
void build_div_fmas(binder& b, const void* payload) {
  const type t = payload ? type::f64 : type::f32;
  const type types[] = {t, t, t};
  bind_sources(b, 1, types, 3);
  bind_destination(b, 0, t);
  b.note_scalar_read(sreg::vcc, b.mask_registers());
  b.o.run = payload ? run_div_fmas<double> : run_div_fmas<float>;
}

// ---- mixed precision: each source is a float or one half of a register. flags: 0 to float, 1 to
// the low half, 2 to the high half; data[i]: how source i is read

void mix(wave& w, const op& o) {
  const u64 mask = w.exec();
  if (!mask) return;
  alignas(32) u32 room[3][row_lanes], result[row_lanes];
  alignas(32) float v[3][row_lanes];
  const u32 n = w.blocks * block_lanes;
  const bool keeps = keeps_subnormal_inputs(w, precision::other), nan_too = clamps_nan(w);
  for (u32 i = 0; i < 3; ++i) {
    const u32* s = fetch(w, o.src[i], room[i]);
    const u32 how = o.x->data[i], shift = how & 2 ? 16 : 0;
    for (u32 l = 0; l < n; ++l) {
      const u32 half = s[l] >> shift & 0xffffu;
      float f = how & 1 ? half_to_float(keeps ? half : flush_half(half)) : bits_as<float>(s[l]);
      if (how & 8) f = std::fabs(f);
      if (how & 4) f = -f;
      v[i][l] = f;
    }
  }
  const auto clamped = [&](float x) {
    return !o.clamp ? x : x > 0 ? (x < 1 ? x : 1.f) : x != x && !nan_too ? x : 0.f;
  };
  if (!(o.flags & 3)) {
    for (u32 l = 0; l < n; ++l)
      result[l] = bits_as<u32>(clamped(__builtin_fmaf(v[0][l], v[1][l], v[2][l])));
    write_rows(w, o.dst.reg, 1, result, mask);
    return;
  }
  // To half, the sum is rounded only once.
  double exact[row_lanes];
  for (u32 l = 0; l < n; ++l)
    exact[l] = static_cast<double>(v[0][l]) * static_cast<double>(v[1][l]) +
               static_cast<double>(v[2][l]);
  const other_precision_scope scope(w);
  for (u32 l = 0; l < n; ++l) result[l] = float_to_half_by_mode(clamped(to_odd_float(exact[l])));
  flush_results(w, type::f16, result);
  const u32* old = w.row(o.dst.reg);
  for (u32 l = 0; l < n; ++l)
    result[l] = (o.flags & 3) == 1 ? (old[l] & 0xffff0000u) | result[l]
                                   : (old[l] & 0xffffu) | result[l] << 16;
  write_rows(w, o.dst.reg, 1, result, mask);
}
void build_mix(binder& b, const void* payload) {
  op& o = b.o;
  const u32 sel = b.in.bits("op_sel").value_or(0), hi = b.in.bits("op_sel_hi").value_or(0);
  for (u32 i = 0; i < 3; ++i) {
    const bool half = hi >> i & 1;
    source s = b.read(1 + i, half ? type::pkf16 : type::f32);
    b.x.data[i] = (half ? 1u : 0u) | (sel >> i & 1) << 1 | (s.neg ? 4u : 0u) | (s.abs ? 8u : 0u);
    s.t = type::b32;
    s.neg = s.abs = false;
    s.sel = 6;
    s.plain = s.k == source::vgpr;
    if (s.k == source::imm) b.spread(s);
    o.src[i] = s;
  }
  o.dst = b.write(0, 1);
  o.clamp = b.in.has("clamp");
  o.flags = static_cast<u8>(reinterpret_cast<std::uintptr_t>(payload));
  o.run = mix;
}

// ---- exchange of two registers

void swap(wave& w, const op& o) {
  const u64 mask = w.exec();
  if (!mask) return;
  alignas(32) u32 a[row_lanes], b[row_lanes];
  std::memcpy(a, w.row(o.dst.reg), sizeof a);
  std::memcpy(b, w.row(o.src[0].reg), sizeof b);
  const u32* m = w.expand(mask);
  u32 *x = w.row(o.dst.reg), *y = w.row(o.src[0].reg);
  for (u32 l = 0; l < w.blocks * block_lanes; ++l) {
    x[l] = (b[l] & m[l]) | (a[l] & ~m[l]);
    y[l] = (a[l] & m[l]) | (b[l] & ~m[l]);
  }
}
void build_swap(binder& b, const void*) {
  b.o.dst = b.write(0, 1);
  b.o.src[0] = b.read(1, type::b32);
  b.write(1, 1);
  b.note_read(b.o.dst);
  b.o.run = swap;
}
void swap16(wave& w, const op& o) {
  const u64 mask = w.exec();
  u32 *x = w.row(o.dst.reg), *y = w.row(o.src[0].reg);
  const u32 sx = o.flags & 1 ? 16 : 0, sy = o.flags & 2 ? 16 : 0;
  for (u32 l = 0; l < w.lanes; ++l) {
    if (!(mask >> l & 1)) continue;
    const u32 a = x[l] >> sx & 0xffffu, c = y[l] >> sy & 0xffffu;
    x[l] = (x[l] & ~(0xffffu << sx)) | c << sx;
    y[l] = (y[l] & ~(0xffffu << sy)) | a << sy;
  }
}
void build_swap16(binder& b, const void* p) {
  build_swap(b, p);
  b.o.flags = static_cast<u8>((b.operand(0).high || (b.in.halves & 8) ? 1 : 0) |
                              (b.operand(1).high || (b.in.halves & 1) ? 2 : 0));
  b.o.run = swap16;
}

void nothing(wave&, const op&) {}
void build_nothing(binder& b, const void*) { b.o.run = nothing; }

}  // namespace

void define_valu_special(definitions& d) {
  static const int yes = 1;
  d.add("v_cndmask_b32", build_cndmask);
  d.add("v_cndmask_b16", build_cndmask, &yes, 11);
  for (const carry_form& f : carry_table) d.add(f.name, build_carry, &f);
  d.add("v_mad_u64_u32", build_mad64);
  d.add("v_mad_i64_i32", build_mad64, &yes);
  d.alias("v_mad_co_u64_u32", "v_mad_u64_u32");
  d.alias("v_mad_co_i64_i32", "v_mad_i64_i32");
  d.add("v_div_scale_f32", build_div_scale);
  d.add("v_div_scale_f64", build_div_scale, &yes);
  d.add("v_div_fmas_f32", build_div_fmas);
  d.add("v_div_fmas_f64", build_div_fmas, &yes);
  d.add("v_fma_mix_f32", build_mix, nullptr);
  d.add("v_fma_mixlo_f16", build_mix, reinterpret_cast<const void*>(std::uintptr_t{1}));
  d.add("v_fma_mixhi_f16", build_mix, reinterpret_cast<const void*>(std::uintptr_t{2}));
  d.alias("v_mad_mix_f32", "v_fma_mix_f32");
  d.alias("v_mad_mixlo_f16", "v_fma_mixlo_f16");
  d.alias("v_mad_mixhi_f16", "v_fma_mixhi_f16");
  d.add("v_swap_b32", build_swap);
  d.add("v_swap_b16", build_swap16, nullptr, 9);
  d.add("v_nop", build_nothing);
  d.alias("v_clrexcp", "v_nop");
}

}  // namespace amdsim
