#include "valu.hpp"

#include "valu_mode.hpp"

namespace amdsim {
namespace {

/// Selection, extension and signs on one lane, by type; the same for constants and registers.
struct modified {
  u32 lo, hi;
};

modified modify(const source& s, u32 lo, u32 hi) {
  switch (s.t) {
    case type::pkf16:
    case type::pkbf16:
    case type::pki16: {
      u32 a = s.sel & 1 ? lo >> 16 : lo & 0xffffu, b = s.sel & 2 ? lo >> 16 : lo & 0xffffu;
      if (s.neg) a ^= 0x8000u;
      if (s.abs) b ^= 0x8000u;
      return {a | b << 16, 0};
    }
    case type::pkf32: {
      u32 a = s.sel & 1 ? hi : lo, b = s.sel & 2 ? hi : lo;
      if (s.neg) a ^= 0x80000000u;
      if (s.abs) b ^= 0x80000000u;
      return {a, b};
    }
    case type::f64:
    case type::b64:
    case type::i64:
    case type::u64:
      if (s.abs) hi &= 0x7fffffffu;
      if (s.neg) hi ^= 0x80000000u;
      return {lo, hi};
    default: break;
  }
  bool narrow = is_half(s.t);
  if (s.sel < 4) {
    lo = lo >> (8 * s.sel) & 0xffu;
    if (s.sext) lo = static_cast<u32>(sign_extend(lo, 8));
  } else if (s.sel < 6) {
    lo = lo >> (16 * (s.sel - 4)) & 0xffffu;
    if (s.sext) lo = static_cast<u32>(sign_extend(lo, 16));
    narrow = narrow || s.t == type::f16;
  }
  const u32 sign = narrow ? 0x8000u : 0x80000000u;
  if (s.abs) lo &= ~sign;
  if (s.neg) lo ^= sign;
  return {lo, hi};
}

[[gnu::noinline]] const u32* fetch_modified(wave& w, const source& s, u32* room) {
  const u32 n = w.blocks * block_lanes;
  const u32* in = w.row(s.reg);
  if (s.rows == 2) {
    for (u32 l = 0; l < n; ++l) {
      const modified m = modify(s, in[l], in[row_lanes + l]);
      room[l] = m.lo;
      room[row_lanes + l] = m.hi;
    }
    return room;
  }
  if (s.t == type::f32 && s.sel == 6) {  // the common case
    const u32 keep = s.abs ? 0x7fffffffu : ~0u, flip = s.neg ? 0x80000000u : 0;
    for (u32 l = 0; l < n; ++l) room[l] = (in[l] & keep) ^ flip;
    return room;
  }
  if (is_half(s.t) && s.sel >= 4) {
    const u32 shift = s.sel == 5 ? 16 : 0, keep = s.abs ? 0x7fffu : 0xffffu,
              flip = s.neg ? 0x8000u : 0;
    if (!s.sext) {
      for (u32 l = 0; l < n; ++l) room[l] = ((in[l] >> shift) & keep) ^ flip;
      return room;
    }
  }
  if (is_packed(s.t)) {
    const u32 a = s.sel & 1 ? 16 : 0, b = s.sel & 2 ? 16 : 0,
              flip = (s.neg ? 0x8000u : 0) | (s.abs ? 0x80000000u : 0);
    for (u32 l = 0; l < n; ++l) room[l] = ((in[l] >> a & 0xffffu) | (in[l] >> b) << 16) ^ flip;
    return room;
  }
  for (u32 l = 0; l < n; ++l) room[l] = modify(s, in[l], 0).lo;
  return room;
}

[[gnu::noinline]] const u32* fetch_scalar(wave& w, const source& s, u32* room) {
  u32 lo, hi = 0;
  if (s.rows == 2) {
    const u64 v = read64(w, s);
    lo = low32(v);
    hi = high32(v);
  } else {
    lo = read32(w, s);
  }
  if (s.neg || s.abs || s.sel != 6) {
    const modified m = modify(s, lo, hi);
    lo = m.lo;
    hi = m.hi;
  }
  for (u32 l = 0; l < row_lanes; ++l) room[l] = lo;
  if (s.rows == 2)
    for (u32 l = 0; l < row_lanes; ++l) room[row_lanes + l] = hi;
  return room;
}

/// The output multiplier, which also makes -0 positive.
template <class T>
T scale_by(T x, u32 omod) {
  return omod ? x * (omod == 1 ? T(2) : omod == 2 ? T(4) : T(0.5)) + T(0) : x;
}
template <class T>
T clamp01(T x, bool nan_too) {
  return x > T(0) ? (x < T(1) ? x : T(1)) : x != x && !nan_too ? x : T(0);
}

void modify_result(const wave& w, const op& o, u32* r, u32 n) {
  // Output multipliers exist only where subnormal results are flushed and IEEE rules are off.
  const u32 omod = keeps_subnormal_results(w, precision_of(o.dst.t)) || ieee_mode(w) ? 0 : o.omod;
  const bool nan_too = clamps_nan(w);
  switch (o.dst.t) {
    case type::f32:
      for (u32 l = 0; l < n; ++l) {
        float f = scale_by(bits_as<float>(r[l]), omod);
        if (o.clamp) f = clamp01(f, nan_too);
        r[l] = bits_as<u32>(f);
      }
      break;
    case type::pkf32:
      if (o.clamp)
        for (u32 l = 0; l < 2 * row_lanes; ++l)
          r[l] = bits_as<u32>(clamp01(bits_as<float>(r[l]), nan_too));
      break;
    case type::f16:
      for (u32 l = 0; l < n; ++l) {
        float f = scale_by(half_to_float(r[l]), omod);
        if (o.clamp) f = clamp01(f, nan_too);
        r[l] = float_to_half(f);
      }
      break;
    case type::bf16:
      for (u32 l = 0; l < n; ++l)
        r[l] = float_to_bfloat(o.clamp ? clamp01(bfloat_to_float(r[l]), nan_too)
                                       : bfloat_to_float(r[l]));
      break;
    case type::pkf16:
      for (u32 l = 0; l < n; ++l) {
        const float a = clamp01(half_to_float(r[l] & 0xffffu), nan_too),
                    b = clamp01(half_to_float(r[l] >> 16), nan_too);
        r[l] = float_to_half(a) | float_to_half(b) << 16;
      }
      break;
    case type::f64:
      for (u32 l = 0; l < n; ++l) {
        double d = bits_as<double>(join(r[l], r[row_lanes + l]));
        d = scale_by(d, omod);
        if (o.clamp) d = clamp01(d, nan_too);
        const u64 b = bits_as<u64>(d);
        r[l] = low32(b);
        r[row_lanes + l] = high32(b);
      }
      break;
    default: break;  // integer operations with clamp have kernels of their own
  }
}

void merge_sdwa(const op& o, u32* r, const u32* old, u32 n) {
  const bool byte = o.dst_sel < 4;
  const u32 bits = byte ? 8 : 16, shift = byte ? 8u * o.dst_sel : 16u * (o.dst_sel - 4u),
            mask = (byte ? 0xffu : 0xffffu) << shift;
  for (u32 l = 0; l < n; ++l) {
    u32 x = (r[l] << shift) & mask;
    if (o.dst_unused == 2) x |= old[l] & ~mask;
    else if (o.dst_unused == 1 && (r[l] >> (bits - 1) & 1)) x |= ~mask & ~((1u << shift) - 1u);
    r[l] = x;
  }
}

/// `Other`: some operand is a half or a double, so that MODE's fields for those count.
template <u32 Sources, bool Other, bool Ieee>
void run_valu(wave& w, const op& o) {
  u64 mask = w.exec();
  if (!mask) return;
  alignas(32) u32 room[Sources][max_rows * row_lanes];
  const u32* s[Sources];
  for (u32 i = 0; i < Sources; ++i) {
    if (i == 0 && o.uses_dpp) [[unlikely]]
      s[0] = fetch_dpp(w, o, room[0], mask);
    else s[i] = fetch(w, o.src[i], room[i]);
  }
  lane_fn compute = o.lanes;
  if constexpr (Ieee) compute = ieee_mode(w) ? o.ieee : o.lanes;
  if constexpr (Other) {
    const other_precision_scope scope(w, precision_of(o.src[0].t), precision_of(o.dst.t));
    for (u32 i = 0; i < Sources; ++i) s[i] = flush_inputs(w, o.src[i], s[i], room[i]);
    alignas(32) u32 result[max_rows * row_lanes];
    compute(result, s, w.blocks);
    flush_results(w, o.dst.t, result);
    retire(w, o, result, mask);
    return;
  }
  if (mask == w.full && !o.post) {
    compute(w.row(o.dst.reg), s, w.blocks);
    return;
  }
  alignas(32) u32 result[max_rows * row_lanes];
  compute(result, s, w.blocks);
  retire(w, o, result, mask);
}

}  // namespace

const u32* fetch(wave& w, const source& s, u32* room) {
  if (s.plain) return w.row(s.reg);
  if (s.k == source::imm) return s.row;
  if (s.k == source::sgpr) return fetch_scalar(w, s, room);
  return fetch_modified(w, s, room);
}

const u32* fetch_dpp(wave& w, const op& o, u32* room, u64& write) {
  const lane_map& m = o.x->dpp;
  const source& s = o.src[0];
  const u64 active = w.exec();
  u64 valid = 0;
  alignas(32) u32 moved[max_rows * row_lanes];
  const u32 n = w.lanes;
  const u32* in = w.row(s.reg);
  for (u32 l = 0; l < n; ++l) {
    const u32 from = m.lane[l];
    const bool ok = (m.valid >> l & 1) && (m.fetch_inactive || (active >> from & 1));
    moved[l] = ok ? in[from] : 0;
    if (s.rows == 2) moved[row_lanes + l] = ok ? in[row_lanes + from] : 0;
    valid |= u64{ok} << l;
  }
  write &= m.enabled & (m.bound ? ~u64{0} : valid);
  for (u32 l = 0; l < n; ++l) {
    const modified y = modify(s, moved[l], s.rows == 2 ? moved[row_lanes + l] : 0);
    room[l] = y.lo;
    if (s.rows == 2) room[row_lanes + l] = y.hi;
  }
  return room;
}

void apply_constant_modifiers(source& s) {
  const modified m = modify(s, s.lo, s.hi);
  s.lo = m.lo;
  s.hi = m.hi;
  s.neg = s.abs = s.sext = false;
}

void write_rows(wave& w, u32 reg, u32 rows, const u32* from, u64 mask) {
  const u32* m = w.expand(mask);
  const u32 n = w.blocks * block_lanes;
  for (u32 r = 0; r < rows; ++r) {
    u32* to = w.row(reg + r);
    const u32* f = from + r * row_lanes;
    for (u32 l = 0; l < n; ++l) to[l] = (f[l] & m[l]) | (to[l] & ~m[l]);
  }
}

void retire(wave& w, const op& o, u32* result, u64 mask) {
  if (o.post) {
    const u32 n = w.lanes;
    if (o.clamp || o.omod) modify_result(w, o, result, n);
    const u32* old = w.row(o.dst.reg);
    if (o.dst_sel != 6) {
      merge_sdwa(o, result, old, n);
    } else if (o.dst_half == 1) {
      for (u32 l = 0; l < n; ++l) result[l] = (result[l] & 0xffffu) | (old[l] & 0xffff0000u);
    } else if (o.dst_half == 2) {
      for (u32 l = 0; l < n; ++l) result[l] = result[l] << 16 | (old[l] & 0xffffu);
    }
  }
  write_rows(w, o.dst.reg, o.dst_rows, result, mask);
}

const u32* flush_inputs(const wave& w, const source& s, const u32* row, u32* room) {
  if (keeps_subnormal_inputs(w, precision_of(s.t)) ||
      !flush_row(room, row, s.t, w.blocks * block_lanes))
    return row;
  return room;
}

void flush_results(const wave& w, type t, u32* row) {
  if (!keeps_subnormal_results(w, precision_of(t))) flush_row(row, row, t, w.blocks * block_lanes);
}

bool other_precision(const valu_def& d) {
  bool other = precision_of(d.d) == precision::other;
  for (u32 i = 0; i < d.sources; ++i) other = other || precision_of(d.s[i]) == precision::other;
  return other;
}

handler valu_handler(u32 sources, bool other, bool ieee) {
  const auto pick = [&]<u32 Sources>() {
    return other  ? (ieee ? run_valu<Sources, true, true> : run_valu<Sources, true, false>)
           : ieee ? run_valu<Sources, false, true>
                  : run_valu<Sources, false, false>;
  };
  switch (sources) {
    case 1: return pick.template operator()<1>();
    case 2: return pick.template operator()<2>();
    case 3: return pick.template operator()<3>();
    default: throw std::logic_error("vector operation with that many sources");
  }
}

}  // namespace amdsim
