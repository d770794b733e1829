// Dot products: pairs of 16-bit floats, and bytes and nibbles with chosen signs.
#include "lanes.hpp"
#include "math.hpp"
#include "small_float.hpp"
#include "valu.hpp"
#include "valu_mode.hpp"

namespace amdsim {
namespace {

// ---- of two pairs
struct dot_form {
  const char* name;
  bool bf, to_half, accumulates;
};
constexpr dot_form dot_table[] = {
    {"v_dot2_f32_f16", false, false, false},   {"v_dot2c_f32_f16", false, false, true},
    {"v_dot2acc_f32_f16", false, false, true}, {"v_dot2_f32_bf16", true, false, false},
    {"v_dot2c_f32_bf16", true, false, true},   {"v_dot2_f16_f16", false, true, false},
    {"v_dot2_bf16_bf16", true, true, false},
};
/// Products are exact; the three terms are added in double and rounded once. To single precision,
/// subnormal inputs and results are flushed whatever MODE says; halves follow MODE.
void dot2(wave& w, const op& o) {
  u64 mask = w.exec();
  if (!mask) return;
  alignas(32) u32 room[3][row_lanes], result[row_lanes];
  const bool bf = o.flags & 1, narrow = o.flags & 2;
  const u32* s[3];
  for (u32 i = 0; i < 3; ++i) {
    s[i] = i == 0 && o.uses_dpp ? fetch_dpp(w, o, room[0], mask) : fetch(w, o.src[i], room[i]);
    if (!bf && (i < 2 || narrow)) s[i] = flush_inputs(w, o.src[i], s[i], room[i]);
  }
  const auto value = [bf](u32 x) {
    return static_cast<double>(bf ? bfloat_to_float(x & 0xffffu) : half_to_float(x & 0xffffu));
  };
  const other_precision_scope scope(w, precision::other,
                                    narrow ? precision::other : precision::single);
  for (u32 l = 0; l < w.lanes; ++l) {
    const double acc = narrow ? value(s[2][l])
                              : static_cast<double>(flush(bits_as<float>(s[2][l])));
    const double sum = value(s[0][l]) * value(s[1][l]) +
                       value(s[0][l] >> 16) * value(s[1][l] >> 16) + acc;
    result[l] = !narrow ? bits_as<u32>(flush(static_cast<float>(sum)))
                : bf    ? float_to_bfloat(to_odd_float(sum))
                        : float_to_half_by_mode(to_odd_float(sum));
  }
  if (narrow && !bf) flush_results(w, type::f16, result);
  retire(w, o, result, mask);
}
void build_dot2(binder& b, const void* payload) {
  const auto& f = *static_cast<const dot_form*>(payload);
  const type pair = f.bf ? type::pkbf16 : type::pkf16,
             acc = f.to_half ? (f.bf ? type::bf16 : type::f16) : type::f32;
  const type types[] = {pair, pair, acc};
  bind_sources(b, 1, types, f.accumulates ? 2 : 3);
  bind_destination(b, 0, acc);
  if (f.accumulates) {
    b.o.src[2] = b.o.dst;
    b.o.src[2].plain = true;
    b.note_read(b.o.src[2]);
  }
  b.o.flags = static_cast<u8>((f.bf ? 1 : 0) | (f.to_half ? 2 : 0));
  b.o.run = dot2;
}

// ---- of four bytes or eight nibbles whose signs the instruction chooses. flags: bit 0 A is
// signed, bit 1 B is, bit 2 nibbles

void dot_integers(wave& w, const op& o) {
  const u64 mask = w.exec();
  if (!mask) return;
  alignas(32) u32 room[3][row_lanes], result[row_lanes];
  const u32* s[3];
  for (u32 i = 0; i < 3; ++i) s[i] = fetch(w, o.src[i], room[i]);
  const u32 bits = o.flags & 4 ? 4 : 8, part = (1u << bits) - 1;
  const auto element = [&](u32 x, u32 at, bool sign) {
    return sign ? static_cast<i64>(sign_extend(x >> at & part, bits))
                : static_cast<i64>(x >> at & part);
  };
  for (u32 l = 0; l < w.lanes; ++l) {
    i64 sum = static_cast<i32>(s[2][l]);
    for (u32 at = 0; at < 32; at += bits)
      sum += element(s[0][l], at, o.flags & 1) * element(s[1][l], at, o.flags & 2);
    result[l] = !o.clamp ? static_cast<u32>(sum)
                         : static_cast<u32>(sum > 0x7fffffff      ? 0x7fffffff
                                            : sum < -0x80000000ll ? -0x80000000ll
                                                                  : sum);
  }
  write_rows(w, o.dst.reg, 1, result, mask);
}
void build_dot_integers(binder& b, const void* payload) {
  const type types[] = {type::b32, type::b32, type::i32};
  const u32 neg = b.in.bits("neg_lo").value_or(0);
  bind_sources(b, 1, types, 3);
  b.o.dst = b.write(0, 1);
  b.o.clamp = b.in.has("clamp");
  b.o.flags = static_cast<u8>((neg & 3) | (payload ? 4 : 0));
  b.o.run = dot_integers;
}

// ---- gfx12: of four 8-bit floats. flags: bit 0 A is bf8, bit 1 B is

struct small_dot {
  const char* name;
  u8 flags;
};
constexpr small_dot small_table[] = {{"v_dot4_f32_fp8_fp8", 0},
                                     {"v_dot4_f32_bf8_fp8", 1},
                                     {"v_dot4_f32_fp8_bf8", 2},
                                     {"v_dot4_f32_bf8_bf8", 3}};

/// The four products and the sum are exact in double, or nearly so, and rounded once.
void dot_small(wave& w, const op& o) {
  const u64 mask = w.exec();
  if (!mask) return;
  alignas(32) u32 room[3][row_lanes], result[row_lanes];
  const u32* s[3];
  for (u32 i = 0; i < 3; ++i) s[i] = fetch(w, o.src[i], room[i]);
  const float* a = small_values(o.flags & 1 ? bf8_format(false) : fp8_format(false));
  const float* b = small_values(o.flags & 2 ? bf8_format(false) : fp8_format(false));
  for (u32 l = 0; l < w.lanes; ++l) {
    double sum = 0;
    for (u32 at = 0; at < 32; at += 8)
      sum += static_cast<double>(a[s[0][l] >> at & 255]) *
             static_cast<double>(b[s[1][l] >> at & 255]);
    result[l] = bits_as<u32>(
        static_cast<float>(sum + static_cast<double>(bits_as<float>(s[2][l]))));
  }
  write_rows(w, o.dst.reg, 1, result, mask);
}
void build_dot_small(binder& b, const void* payload) {
  const auto& f = *static_cast<const small_dot*>(payload);
  const u32 neg = b.in.bits("neg_lo").value_or(0), abs = b.in.bits("neg_hi").value_or(0);
  if ((neg | abs) & 3) b.refuse("a sign on a small float");
  const type types[] = {type::b32, type::b32, type::f32};
  bind_sources(b, 1, types, 3);
  source& c = b.o.src[2];
  c.neg = neg >> 2 & 1;
  c.abs = abs >> 2 & 1;
  c.plain = c.plain && !c.neg && !c.abs;
  if (c.k == source::imm && (c.neg || c.abs)) b.refuse("a sign on a constant");
  b.o.dst = b.write(0, 1);
  b.o.flags = f.flags;
  b.o.run = dot_small;
}

}  // namespace

void define_valu_dot(definitions& d) {
  static const int yes = 1;
  for (const dot_form& f : dot_table) d.add(f.name, build_dot2, &f);
  d.add("v_dot4_i32_iu8", build_dot_integers);
  d.add("v_dot8_i32_iu4", build_dot_integers, &yes);
  for (const small_dot& f : small_table) d.add(f.name, build_dot_small, &f);
}

}  // namespace amdsim
