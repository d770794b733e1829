// All comparisons, to a mask and to EXEC.
#include "assembly_tables.hpp"

namespace assembly {
namespace {

/// Less, equal, greater, unordered.
enum order : u32 { less = 1, equal = 2, greater = 4, unordered = 8 };

template <class T>
u32 compare(T a, T b) {
  return a < b ? less : a == b ? equal : a > b ? greater : unordered;
}

struct relation {
  const char* name;
  u32 holds;
};
constexpr relation integer_relations[] = {{"lt", less},           {"eq", equal},
                                          {"le", less | equal},   {"gt", greater},
                                          {"ne", less | greater}, {"ge", greater | equal}};
constexpr relation float_relations[] = {{"lt", less},
                                        {"eq", equal},
                                        {"le", less | equal},
                                        {"gt", greater},
                                        {"lg", less | greater},
                                        {"ge", greater | equal},
                                        {"o", less | equal | greater},
                                        {"u", unordered},
                                        {"nge", less | unordered},
                                        {"nlg", equal | unordered},
                                        {"ngt", less | equal | unordered},
                                        {"nle", greater | unordered},
                                        {"neq", less | greater | unordered},
                                        {"nlt", equal | greater | unordered}};

/// A comparison in its forms: to VCC, to EXEC (gfx9's writes both).
void both_forms(u32 on, const std::string& name, const std::string& kinds, bool pairs,
                std::function<bool(const u32*)> r) {
  const std::string operands = pairs ? "v[2:3], v[4:5]" : "v2, v3";
  mask_table(on, "v_cmp_" + name + " @, " + operands, kinds, r);
  mask_table(on & gfx9, "v_cmpx_" + name + " @, " + operands, kinds, r);
  // newer chips' v_cmpx writes EXEC alone: lanes that stay in it set v20
  const auto lanes = [=](const u32* in, u32* out) { out[0] = r(in) ? 1 : untouched; };
  if (on & rdna)
    table(on & rdna, "v_cmpx_" + name + " " + operands + "\nv_mov_b32 v20, 1", kinds, lanes);
}

template <class T>
void relations(const char* suffix, const std::string& kinds, bool pairs, T value, bool real,
               u32 always) {
  const auto add = [&](u32 on, const std::string& n, u32 holds) {
    both_forms(on, n + "_" + suffix, kinds, pairs, [=](const u32* in) {
      return (compare(value(in), value(in + (pairs ? 2 : 1))) & holds) != 0;
    });
  };
  if (real)
    for (const relation& r : float_relations) add(all, r.name, r.holds);
  else
    for (const relation& r : integer_relations) add(all, r.name, r.holds);
  // gfx12 has neither "never" nor "always"
  add(always, "f", 0);
  add(always & gfx9, real ? "tru" : "t", 15);
  add(always & gfx11, "t", 15);
}

u32 class_of(bool sign, bool top, u32 exponent, u64 mantissa, bool quiet) {
  if (top) return mantissa ? (quiet ? 2 : 1) : sign ? 4 : 512;
  if (exponent) return sign ? 8 : 256;
  return mantissa ? (sign ? 16 : 128) : sign ? 32 : 64;
}

}  // namespace

void compare_tables() {
  constexpr u32 always = gfx9 | gfx11;
  relations("i32", "ii", false, [](const u32* p) { return static_cast<i32>(*p); }, false, always);
  relations("u32", "ii", false, [](const u32* p) { return *p; }, false, always);
  relations("i16", "ss", false, [](const u32* p) { return static_cast<i16>(*p); }, false, gfx9);
  relations("u16", "ss", false, [](const u32* p) { return static_cast<u16>(*p); }, false, gfx9);
  relations(
      "i64", "LlLl", true, [](const u32* p) { return static_cast<i64>(as_u64(p)); }, false, always);
  relations("u64", "LlLl", true, [](const u32* p) { return as_u64(p); }, false, always);
  relations("f32", "ff", false, [](const u32* p) { return as_float(*p); }, true, always);
  relations("f16", "hh", false, [](const u32* p) { return half(*p); }, true, always);
  relations("f64", "DdDd", true, [](const u32* p) { return as_double(p[0], p[1]); }, true, always);
  const auto half_class = [](u32 h) {
    return class_of(h >> 15 & 1, (h >> 10 & 31) == 31, h >> 10 & 31, h & 0x3ff, h & 0x200);
  };
  const auto single_class = [](u32 x) {
    return class_of(x >> 31, (x >> 23 & 255) == 255, x >> 23 & 255, x & 0x7fffff, x & 0x400000);
  };
  const auto real_class = [](u64 x) {
    return class_of(x >> 63, (x >> 52 & 2047) == 2047, static_cast<u32>(x >> 52 & 2047),
                    x & 0xfffffffffffffu, x >> 51 & 1);
  };
  both_forms(all, "class_f32", "fi", false,
             [=](const u32* in) { return (single_class(in[0]) & in[1]) != 0; });
  both_forms(all, "class_f16", "hs", false,
             [=](const u32* in) { return (half_class(in[0] & 0xffffu) & in[1]) != 0; });
  mask_table(all, "v_cmp_class_f64 @, v[2:3], v4", "Ddi",
             [=](const u32* in) { return (real_class(as_u64(in)) & in[2]) != 0; });
  mask_table(gfx9, "v_cmpx_class_f64 @, v[2:3], v4", "Ddi",
             [=](const u32* in) { return (real_class(as_u64(in)) & in[2]) != 0; });
  table(rdna, "v_cmpx_class_f64 v[2:3], v4\nv_mov_b32 v20, 1", "Ddi",
        [=](const u32* in, u32* out) { out[0] = real_class(as_u64(in)) & in[2] ? 1 : untouched; });
}

}  // namespace assembly
