// Scalar arithmetic, branches, and the operations that steer a wave.
#include <algorithm>
#include <bit>

#include "decode.hpp"
#include "math.hpp"
#include "schedule.hpp"

namespace amdsim {

u32 read32(const wave& w, const source& s) {
  if (s.k == source::imm) return s.lo;
  if (s.reg < sreg::count) return s.reg == sreg::null ? 0 : w.s[s.reg];
  switch (s.reg) {
    case sreg::scc: return w.scc;
    case sreg::vccz: return w.mask(sreg::vcc) == 0;
    case sreg::execz: return w.exec() == 0;
    case sreg::shared_base + 1: return high32(shared_aperture);
    case sreg::private_base + 1: return high32(private_aperture);
    case sreg::shared_base: return high32(shared_aperture);  // as a 32-bit operand: the useful half
    case sreg::private_base: return high32(private_aperture);
    case sreg::shared_limit: return high32(shared_aperture);
    case sreg::private_limit: return high32(private_aperture);
    default: return 0;
  }
}

u64 read64(const wave& w, const source& s) {
  if (s.k == source::imm) return join(s.lo, s.hi);
  if (s.reg < sreg::count) return w.s64(s.reg);
  switch (s.reg) {
    case sreg::shared_base: return shared_aperture;
    case sreg::private_base: return private_aperture;
    case sreg::shared_limit: return shared_aperture | 0xffffffffu;
    case sreg::private_limit: return private_aperture | 0xffffffffu;
    default: return read32(w, s);
  }
}

namespace {

enum class scc : u8 { keep, nonzero };

/// d = F(s0, s1) on 32 bits.
template <auto F, scc Rule>
void two32(wave& w, const op& o) {
  const u32 r = static_cast<u32>(F(read32(w, o.src[0]), read32(w, o.src[1])));
  w.set32(o.sdst, r);
  if constexpr (Rule == scc::nonzero) w.scc = r != 0;
}
template <auto F, scc Rule>
void two64(wave& w, const op& o) {
  const u64 r = F(read64(w, o.src[0]), read64(w, o.src[1]));
  w.set64(o.sdst, r);
  if constexpr (Rule == scc::nonzero) w.scc = r != 0;
}
template <auto F, scc Rule>
void shift64(wave& w, const op& o) {
  const u64 r = F(read64(w, o.src[0]), read32(w, o.src[1]));
  w.set64(o.sdst, r);
  if constexpr (Rule == scc::nonzero) w.scc = r != 0;
}
template <auto F, scc Rule>
void one32(wave& w, const op& o) {
  const u32 r = static_cast<u32>(F(read32(w, o.src[0])));
  w.set32(o.sdst, r);
  if constexpr (Rule == scc::nonzero) w.scc = r != 0;
}
template <auto F, scc Rule>
void one64(wave& w, const op& o) {
  const u64 r = F(read64(w, o.src[0]));
  w.set64(o.sdst, r);
  if constexpr (Rule == scc::nonzero) w.scc = r != 0;
}
/// 64 bits in, 32 out.
template <auto F, scc Rule>
void count64(wave& w, const op& o) {
  const u32 r = F(read64(w, o.src[0]));
  w.set32(o.sdst, r);
  if constexpr (Rule == scc::nonzero) w.scc = r != 0;
}
template <auto F>
void compare32(wave& w, const op& o) {
  w.scc = F(read32(w, o.src[0]), read32(w, o.src[1]));
}
template <auto F>
void compare64(wave& w, const op& o) {
  w.scc = F(read64(w, o.src[0]), read64(w, o.src[1]));
}
/// d = F(s0, s1) with SCC as second result.
template <auto F>
void flagged(wave& w, const op& o) {
  bool flag = w.scc;
  w.set32(o.sdst, F(read32(w, o.src[0]), read32(w, o.src[1]), flag));
  w.scc = flag;
}
template <auto F>
void float2(wave& w, const op& o) {
  w.set32(o.sdst, bits_as<u32>(F(bits_as<float>(read32(w, o.src[0])), bits_as<float>(read32(w, o.src[1])))));
}
template <auto F>
void float1(wave& w, const op& o) {
  w.set32(o.sdst, bits_as<u32>(F(bits_as<float>(read32(w, o.src[0])))));
}
template <auto F>
void float_compare(wave& w, const op& o) {
  w.scc = F(bits_as<float>(read32(w, o.src[0])), bits_as<float>(read32(w, o.src[1])));
}

constexpr u32 top = 0x80000000u;
constexpr auto add_u = [](u32 a, u32 b, bool& c) { const u64 s = u64{a} + b; c = s >> 32; return low32(s); };
constexpr auto sub_u = [](u32 a, u32 b, bool& c) { c = b > a; return a - b; };
constexpr auto add_i = [](u32 a, u32 b, bool& c) { const u32 s = a + b; c = (a ^ s) & (b ^ s) & top; return s; };
constexpr auto sub_i = [](u32 a, u32 b, bool& c) { const u32 s = a - b; c = (a ^ b) & (a ^ s) & top; return s; };
constexpr auto addc = [](u32 a, u32 b, bool& c) { const u64 s = u64{a} + b + (c ? 1u : 0u); c = s >> 32; return low32(s); };
constexpr auto subb = [](u32 a, u32 b, bool& c) { const u64 take = u64{b} + (c ? 1u : 0u); const u32 s = low32(u64{a} - take); c = take > a; return s; };
constexpr auto min_i = [](u32 a, u32 b, bool& c) { c = static_cast<i32>(a) < static_cast<i32>(b); return c ? a : b; };
constexpr auto max_i = [](u32 a, u32 b, bool& c) { c = static_cast<i32>(a) > static_cast<i32>(b); return c ? a : b; };
constexpr auto min_u = [](u32 a, u32 b, bool& c) { c = a < b; return c ? a : b; };
constexpr auto max_u = [](u32 a, u32 b, bool& c) { c = a > b; return c ? a : b; };
template <u32 N>
u32 shift_add(u32 a, u32 b, bool& c) {
  const u64 s = (u64{a} << N) + b;
  c = s >> 32 != 0;
  return low32(s);
}
inline u32 bfe_u(u32 x, u32 spec) {
  const u32 at = spec & 31, n = spec >> 16 & 127;
  return n == 0 ? 0 : n >= 32 ? x >> at : x >> at & ((1u << n) - 1);
}
inline u32 bfe_i(u32 x, u32 spec) {
  const u32 at = spec & 31, n = spec >> 16 & 127;
  if (n == 0) return 0;
  const u32 part = static_cast<u32>(static_cast<i32>(x) >> at);
  return n >= 32 || at + n >= 32 ? part : static_cast<u32>(sign_extend(part, n));
}
inline u64 bfe_u64(u64 x, u32 spec) {
  const u32 at = spec & 63, n = spec >> 16 & 127;
  return n == 0 ? 0 : n >= 64 ? x >> at : x >> at & ((u64{1} << n) - 1);
}
inline u64 bfe_i64(u64 x, u32 spec) {
  const u32 at = spec & 63, n = spec >> 16 & 127;
  if (n == 0) return 0;
  const i64 part = static_cast<i64>(x) >> at;
  return static_cast<u64>(n >= 64 || at + n >= 64 ? part : static_cast<i64>(static_cast<u64>(part) << (64 - n)) >> (64 - n));
}
inline u32 reverse32(u32 x) {
  u32 r = 0;
  for (u32 i = 0; i < 32; ++i) r |= (x >> i & 1u) << (31 - i);
  return r;
}
inline u64 reverse64(u64 x) { return join(reverse32(high32(x)), reverse32(low32(x))); }
inline u32 first_differs(u64 x, u32 bits) {
  const u64 sign = x >> (bits - 1) & 1;
  for (u32 i = 1; i < bits; ++i)
    if ((x >> (bits - 1 - i) & 1) != sign) return i;
  return ~0u;
}
inline u32 quads(u32 x) {
  u32 r = 0;
  for (u32 i = 0; i < 8; ++i) r |= (x >> (4 * i) & 15u ? 1u : 0u) << i;
  return r;
}
inline u32 whole_quads(u32 x) {
  u32 r = 0;
  for (u32 i = 0; i < 8; ++i) r |= (x >> (4 * i) & 15u ? 15u : 0u) << (4 * i);
  return r;
}

// ---- operations on EXEC: old mask to the destination, new mask from F(source, exec)

template <auto F, bool Wrexec>
void saveexec(wave& w, const op& o) {
  const bool wide = o.flags;
  const u64 keep = wide ? ~u64{0} : 0xffffffffu;
  const u64 s = (wide ? read64(w, o.src[0]) : read32(w, o.src[0])), old = w.exec();
  const u64 now = F(s, old) & keep & w.full;
  w.set_exec(now);
  const u64 out = Wrexec ? now : old;
  if (wide)
    w.set64(o.sdst, out);
  else
    w.set32(o.sdst, low32(out));
  w.scc = now != 0;
}

// ---- builders

struct shape {
  u8 dst, s0, s1;  ///< registers of each operand; 0: absent
};
constexpr type of_registers(u8 n) { return n == 2 ? type::b64 : type::b32; }

struct scalar_form {
  const char* name;
  handler run;
  shape at;
};

void build_scalar(binder& b, const void* payload) {
  const auto& f = *static_cast<const scalar_form*>(payload);
  std::size_t n = 0;
  if (f.at.dst) {
    b.o.sdst = static_cast<u16>(b.operand(0).reg);
    n = 1;
  }
  if (f.at.s0) b.o.src[0] = b.scalar(n++, of_registers(f.at.s0));
  if (f.at.s1) b.o.src[1] = b.scalar(n++, of_registers(f.at.s1));
  if (f.at.dst) b.write_scalar(0, f.at.dst);
  b.o.flags = f.at.s0 == 2;
  b.o.run = f.run;
  // A vector operation may find another lane mask now; EXEC itself is read afresh each time.
}

constexpr scalar_form table[] = {
    {"s_mov_b32", one32<[](u32 a) { return a; }, scc::keep>, {1, 1, 0}},
    {"s_mov_b64", one64<[](u64 a) { return a; }, scc::keep>, {2, 2, 0}},
    {"s_not_b32", one32<[](u32 a) { return ~a; }, scc::nonzero>, {1, 1, 0}},
    {"s_not_b64", one64<[](u64 a) { return ~a; }, scc::nonzero>, {2, 2, 0}},
    {"s_brev_b32", one32<reverse32, scc::keep>, {1, 1, 0}},
    {"s_brev_b64", one64<reverse64, scc::keep>, {2, 2, 0}},
    {"s_bcnt0_i32_b32", one32<[](u32 a) { return 32 - std::popcount(a); }, scc::nonzero>, {1, 1, 0}},
    {"s_bcnt1_i32_b32", one32<[](u32 a) { return std::popcount(a); }, scc::nonzero>, {1, 1, 0}},
    {"s_bcnt0_i32_b64", count64<[](u64 a) { return (static_cast<u32>(64 - std::popcount(a))); }, scc::nonzero>, {1, 2, 0}},
    {"s_bcnt1_i32_b64", count64<[](u64 a) { return (static_cast<u32>(std::popcount(a))); }, scc::nonzero>, {1, 2, 0}},
    {"s_ff0_i32_b32", one32<[](u32 a) { return ~a ? std::countr_one(a) : -1; }, scc::keep>, {1, 1, 0}},
    {"s_ff1_i32_b32", one32<[](u32 a) { return a ? std::countr_zero(a) : -1; }, scc::keep>, {1, 1, 0}},
    {"s_ff0_i32_b64", count64<[](u64 a) { return (~a ? static_cast<u32>(std::countr_one(a)) : ~0u); }, scc::keep>, {1, 2, 0}},
    {"s_ff1_i32_b64", count64<[](u64 a) { return (a ? static_cast<u32>(std::countr_zero(a)) : ~0u); }, scc::keep>, {1, 2, 0}},
    {"s_flbit_i32_b32", one32<[](u32 a) { return a ? std::countl_zero(a) : -1; }, scc::keep>, {1, 1, 0}},
    {"s_flbit_i32_b64", count64<[](u64 a) { return (a ? static_cast<u32>(std::countl_zero(a)) : ~0u); }, scc::keep>, {1, 2, 0}},
    {"s_flbit_i32", one32<[](u32 a) { return first_differs(a, 32); }, scc::keep>, {1, 1, 0}},
    {"s_flbit_i32_i64", count64<[](u64 a) { return first_differs(a, 64); }, scc::keep>, {1, 2, 0}},
    {"s_sext_i32_i8", one32<[](u32 a) { return sign_extend(a, 8); }, scc::keep>, {1, 1, 0}},
    {"s_sext_i32_i16", one32<[](u32 a) { return sign_extend(a, 16); }, scc::keep>, {1, 1, 0}},
    {"s_abs_i32", one32<[](u32 a) { return a & top ? 0u - a : a; }, scc::nonzero>, {1, 1, 0}},
    {"s_quadmask_b32", one32<quads, scc::nonzero>, {1, 1, 0}},
    {"s_quadmask_b64", one64<[](u64 a) { return u64{quads(low32(a))} | u64{quads(high32(a))} << 8; }, scc::nonzero>, {2, 2, 0}},
    {"s_wqm_b32", one32<whole_quads, scc::nonzero>, {1, 1, 0}},
    {"s_wqm_b64", one64<[](u64 a) { return join(whole_quads(low32(a)), whole_quads(high32(a))); }, scc::nonzero>, {2, 2, 0}},
    {"s_bitreplicate_b64_b32", [](wave& w, const op& o) { const u32 a = read32(w, o.src[0]); u64 r = 0; for (u32 i = 0; i < 32; ++i) r |= (a >> i & 1 ? u64{3} : u64{0}) << (2 * i); w.set64(o.sdst, r); }, {2, 1, 0}},
    {"s_add_u32", flagged<add_u>, {1, 1, 1}},
    {"s_sub_u32", flagged<sub_u>, {1, 1, 1}},
    {"s_add_i32", flagged<add_i>, {1, 1, 1}},
    {"s_sub_i32", flagged<sub_i>, {1, 1, 1}},
    {"s_addc_u32", flagged<addc>, {1, 1, 1}},
    {"s_subb_u32", flagged<subb>, {1, 1, 1}},
    {"s_min_i32", flagged<min_i>, {1, 1, 1}},
    {"s_max_i32", flagged<max_i>, {1, 1, 1}},
    {"s_min_u32", flagged<min_u>, {1, 1, 1}},
    {"s_max_u32", flagged<max_u>, {1, 1, 1}},
    {"s_lshl1_add_u32", flagged<shift_add<1>>, {1, 1, 1}},
    {"s_lshl2_add_u32", flagged<shift_add<2>>, {1, 1, 1}},
    {"s_lshl3_add_u32", flagged<shift_add<3>>, {1, 1, 1}},
    {"s_lshl4_add_u32", flagged<shift_add<4>>, {1, 1, 1}},
    {"s_cselect_b32", [](wave& w, const op& o) { w.set32(o.sdst, read32(w, o.src[w.scc ? 0 : 1])); }, {1, 1, 1}},
    {"s_cselect_b64", [](wave& w, const op& o) { w.set64(o.sdst, read64(w, o.src[w.scc ? 0 : 1])); }, {2, 2, 2}},
    {"s_cmov_b32", [](wave& w, const op& o) { if (w.scc) w.set32(o.sdst, read32(w, o.src[0])); }, {1, 1, 0}},
    {"s_cmov_b64", [](wave& w, const op& o) { if (w.scc) w.set64(o.sdst, read64(w, o.src[0])); }, {2, 2, 0}},
    {"s_and_b32", two32<[](u32 a, u32 b) { return a & b; }, scc::nonzero>, {1, 1, 1}},
    {"s_and_b64", two64<[](u64 a, u64 b) { return a & b; }, scc::nonzero>, {2, 2, 2}},
    {"s_or_b32", two32<[](u32 a, u32 b) { return a | b; }, scc::nonzero>, {1, 1, 1}},
    {"s_or_b64", two64<[](u64 a, u64 b) { return a | b; }, scc::nonzero>, {2, 2, 2}},
    {"s_xor_b32", two32<[](u32 a, u32 b) { return a ^ b; }, scc::nonzero>, {1, 1, 1}},
    {"s_xor_b64", two64<[](u64 a, u64 b) { return a ^ b; }, scc::nonzero>, {2, 2, 2}},
    {"s_andn2_b32", two32<[](u32 a, u32 b) { return a & ~b; }, scc::nonzero>, {1, 1, 1}},
    {"s_andn2_b64", two64<[](u64 a, u64 b) { return a & ~b; }, scc::nonzero>, {2, 2, 2}},
    {"s_orn2_b32", two32<[](u32 a, u32 b) { return a | ~b; }, scc::nonzero>, {1, 1, 1}},
    {"s_orn2_b64", two64<[](u64 a, u64 b) { return a | ~b; }, scc::nonzero>, {2, 2, 2}},
    {"s_nand_b32", two32<[](u32 a, u32 b) { return ~(a & b); }, scc::nonzero>, {1, 1, 1}},
    {"s_nand_b64", two64<[](u64 a, u64 b) { return ~(a & b); }, scc::nonzero>, {2, 2, 2}},
    {"s_nor_b32", two32<[](u32 a, u32 b) { return ~(a | b); }, scc::nonzero>, {1, 1, 1}},
    {"s_nor_b64", two64<[](u64 a, u64 b) { return ~(a | b); }, scc::nonzero>, {2, 2, 2}},
    {"s_xnor_b32", two32<[](u32 a, u32 b) { return ~(a ^ b); }, scc::nonzero>, {1, 1, 1}},
    {"s_xnor_b64", two64<[](u64 a, u64 b) { return ~(a ^ b); }, scc::nonzero>, {2, 2, 2}},
    {"s_lshl_b32", two32<[](u32 a, u32 b) { return a << (b & 31); }, scc::nonzero>, {1, 1, 1}},
    {"s_lshr_b32", two32<[](u32 a, u32 b) { return (a >> (b & 31)); }, scc::nonzero>, {1, 1, 1}},
    {"s_ashr_i32", two32<[](u32 a, u32 b) { return (static_cast<i32>(a) >> (b & 31)); }, scc::nonzero>, {1, 1, 1}},
    {"s_lshl_b64", shift64<[](u64 a, u32 b) { return a << (b & 63); }, scc::nonzero>, {2, 2, 1}},
    {"s_lshr_b64", shift64<[](u64 a, u32 b) { return (a >> (b & 63)); }, scc::nonzero>, {2, 2, 1}},
    {"s_ashr_i64", shift64<[](u64 a, u32 b) { return (static_cast<u64>(static_cast<i64>(a) >> (b & 63))); }, scc::nonzero>, {2, 2, 1}},
    {"s_bfm_b32", two32<[](u32 a, u32 b) { return ((1u << (a & 31)) - 1) << (b & 31); }, scc::keep>, {1, 1, 1}},
    {"s_bfm_b64", [](wave& w, const op& o) { w.set64(o.sdst, ((u64{1} << (read32(w, o.src[0]) & 63)) - 1) << (read32(w, o.src[1]) & 63)); }, {2, 1, 1}},
    {"s_bfe_u32", two32<bfe_u, scc::nonzero>, {1, 1, 1}},
    {"s_bfe_i32", two32<bfe_i, scc::nonzero>, {1, 1, 1}},
    {"s_bfe_u64", shift64<bfe_u64, scc::nonzero>, {2, 2, 1}},
    {"s_bfe_i64", shift64<bfe_i64, scc::nonzero>, {2, 2, 1}},
    {"s_mul_i32", two32<[](u32 a, u32 b) { return a * b; }, scc::keep>, {1, 1, 1}},
    {"s_mul_hi_u32", two32<[](u32 a, u32 b) { return high32(u64{a} * b); }, scc::keep>, {1, 1, 1}},
    {"s_mul_hi_i32", two32<[](u32 a, u32 b) { return (static_cast<i64>(static_cast<i32>(a)) * static_cast<i32>(b) >> 32); }, scc::keep>, {1, 1, 1}},
    {"s_absdiff_i32", two32<[](u32 a, u32 b) { const u32 d = a - b; return d & top ? 0u - d : d; }, scc::nonzero>, {1, 1, 1}},
    {"s_pack_ll_b32_b16", two32<[](u32 a, u32 b) { return (a & 0xffffu) | b << 16; }, scc::keep>, {1, 1, 1}},
    {"s_pack_lh_b32_b16", two32<[](u32 a, u32 b) { return (a & 0xffffu) | (b & 0xffff0000u); }, scc::keep>, {1, 1, 1}},
    {"s_pack_hh_b32_b16", two32<[](u32 a, u32 b) { return (a >> 16 | (b & 0xffff0000u)); }, scc::keep>, {1, 1, 1}},
    {"s_pack_hl_b32_b16", two32<[](u32 a, u32 b) { return (a >> 16 | b << 16); }, scc::keep>, {1, 1, 1}},
    {"s_add_u64", two64<[](u64 a, u64 b) { return a + b; }, scc::keep>, {2, 2, 2}},
    {"s_sub_u64", two64<[](u64 a, u64 b) { return a - b; }, scc::keep>, {2, 2, 2}},
    {"s_mul_u64", two64<[](u64 a, u64 b) { return a * b; }, scc::keep>, {2, 2, 2}},
    {"s_cmp_eq_i32", compare32<[](u32 a, u32 b) { return a == b; }>, {0, 1, 1}},
    {"s_cmp_lg_i32", compare32<[](u32 a, u32 b) { return a != b; }>, {0, 1, 1}},
    {"s_cmp_gt_i32", compare32<[](u32 a, u32 b) { return (static_cast<i32>(a) > static_cast<i32>(b)); }>, {0, 1, 1}},
    {"s_cmp_ge_i32", compare32<[](u32 a, u32 b) { return (static_cast<i32>(a) >= static_cast<i32>(b)); }>, {0, 1, 1}},
    {"s_cmp_lt_i32", compare32<[](u32 a, u32 b) { return (static_cast<i32>(a) < static_cast<i32>(b)); }>, {0, 1, 1}},
    {"s_cmp_le_i32", compare32<[](u32 a, u32 b) { return (static_cast<i32>(a) <= static_cast<i32>(b)); }>, {0, 1, 1}},
    {"s_cmp_eq_u32", compare32<[](u32 a, u32 b) { return a == b; }>, {0, 1, 1}},
    {"s_cmp_lg_u32", compare32<[](u32 a, u32 b) { return a != b; }>, {0, 1, 1}},
    {"s_cmp_gt_u32", compare32<[](u32 a, u32 b) { return (a > b); }>, {0, 1, 1}},
    {"s_cmp_ge_u32", compare32<[](u32 a, u32 b) { return (a >= b); }>, {0, 1, 1}},
    {"s_cmp_lt_u32", compare32<[](u32 a, u32 b) { return a < b; }>, {0, 1, 1}},
    {"s_cmp_le_u32", compare32<[](u32 a, u32 b) { return a <= b; }>, {0, 1, 1}},
    {"s_cmp_eq_u64", compare64<[](u64 a, u64 b) { return a == b; }>, {0, 2, 2}},
    {"s_cmp_lg_u64", compare64<[](u64 a, u64 b) { return a != b; }>, {0, 2, 2}},
    {"s_bitcmp0_b32", compare32<[](u32 a, u32 b) { return (!(a >> (b & 31) & 1)); }>, {0, 1, 1}},
    {"s_bitcmp1_b32", compare32<[](u32 a, u32 b) { return ((a >> (b & 31) & 1) != 0); }>, {0, 1, 1}},
    {"s_bitcmp0_b64", [](wave& w, const op& o) { w.scc = !(read64(w, o.src[0]) >> (read32(w, o.src[1]) & 63) & 1); }, {0, 2, 1}},
    {"s_bitcmp1_b64", [](wave& w, const op& o) { w.scc = read64(w, o.src[0]) >> (read32(w, o.src[1]) & 63) & 1; }, {0, 2, 1}},
    // gfx11.5 and gfx12: single precision in scalar registers
    {"s_add_f32", float2<[](float a, float b) { return a + b; }>, {1, 1, 1}},
    {"s_sub_f32", float2<[](float a, float b) { return a - b; }>, {1, 1, 1}},
    {"s_mul_f32", float2<[](float a, float b) { return a * b; }>, {1, 1, 1}},
    {"s_min_f32", float2<[](float a, float b) { return min_lane(a, b); }>, {1, 1, 1}},
    {"s_max_f32", float2<[](float a, float b) { return max_lane(a, b); }>, {1, 1, 1}},
    {"s_minimum_f32", float2<minimum_lane>, {1, 1, 1}},
    {"s_maximum_f32", float2<maximum_lane>, {1, 1, 1}},
    {"s_fmac_f32", [](wave& w, const op& o) { w.set32(o.sdst, bits_as<u32>(std::fma(bits_as<float>(read32(w, o.src[0])), bits_as<float>(read32(w, o.src[1])), bits_as<float>(w.s[o.sdst])))); }, {1, 1, 1}},
    {"s_ceil_f32", float1<[](float a) { return std::ceil(a); }>, {1, 1, 0}},
    {"s_floor_f32", float1<[](float a) { return std::floor(a); }>, {1, 1, 0}},
    {"s_trunc_f32", float1<[](float a) { return std::trunc(a); }>, {1, 1, 0}},
    {"s_rndne_f32", float1<round_even>, {1, 1, 0}},
    {"s_cvt_f32_i32", one32<[](u32 a) { return (bits_as<u32>(static_cast<float>(static_cast<i32>(a)))); }, scc::keep>, {1, 1, 0}},
    {"s_cvt_f32_u32", one32<[](u32 a) { return (bits_as<u32>(static_cast<float>(a))); }, scc::keep>, {1, 1, 0}},
    {"s_cvt_i32_f32", one32<[](u32 a) { return (to_i32(bits_as<float>(a))); }, scc::keep>, {1, 1, 0}},
    {"s_cvt_u32_f32", one32<[](u32 a) { return (to_u32(bits_as<float>(a))); }, scc::keep>, {1, 1, 0}},
    {"s_cvt_f16_f32", one32<[](u32 a) { return (float_to_half(bits_as<float>(a))); }, scc::keep>, {1, 1, 0}},
    {"s_cvt_f32_f16", one32<[](u32 a) { return (bits_as<u32>(half_to_float(a & 0xffffu))); }, scc::keep>, {1, 1, 0}},
    {"s_cvt_hi_f32_f16", one32<[](u32 a) { return (bits_as<u32>(half_to_float(a >> 16))); }, scc::keep>, {1, 1, 0}},
    {"s_cvt_pk_rtz_f16_f32", two32<[](u32 a, u32 b) { return (float_to_half_rtz(bits_as<float>(a)) | float_to_half_rtz(bits_as<float>(b)) << 16); }, scc::keep>, {1, 1, 1}},
    {"s_cmp_lt_f32", float_compare<[](float a, float b) { return a < b; }>, {0, 1, 1}},
    {"s_cmp_eq_f32", float_compare<[](float a, float b) { return a == b; }>, {0, 1, 1}},
    {"s_cmp_le_f32", float_compare<[](float a, float b) { return a <= b; }>, {0, 1, 1}},
    {"s_cmp_gt_f32", float_compare<[](float a, float b) { return (a > b); }>, {0, 1, 1}},
    {"s_cmp_lg_f32", float_compare<[](float a, float b) { return (a < b || a > b); }>, {0, 1, 1}},
    {"s_cmp_ge_f32", float_compare<[](float a, float b) { return (a >= b); }>, {0, 1, 1}},
    {"s_cmp_o_f32", float_compare<[](float a, float b) { return a == a && b == b; }>, {0, 1, 1}},
    {"s_cmp_u_f32", float_compare<[](float a, float b) { return a != a || b != b; }>, {0, 1, 1}},
    {"s_cmp_nge_f32", float_compare<[](float a, float b) { return (!(a >= b)); }>, {0, 1, 1}},
    {"s_cmp_nlg_f32", float_compare<[](float a, float b) { return (!(a < b || a > b)); }>, {0, 1, 1}},
    {"s_cmp_ngt_f32", float_compare<[](float a, float b) { return (!(a > b)); }>, {0, 1, 1}},
    {"s_cmp_nle_f32", float_compare<[](float a, float b) { return !(a <= b); }>, {0, 1, 1}},
    {"s_cmp_neq_f32", float_compare<[](float a, float b) { return !(a == b); }>, {0, 1, 1}},
    {"s_cmp_nlt_f32", float_compare<[](float a, float b) { return !(a < b); }>, {0, 1, 1}},
};

#define AMDSIM_SAVEEXEC(NAME, F)                                                    \
  {NAME "_saveexec_b64", saveexec<F, false>, {2, 2, 0}}, {NAME "_saveexec_b32", saveexec<F, false>, {1, 1, 0}}
constexpr auto x_and = [](u64 s, u64 e) { return s & e; };
constexpr auto x_or = [](u64 s, u64 e) { return s | e; };
constexpr auto x_xor = [](u64 s, u64 e) { return s ^ e; };
constexpr auto x_andn2 = [](u64 s, u64 e) { return s & ~e; };  // source and not EXEC
constexpr auto x_orn2 = [](u64 s, u64 e) { return s | ~e; };
constexpr auto x_nand = [](u64 s, u64 e) { return ~(s & e); };
constexpr auto x_nor = [](u64 s, u64 e) { return ~(s | e); };
constexpr auto x_xnor = [](u64 s, u64 e) { return ~(s ^ e); };
constexpr auto x_andn1 = [](u64 s, u64 e) { return ~s & e; };
constexpr auto x_orn1 = [](u64 s, u64 e) { return ~s | e; };
constexpr scalar_form exec_table[] = {
    AMDSIM_SAVEEXEC("s_and", x_and),     AMDSIM_SAVEEXEC("s_or", x_or),       AMDSIM_SAVEEXEC("s_xor", x_xor),     AMDSIM_SAVEEXEC("s_andn2", x_andn2),
    AMDSIM_SAVEEXEC("s_orn2", x_orn2),   AMDSIM_SAVEEXEC("s_nand", x_nand),   AMDSIM_SAVEEXEC("s_nor", x_nor),     AMDSIM_SAVEEXEC("s_xnor", x_xnor),
    AMDSIM_SAVEEXEC("s_andn1", x_andn1), AMDSIM_SAVEEXEC("s_orn1", x_orn1),   {"s_andn1_wrexec_b64", saveexec<x_andn1, true>, {2, 2, 0}},
    {"s_andn1_wrexec_b32", saveexec<x_andn1, true>, {1, 1, 0}}, {"s_andn2_wrexec_b64", saveexec<x_andn2, true>, {2, 2, 0}}, {"s_andn2_wrexec_b32", saveexec<x_andn2, true>, {1, 1, 0}},
};

/// These read their destination as well.
void build_bitset(binder& b, const void* payload) {
  const bool wide = b.in.name.find("b64") != std::string::npos;
  b.o.sdst = static_cast<u16>(b.operand(0).reg);
  b.o.src[0] = b.scalar(1, type::b32);
  b.note_scalar_read(b.o.sdst, wide ? 2 : 1);
  b.write_scalar(0, wide ? 2 : 1);
  b.o.flags = payload ? 1 : 0;
  b.o.run = wide ? [](wave& w, const op& o) {
    const u64 bit = u64{1} << (read32(w, o.src[0]) & 63), old = w.s64(o.sdst);
    w.set64(o.sdst, o.flags ? old | bit : old & ~bit);
  } : [](wave& w, const op& o) {
    const u32 bit = 1u << (read32(w, o.src[0]) & 31), old = w.s[o.sdst];
    w.set32(o.sdst, o.flags ? old | bit : old & ~bit);
  };
}

// ---- 16-bit immediates

void k_mov(wave& w, const op& o) { w.set32(o.sdst, static_cast<u32>(o.imm)); }
void k_cmov(wave& w, const op& o) { if (w.scc) w.set32(o.sdst, static_cast<u32>(o.imm)); }
void k_add(wave& w, const op& o) {
  bool c = false;
  w.set32(o.sdst, add_i(w.s[o.sdst], static_cast<u32>(o.imm), c));
  w.scc = c;
}
void k_mul(wave& w, const op& o) { w.set32(o.sdst, w.s[o.sdst] * static_cast<u32>(o.imm)); }
template <auto F>
void k_compare_signed(wave& w, const op& o) { w.scc = F(i64{static_cast<i32>(w.s[o.sdst])}, o.imm); }
template <auto F>
void k_compare_unsigned(wave& w, const op& o) { w.scc = F(i64{w.s[o.sdst]}, o.imm & 0xffff); }

template <handler F, bool Reads, bool Writes>
void build_sopk(binder& b, const void*) {
  if constexpr (Reads) b.note_scalar_read(b.operand(0).reg, 1);
  if constexpr (Writes) b.write_scalar(0, 1);
  b.o.sdst = static_cast<u16>(b.operand(0).reg);
  b.o.imm = static_cast<i16>(b.in.raw[0] & 0xffffu);
  b.o.run = F;
}

// ---- hardware registers: id in bits 0..5, offset in 6..10, size - 1 in 11..15 of the immediate

u32 hardware_register(const wave& w, u32 id) {
  switch (id) {
    case 1: return w.mode;
    case 2: return (w.scc ? 1u : 0u) | (w.exec() == 0 ? 1u << 9 : 0u) | (w.mask(sreg::vcc) == 0 ? 1u << 10 : 0u);
    case 4: case 23: return w.id;                       // HW_ID: the wave's slot
    case 15: return high32(shared_aperture) << 16 | high32(private_aperture) >> 16;
    case 20: return 0;                                  // XCC_ID: one die
    case 29: return static_cast<u32>(w.total);          // SHADER_CYCLES
    default: return 0;
  }
}
void getreg(wave& w, const op& o) {
  const u32 id = o.imm & 63, at = o.imm >> 6 & 31, n = (o.imm >> 11 & 31) + 1;
  const u32 x = hardware_register(w, id) >> at;
  w.set32(o.sdst, n == 32 ? x : x & ((1u << n) - 1));
}
void setreg(wave& w, const op& o) {
  const u32 id = o.imm & 63, at = o.imm >> 6 & 31, n = (o.imm >> 11 & 31) + 1;
  const u32 mask = (n == 32 ? ~0u : (1u << n) - 1) << at, value = (o.flags ? o.src[0].lo : w.s[o.sdst]) << at;
  if (id == 1) {
    w.mode = (w.mode & ~mask) | (value & mask);
    apply_mode(w);
  }
}
bool known_register(u32 id) { return id == 1 || id == 2 || id == 4 || id == 5 || id == 6 || id == 7 || id == 15 || id == 20 || id == 23 || id == 24 || id == 29; }
void build_getreg(binder& b, const void*) {
  b.o.sdst = b.write_scalar(0, 1);
  b.o.imm = b.in.raw[0] & 0xffffu;
  if (!known_register(static_cast<u32>(b.o.imm) & 63)) b.refuse("hardware register");
  b.o.run = getreg;
}
void build_setreg(binder& b, const void*) {
  b.o.imm = b.in.raw[0] & 0xffffu;
  if (b.in.name == "s_setreg_imm32_b32") {
    b.o.flags = 1;
    b.o.src[0].lo = b.in.raw[1];
  } else {
    const std::size_t n = b.operand(0).k == operand_text::kind::sgpr ? 0 : 1;
    b.o.sdst = static_cast<u16>(b.operand(n).reg);
    b.note_scalar_read(b.o.sdst, 1);
  }
  if (!known_register(static_cast<u32>(b.o.imm) & 63)) b.refuse("hardware register");
  b.o.run = setreg;
}
void build_mode(binder& b, const void* payload) {  // s_round_mode, s_denorm_mode
  b.o.imm = (b.in.raw[0] & 15) << (payload ? 4 : 0);
  b.o.flags = payload ? 1 : 0;
  b.o.run = [](wave& w, const op& o) {
    w.mode = (w.mode & ~(o.flags ? 0xf0u : 0xfu)) | static_cast<u32>(o.imm);
    apply_mode(w);
  };
}

// ---- program counter

u64 next_address(const wave& w) { return w.pc < w.prog->address.size() ? w.prog->address[w.pc] : 0; }
void jump(wave& w, const op& o, u64 to) {
  u32 index;
  if (w.prog->index_of(to, index))
    w.pc = index;
  else
    fault(w, o, "jumps to an address that holds no decoded code");
}
void build_getpc(binder& b, const void*) {
  b.o.sdst = b.write_scalar(0, 2);
  b.o.imm = static_cast<i64>(b.in.address + b.in.bytes);
  b.o.run = [](wave& w, const op& o) { w.set64(o.sdst, static_cast<u64>(o.imm)); };
}
void build_setpc(binder& b, const void*) {
  b.o.src[0] = b.scalar(0, type::b64);
  b.o.run = [](wave& w, const op& o) { jump(w, o, read64(w, o.src[0])); };
}
void build_swappc(binder& b, const void*) {
  b.o.src[0] = b.scalar(1, type::b64);
  b.o.sdst = b.write_scalar(0, 2);
  b.o.imm = static_cast<i64>(b.in.address + b.in.bytes);
  b.o.run = [](wave& w, const op& o) {
    const u64 to = read64(w, o.src[0]);
    w.set64(o.sdst, static_cast<u64>(o.imm));
    jump(w, o, to);
  };
}
void build_call(binder& b, const void*) {
  b.o.sdst = b.write_scalar(0, 2);
  b.o.imm = static_cast<i16>(b.in.raw[0] & 0xffffu);
  b.o.branches = true;
  b.o.run = [](wave& w, const op& o) {
    w.set64(o.sdst, next_address(w));
    w.pc = o.target;
  };
}

template <auto Condition>
void branch(wave& w, const op& o) {
  if (Condition(w)) w.pc = o.target;
}
template <auto Condition>
void build_branch(binder& b, const void*) {
  b.o.imm = static_cast<i16>(b.in.raw[0] & 0xffffu);
  b.o.branches = true;
  b.o.run = branch<Condition>;
}

// ---- waiting and ending

void run_nothing(wave&, const op&) {}
void build_nothing(binder& b, const void*) { b.o.run = run_nothing; }
void build_end(binder& b, const void*) {
  b.o.run = [](wave& w, const op&) { w.state = stop::end; };
}
void build_barrier(binder& b, const void*) {
  b.o.run = [](wave& w, const op&) {
    ++w.signals;
    note_signal(w);
    w.barrier_pc = w.pc;
    w.state = stop::barrier;
  };
}
void build_signal(binder& b, const void*) {
  // -1 is the workgroup's barrier; -2 the trap handler's. Named barriers do not exist on these chips.
  if (static_cast<i32>(b.operand(0).value) != -1) b.refuse("barrier other than the workgroup's");
  b.o.flags = b.in.name == "s_barrier_signal_isfirst";
  b.o.run = [](wave& w, const op& o) {
    if (o.flags) w.scc = first_to_signal(w);
    ++w.signals;
    note_signal(w);
  };
}
void build_wait_barrier(binder& b, const void*) {
  b.o.run = [](wave& w, const op&) {
    w.barrier_pc = w.pc;
    w.state = stop::split_wait;
  };
}
void build_sleep(binder& b, const void*) {
  b.o.run = [](wave& w, const op&) { w.state = stop::yield; };
}
void build_trap(binder& b, const void*) {
  b.o.run = [](wave& w, const op& o) { fault(w, o, "a trap (the program gave up: __builtin_trap, assert or abort)"); };
}
void build_message(binder& b, const void*) {
  const u32 id = b.in.raw[0] & 0xffu;
  // 3: release registers; 1: interrupt the host, which nobody waits for here
  if (id != 3 && id != 1 && id != 0) b.refuse("message");
  b.o.run = run_nothing;
}
void build_message_return(binder& b, const void*) {
  const u32 id = b.in.raw[0] & 0xffu;
  if (id != 131) b.refuse("message");  // 131: real time
  b.o.sdst = b.write_scalar(0, b.in.name == "s_sendmsg_rtn_b64" ? 2 : 1);
  b.o.flags = b.in.name == "s_sendmsg_rtn_b64";
  b.x.raises = counter::scalar;
  b.o.run = [](wave& w, const op& o) {
    if (o.flags)
      w.set64(o.sdst, w.total);
    else
      w.set32(o.sdst, static_cast<u32>(w.total));
  };
}

/// Each wait names, per counter, how many results may be outstanding; 255 where the counter does not matter.
void build_waitcnt(binder& b, const void*) {
  const u32 imm = b.in.raw[0] & 0xffffu;
  u32 load, lds;
  if (b.gfx9()) {
    load = (imm & 15) | (imm >> 14 & 3) << 4;
    lds = imm >> 8 & 15;
    if (load == 63) load = 255;
    if (lds == 15) lds = 255;
  } else {
    load = imm >> 10 & 63;
    lds = imm >> 4 & 63;
    if (load == 63) load = 255;
    if (lds == 63) lds = 255;
  }
  const u32 store = b.gfx9() ? load : 255;
  b.o.counts = load | store << 8 | lds << 16 | lds << 24;
  b.o.run = wait_for;
}
void build_wait_one(binder& b, const void* payload) {
  const auto shifts = reinterpret_cast<std::uintptr_t>(payload);  // one bit per counter
  const u32 n = b.in.raw[0] & 0x3fu;
  u32 counts = 0;
  for (u32 c = 0; c < 4; ++c) counts |= ((shifts >> c & 1) ? n : 255u) << (8 * c);
  if (shifts == 5) counts = (b.in.raw[0] >> 8 & 63) | 0xffu << 8 | (b.in.raw[0] & 63) << 16 | 0xffu << 24;          // loadcnt_dscnt
  if (shifts == 6) counts = 0xffu | (b.in.raw[0] >> 8 & 63) << 8 | (b.in.raw[0] & 63) << 16 | 0xffu << 24;          // storecnt_dscnt
  b.o.counts = counts;
  b.o.run = wait_for;
}

// ---- gfx12 and gfx11.5: fmamk and the like have a literal between operands; transcendental scalars
template <auto F>
void build_float3(binder& b, const void*) {
  for (u32 i = 0; i < 3; ++i) b.o.src[i] = b.scalar(1 + i, type::f32);
  b.o.sdst = b.write_scalar(0, 1);
  b.o.run = [](wave& w, const op& o) {
    const auto f = [&](u32 i) { return bits_as<float>(read32(w, o.src[i])); };
    w.set32(o.sdst, bits_as<u32>(std::fma(f(0), f(1), f(2))));
  };
}

// v_s_exp_f32 and friends: the vector unit's functions on scalar registers
template <auto F>
void build_scalar_transcendental(binder& b, const void*) {
  b.o.src[0] = b.scalar(1, type::f32);
  b.o.sdst = b.write_scalar(0, 1);
  b.o.run = [](wave& w, const op& o) {
    u32 x = read32(w, o.src[0]);
    if (o.src[0].abs) x &= ~top;
    if (o.src[0].neg) x ^= top;
    w.set32(o.sdst, bits_as<u32>(F(bits_as<float>(x))));
  };
}

}  // namespace

void define_salu(definitions& d) {
  for (const auto& f : table) d.add(f.name, build_scalar, &f);
  for (const auto& f : exec_table) d.add(f.name, build_scalar, &f);
  static const int yes = 1;
  for (const char* n : {"s_bitset0_b32", "s_bitset0_b64"}) d.add(n, build_bitset);
  for (const char* n : {"s_bitset1_b32", "s_bitset1_b64"}) d.add(n, build_bitset, &yes);
  d.add("s_movk_i32", build_sopk<k_mov, false, true>);
  d.add("s_cmovk_i32", build_sopk<k_cmov, true, true>);
  d.add("s_addk_i32", build_sopk<k_add, true, true>);
  d.add("s_mulk_i32", build_sopk<k_mul, true, true>);
#define AMDSIM_CMPK(NAME, OP)                                                                                          \
  d.add("s_cmpk_" NAME "_i32", build_sopk<k_compare_signed<[](i64 a, i64 b) { return (a OP b); }>, true, false>);        \
  d.add("s_cmpk_" NAME "_u32", build_sopk<k_compare_unsigned<[](i64 a, i64 b) { return (a OP b); }>, true, false>);
  AMDSIM_CMPK("eq", ==)
  AMDSIM_CMPK("lg", !=)
  AMDSIM_CMPK("gt", >)
  AMDSIM_CMPK("ge", >=)
  AMDSIM_CMPK("lt", <)
  AMDSIM_CMPK("le", <=)
#undef AMDSIM_CMPK
  d.add("s_getreg_b32", build_getreg);
  d.add("s_setreg_b32", build_setreg);
  d.add("s_setreg_imm32_b32", build_setreg);
  d.add("s_round_mode", build_mode);
  d.add("s_denorm_mode", build_mode, &yes);
  d.add("s_getpc_b64", build_getpc);
  d.add("s_setpc_b64", build_setpc);
  d.add("s_swappc_b64", build_swappc);
  d.add("s_call_b64", build_call);
  d.add("s_branch", build_branch<[](wave&) { return true; }>);
  d.add("s_cbranch_scc0", build_branch<[](wave& w) { return !w.scc; }>);
  d.add("s_cbranch_scc1", build_branch<[](wave& w) { return w.scc; }>);
  d.add("s_cbranch_vccz", build_branch<[](wave& w) { return w.mask(sreg::vcc) == 0; }>);
  d.add("s_cbranch_vccnz", build_branch<[](wave& w) { return w.mask(sreg::vcc) != 0; }>);
  d.add("s_cbranch_execz", build_branch<[](wave& w) { return w.exec() == 0; }>);
  d.add("s_cbranch_execnz", build_branch<[](wave& w) { return w.exec() != 0; }>);
  for (const char* n : {"s_nop", "s_setprio", "s_delay_alu", "s_clause", "s_inst_prefetch", "s_set_inst_prefetch_distance", "s_icache_inv", "s_dcache_inv", "s_dcache_wb", "s_gl1_inv",
                        "s_waitcnt_depctr", "s_wait_alu", "s_wait_idle", "s_code_end", "s_ttracedata", "s_ttracedata_imm", "s_version", "s_sethalt", "s_incperflevel", "s_decperflevel", "s_wait_event",
                        "s_prefetch_inst", "s_prefetch_inst_pc_rel", "s_prefetch_data", "s_prefetch_data_pc_rel", "s_waitcnt_expcnt", "s_wait_expcnt", "s_wait_samplecnt", "s_wait_bvhcnt",
                        "s_set_gpr_idx_off", "s_singleuse_vdst"})
    d.add(n, build_nothing);
  d.add("s_endpgm", build_end);
  d.add("s_endpgm_saved", build_end);
  d.add("s_barrier", build_barrier);
  d.add("s_barrier_signal", build_signal);
  d.add("s_barrier_signal_isfirst", build_signal);
  d.add("s_barrier_wait", build_wait_barrier);
  d.add("s_sleep", build_sleep);
  d.add("s_trap", build_trap);
  d.add("s_sendmsg", build_message);
  d.add("s_sendmsghalt", build_message);
  d.add("s_sendmsg_rtn_b32", build_message_return);
  d.add("s_sendmsg_rtn_b64", build_message_return);
  d.add("s_waitcnt", build_waitcnt);
  const auto only = [](std::uintptr_t m) { return reinterpret_cast<const void*>(m); };
  d.add("s_waitcnt_vmcnt", build_wait_one, only(1));
  d.add("s_waitcnt_vscnt", build_wait_one, only(2));
  d.add("s_waitcnt_lgkmcnt", build_wait_one, only(12));
  d.add("s_wait_loadcnt", build_wait_one, only(1));
  d.add("s_wait_storecnt", build_wait_one, only(2));
  d.add("s_wait_dscnt", build_wait_one, only(4));
  d.add("s_wait_kmcnt", build_wait_one, only(8));
  d.add("s_wait_loadcnt_dscnt", build_wait_one, only(5));
  d.add("s_wait_storecnt_dscnt", build_wait_one, only(6));
  d.add("s_fmamk_f32", build_float3<0>);
  d.add("s_fmaak_f32", build_float3<0>);
  d.add("v_s_exp_f32", build_scalar_transcendental<exp2_lane>);
  d.add("v_s_log_f32", build_scalar_transcendental<log2_lane>);
  d.add("v_s_rcp_f32", build_scalar_transcendental<rcp_lane>);
  d.add("v_s_rsq_f32", build_scalar_transcendental<rsq_lane>);
  d.add("v_s_sqrt_f32", build_scalar_transcendental<sqrt_lane>);
  // gfx11 and gfx12 spellings
  constexpr const char* aliases[][2] = {
      {"s_ctz_i32_b32", "s_ff1_i32_b32"}, {"s_ctz_i32_b64", "s_ff1_i32_b64"}, {"s_clz_i32_u32", "s_flbit_i32_b32"}, {"s_clz_i32_u64", "s_flbit_i32_b64"}, {"s_cls_i32", "s_flbit_i32"},
      {"s_cls_i32_i64", "s_flbit_i32_i64"}, {"s_and_not1_b32", "s_andn2_b32"}, {"s_and_not1_b64", "s_andn2_b64"}, {"s_or_not1_b32", "s_orn2_b32"}, {"s_or_not1_b64", "s_orn2_b64"},
      {"s_and_not1_saveexec_b32", "s_andn2_saveexec_b32"}, {"s_and_not1_saveexec_b64", "s_andn2_saveexec_b64"}, {"s_or_not1_saveexec_b32", "s_orn2_saveexec_b32"},
      {"s_or_not1_saveexec_b64", "s_orn2_saveexec_b64"}, {"s_and_not0_saveexec_b32", "s_andn1_saveexec_b32"}, {"s_and_not0_saveexec_b64", "s_andn1_saveexec_b64"},
      {"s_or_not0_saveexec_b32", "s_orn1_saveexec_b32"}, {"s_or_not0_saveexec_b64", "s_orn1_saveexec_b64"}, {"s_and_not0_wrexec_b32", "s_andn1_wrexec_b32"},
      {"s_and_not0_wrexec_b64", "s_andn1_wrexec_b64"}, {"s_and_not1_wrexec_b32", "s_andn2_wrexec_b32"}, {"s_and_not1_wrexec_b64", "s_andn2_wrexec_b64"},
      {"s_add_nc_u64", "s_add_u64"}, {"s_sub_nc_u64", "s_sub_u64"}, {"s_add_co_u32", "s_add_u32"}, {"s_sub_co_u32", "s_sub_u32"}, {"s_add_co_i32", "s_add_i32"},
      {"s_sub_co_i32", "s_sub_i32"}, {"s_add_co_ci_u32", "s_addc_u32"}, {"s_sub_co_ci_u32", "s_subb_u32"}, {"s_addk_co_i32", "s_addk_i32"}, {"s_min_num_f32", "s_min_f32"},
      {"s_max_num_f32", "s_max_f32"}};
  for (const auto& a : aliases) d.alias(a[0], a[1]);
}

}  // namespace amdsim
