// Floating point in scalar registers (gfx11.5, gfx12): single precision and halves, and gfx12's
// v_s_* functions.
#include <deque>

#include "math.hpp"
#include "salu.hpp"
#include "valu_mode.hpp"

namespace amdsim {
namespace {

/// Single precision: the host's arithmetic rounds and flushes.
struct single {
  static constexpr type kind = type::f32;
  static constexpr const char* suffix = "_f32";
  struct scope {
    explicit scope(const wave&) {}
  };
  static float get(const wave&, u32 bits) { return bits_as<float>(bits); }
  static u32 put(const wave&, float x) { return bits_as<u32>(x); }
  static float fma(float a, float b, float c) { return std::fma(a, b, c); }
};
/// Halves stand in the low 16 bits; the upper ones of a result are zero.
struct half {
  static constexpr type kind = type::f16;
  static constexpr const char* suffix = "_f16";
  using scope = other_precision_scope;
  static float get(const wave& w, u32 bits) {
    return half_to_float(keeps_subnormal_inputs(w, precision::other) ? bits & 0xffffu
                                                                     : flush_half(bits & 0xffffu));
  }
  static u32 put(const wave& w, float x) {
    const u32 h = float_to_half_by_mode(x);
    return keeps_subnormal_results(w, precision::other) ? h : flush_half(h);
  }
  static float fma(float a, float b, float c) {
    return to_odd_float(static_cast<double>(a) * static_cast<double>(b) + static_cast<double>(c));
  }
};

template <class T>
float value(const wave& w, const op& o, u32 i) {
  u32 x = read32(w, o.src[i]);
  constexpr u32 sign = T::kind == type::f16 ? 0x8000u : 0x80000000u;
  if (o.src[i].abs) x &= ~sign;
  if (o.src[i].neg) x ^= sign;
  return T::get(w, x);
}

template <class T, auto F, u32... I>
void compute(wave& w, const op& o) {
  const typename T::scope scope(w);
  w.set32(o.sdst, T::put(w, F(value<T>(w, o, I)...)));
}
template <class T, auto F>
void compare(wave& w, const op& o) {
  const typename T::scope scope(w);
  w.scc = F(value<T>(w, o, 0), value<T>(w, o, 1));
}
template <class T>
void multiply_add(wave& w, const op& o) {
  const typename T::scope scope(w);
  w.set32(o.sdst, T::put(w, T::fma(value<T>(w, o, 0), value<T>(w, o, 1), value<T>(w, o, 2))));
}

struct float_form {
  std::string name;
  handler run;
  type kind;
  u32 sources;
  bool result, accumulates;
};

/// Sources follow the destination; the accumulator of s_fmac is the destination.
void build_float(binder& b, const void* payload) {
  const auto& f = *static_cast<const float_form*>(payload);
  const u32 first = f.result ? 1 : 0, listed = f.sources - (f.accumulates ? 1u : 0u);
  for (u32 i = 0; i < listed; ++i) b.o.src[i] = b.scalar(first + i, f.kind);
  if (f.accumulates) b.o.src[listed] = b.scalar(0, f.kind);
  if (f.result) b.o.sdst = b.write_scalar(0, 1);
  b.o.run = f.run;
}

class float_table {
 public:
  explicit float_table(definitions& d) : d_(d) {}

  void add(const std::string& name, handler run, type kind, u32 sources, bool result = true,
           bool accumulates = false) {
    forms().push_back({name, run, kind, sources, result, accumulates});
    d_.add(forms().back().name.c_str(), build_float, &forms().back());
  }
  template <class T, auto F>
  void one(const char* stem) {
    add(stem + std::string(T::suffix), compute<T, F, 0>, T::kind, 1);
  }
  template <class T, auto F>
  void two(const char* stem) {
    add(stem + std::string(T::suffix), compute<T, F, 0, 1>, T::kind, 2);
  }
  template <class T, auto F>
  void relation(const char* name) {
    add(std::string("s_cmp_") + name + T::suffix, compare<T, F>, T::kind, 2, false);
  }
  template <class T>
  void both_formats() {
    two<T, [](float a, float b) { return a + b; }>("s_add");
    two<T, [](float a, float b) { return a - b; }>("s_sub");
    two<T, [](float a, float b) { return a * b; }>("s_mul");
    constexpr auto min = flushing<[](float a, float b) { return min_lane(a, b); }>,
                   max = flushing<[](float a, float b) { return max_lane(a, b); }>;
    two<T, min>("s_min");
    two<T, max>("s_max");
    two<T, min>("s_min_num");
    two<T, max>("s_max_num");
    two<T, flushing<minimum_lane>>("s_minimum");
    two<T, flushing<maximum_lane>>("s_maximum");
    add(std::string("s_fmac") + T::suffix, multiply_add<T>, T::kind, 3, true, true);
    one<T, flushing<[](float a) { return std::ceil(a); }>>("s_ceil");
    one<T, flushing<[](float a) { return std::floor(a); }>>("s_floor");
    one<T, flushing<[](float a) { return std::trunc(a); }>>("s_trunc");
    one<T, flushing<[](float a) { return round_even(a); }>>("s_rndne");
    relation<T, [](float a, float b) { return a < b; }>("lt");
    relation<T, [](float a, float b) { return a == b; }>("eq");
    relation<T, [](float a, float b) { return a <= b; }>("le");
    relation<T, [](float a, float b) { return (a > b); }>("gt");
    relation<T, [](float a, float b) { return (a < b || a > b); }>("lg");
    relation<T, [](float a, float b) { return (a >= b); }>("ge");
    relation<T, [](float a, float b) { return a == a && b == b; }>("o");
    relation<T, [](float a, float b) { return a != a || b != b; }>("u");
    relation<T, [](float a, float b) { return (!(a >= b)); }>("nge");
    relation<T, [](float a, float b) { return (!(a < b || a > b)); }>("nlg");
    relation<T, [](float a, float b) { return (!(a > b)); }>("ngt");
    relation<T, [](float a, float b) { return !(a <= b); }>("nle");
    relation<T, [](float a, float b) { return !(a == b); }>("neq");
    relation<T, [](float a, float b) { return !(a < b); }>("nlt");
  }

 private:
  static std::deque<float_form>& forms() {
    static std::deque<float_form> f;
    return f;
  }
  definitions& d_;
};

u32 halves_toward_zero(const wave& w, float a, float b) {
  const u32 pair = float_to_half_rtz(a) | float_to_half_rtz(b) << 16;
  return keeps_subnormal_results(w, precision::other) ? pair : flush_halves(pair);
}

constexpr scalar_form conversions[] = {
    {"s_cvt_f32_i32",
     one32<[](u32 a) { return (bits_as<u32>(static_cast<float>(static_cast<i32>(a)))); },
           scc::keep>,
     {1, 1, 0}},
    {"s_cvt_f32_u32",
     one32<[](u32 a) { return (bits_as<u32>(static_cast<float>(a))); }, scc::keep>,
     {1, 1, 0}},
    {"s_cvt_i32_f32",
     one32<[](u32 a) { return (to_i32(bits_as<float>(a))); }, scc::keep>,
     {1, 1, 0}},
    {"s_cvt_u32_f32",
     one32<[](u32 a) { return (to_u32(bits_as<float>(a))); }, scc::keep>,
     {1, 1, 0}},
    {"s_cvt_f16_f32",
     [](wave& w, const op& o) {
       const other_precision_scope scope(w, precision::single);
       w.set32(o.sdst, half::put(w, bits_as<float>(read32(w, o.src[0]))));
     },
     {1, 1, 0}},
    {"s_cvt_f32_f16",
     [](wave& w, const op& o) { w.set32(o.sdst, bits_as<u32>(half::get(w, read32(w, o.src[0])))); },
     {1, 1, 0}},
    {"s_cvt_hi_f32_f16",
     [](wave& w, const op& o) {
       w.set32(o.sdst, bits_as<u32>(half::get(w, read32(w, o.src[0]) >> 16)));
     },
     {1, 1, 0}},
    {"s_cvt_pk_rtz_f16_f32",
     [](wave& w, const op& o) {
       w.set32(o.sdst, halves_toward_zero(w, bits_as<float>(read32(w, o.src[0])),
                                          bits_as<float>(read32(w, o.src[1]))));
     },
     {1, 1, 1}},
};

}  // namespace

void define_salu_float(definitions& d) {
  for (const auto& f : conversions) d.add(f.name, build_scalar, &f);
  float_table t(d);
  t.both_formats<single>();
  t.both_formats<half>();
  t.add("s_fmamk_f32", multiply_add<single>, type::f32, 3);
  t.add("s_fmaak_f32", multiply_add<single>, type::f32, 3);
  t.one<single, exp2_lane>("v_s_exp");
  t.one<single, log2_lane>("v_s_log");
  t.one<single, rcp_lane>("v_s_rcp");
  t.one<single, rsq_lane>("v_s_rsq");
  t.one<single, sqrt_lane>("v_s_sqrt");
  t.one<half, exp2_lane>("v_s_exp");
  t.one<half, log2_lane>("v_s_log");
  t.one<half, [](float a) { return to_odd_float(1.0 / static_cast<double>(a)); }>("v_s_rcp");
  t.one<half, [](float a) { return to_odd_float(1.0 / std::sqrt(static_cast<double>(a))); }>(
      "v_s_rsq");
  t.one<half, [](float a) { return std::sqrt(a); }>("v_s_sqrt");
}

}  // namespace amdsim
