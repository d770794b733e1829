// Scalar operands, and arithmetic on integers and lane masks.
#include "salu.hpp"

#include <bit>

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
}

namespace {

constexpr u32 top = 0x80000000u;
constexpr auto add_u = [](u32 a, u32 b, bool& c) {
  const u64 s = u64{a} + b;
  c = s >> 32;
  return low32(s);
};
constexpr auto sub_u = [](u32 a, u32 b, bool& c) {
  c = b > a;
  return a - b;
};
constexpr auto add_i = [](u32 a, u32 b, bool& c) {
  const u32 s = a + b;
  c = (a ^ s) & (b ^ s) & top;
  return s;
};
constexpr auto sub_i = [](u32 a, u32 b, bool& c) {
  const u32 s = a - b;
  c = (a ^ b) & (a ^ s) & top;
  return s;
};
constexpr auto addc = [](u32 a, u32 b, bool& c) {
  const u64 s = u64{a} + b + (c ? 1u : 0u);
  c = s >> 32;
  return low32(s);
};
constexpr auto subb = [](u32 a, u32 b, bool& c) {
  const u64 take = u64{b} + (c ? 1u : 0u);
  const u32 s = low32(u64{a} - take);
  c = take > a;
  return s;
};
constexpr auto min_i = [](u32 a, u32 b, bool& c) {
  c = static_cast<i32>(a) < static_cast<i32>(b);
  return c ? a : b;
};
constexpr auto max_i = [](u32 a, u32 b, bool& c) {
  c = static_cast<i32>(a) >= static_cast<i32>(b);
  return c ? a : b;
};
constexpr auto min_u = [](u32 a, u32 b, bool& c) {
  c = a < b;
  return c ? a : b;
};
constexpr auto max_u = [](u32 a, u32 b, bool& c) {
  c = a >= b;
  return c ? a : b;
};
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
  return static_cast<u64>(n >= 64 || at + n >= 64
                              ? part
                              : static_cast<i64>(static_cast<u64>(part) << (64 - n)) >> (64 - n));
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
  if (wide) w.set64(o.sdst, out);
  else w.set32(o.sdst, low32(out));
  w.scc = now != 0;
}

constexpr scalar_form table[] = {
    {"s_mov_b32", one32<[](u32 a) { return a; }, scc::keep>, {1, 1, 0}},
    {"s_mov_b64", one64<[](u64 a) { return a; }, scc::keep>, {2, 2, 0}},
    {"s_not_b32", one32<[](u32 a) { return ~a; }, scc::nonzero>, {1, 1, 0}},
    {"s_not_b64", one64<[](u64 a) { return ~a; }, scc::nonzero>, {2, 2, 0}},
    {"s_brev_b32", one32<reverse32, scc::keep>, {1, 1, 0}},
    {"s_brev_b64", one64<reverse64, scc::keep>, {2, 2, 0}},
    {"s_bcnt0_i32_b32",
     one32<[](u32 a) { return 32 - std::popcount(a); }, scc::nonzero>,
     {1, 1, 0}},
    {"s_bcnt1_i32_b32", one32<[](u32 a) { return std::popcount(a); }, scc::nonzero>, {1, 1, 0}},
    {"s_bcnt0_i32_b64",
     count64<[](u64 a) { return (static_cast<u32>(64 - std::popcount(a))); }, scc::nonzero>,
     {1, 2, 0}},
    {"s_bcnt1_i32_b64",
     count64<[](u64 a) { return (static_cast<u32>(std::popcount(a))); }, scc::nonzero>,
     {1, 2, 0}},
    {"s_ff0_i32_b32",
     one32<[](u32 a) { return ~a ? std::countr_one(a) : -1; }, scc::keep>,
     {1, 1, 0}},
    {"s_ff1_i32_b32",
     one32<[](u32 a) { return a ? std::countr_zero(a) : -1; }, scc::keep>,
     {1, 1, 0}},
    {"s_ff0_i32_b64",
     count64<[](u64 a) { return (~a ? static_cast<u32>(std::countr_one(a)) : ~0u); }, scc::keep>,
     {1, 2, 0}},
    {"s_ff1_i32_b64",
     count64<[](u64 a) { return (a ? static_cast<u32>(std::countr_zero(a)) : ~0u); }, scc::keep>,
     {1, 2, 0}},
    {"s_flbit_i32_b32",
     one32<[](u32 a) { return a ? std::countl_zero(a) : -1; }, scc::keep>,
     {1, 1, 0}},
    {"s_flbit_i32_b64",
     count64<[](u64 a) { return (a ? static_cast<u32>(std::countl_zero(a)) : ~0u); }, scc::keep>,
     {1, 2, 0}},
    {"s_flbit_i32", one32<[](u32 a) { return first_differs(a, 32); }, scc::keep>, {1, 1, 0}},
    {"s_flbit_i32_i64", count64<[](u64 a) { return first_differs(a, 64); }, scc::keep>, {1, 2, 0}},
    {"s_sext_i32_i8", one32<[](u32 a) { return sign_extend(a, 8); }, scc::keep>, {1, 1, 0}},
    {"s_sext_i32_i16", one32<[](u32 a) { return sign_extend(a, 16); }, scc::keep>, {1, 1, 0}},
    {"s_abs_i32", one32<[](u32 a) { return a & top ? 0u - a : a; }, scc::nonzero>, {1, 1, 0}},
    {"s_quadmask_b32", one32<quads, scc::nonzero>, {1, 1, 0}},
    {"s_quadmask_b64",
     one64<[](u64 a) { return u64{quads(low32(a))} | u64{quads(high32(a))} << 8; }, scc::nonzero>,
     {2, 2, 0}},
    {"s_wqm_b32", one32<whole_quads, scc::nonzero>, {1, 1, 0}},
    {"s_wqm_b64",
     one64<[](u64 a) { return join(whole_quads(low32(a)), whole_quads(high32(a))); }, scc::nonzero>,
     {2, 2, 0}},
    {"s_bitreplicate_b64_b32",
     [](wave& w, const op& o) {
       const u32 a = read32(w, o.src[0]);
       u64 r = 0;
       for (u32 i = 0; i < 32; ++i) r |= (a >> i & 1 ? u64{3} : u64{0}) << (2 * i);
       w.set64(o.sdst, r);
     },
     {2, 1, 0}},
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
    {"s_cselect_b32",
     [](wave& w, const op& o) { w.set32(o.sdst, read32(w, o.src[w.scc ? 0 : 1])); },
     {1, 1, 1}},
    {"s_cselect_b64",
     [](wave& w, const op& o) { w.set64(o.sdst, read64(w, o.src[w.scc ? 0 : 1])); },
     {2, 2, 2}},
    {"s_cmov_b32",
     [](wave& w, const op& o) {
       if (w.scc) w.set32(o.sdst, read32(w, o.src[0]));
     },
     {1, 1, 0}},
    {"s_cmov_b64",
     [](wave& w, const op& o) {
       if (w.scc) w.set64(o.sdst, read64(w, o.src[0]));
     },
     {2, 2, 0}},
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
    {"s_ashr_i32",
     two32<[](u32 a, u32 b) { return (static_cast<i32>(a) >> (b & 31)); }, scc::nonzero>,
     {1, 1, 1}},
    {"s_lshl_b64", shift64<[](u64 a, u32 b) { return a << (b & 63); }, scc::nonzero>, {2, 2, 1}},
    {"s_lshr_b64", shift64<[](u64 a, u32 b) { return (a >> (b & 63)); }, scc::nonzero>, {2, 2, 1}},
    {"s_ashr_i64",
     shift64<[](u64 a, u32 b) { return (static_cast<u64>(static_cast<i64>(a) >> (b & 63))); },
             scc::nonzero>,
     {2, 2, 1}},
    {"s_bfm_b32",
     two32<[](u32 a, u32 b) { return ((1u << (a & 31)) - 1) << (b & 31); }, scc::keep>,
     {1, 1, 1}},
    {"s_bfm_b64",
     [](wave& w, const op& o) {
       w.set64(o.sdst, ((u64{1} << (read32(w, o.src[0]) & 63)) - 1) << (read32(w, o.src[1]) & 63));
     },
     {2, 1, 1}},
    {"s_bfe_u32", two32<bfe_u, scc::nonzero>, {1, 1, 1}},
    {"s_bfe_i32", two32<bfe_i, scc::nonzero>, {1, 1, 1}},
    {"s_bfe_u64", shift64<bfe_u64, scc::nonzero>, {2, 2, 1}},
    {"s_bfe_i64", shift64<bfe_i64, scc::nonzero>, {2, 2, 1}},
    {"s_mul_i32", two32<[](u32 a, u32 b) { return a * b; }, scc::keep>, {1, 1, 1}},
    {"s_mul_hi_u32", two32<[](u32 a, u32 b) { return high32(u64{a} * b); }, scc::keep>, {1, 1, 1}},
    {"s_mul_hi_i32",
     two32<[](u32 a, u32 b) {
       return (static_cast<i64>(static_cast<i32>(a)) * static_cast<i32>(b) >> 32);
     },
           scc::keep>,
     {1, 1, 1}},
    {"s_absdiff_i32",
     two32<[](u32 a, u32 b) {
       const u32 d = a - b;
       return d & top ? 0u - d : d;
     },
           scc::nonzero>,
     {1, 1, 1}},
    {"s_pack_ll_b32_b16",
     two32<[](u32 a, u32 b) { return (a & 0xffffu) | b << 16; }, scc::keep>,
     {1, 1, 1}},
    {"s_pack_lh_b32_b16",
     two32<[](u32 a, u32 b) { return (a & 0xffffu) | (b & 0xffff0000u); }, scc::keep>,
     {1, 1, 1}},
    {"s_pack_hh_b32_b16",
     two32<[](u32 a, u32 b) { return (a >> 16 | (b & 0xffff0000u)); }, scc::keep>,
     {1, 1, 1}},
    {"s_pack_hl_b32_b16",
     two32<[](u32 a, u32 b) { return (a >> 16 | b << 16); }, scc::keep>,
     {1, 1, 1}},
    {"s_add_u64", two64<[](u64 a, u64 b) { return a + b; }, scc::keep>, {2, 2, 2}},
    {"s_sub_u64", two64<[](u64 a, u64 b) { return a - b; }, scc::keep>, {2, 2, 2}},
    {"s_mul_u64", two64<[](u64 a, u64 b) { return a * b; }, scc::keep>, {2, 2, 2}},
    {"s_cmp_eq_i32", compare32<[](u32 a, u32 b) { return a == b; }>, {0, 1, 1}},
    {"s_cmp_lg_i32", compare32<[](u32 a, u32 b) { return a != b; }>, {0, 1, 1}},
    {"s_cmp_gt_i32",
     compare32<[](u32 a, u32 b) { return (static_cast<i32>(a) > static_cast<i32>(b)); }>,
     {0, 1, 1}},
    {"s_cmp_ge_i32",
     compare32<[](u32 a, u32 b) { return (static_cast<i32>(a) >= static_cast<i32>(b)); }>,
     {0, 1, 1}},
    {"s_cmp_lt_i32",
     compare32<[](u32 a, u32 b) { return (static_cast<i32>(a) < static_cast<i32>(b)); }>,
     {0, 1, 1}},
    {"s_cmp_le_i32",
     compare32<[](u32 a, u32 b) { return (static_cast<i32>(a) <= static_cast<i32>(b)); }>,
     {0, 1, 1}},
    {"s_cmp_eq_u32", compare32<[](u32 a, u32 b) { return a == b; }>, {0, 1, 1}},
    {"s_cmp_lg_u32", compare32<[](u32 a, u32 b) { return a != b; }>, {0, 1, 1}},
    {"s_cmp_gt_u32", compare32<[](u32 a, u32 b) { return (a > b); }>, {0, 1, 1}},
    {"s_cmp_ge_u32", compare32<[](u32 a, u32 b) { return (a >= b); }>, {0, 1, 1}},
    {"s_cmp_lt_u32", compare32<[](u32 a, u32 b) { return a < b; }>, {0, 1, 1}},
    {"s_cmp_le_u32", compare32<[](u32 a, u32 b) { return a <= b; }>, {0, 1, 1}},
    {"s_cmp_eq_u64", compare64<[](u64 a, u64 b) { return a == b; }>, {0, 2, 2}},
    {"s_cmp_lg_u64", compare64<[](u64 a, u64 b) { return a != b; }>, {0, 2, 2}},
    {"s_bitcmp0_b32", compare32<[](u32 a, u32 b) { return (!(a >> (b & 31) & 1)); }>, {0, 1, 1}},
    {"s_bitcmp1_b32",
     compare32<[](u32 a, u32 b) { return ((a >> (b & 31) & 1) != 0); }>,
     {0, 1, 1}},
    {"s_bitcmp0_b64",
     [](wave& w, const op& o) { w.scc = !(read64(w, o.src[0]) >> (read32(w, o.src[1]) & 63) & 1); },
     {0, 2, 1}},
    {"s_bitcmp1_b64",
     [](wave& w, const op& o) { w.scc = read64(w, o.src[0]) >> (read32(w, o.src[1]) & 63) & 1; },
     {0, 2, 1}},
};

#define AMDSIM_SAVEEXEC(NAME, F)                           \
  {NAME "_saveexec_b64", saveexec<F, false>, {2, 2, 0}}, { \
    NAME "_saveexec_b32", saveexec<F, false>, {1, 1, 0}    \
  }
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
    AMDSIM_SAVEEXEC("s_and", x_and),
    AMDSIM_SAVEEXEC("s_or", x_or),
    AMDSIM_SAVEEXEC("s_xor", x_xor),
    AMDSIM_SAVEEXEC("s_andn2", x_andn2),
    AMDSIM_SAVEEXEC("s_orn2", x_orn2),
    AMDSIM_SAVEEXEC("s_nand", x_nand),
    AMDSIM_SAVEEXEC("s_nor", x_nor),
    AMDSIM_SAVEEXEC("s_xnor", x_xnor),
    AMDSIM_SAVEEXEC("s_andn1", x_andn1),
    AMDSIM_SAVEEXEC("s_orn1", x_orn1),
    {"s_andn1_wrexec_b64", saveexec<x_andn1, true>, {2, 2, 0}},
    {"s_andn1_wrexec_b32", saveexec<x_andn1, true>, {1, 1, 0}},
    {"s_andn2_wrexec_b64", saveexec<x_andn2, true>, {2, 2, 0}},
    {"s_andn2_wrexec_b32", saveexec<x_andn2, true>, {1, 1, 0}},
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
void k_cmov(wave& w, const op& o) {
  if (w.scc) w.set32(o.sdst, static_cast<u32>(o.imm));
}
void k_add(wave& w, const op& o) {
  bool c = false;
  w.set32(o.sdst, add_i(w.s[o.sdst], static_cast<u32>(o.imm), c));
  w.scc = c;
}
void k_mul(wave& w, const op& o) { w.set32(o.sdst, w.s[o.sdst] * static_cast<u32>(o.imm)); }
template <auto F>
void k_compare_signed(wave& w, const op& o) {
  w.scc = F(i64{static_cast<i32>(w.s[o.sdst])}, o.imm);
}
template <auto F>
void k_compare_unsigned(wave& w, const op& o) {
  w.scc = F(i64{w.s[o.sdst]}, o.imm & 0xffff);
}

template <handler F, bool Reads, bool Writes>
void build_sopk(binder& b, const void*) {
  if constexpr (Reads) b.note_scalar_read(b.operand(0).reg, 1);
  if constexpr (Writes) b.write_scalar(0, 1);
  b.o.sdst = static_cast<u16>(b.operand(0).reg);
  b.o.imm = static_cast<i16>(b.in.raw[0] & 0xffffu);
  b.o.run = F;
}

}  // namespace

void define_salu(definitions& d) {
  define_salu_flow(d);
  define_salu_float(d);
  for (const auto& f : table) d.add(f.name, build_scalar, &f);
  for (const auto& f : exec_table) d.add(f.name, build_scalar, &f);
  static const int yes = 1;
  for (const char* n : {"s_bitset0_b32", "s_bitset0_b64"}) d.add(n, build_bitset);
  for (const char* n : {"s_bitset1_b32", "s_bitset1_b64"}) d.add(n, build_bitset, &yes);
  d.add("s_movk_i32", build_sopk<k_mov, false, true>);
  d.add("s_cmovk_i32", build_sopk<k_cmov, true, true>);
  d.add("s_addk_i32", build_sopk<k_add, true, true>);
  d.add("s_mulk_i32", build_sopk<k_mul, true, true>);
#define AMDSIM_CMPK(NAME, OP)                                                              \
  d.add("s_cmpk_" NAME "_i32",                                                             \
        build_sopk<k_compare_signed<[](i64 a, i64 b) { return (a OP b); }>, true, false>); \
  d.add("s_cmpk_" NAME "_u32",                                                             \
        build_sopk<k_compare_unsigned<[](i64 a, i64 b) { return (a OP b); }>, true, false>);
  AMDSIM_CMPK("eq", ==)
  AMDSIM_CMPK("lg", !=)
  AMDSIM_CMPK("gt", >)
  AMDSIM_CMPK("ge", >=)
  AMDSIM_CMPK("lt", <)
  AMDSIM_CMPK("le", <=)
#undef AMDSIM_CMPK
  // gfx11 and gfx12 spellings
  constexpr const char* aliases[][2] = {{"s_ctz_i32_b32", "s_ff1_i32_b32"},
                                        {"s_ctz_i32_b64", "s_ff1_i32_b64"},
                                        {"s_clz_i32_u32", "s_flbit_i32_b32"},
                                        {"s_clz_i32_u64", "s_flbit_i32_b64"},
                                        {"s_cls_i32", "s_flbit_i32"},
                                        {"s_cls_i32_i64", "s_flbit_i32_i64"},
                                        {"s_and_not1_b32", "s_andn2_b32"},
                                        {"s_and_not1_b64", "s_andn2_b64"},
                                        {"s_or_not1_b32", "s_orn2_b32"},
                                        {"s_or_not1_b64", "s_orn2_b64"},
                                        {"s_and_not1_saveexec_b32", "s_andn2_saveexec_b32"},
                                        {"s_and_not1_saveexec_b64", "s_andn2_saveexec_b64"},
                                        {"s_or_not1_saveexec_b32", "s_orn2_saveexec_b32"},
                                        {"s_or_not1_saveexec_b64", "s_orn2_saveexec_b64"},
                                        {"s_and_not0_saveexec_b32", "s_andn1_saveexec_b32"},
                                        {"s_and_not0_saveexec_b64", "s_andn1_saveexec_b64"},
                                        {"s_or_not0_saveexec_b32", "s_orn1_saveexec_b32"},
                                        {"s_or_not0_saveexec_b64", "s_orn1_saveexec_b64"},
                                        {"s_and_not0_wrexec_b32", "s_andn1_wrexec_b32"},
                                        {"s_and_not0_wrexec_b64", "s_andn1_wrexec_b64"},
                                        {"s_and_not1_wrexec_b32", "s_andn2_wrexec_b32"},
                                        {"s_and_not1_wrexec_b64", "s_andn2_wrexec_b64"},
                                        {"s_add_nc_u64", "s_add_u64"},
                                        {"s_sub_nc_u64", "s_sub_u64"},
                                        {"s_add_co_u32", "s_add_u32"},
                                        {"s_sub_co_u32", "s_sub_u32"},
                                        {"s_add_co_i32", "s_add_i32"},
                                        {"s_sub_co_i32", "s_sub_i32"},
                                        {"s_add_co_ci_u32", "s_addc_u32"},
                                        {"s_sub_co_ci_u32", "s_subb_u32"},
                                        {"s_addk_co_i32", "s_addk_i32"}};
  for (const auto& a : aliases) d.alias(a[0], a[1]);
}

}  // namespace amdsim
