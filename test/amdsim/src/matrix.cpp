// The instructions of the matrix cores: MFMA of gfx9 and WMMA of gfx11 and gfx12.
#include "matrix.hpp"

#include <cstdio>
#include <tuple>
#include <utility>

#include "decode.hpp"
#include "valu.hpp"
#include "valu_mode.hpp"

namespace amdsim {
namespace {

/// Shape and formats of a matrix instruction, kept in op_extra::data.
struct shape {
  u32 m, k, blocks, n;  ///< n: elements of A (and B) per lane
  element a, b;
  u32 cbsz, abid, blgp;
  bool flushes;  ///< subnormal inputs and outputs become zero
};
shape shape_of(const op& o) {
  const auto& d = o.x->data;
  return {d[0] & 255,
          d[0] >> 8 & 255,
          d[0] >> 16 & 255,
          d[0] >> 24,
          static_cast<element>(d[1] & 255),
          static_cast<element>(d[1] >> 8 & 255),
          d[2] & 7,
          d[2] >> 3 & 15,
          d[2] >> 7 & 7,
          (d[2] >> 10 & 1) != 0};
}
void keep_shape(op_extra& x, const shape& s) {
  x.data[0] = s.m | s.k << 8 | s.blocks << 16 | s.n << 24;
  x.data[1] = static_cast<u32>(s.a) | static_cast<u32>(s.b) << 8;
  x.data[2] = s.cbsz | s.abid << 3 | s.blgp << 7 | (s.flushes ? 1u : 0u) << 10;
}

/// Lane that supplies lane l of B under a lane-group pattern.
u32 b_lane(u32 l, u32 pattern) {
  switch (pattern) {
    case 1: return l & 31;
    case 2: return 32 + (l & 31);
    case 3: return (l + 16) & 63;
    case 4:
    case 5:
    case 6:
    case 7: return 16 * (pattern - 4) + (l & 15);
    default: return l;
  }
}
const u32* patterned(const u32* rows, u32 count, u32 pattern, u32* room) {
  if (!pattern) return rows;
  for (u32 r = 0; r < count; ++r)
    for (u32 l = 0; l < row_lanes; ++l)
      room[r * row_lanes + l] = rows[r * row_lanes + b_lane(l, pattern)];
  return room;
}

void flush_matrix(float* x, u32 n, float smallest) {
  for (u32 i = 0; i < n; ++i)
    if (std::fabs(x[i]) < smallest) x[i] = std::copysign(0.f, x[i]);
}
float smallest_normal(element e) { return e == element::f16 ? 0x1p-14f : 0x1p-126f; }

/// Row i of an accumulator block in registers: M = 32, 16 (gfx9).
template <u32 Width>
float* gfx9_row(wave& w, u32 reg, u32 i) {
  if constexpr (Width == 32)
    return reinterpret_cast<float*>(w.row(reg + i / 8 * 4 + i % 4) + 32 * (i / 4 % 2));
  return reinterpret_cast<float*>(w.row(reg + i % 4) + 16 * (i / 4));
}

u32 registers_of(u32 n, element e) { return (n * element_bits(e) + 31) / 32; }

/// One block per width: D = A B + C in single precision.
template <u32 Width>
void mfma_float(wave& w, const op& o) {
  const default_float_scope scope;
  const shape s = shape_of(o);
  alignas(32) float a[matrix_max], b[matrix_max], constant[Width];
  alignas(32) u32 room[8 * row_lanes];
  const bool fnuz = w.prog->target->fp8_fnuz();
  const u32 groups = row_lanes / Width;
  // With several blocks a group of lanes is a block; with one it is a part of k.
  const u32* rows_b = patterned(w.row(o.src[1].reg), registers_of(s.n, s.b), s.blgp, room);
  unpack_matrix(a, w.row(o.src[0].reg), Width, groups, s.n, s.a, fnuz);
  unpack_matrix(b, rows_b, Width, groups, s.n, s.b, fnuz);
  if (s.flushes) {
    flush_matrix(a, groups * s.n * Width, smallest_normal(s.a));
    flush_matrix(b, groups * s.n * Width, smallest_normal(s.b));
  }
  if (o.src[2].k != source::vgpr)
    for (float& x : constant)
      x = bits_as<float>(o.src[2].k == source::imm ? o.src[2].lo : read32(w, o.src[2]));
  constexpr u32 per_block = Width == 32 ? 16 : 4;
  const float* c[Width];
  float* d[Width];
  alignas(32) float result[4][Width][Width];  // all blocks first: D may overlap C in part
  const bool in_place = s.blocks == 1 && (o.src[2].k != source::vgpr || o.src[2].reg == o.dst.reg);
  for (u32 block = 0; block < s.blocks; ++block) {
    const u32 from_a = s.cbsz ? (block & ~((1u << s.cbsz) - 1)) + s.abid : block;
    for (u32 i = 0; i < Width; ++i) {
      c[i] = o.src[2].k == source::vgpr ? gfx9_row<Width>(w, o.src[2].reg + per_block * block, i)
                                        : constant;
      d[i] = in_place ? gfx9_row<Width>(w, o.dst.reg, i) : result[block][i];
    }
    multiply_rows<Width>(d, c, a + from_a * s.k * Width, b + block * s.k * Width, s.k);
  }
  if (!in_place)
    for (u32 block = 0; block < s.blocks; ++block)
      for (u32 i = 0; i < Width; ++i)
        std::memcpy(gfx9_row<Width>(w, o.dst.reg + per_block * block, i), result[block][i],
                    sizeof(float) * Width);
  if (s.flushes)
    for (u32 r = 0; r < per_block * s.blocks; ++r)
      flush_matrix(reinterpret_cast<float*>(w.row(o.dst.reg + r)), row_lanes, 0x1p-126f);
}

/// 16 blocks of 4 x 4: lane 4 b + j holds column j of block b, register i row i.
void mfma_float4(wave& w, const op& o) {
  const default_float_scope scope;
  const shape s = shape_of(o);
  alignas(32) float a[matrix_max], b[matrix_max];
  alignas(32) u32 room[8 * row_lanes];
  const bool fnuz = w.prog->target->fp8_fnuz();
  const u32* rows_b = patterned(w.row(o.src[1].reg), registers_of(s.n, s.b), s.blgp, room);
  unpack_matrix(a, w.row(o.src[0].reg), 4, 16, s.n, s.a, fnuz);
  unpack_matrix(b, rows_b, 4, 16, s.n, s.b, fnuz);
  if (s.flushes) {
    flush_matrix(a, 64 * s.n, smallest_normal(s.a));
    flush_matrix(b, 64 * s.n, smallest_normal(s.b));
  }
  u32 result[4][row_lanes];
  for (u32 l = 0; l < row_lanes; ++l) {
    const u32 block = l / 4, j = l % 4,
              from_a = s.cbsz ? (block & ~((1u << s.cbsz) - 1)) + s.abid : block;
    for (u32 i = 0; i < 4; ++i) {
      float x = o.src[2].k == source::vgpr ? bits_as<float>(w.row(o.src[2].reg + i)[l])
                                           : bits_as<float>(read32(w, o.src[2]));
      for (u32 k = 0; k < s.k; ++k)
        x = std::fma(a[(from_a * s.k + k) * 4 + i], b[(block * s.k + k) * 4 + j], x);
      if (s.flushes && std::fabs(x) < 0x1p-126f) x = std::copysign(0.f, x);
      result[i][l] = bits_as<u32>(x);
    }
  }
  for (u32 i = 0; i < 4; ++i) std::memcpy(w.row(o.dst.reg + i), result[i], sizeof result[i]);
}

/// Integers: sums wrap, or saturate with clamp.
void mfma_int(wave& w, const op& o) {
  const shape s = shape_of(o);
  alignas(32) float a[matrix_max], b[matrix_max];
  alignas(32) u32 room[8 * row_lanes];
  const u32* rows_b = patterned(w.row(o.src[1].reg), registers_of(s.n, s.b), s.blgp, room);
  const u32 groups = row_lanes / s.m;
  unpack_matrix(a, w.row(o.src[0].reg), s.m, groups, s.n, s.a, false);
  unpack_matrix(b, rows_b, s.m, groups, s.n, s.b, false);
  const u32 per_block = s.m == 32 ? 16 : 4;
  static thread_local u32 result[32][row_lanes];
  for (u32 block = 0; block < s.blocks; ++block) {
    const u32 from_a = s.cbsz ? (block & ~((1u << s.cbsz) - 1)) + s.abid : block;
    for (u32 i = 0; i < s.m; ++i)
      for (u32 j = 0; j < s.m; ++j) {
        const u32 reg = s.m == 32 ? i / 8 * 4 + i % 4 : s.m == 16 ? i % 4 : i;
        const u32 lane = s.m == 32   ? 32 * (i / 4 % 2) + j
                         : s.m == 16 ? 16 * (i / 4) + j
                                     : 4 * block + j;
        const u32 at = s.m == 4 ? reg : per_block * block + reg;
        i64 x = static_cast<i32>(o.src[2].k == source::vgpr ? w.row(o.src[2].reg + at)[lane]
                                                            : read32(w, o.src[2]));
        for (u32 k = 0; k < s.k; ++k)
          x += static_cast<i64>(a[(from_a * s.k + k) * s.m + i]) *
               static_cast<i64>(b[(block * s.k + k) * s.m + j]);
        if (o.clamp)
          x = x > 0x7fffffff ? 0x7fffffff : x < -0x7fffffffll - 1 ? -0x7fffffffll - 1 : x;
        result[at][lane] = static_cast<u32>(x);
      }
  }
  const u32 regs = s.m == 4 ? 4 : per_block * s.blocks;
  for (u32 r = 0; r < regs; ++r) std::memcpy(w.row(o.dst.reg + r), result[r], sizeof result[r]);
}

double double_at(wave& w, u32 reg, u32 lane) {
  return bits_as<double>(join(w.row(reg)[lane], w.row(reg + 1)[lane]));
}

/// Double precision. 16x16x4: lane 16 k + i; row 4 r + l / 16. 4x4x4, four blocks: lane 16 k + 4 b
/// + i; row l / 16.
void mfma_double(wave& w, const op& o) {
  const default_float_scope scope;
  const shape s = shape_of(o);
  const double na = s.blgp & 1 ? -1 : 1, nb = s.blgp & 2 ? -1 : 1, nc = s.blgp & 4 ? -1 : 1;
  const u32 regs = s.m == 16 ? 4 : 1;
  double result[4][row_lanes];
  for (u32 r = 0; r < regs; ++r)
    for (u32 l = 0; l < row_lanes; ++l) {
      const u32 row = s.m == 16 ? 4 * r + l / 16 : l / 16, col = s.m == 16 ? l % 16 : l % 4,
                block = s.m == 16 ? 0 : l / 4 % 4;
      const u32 from_a = s.cbsz ? (block & ~((1u << s.cbsz) - 1)) + s.abid : block;
      double x = nc * (o.src[2].k == source::vgpr ? double_at(w, o.src[2].reg + 2 * r, l)
                                                  : bits_as<double>(read64(w, o.src[2])));
      for (u32 k = 0; k < 4; ++k) {
        const u32 la = s.m == 16 ? 16 * k + row : 16 * k + 4 * from_a + row,
                  lb = s.m == 16 ? 16 * k + col : 16 * k + 4 * block + col;
        x = std::fma(na * double_at(w, o.src[0].reg, la), nb * double_at(w, o.src[1].reg, lb), x);
      }
      result[r][l] = x;
    }
  for (u32 r = 0; r < regs; ++r)
    for (u32 l = 0; l < row_lanes; ++l) {
      w.row(o.dst.reg + 2 * r)[l] = low32(bits_as<u64>(result[r][l]));
      w.row(o.dst.reg + 2 * r + 1)[l] = high32(bits_as<u64>(result[r][l]));
    }
}

/// gfx950's 8-, 6- and 4-bit products, with or without a power-of-two scale per 32 elements of k.
/// data[3]: scale A register + 1, byte; data[4]: the same for B
template <u32 Width>
void mfma_f8f6f4(wave& w, const op& o) {
  const default_float_scope scope;
  const shape s = shape_of(o);
  alignas(32) float a[matrix_max], b[matrix_max], constant[Width];
  const u32 groups = row_lanes / Width;
  unpack_matrix(a, w.row(o.src[0].reg), Width, groups, s.n, s.a, false);
  unpack_matrix(b, w.row(o.src[1].reg), Width, groups, s.n, s.b, false);
  const auto scale = [&](float* x, u32 operand, u32 packed) {
    const source& src = operand ? o.src[1] : o.src[3];
    (void)src;
    if (!packed) return;
    const u32 byte = packed >> 16 & 3, reg = (packed & 0xffffu) - 1;
    for (u32 g = 0; g < groups; ++g)
      for (u32 i = 0; i < Width; ++i) {
        const u32 raw = packed >> 31 ? (packed & 0xffffu) - 1
                                     : w.row(reg)[g * Width + i] >> (8 * byte) & 255u;
        const float f = raw == 255 ? NAN : std::ldexp(1.0f, static_cast<int>(raw) - 127);
        for (u32 k = 0; k < s.n; ++k) x[(s.n * g + k) * Width + i] *= f;
      }
  };
  scale(a, 0, o.x->data[3]);
  scale(b, 1, o.x->data[4]);
  if (o.src[2].k != source::vgpr)
    for (float& x : constant) x = bits_as<float>(read32(w, o.src[2]));
  const float* c[Width];
  float* d[Width];
  alignas(32) float result[Width][Width];
  for (u32 i = 0; i < Width; ++i) {
    c[i] = o.src[2].k == source::vgpr ? gfx9_row<Width>(w, o.src[2].reg, i) : constant;
    d[i] = result[i];
  }
  multiply_rows<Width>(d, c, a, b, s.k);
  for (u32 i = 0; i < Width; ++i)
    std::memcpy(gfx9_row<Width>(w, o.dst.reg, i), result[i], sizeof result[i]);
}

bool parse_element(const std::string& s, element& e) {
  struct row {
    const char* n;
    element e;
  };
  for (const row& r :
       {row{"f16", element::f16}, row{"bf16", element::bf16}, row{"f32", element::f32},
        row{"xf32", element::xf32}, row{"fp8", element::fp8}, row{"bf8", element::bf8},
        row{"i8", element::i8}, row{"iu8", element::u8_}, row{"iu4", element::u4}})
    if (s == r.n) {
      e = r.e;
      return true;
    }
  return false;
}

/// v_mfma_f32_32x32x8_bf16, v_mfma_f32_32x32x8bf16_1k, v_mfma_f32_32x32x4_2b_f16,
/// v_mfma_f32_16x16x32_fp8_bf8 ...
void build_mfma(binder& b, const void*) {
  const std::string& name = b.in.name;
  const bool scaled = name.rfind("v_mfma_scale_", 0) == 0;
  const std::string rest = name.substr(scaled ? 13 : 7);
  const std::string result = rest.substr(0, 3);
  unsigned m, n2, k;
  int used = 0;
  if (std::sscanf(rest.c_str() + 4, "%ux%ux%u%n", &m, &n2, &k, &used) != 3 || m != n2)
    b.refuse("matrix shape");
  std::string tail = rest.substr(4 + static_cast<std::size_t>(used));
  if (!tail.empty() && tail[0] == '_') tail.erase(0, 1);
  if (const auto blocks = tail.find("b_"); blocks != std::string::npos && blocks > 0 &&
                                           std::isdigit(static_cast<unsigned char>(tail[0])))
    tail = tail.substr(blocks + 2);
  const bool one_k = tail.ends_with("_1k");
  if (one_k) tail.resize(tail.size() - 3);

  op& o = b.o;
  shape s{};
  s.m = m;
  s.k = k;
  s.cbsz = static_cast<u32>(b.in.number("cbsz"));
  s.abid = static_cast<u32>(b.in.number("abid"));
  s.blgp = static_cast<u32>(b.in.number("blgp"));
  if (const auto neg = b.in.bits("neg")) s.blgp = *neg;
  o.clamp = b.in.has("clamp");
  const std::size_t regs_a = b.operand(1).count;
  u32 d_regs = m == 32 ? 16 : 4;
  if (result == "f64") {
    s.n = 1;
    s.blocks = m == 4 ? 4 : 1;
    d_regs = m == 4 ? 2 : 8;
    o.run = mfma_double;
  } else if (tail == "f8f6f4") {
    constexpr element formats[] = {element::fp8, element::bf8, element::fp6, element::bf6,
                                   element::fp4};
    if (s.cbsz > 4 || s.blgp > 4) b.refuse("matrix format");
    s.a = formats[s.cbsz];
    s.b = formats[s.blgp];
    s.cbsz = s.blgp = 0;
    s.n = 32;
    s.blocks = 1;
    o.run = m == 32 ? mfma_f8f6f4<32> : mfma_f8f6f4<16>;
  } else {
    const auto cut = tail.find('_');
    if (!parse_element(tail.substr(0, cut), s.a)) b.refuse("matrix format");
    s.b = s.a;
    if (cut != std::string::npos && !parse_element(tail.substr(cut + 1), s.b))
      b.refuse("matrix format");
    s.n = static_cast<u32>(regs_a) * 32 / element_bits(s.a);
    if (s.n < m * k / 64)
      s.n = m * k / 64;  // gfx950's wider forms are printed with the operands of narrower ones
    s.blocks = 64 * s.n / (m * k);
    s.flushes = b.prog.target->is("gfx90a") && (s.a == element::f16 || s.a == element::bf16);
    if (result == "i32") o.run = mfma_int;
    else if (m == 4) o.run = mfma_float4;
    else o.run = m == 32 ? mfma_float<32> : mfma_float<16>;
    if (m != 4) d_regs *= s.blocks;
  }
  if (s.blocks == 0 || s.n == 0) b.refuse("matrix shape");
  const auto wide = [&](std::size_t i, u32 regs) {
    source x = b.read(i, result == "f64" ? type::f64 : i == 3 ? type::f32 : type::wide, true);
    if (x.k == source::vgpr) {
      x.rows = static_cast<u8>(regs);
      b.x.reads.back().count = static_cast<u8>(regs);
    }
    return x;
  };
  o.src[0] = wide(1, result == "f64" ? 2 : registers_of(s.n, s.a));
  o.src[1] = wide(2, result == "f64" ? 2 : registers_of(s.n, s.b));
  o.src[2] = wide(3, d_regs);
  if (o.src[2].k == source::imm && result == "i32")
    o.src[2].lo = b.operand(3).k == operand_text::kind::integer
                      ? static_cast<u32>(b.operand(3).value)
                      : o.src[2].lo;
  if (scaled) {
    const u32 sel = b.in.bits("op_sel").value_or(0), hi = b.in.bits("op_sel_hi").value_or(0);
    for (u32 i = 0; i < 2; ++i) {
      const source x = b.read(4 + i, type::b32, true);
      const u32 byte = (sel >> i & 1) | (hi >> i & 1) << 1;
      if (x.k == source::vgpr) b.x.data[3 + i] = (x.reg + 1u) | byte << 16;
      else if (x.k == source::imm) b.x.data[3 + i] = ((x.lo >> (8 * byte) & 255) + 1) | 1u << 31;
      else b.refuse("scale in a scalar register");
    }
  }
  o.dst = b.write(0, d_regs, true);
  keep_shape(b.x, s);
}

// ---- WMMA. flags: bit 0 gfx12 layout, bit 1 16-bit result, bit 2 the result is bf16, bit 3
// integers; data[3]: half of C and D (gfx11)

void wmma(wave& w, const op& o) {
  const default_float_scope scope;
  const shape s = shape_of(o);
  const bool gfx12 = o.flags & 1, narrow = o.flags & 2, bf = o.flags & 4, wave64 = w.lanes == 64;
  alignas(32) float a[matrix_max], b[matrix_max];
  if (gfx12) {
    // The lanes share k among them; any assignment that A and B have in common gives the product.
    unpack_matrix(a, w.row(o.src[0].reg), 16, w.lanes / 16, s.n, s.a, false);
    unpack_matrix(b, w.row(o.src[1].reg), 16, w.lanes / 16, s.n, s.b, false);
  } else {
    // Lane l holds all of k; the other lanes repeat the first 16.
    unpack_matrix(a, w.row(o.src[0].reg), 16, 1, s.n, s.a, false);
    unpack_matrix(b, w.row(o.src[1].reg), 16, 1, s.n, s.b, false);
  }
  const u32 groups = wave64 ? 4 : 2, per = 16 / groups;
  // Row i of the result: element `at` of lane group `group`.
  const auto place = [&](u32 i, u32& at, u32& group) {
    if (gfx12) {
      group = i / per;
      at = i % per;
    } else {
      group = i % groups;
      at = i / groups;
    }
  };
  const auto read_c = [&](u32 at, u32 lane) -> u32 {
    if (o.src[2].k != source::vgpr)
      return o.src[2].k == source::imm ? o.src[2].lo : read32(w, o.src[2]);
    if (!narrow) return w.row(o.src[2].reg + at)[lane];
    const u32 reg = gfx12 ? at / 2 : at, shift = gfx12 ? 16 * (at % 2) : 16 * o.x->data[3];
    return w.row(o.src[2].reg + reg)[lane] >> shift & 0xffffu;
  };
  u32 result[8][row_lanes];
  if (o.flags & 8) {
    for (u32 i = 0; i < 16; ++i) {
      u32 at, group;
      place(i, at, group);
      for (u32 j = 0; j < 16; ++j) {
        i64 x = static_cast<i32>(read_c(at, 16 * group + j));
        for (u32 k = 0; k < s.k; ++k)
          x += static_cast<i64>(a[k * 16 + i]) * static_cast<i64>(b[k * 16 + j]);
        if (o.clamp)
          x = x > 0x7fffffff ? 0x7fffffff : x < -0x7fffffffll - 1 ? -0x7fffffffll - 1 : x;
        result[at][16 * group + j] = static_cast<u32>(x);
      }
    }
  } else {
    alignas(32) float c[16][16];
    const u32 flip = o.x->data[4], keep = o.x->data[5] ? 0x7fffffffu : ~0u;
    float* d[16];
    const float* from[16];
    for (u32 i = 0; i < 16; ++i) {
      u32 at, group;
      place(i, at, group);
      d[i] = c[i];
      from[i] = c[i];
      for (u32 j = 0; j < 16; ++j) {
        const u32 raw = read_c(at, 16 * group + j);
        const float f = narrow ? (bf ? bfloat_to_float(raw) : half_to_float(raw))
                               : bits_as<float>(raw);
        c[i][j] = bits_as<float>((bits_as<u32>(f) & keep) ^ flip);
      }
    }
    multiply_rows<16>(d, from, a, b, s.k);
    for (u32 i = 0; i < 16; ++i) {
      u32 at, group;
      place(i, at, group);
      for (u32 j = 0; j < 16; ++j)
        result[at][16 * group + j] = narrow
                                         ? (bf ? float_to_bfloat(c[i][j]) : float_to_half(c[i][j]))
                                         : bits_as<u32>(c[i][j]);
    }
  }
  for (u32 at = 0; at < per; ++at)
    for (u32 l = 0; l < w.lanes; ++l) {
      if (!narrow) {
        w.row(o.dst.reg + at)[l] = result[at][l];
      } else {
        u32& r = w.row(o.dst.reg + (gfx12 ? at / 2 : at))[l];
        const u32 shift = gfx12 ? 16 * (at % 2) : 16 * o.x->data[3];
        r = (r & ~(0xffffu << shift)) | result[at][l] << shift;
      }
    }
}

void build_wmma(binder& b, const void*) {
  const std::string rest = b.in.name.substr(7);  // f32_16x16x16_f16
  const auto cut = rest.find('_');
  const std::string result = rest.substr(0, cut);
  unsigned m, n2, k;
  int used = 0;
  if (std::sscanf(rest.c_str() + cut + 1, "%ux%ux%u%n", &m, &n2, &k, &used) != 3 || m != 16)
    b.refuse("matrix shape");
  std::string tail = rest.substr(cut + 2 + static_cast<std::size_t>(used));
  op& o = b.o;
  shape s{};
  s.m = 16;
  s.k = k;
  s.blocks = 1;
  const auto second = tail.find('_');
  if (!parse_element(tail.substr(0, second), s.a)) b.refuse("matrix format");
  s.b = s.a;
  if (second != std::string::npos && !parse_element(tail.substr(second + 1), s.b))
    b.refuse("matrix format");
  const bool gfx12 = b.gfx12(), integer = result == "i32",
             narrow = result == "f16" || result == "bf16";
  if (integer) {
    const u32 neg = b.in.bits("neg_lo").value_or(0);
    if (neg & 1) s.a = s.a == element::u8_ ? element::i8 : element::i4;
    if (neg & 2) s.b = s.b == element::u8_ ? element::i8 : element::i4;
  }
  const u32 lanes = b.prog.wave64 ? 64 : 32;
  s.n = gfx12 ? k * 16 / lanes : k;
  const u32 ab = (s.n * element_bits(s.a) + 31) / 32;
  const u32 per = 16 * 16 / lanes, cd = narrow ? (gfx12 ? per / 2 : per) : per;
  const auto operand = [&](std::size_t i, u32 regs, type t) {
    source x = b.read(i, t, true);
    if (x.k == source::vgpr) {
      x.rows = static_cast<u8>(regs);
      b.x.reads.back().count = static_cast<u8>(regs);
    }
    return x;
  };
  o.src[0] = operand(1, ab, type::wide);
  o.src[1] = operand(2, ab, type::wide);
  o.src[2] = operand(3, cd,
                     result == "f16"    ? type::f16
                     : result == "bf16" ? type::bf16
                                        : type::f32);
  if (o.src[2].k == source::imm && integer) o.src[2].lo = static_cast<u32>(b.operand(3).value);
  o.dst = b.write(0, cd, true);
  if (narrow && !gfx12) b.x.writes.back().half = true;
  o.clamp = b.in.has("clamp");
  o.flags = static_cast<u8>((gfx12 ? 1 : 0) | (narrow ? 2 : 0) | (result == "bf16" ? 4 : 0) |
                            (integer ? 8 : 0));
  b.x.data[3] = b.in.bits("op_sel").value_or(0) >> 2 & 1;
  if (!integer) {
    b.x.data[4] = (b.in.bits("neg_lo").value_or(0) >> 2 & 1) ? 0x80000000u : 0;
    b.x.data[5] = b.in.bits("neg_hi").value_or(0) >> 2 & 1;  // absolute value of C
    if ((b.in.bits("neg_lo").value_or(0) & 3) || (b.in.bits("neg_hi").value_or(0) & 3))
      b.refuse("signs on A or B of a matrix product");
  }
  keep_shape(b.x, s);
  o.run = wmma;
}

}  // namespace

void define_matrix(definitions& d) {
  for (const char* n :
       {"f32_32x32x1f32", "f32_16x16x1f32", "f32_4x4x1f32", "f32_32x32x2f32", "f32_16x16x4f32",
        "f32_32x32x4f16", "f32_16x16x4f16", "f32_4x4x4f16", "f32_32x32x8f16", "f32_16x16x16f16",
        "i32_32x32x4i8", "i32_16x16x4i8", "i32_4x4x4i8", "i32_32x32x8i8", "i32_16x16x16i8",
        "f32_32x32x2bf16", "f32_16x16x2bf16", "f32_4x4x2bf16", "f32_32x32x4bf16", "f32_16x16x8bf16",
        "f32_32x32x4bf16_1k", "f32_16x16x4bf16_1k", "f32_4x4x4bf16_1k", "f32_32x32x8bf16_1k",
        "f32_16x16x16bf16_1k", "f64_16x16x4f64", "f64_4x4x4f64",
        // gfx942
        "f32_32x32x1_2b_f32", "f32_16x16x1_4b_f32", "f32_4x4x1_16b_f32", "f32_32x32x2_f32",
        "f32_16x16x4_f32", "f32_32x32x4_2b_f16", "f32_16x16x4_4b_f16", "f32_4x4x4_16b_f16",
        "f32_32x32x8_f16", "f32_16x16x16_f16", "i32_32x32x4_2b_i8", "i32_16x16x4_4b_i8",
        "i32_4x4x4_16b_i8", "i32_32x32x16_i8", "i32_16x16x32_i8", "f32_32x32x4_2b_bf16",
        "f32_16x16x4_4b_bf16", "f32_4x4x4_16b_bf16", "f32_32x32x8_bf16", "f32_16x16x16_bf16",
        "f64_16x16x4_f64", "f64_4x4x4_4b_f64", "f32_16x16x8_xf32", "f32_32x32x4_xf32",
        "f32_16x16x32_fp8_fp8", "f32_16x16x32_fp8_bf8", "f32_16x16x32_bf8_fp8",
        "f32_16x16x32_bf8_bf8", "f32_32x32x16_fp8_fp8", "f32_32x32x16_fp8_bf8",
        "f32_32x32x16_bf8_fp8", "f32_32x32x16_bf8_bf8",
        // gfx950
        "f32_16x16x32_f16", "f32_16x16x32_bf16", "f32_32x32x16_f16", "f32_32x32x16_bf16",
        "i32_16x16x64_i8", "i32_32x32x32_i8", "f32_16x16x128_f8f6f4", "f32_32x32x64_f8f6f4",
        "scale_f32_16x16x128_f8f6f4", "scale_f32_32x32x64_f8f6f4"})
    d.add((std::string("v_mfma_") + n).c_str(), build_mfma);
  for (const char* n :
       {"f32_16x16x16_f16", "f32_16x16x16_bf16", "f16_16x16x16_f16", "bf16_16x16x16_bf16",
        "i32_16x16x16_iu8", "i32_16x16x16_iu4", "i32_16x16x32_iu4", "f32_16x16x16_fp8_fp8",
        "f32_16x16x16_fp8_bf8", "f32_16x16x16_bf8_fp8", "f32_16x16x16_bf8_bf8"})
    d.add((std::string("v_wmma_") + n).c_str(), build_wmma);
}

}  // namespace amdsim
