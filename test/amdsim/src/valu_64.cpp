// Vector arithmetic on 64-bit values.
#include <algorithm>
#include <tuple>
#include <utility>

#include "lanes.hpp"
#include "math.hpp"

namespace amdsim {
namespace {

inline double ldexp_double(double x, i32 e) { return std::ldexp(x, std::clamp(e, -5000, 5000)); }
inline double fract(double x) {
  const double f = x - std::floor(x);
  return f < 1.0 || f != f ? f : 0x1.fffffffffffffp-1;
}
inline double div_fixup(double q, double d, double n) {
  const u64 sign = (bits_as<u64>(d) ^ bits_as<u64>(n)) & (u64{1} << 63);
  const auto with_sign = [sign](double v) {
    return bits_as<double>((bits_as<u64>(v) & ~(u64{1} << 63)) | sign);
  };
  if (n != n || d != d) return n != n ? n : d;
  if ((n == 0 && d == 0) || (std::isinf(n) && std::isinf(d)))
    return bits_as<double>(u64{0xfff8} << 48);
  if (d == 0 || std::isinf(n)) return with_sign(HUGE_VAL);
  if (std::isinf(d) || n == 0) return with_sign(0.0);
  return canonical(with_sign(q));
}

const valu_def table[] = {
    def<[](u64 a) { return a; }, b64, b64>("v_mov_b64"),
    def<[](double a, double b) { return a + b; }, f64, f64, f64>("v_add_f64"),
    def<[](double a, double b) { return a * b; }, f64, f64, f64>("v_mul_f64"),
    def<[](double a, double b, double c) { return __builtin_fma(a, b, c); }, f64, f64, f64, f64>(
        "v_fma_f64"),
    def<[](double a, double b, double c) { return __builtin_fma(a, b, c); }, f64, f64, f64, f64>(
        "v_fmac_f64", reads_dst),
    def_ieee<flushing<max2<signals::ignored>>, flushing<max2<signals::win>>, f64, f64, f64, f64>(
        "v_max_f64"),
    def_ieee<flushing<min2<signals::ignored>>, flushing<min2<signals::win>>, f64, f64, f64, f64>(
        "v_min_f64"),
    def<[](double a) { return 1.0 / a; }, f64, f64>("v_rcp_f64"),
    def<[](double a) { return 1.0 / std::sqrt(a); }, f64, f64>("v_rsq_f64"),
    def<[](double a) { return std::sqrt(a); }, f64, f64>("v_sqrt_f64"),
    def<flushing<[](double a) { return std::floor(a); }>, f64, f64>("v_floor_f64"),
    def<flushing<[](double a) { return std::ceil(a); }>, f64, f64>("v_ceil_f64"),
    def<flushing<[](double a) { return std::trunc(a); }>, f64, f64>("v_trunc_f64"),
    def<flushing<[](double a) { return round_even(a); }>, f64, f64>("v_rndne_f64"),
    def<flushing<fract>, f64, f64>("v_fract_f64"),
    def<flushing<[](double a) { return frexp_mant(a); }>, f64, f64>("v_frexp_mant_f64"),
    def<[](double a) { return frexp_exp(operand(a)); }, i32s, f64>("v_frexp_exp_i32_f64"),
    def<ldexp_double, f64, f64, i32s>("v_ldexp_f64"),
    def<div_fixup, f64, f64, f64, f64>("v_div_fixup_f64"),
    def<[](u32 a, u64 b) { return b << (a & 63); }, b64, b32, b64>("v_lshlrev_b64"),
    def<[](u32 a, u64 b) { return (b >> (a & 63)); }, b64, b32, b64>("v_lshrrev_b64"),
    def<[](u32 a, i64 b) { return (b >> (a & 63)); }, i64s, b32, i64s>("v_ashrrev_i64"),
    def<[](u64 a, u32 b, u64 c) { return (a << (b & 7)) + c; }, u64s, u64s, u32s, u64s>(
        "v_lshl_add_u64"),
};

}  // namespace

void define_valu_64(definitions& d) {
  d.add(std::begin(table), std::end(table));
  d.alias("v_max_num_f64", "v_max_f64");
  d.alias("v_min_num_f64", "v_min_f64");
}

}  // namespace amdsim
