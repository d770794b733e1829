// Vector comparisons: a lane mask, or EXEC itself (v_cmpx).
#include <deque>
#include <tuple>
#include <utility>

#include "lanes.hpp"
#include "valu.hpp"
#include "valu_mode.hpp"

namespace amdsim {
namespace {

/// Writes all ones or zero per lane.
struct verdict_tag {
  struct out {
    u32* p;
    explicit out(u32* q) : p(q) {}
    void set(u32 l, bool v) { p[l] = v ? ~0u : 0u; }
    void flush() {}
  };
};

template <class T, auto F>
constexpr lane_fn comparison() {
  return lanes<F, verdict_tag, T, T>;
}

constexpr u32 relations = 16;

/// Integer relations by the order f lt eq le gt ne ge t.
template <class T>
constexpr std::array<lane_fn, relations> integer_row() {
  using V = typename T::value;
  return {comparison<T, [](V, V) { return false; }>(),
          comparison<T, [](V a, V b) { return a < b; }>(),
          comparison<T, [](V a, V b) { return a == b; }>(),
          comparison<T, [](V a, V b) { return a <= b; }>(),
          comparison<T, [](V a, V b) { return (a > b); }>(),
          comparison<T, [](V a, V b) { return a != b; }>(),
          comparison<T, [](V a, V b) { return (a >= b); }>(),
          comparison<T, [](V, V) { return true; }>()};
}
/// Float relations by the order f lt eq le gt lg ge o u nge nlg ngt nle neq nlt tru.
template <class T>
constexpr std::array<lane_fn, relations> float_row() {
  using V = typename T::value;
  return {comparison<T, [](V, V) { return false; }>(),
          comparison<T, [](V a, V b) { return a < b; }>(),
          comparison<T, [](V a, V b) { return a == b; }>(),
          comparison<T, [](V a, V b) { return a <= b; }>(),
          comparison<T, [](V a, V b) { return (a > b); }>(),
          comparison<T, [](V a, V b) { return (a < b) | (a > b); }>(),
          comparison<T, [](V a, V b) { return (a >= b); }>(),
          comparison<T, [](V a, V b) { return (a == a) & (b == b); }>(),
          comparison<T, [](V a, V b) { return (a != a) | (b != b); }>(),
          comparison<T, [](V a, V b) { return !(a >= b); }>(),
          comparison<T, [](V a, V b) { return !((a < b) | (a > b)); }>(),
          comparison<T, [](V a, V b) { return !(a > b); }>(),
          comparison<T, [](V a, V b) { return !(a <= b); }>(),
          comparison<T, [](V a, V b) { return !(a == b); }>(),
          comparison<T, [](V a, V b) { return !(a < b); }>(),
          comparison<T, [](V, V) { return true; }>()};
}

/// Bits of the class mask: sNaN, qNaN, -inf, -normal, -denormal, -0, +0, +denormal, +normal, +inf.
inline u32 class_bit(bool sign, u32 exponent, u32 top, bool mantissa, bool quiet) {
  if (exponent == top) return mantissa ? (quiet ? 2u : 1u) : sign ? 4u : 512u;
  if (exponent) return sign ? 8u : 256u;
  if (mantissa) return sign ? 16u : 128u;
  return sign ? 32u : 64u;
}
void class32(u32* d, const u32* const* s, u32 blocks) {
  for (u32 l = 0; l < blocks * block_lanes; ++l) {
    const u32 x = s[0][l];
    d[l] = class_bit(x >> 31, x >> 23 & 255, 255, x & 0x7fffffu, x & 0x400000u) & s[1][l] ? ~0u
                                                                                          : 0u;
  }
}
void class16(u32* d, const u32* const* s, u32 blocks) {
  for (u32 l = 0; l < blocks * block_lanes; ++l) {
    const u32 x = s[0][l];
    d[l] = class_bit(x >> 15 & 1, x >> 10 & 31, 31, x & 0x3ffu, x & 0x200u) & s[1][l] ? ~0u : 0u;
  }
}
void class64(u32* d, const u32* const* s, u32 blocks) {
  for (u32 l = 0; l < blocks * block_lanes; ++l) {
    const u64 x = join(s[0][l], s[0][row_lanes + l]);
    d[l] = class_bit(x >> 63, static_cast<u32>(x >> 52) & 2047, 2047, x << 12, x >> 51 & 1) &
                   s[1][l]
               ? ~0u
               : 0u;
  }
}

struct compare_form {
  lane_fn lanes;
  type t, t1;
  bool to_exec;
};

/// flags: bit 0 writes EXEC, bit 1 writes the mask, bit 2 compares halves or doubles.
void compare(wave& w, const op& o) {
  const u64 mask = w.exec();
  u64 allowed = mask, bits = 0;
  if (mask) {
    alignas(32) u32 ra[2 * row_lanes], rb[2 * row_lanes], verdict[row_lanes];
    const u32* s[2];
    s[0] = o.uses_dpp ? fetch_dpp(w, o, ra, allowed) : fetch(w, o.src[0], ra);
    s[1] = fetch(w, o.src[1], rb);
    if (o.flags & 4) {
      const other_precision_scope scope(w);
      s[0] = flush_inputs(w, o.src[0], s[0], ra);
      s[1] = flush_inputs(w, o.src[1], s[1], rb);
      o.lanes(verdict, s, w.blocks);
    } else {
      o.lanes(verdict, s, w.blocks);
    }
    bits = gather_mask(verdict, w.blocks) & mask & allowed;
    if (allowed != mask)
      bits |= (o.flags & 1 ? mask : w.mask(o.sdst)) & mask & ~allowed & (o.flags & 1 ? 0 : ~u64{0});
  }
  if (o.flags & 2) w.set_mask(o.sdst, bits);
  if (o.flags & 1) w.set_exec(bits);
}

void build_compare(binder& b, const void* payload) {
  const auto& f = *static_cast<const compare_form*>(payload);
  const type types[] = {f.t, f.t1};
  const bool has_dst = b.count() == 3;
  bind_sources(b, has_dst ? 1 : 0, types, 2);
  op& o = b.o;
  // gfx9's v_cmpx writes its mask register and EXEC; newer chips write EXEC alone.
  if (f.to_exec) {
    o.flags = b.gfx9() ? 3 : 1;
    b.note_scalar_write(sreg::exec, b.mask_registers());
  } else {
    o.flags = 2;
  }
  if (o.flags & 2) {
    if (has_dst) o.sdst = b.mask_write(0);
    else b.refuse("comparison without destination");
  }
  // Classes tell subnormals apart whatever the mode; comparisons take them as the mode says.
  if (f.t == f.t1 && precision_of(f.t) == precision::other) o.flags |= 4;
  o.lanes = f.lanes;
  o.run = compare;
}

}  // namespace

void define_compare(definitions& d) {
  static std::deque<compare_form> forms;
  static const char* const integer_names[] = {"f", "lt", "eq", "le", "gt", "ne", "ge", "t"};
  static const char* const float_names[] = {"f", "lt",  "eq",  "le",  "gt",  "lg",  "ge",  "o",
                                            "u", "nge", "nlg", "ngt", "nle", "neq", "nlt", "tru"};
  const auto add = [&](const std::string& relation, const char* suffix, lane_fn f, type t,
                       type t1) {
    const u32 half = (is_half(t) ? 1u : 0u) | (is_half(t1) ? 2u : 0u);
    for (bool x : {false, true}) {
      forms.push_back({f, t, t1, x});
      d.add((std::string(x ? "v_cmpx_" : "v_cmp_") + relation + "_" + suffix).c_str(),
            build_compare, &forms.back(), half);
    }
  };
  const auto integers = [&](const char* suffix, const std::array<lane_fn, relations>& row, type t) {
    for (u32 i = 0; i < 8; ++i) add(integer_names[i], suffix, row[i], t, t);
  };
  const auto floats = [&](const char* suffix, const std::array<lane_fn, relations>& row, type t) {
    for (u32 i = 0; i < 16; ++i) add(float_names[i], suffix, row[i], t, t);
    add("t", suffix, row[15], t, t);
  };
  integers("i32", integer_row<i32s>(), type::i32);
  integers("u32", integer_row<u32s>(), type::u32);
  integers("i64", integer_row<i64s>(), type::i64);
  integers("u64", integer_row<u64s>(), type::u64);
  integers("i16", integer_row<i16s>(), type::i16);
  integers("u16", integer_row<u16s>(), type::u16);
  floats("f32", float_row<f32>(), type::f32);
  floats("f64", float_row<f64>(), type::f64);
  floats("f16", float_row<f16>(), type::f16);
  add("class", "f32", class32, type::f32, type::b32);
  add("class", "f16", class16, type::f16, type::b32);
  add("class", "f64", class64, type::f64, type::b32);
}

}  // namespace amdsim
