// Every atomic operation in every memory, with and without the old value returned.
#include "assembly_space.hpp"

namespace assembly {
namespace {

/// Names without prefix: gfx9's, that of gfx11 and gfx12, and LDS's. Empty where there is none.
struct atomic {
  const char *nine, *later, *lds;
  u32 on;  ///< chips that have it in memory
  u32 lds_on;
  char kind;  ///< i integers, f floats, h pairs of halves, b pairs of bfloats
  std::function<u64(u64 old, u64 data, u64 compare)> now;
  bool compares = false;
  bool wide = false;
};

u32 low(u64 x) { return static_cast<u32>(x); }
i32 s32(u64 x) { return static_cast<i32>(x); }
i64 s64(u64 x) { return static_cast<i64>(x); }
double real(u64 x) { return std::bit_cast<double>(x); }
u64 bits(double x) { return std::bit_cast<u64>(x); }

std::vector<atomic> atomics() {
  std::vector<atomic> v = {
      {"swap", "swap_b32", "", all, 0, 'i', [](u64, u64 b, u64) { return b; }},
      {"cmpswap", "cmpswap_b32", "", all, 0, 'i',
       [](u64 a, u64 b, u64 c) { return a == c ? b : a; }, true},
      {"add", "add_u32", "add_u32", all, all, 'i',
       [](u64 a, u64 b, u64) -> u64 { return low(a + b); }},
      {"sub", "sub_u32", "sub_u32", all, all, 'i',
       [](u64 a, u64 b, u64) -> u64 { return low(a - b); }},
      {"smin", "min_i32", "min_i32", all, all, 'i',
       [](u64 a, u64 b, u64) { return s32(b) < s32(a) ? b : a; }},
      {"umin", "min_u32", "min_u32", all, all, 'i',
       [](u64 a, u64 b, u64) { return b < a ? b : a; }},
      {"smax", "max_i32", "max_i32", all, all, 'i',
       [](u64 a, u64 b, u64) { return s32(b) > s32(a) ? b : a; }},
      {"umax", "max_u32", "max_u32", all, all, 'i',
       [](u64 a, u64 b, u64) { return b > a ? b : a; }},
      {"and", "and_b32", "and_b32", all, all, 'i', [](u64 a, u64 b, u64) { return a & b; }},
      {"or", "or_b32", "or_b32", all, all, 'i', [](u64 a, u64 b, u64) { return a | b; }},
      {"xor", "xor_b32", "xor_b32", all, all, 'i', [](u64 a, u64 b, u64) { return a ^ b; }},
      {"inc", "inc_u32", "inc_u32", all, all, 'i',
       [](u64 a, u64 b, u64) { return a >= b ? 0 : a + 1; }},
      {"dec", "dec_u32", "dec_u32", all, all, 'i',
       [](u64 a, u64 b, u64) { return a == 0 || a > b ? b : a - 1; }},
      {"", "sub_clamp_u32", "sub_clamp_u32", gfx12, gfx12, 'i',
       [](u64 a, u64 b, u64) { return a < b ? 0 : a - b; }},
      {"", "cond_sub_u32", "cond_sub_u32", gfx12, gfx12, 'i',
       [](u64 a, u64 b, u64) { return a < b ? a : a - b; }},
      {"add_f32", "add_f32", "add_f32", all, all, 'f',
       [](u64 a, u64 b, u64) -> u64 { return number(as_float(low(a)) + as_float(low(b))); }},
      {"", "min_f32", "min_f32", gfx11, gfx9 | gfx11, 'f',
       [](u64 a, u64 b, u64) -> u64 {
         return number(lesser_of(as_float(low(a)), as_float(low(b))));
       }},
      {"", "max_f32", "max_f32", gfx11, gfx9 | gfx11, 'f',
       [](u64 a, u64 b, u64) -> u64 {
         return number(greater_of(as_float(low(a)), as_float(low(b))));
       }},
      {"", "min_num_f32", "min_num_f32", gfx12, gfx12, 'f',
       [](u64 a, u64 b, u64) -> u64 {
         return number(lesser_of(as_float(low(a)), as_float(low(b))));
       }},
      {"", "max_num_f32", "max_num_f32", gfx12, gfx12, 'f',
       [](u64 a, u64 b, u64) -> u64 {
         return number(greater_of(as_float(low(a)), as_float(low(b))));
       }},
      {"pk_add_f16", "pk_add_f16", "pk_add_f16", gfx9 | gfx12, gfx942 | gfx950 | gfx12, 'h',
       [](u64 a, u64 b, u64) -> u64 {
         return to_half(half(low(a)) + half(low(b))) |
                to_half(half(low(a) >> 16) + half(low(b) >> 16)) << 16;
       }},
      {"pk_add_bf16", "pk_add_bf16", "pk_add_bf16", gfx942 | gfx950 | gfx12,
       gfx942 | gfx950 | gfx12, 'b',
       [](u64 a, u64 b, u64) -> u64 {
         return to_bfloat(bfloat(low(a)) + bfloat(low(b))) |
                to_bfloat(bfloat(low(a) >> 16) + bfloat(low(b) >> 16)) << 16;
       }},
      {"swap_x2", "swap_b64", "", all, 0, 'i', [](u64, u64 b, u64) { return b; }, false, true},
      {"cmpswap_x2", "cmpswap_b64", "", all, 0, 'i',
       [](u64 a, u64 b, u64 c) { return a == c ? b : a; }, true, true},
      {"add_x2", "add_u64", "add_u64", all, all, 'i', [](u64 a, u64 b, u64) { return a + b; },
       false, true},
      {"sub_x2", "sub_u64", "sub_u64", all, all, 'i', [](u64 a, u64 b, u64) { return a - b; },
       false, true},
      {"smin_x2", "min_i64", "min_i64", all, all, 'i',
       [](u64 a, u64 b, u64) { return s64(b) < s64(a) ? b : a; }, false, true},
      {"umin_x2", "min_u64", "min_u64", all, all, 'i',
       [](u64 a, u64 b, u64) { return b < a ? b : a; }, false, true},
      {"smax_x2", "max_i64", "max_i64", all, all, 'i',
       [](u64 a, u64 b, u64) { return s64(b) > s64(a) ? b : a; }, false, true},
      {"umax_x2", "max_u64", "max_u64", all, all, 'i',
       [](u64 a, u64 b, u64) { return b > a ? b : a; }, false, true},
      {"and_x2", "and_b64", "and_b64", all, all, 'i', [](u64 a, u64 b, u64) { return a & b; },
       false, true},
      {"or_x2", "or_b64", "or_b64", all, all, 'i', [](u64 a, u64 b, u64) { return a | b; }, false,
       true},
      {"xor_x2", "xor_b64", "xor_b64", all, all, 'i', [](u64 a, u64 b, u64) { return a ^ b; },
       false, true},
      {"inc_x2", "inc_u64", "inc_u64", all, all, 'i',
       [](u64 a, u64 b, u64) { return a >= b ? 0 : a + 1; }, false, true},
      {"dec_x2", "dec_u64", "dec_u64", all, all, 'i',
       [](u64 a, u64 b, u64) { return a == 0 || a > b ? b : a - 1; }, false, true},
      {"add_f64", "", "add_f64", gfx9, gfx9, 'd',
       [](u64 a, u64 b, u64) { return bits(real(a) + real(b)); }, false, true},
      {"min_f64", "", "min_f64", gfx9, gfx9 | gfx11, 'd',
       [](u64 a, u64 b, u64) { return bits(lesser_of(real(a), real(b))); }, false, true},
      {"max_f64", "", "max_f64", gfx9, gfx9 | gfx11, 'd',
       [](u64 a, u64 b, u64) { return bits(greater_of(real(a), real(b))); }, false, true},
  };
  return v;
}

/// v2 (and v3) goes to memory, v4.. is the data, and what to compare with after it.
void add_atomic(const addressing& a, const atomic& op, bool returns, const std::string& name) {
  const u32 n = op.wide ? 2 : 1;
  const auto inputs = lane_inputs(op.wide ? "LlLlLl" : std::string(4, op.kind) + "ii");
  std::string prepare;
  const std::string at = std::string("v_and_b32 v28, 1, v1\n") +
                         (a.nine() ? "v_cmp_eq_u32 vcc, 1, v28\n"
                                   : "v_cmp_eq_u32 vcc_lo, 1, v28\n"),
                    pick = a.nine() ? ", vcc\n" : ", vcc_lo\n";
  // odd lanes compare equal
  if (op.compares)
    prepare = at + (op.wide ? "v_cndmask_b32 v6, v6, v2" + pick + "v_cndmask_b32 v7, v7, v3" + pick
                            : "v_cndmask_b32 v5, v5, v2" + pick);
  if (op.kind == 'h')
    prepare =
        "v_and_b32 v2, 0xbfffbfff, v2\nv_and_b32 v4, 0xbfffbfff, v4\n";  // no infinities, no NaN
  if (op.kind == 'b') prepare = "v_and_b32 v2, 0xbfffbfff, v2\nv_and_b32 v4, 0xbfffbfff, v4\n";
  if (op.kind == 'd') prepare = "v_cvt_f64_i32 v[2:3], v2\nv_cvt_f64_i32 v[4:5], v4\n";
  const u32 data_words = n * (op.compares ? 2 : 1);
  const std::string data = vector_registers(4, data_words), to = vector_registers(20, n);
  const std::string flag = returns ? (a.twelve()                 ? " th:TH_ATOMIC_RETURN"
                                      : a.on & (gfx942 | gfx950) ? " sc0"
                                                                 : " glc")
                                   : "";
  std::string text;
  constexpr u32 offset = 2048;
  const std::string o = " offset:" + std::to_string(offset);
  switch (a.where) {
    case space::global:
      text = name + " " + (returns ? to + ", " : "") + "v25, " + data + ", s[24:25]" + o + flag;
      break;
    case space::flat:
      text = name + " " + (returns ? to + ", " : "") + "v[26:27], " + data + o + flag;
      break;
    case space::buffer:
      if (returns)
        for (u32 i = 0; i < data_words; ++i)
          text += "v_mov_b32 v" + std::to_string(20 + i) + ", v" + std::to_string(4 + i) + "\n";
      text += name + " " + (returns ? vector_registers(20, data_words) : data) + ", " +
              a.at(offset) + flag;
      break;
    default: text = name + " " + (returns ? to + ", " : "") + "v25, " + data + o; break;
  }
  const std::string dword = a.nine() && a.where != space::lds ? (n == 2 ? "dwordx2" : "dword")
                            : n == 2                          ? "b64"
                                                              : "b32";
  const std::string code = a.set_up() + prepare + a.store(dword, vector_registers(2, n), offset) +
                           a.wait() + a.some_lanes() + text + a.wait() + a.all_lanes() +
                           a.load(dword, vector_registers(22, n), offset);
  const bool copies = a.where == space::buffer && returns && op.compares && !op.wide;
  cases().push_back({a.on,
                     code,
                     {},
                     [=](u32 l, u32 r) {
                       const auto in = [&](u32 i) { return inputs[64 * i + l]; };
                       u64 old = op.wide ? in(0) | u64{in(1)} << 32 : in(0),
                           with = op.wide ? in(2) | u64{in(3)} << 32 : in(2),
                           compare = op.wide ? in(4) | u64{in(5)} << 32 : in(3);
                       if (op.kind == 'd') {
                         old = bits(s32(in(0)));
                         with = bits(s32(in(2)));
                       }
                       if (op.kind == 'h' || op.kind == 'b') {
                         old &= 0xbfffbfffu;
                         with &= 0xbfffbfffu;
                       }
                       if (op.compares && (l & 1)) compare = old;
                       const u64 now = active(l) ? op.now(old, with, compare) : old;
                       if (r >= 2)
                         return r - 2 < n ? static_cast<u32>(now >> 32 * (r - 2)) : untouched;
                       if (copies && r == 1)
                         return active(l) ? static_cast<u32>(compare) : untouched;
                       return returns && active(l) && r < n ? static_cast<u32>(old >> 32 * r)
                                                            : untouched;
                     },
                     4,
                     inputs});
}

}  // namespace

void atomic_tables() {
  for (const atomic& op : atomics())
    for (const bool returns : {false, true}) {
      for (const u32 on : {u32{gfx90a}, u32{gfx942 | gfx950}, u32{gfx11}, u32{gfx12}})
        for (const space s : {space::global, space::flat, space::buffer}) {
          const std::string stem = on & gfx9 ? op.nine : op.later;
          u32 chips = op.on & on;
          // gfx90a and gfx11 lack some forms outside global memory
          if (op.kind == 'h' && s == space::flat) chips &= gfx942 | gfx950 | gfx12;
          if (stem == "add_f32" && s == space::flat) chips &= gfx942 | gfx950 | rdna;
          if (op.kind == 'b' && s == space::buffer) chips &= gfx950 | gfx12;
          if (chips && !stem.empty())
            add_atomic({s, chips}, op, returns, addressing{s, chips}.prefix() + "atomic_" + stem);
        }
      if (*op.lds)
        for (const u32 on : {u32{gfx9}, u32{gfx11}, u32{gfx12}}) {
          const u32 chips = op.lds_on & on;
          const std::string stem = op.lds;
          if (chips)
            add_atomic({space::lds, chips}, op, returns,
                       returns ? "ds_" + stem.substr(0, stem.rfind('_')) + "_rtn" +
                                     stem.substr(stem.rfind('_'))
                               : "ds_" + stem);
        }
    }
  // exchange and comparison in LDS: gfx9 names the comparand first, later chips the data
  const auto inputs = lane_inputs("LlLlLl");
  for (const u32 on : {u32{gfx9}, u32{gfx11}, u32{gfx12}}) {
    const addressing a{space::lds, on};
    for (const bool wide : {false, true}) {
      const u32 n = wide ? 2 : 1;
      const std::string t = wide ? "b64" : "b32", memory = wide ? "v[2:3]" : "v2",
                        data = wide ? "v[4:5]" : "v4", comparand = wide ? "v[6:7]" : "v6",
                        old = wide ? "v[20:21]" : "v20", loaded = wide ? "v[22:23]" : "v22";
      const std::string mask = a.nine() ? ", vcc\n" : ", vcc_lo\n";
      const std::string odd = std::string("v_and_b32 v28, 1, v1\n") +
                              (a.nine() ? "v_cmp_eq_u32 vcc, 1, v28\n"
                                        : "v_cmp_eq_u32 vcc_lo, 1, v28\n") +
                              "v_cndmask_b32 v6, v6, v2" + mask + "v_cndmask_b32 v7, v7, v3" + mask;
      const std::string both = a.nine() ? comparand + ", " + data : data + ", " + comparand,
                        verb = a.nine() ? "ds_cmpst_" : "ds_cmpstore_";
      for (u32 form = 0; form < 3; ++form) {
        const std::string text = form == 0   ? (a.nine() ? "ds_wrxchg_rtn_" : "ds_storexchg_rtn_") +
                                                   t + " " + old + ", v25, " + data
                                 : form == 1 ? verb + t + " v25, " + both
                                             : verb + "rtn_" + t + " " + old + ", v25, " + both;
        cases().push_back(
            {on,
             a.set_up() + odd + a.store(t, memory, 0) + a.wait() + a.some_lanes() + text +
                 a.wait() + a.all_lanes() + a.load(t, loaded, 0),
             {},
             [=](u32 l, u32 r) {
               const auto in = [&](u32 i) {
                 return inputs[64 * i + l] | (wide ? u64{inputs[64 * (i + 1) + l]} << 32 : 0);
               };
               const bool swaps = active(l) && (form == 0 || (l & 1) || in(0) == in(4));
               const u64 now = swaps ? in(2) : in(0);
               if (r >= 2) return r - 2 < n ? static_cast<u32>(now >> 32 * (r - 2)) : untouched;
               return form != 1 && active(l) && r < n ? static_cast<u32>(in(0) >> 32 * r)
                                                      : untouched;
             },
             4,
             inputs});
      }
    }
  }
}

}  // namespace assembly
