// Every width of loads and stores in every memory, halves of registers included, and what
// only some chips have.
#include "assembly_space.hpp"

namespace assembly {

std::string addressing::set_up() const {
  std::string s = "v_lshlrev_b32 v25, 4, v1\n";
  if (where == space::flat)
    s += nine()
             ? "v_mov_b32 v27, s25\nv_add_co_u32 v26, vcc, s24, v25\nv_addc_co_u32 v27, vcc, 0, "
               "v27, vcc\n"
             : "v_add_co_u32 v26, vcc_lo, s24, v25\nv_add_co_ci_u32 v27, vcc_lo, s25, 0, vcc_lo\n";
  if (where == space::buffer)
    s += std::string(
             "s_mov_b32 s28, s24\ns_mov_b32 s29, s25\ns_mov_b32 s30, 4096\ns_mov_b32 s31, ") +
         (nine() ? "0x20000\n" : "0x31004000\n");
  return s;
}
std::string addressing::at(u32 offset) const {
  const std::string o = " offset:" + std::to_string(offset);
  switch (where) {
    case space::global: return "v25, s[24:25]" + o;
    case space::flat: return "v[26:27]" + o;
    case space::buffer:
      return std::string("v25, s[28:31], ") + (twelve() ? "null" : "0") + " offen" + o;
    case space::lds: return "v25" + o;
    default: return "off, off offset:" + std::to_string(offset & 255);
  }
}
std::string addressing::store(const std::string& form, const std::string& from, u32 offset) const {
  const std::string name = prefix() + (where == space::lds && nine() ? "write_" : "store_") + form +
                           " ",
                    o = " offset:" + std::to_string(offset);
  switch (where) {
    case space::global: return name + "v25, " + from + ", s[24:25]" + o + "\n";
    case space::flat: return name + "v[26:27], " + from + o + "\n";
    case space::buffer: return name + from + ", " + at(offset) + "\n";
    case space::lds: return name + "v25, " + from + o + "\n";
    default: return name + "off, " + from + ", off offset:" + std::to_string(offset & 255) + "\n";
  }
}

namespace {

constexpr u32 base = 2048;

/// How a part of a word is loaded or stored: bytes, sign, and which half of the
/// register (0: all of it).
struct part {
  const char *nine, *later, *lds_nine, *lds_later;
  u32 bytes;
  bool sign;
  u32 half;
};
constexpr part loads[] = {
    {"ubyte", "u8", "u8", "u8", 1, false, 0},
    {"sbyte", "i8", "i8", "i8", 1, true, 0},
    {"ushort", "u16", "u16", "u16", 2, false, 0},
    {"sshort", "i16", "i16", "i16", 2, true, 0},
    {"ubyte_d16", "d16_u8", "u8_d16", "u8_d16", 1, false, 1},
    {"sbyte_d16", "d16_i8", "i8_d16", "i8_d16", 1, true, 1},
    {"short_d16", "d16_b16", "u16_d16", "u16_d16", 2, false, 1},
    {"ubyte_d16_hi", "d16_hi_u8", "u8_d16_hi", "u8_d16_hi", 1, false, 2},
    {"sbyte_d16_hi", "d16_hi_i8", "i8_d16_hi", "i8_d16_hi", 1, true, 2},
    {"short_d16_hi", "d16_hi_b16", "u16_d16_hi", "u16_d16_hi", 2, false, 2},
};
constexpr part stores[] = {
    {"byte", "b8", "b8", "b8", 1, false, 0},
    {"short", "b16", "b16", "b16", 2, false, 0},
    {"byte_d16_hi", "d16_hi_b8", "b8_d16_hi", "b8_d16_hi", 1, false, 2},
    {"short_d16_hi", "d16_hi_b16", "b16_d16_hi", "b16_d16_hi", 2, false, 2},
};

const char* spelling(const addressing& a, const part& p) {
  return a.where == space::lds ? (a.nine() ? p.lds_nine : p.lds_later)
         : a.nine()            ? p.nine
                               : p.later;
}
std::string dword(const addressing& a) {
  return a.nine() && a.where != space::lds ? "dword" : "b32";
}
/// "dwordx2" or "b64", and so on.
std::string words(const addressing& a, u32 n) {
  if (!a.nine() || a.where == space::lds) return std::string("b") + std::to_string(32 * n);
  return n == 1 ? std::string("dword") : std::string("dwordx") + std::to_string(n);
}

void parts(const addressing& a) {
  const auto inputs = lane_inputs("ii");
  const auto input = [inputs](u32 reg, u32 lane) { return inputs[64 * reg + lane]; };
  for (const part& p : loads)
    for (u32 at = 0; at < 4; at += p.bytes) {
      const std::string code = a.set_up() + a.store(dword(a), "v2", base) + a.wait() +
                               a.some_lanes() + a.load(spelling(a, p), "v20", base + at) +
                               a.wait() + a.all_lanes();
      cases().push_back({a.on,
                         code,
                         {},
                         [=](u32 l, u32) {
                           if (!active(l)) return untouched;
                           u32 v = input(0, l) >> 8 * at & (p.bytes == 1 ? 0xffu : 0xffffu);
                           if (p.sign)
                             v = p.bytes == 1 ? static_cast<u32>(i32{static_cast<i8>(v)})
                                              : static_cast<u32>(i32{static_cast<i16>(v)});
                           return p.half == 0   ? v
                                  : p.half == 1 ? (untouched & 0xffff0000u) | (v & 0xffffu)
                                                : (untouched & 0xffffu) | v << 16;
                         },
                         1,
                         inputs});
    }
  for (const part& p : stores)
    for (u32 at = 0; at < 4; at += p.bytes) {
      const std::string code = a.set_up() + a.store(dword(a), "v2", base) + a.wait() +
                               a.some_lanes() + a.store(spelling(a, p), "v3", base + at) +
                               a.wait() + a.all_lanes() + a.load(dword(a), "v20", base);
      cases().push_back({a.on,
                         code,
                         {},
                         [=](u32 l, u32) {
                           const u32 old = input(0, l),
                                     field = (p.bytes == 1 ? 0xffu : 0xffffu) << 8 * at,
                                     v = input(1, l) >> (p.half == 2 ? 16 : 0);
                           return active(l) ? (old & ~field) | (v << 8 * at & field) : old;
                         },
                         1,
                         inputs});
    }
}

void wide(const addressing& a) {
  const auto inputs = lane_inputs("iiii");
  for (const u32 n : {1u, 2u, 3u, 4u}) {
    const std::string code = a.set_up() + a.store(words(a, n), vector_registers(2, n), base) +
                             a.wait() + a.some_lanes() +
                             a.load(words(a, n), vector_registers(20, n), base) + a.wait() +
                             a.all_lanes();
    cases().push_back(
        {a.on,
         code,
         {},
         [=](u32 l, u32 r) { return active(l) && r < n ? inputs[64 * r + l] : untouched; },
         4,
         inputs});
  }
}

/// Two words or pairs at once in LDS, at offsets in units of their size or of 64 times it.
void two_addresses() {
  const auto inputs = lane_inputs("iiii");
  for (const u32 on : {u32{gfx9}, u32{gfx11}, u32{gfx12}}) {
    const addressing a{space::lds, on};
    for (const u32 n : {1u, 2u})
      for (const bool far : {false, true}) {
        const std::string bits = n == 1 ? "b32" : "b64", nine = far ? "2st64_" : "2_",
                          later = far ? "_2addr_stride64_" : "_2addr_";
        const std::string write = a.nine() ? "ds_write" + nine + bits : "ds_store" + later + bits,
                          read = a.nine() ? "ds_read" + nine + bits : "ds_load" + later + bits;
        const u32 first = 1, second = far ? 2 : 3;  // elements
        const std::string offsets = " offset0:" + std::to_string(first) +
                                    " offset1:" + std::to_string(second) + "\n",
                          crossed = " offset0:" + std::to_string(second) +
                                    " offset1:" + std::to_string(first) + "\n";
        if (far && n == 1) continue;  // lanes would overlap; see below
        // far: lanes stand 8 bytes apart, within 512 bytes
        const std::string code = std::string("v_lshlrev_b32 v25, ") + (far ? "3" : "5") + ", v1\n" +
                                 write + " v25, " + vector_registers(2, n) + ", " +
                                 vector_registers(2 + n, n) + offsets + a.wait() + read + " " +
                                 vector_registers(20, 2 * n) + ", v25" + crossed;
        cases().push_back({on,
                           code,
                           {},
                           [=](u32 l, u32 r) {
                             return r >= 2 * n ? untouched
                                               : inputs[64 * (r < n ? n + r : r - n) + l];
                           },
                           4,
                           inputs});
      }
    const std::string st32 = a.nine() ? "ds_write2st64_b32" : "ds_store_2addr_stride64_b32",
                      ld32 = a.nine() ? "ds_read2st64_b32" : "ds_load_2addr_stride64_b32";
    cases().push_back({on,
                       "v_lshlrev_b32 v25, 2, v1\n" + st32 + " v25, v2, v3 offset0:1 offset1:3" +
                           a.wait() + ld32 + " v[20:21], v25 offset0:3 offset1:1",
                       {},
                       [=](u32 l, u32 r) { return inputs[64 * (1 - r) + l]; },
                       2,
                       inputs});
  }
}

void special() {
  // lane number times four plus M0 and the offset
  add_lanes(
      gfx9,
      "s_mov_b32 m0, 256\nds_write_addtid_b32 v1 offset:8\ns_waitcnt "
      "lgkmcnt(0)\nds_read_addtid_b32 v20 offset:12\nv_lshlrev_b32 v25, 2, v1\nds_read_b32 v21, "
      "v25 offset:264\ns_waitcnt lgkmcnt(0)\nv_cmp_eq_u32 vcc, 63, v1\nv_cndmask_b32 v20, v20, 1, "
      "vcc",
      {}, [](u32 l, u32 r) { return r         ? l
                                    : l == 63 ? 1
                                              : l + 1; }, 2);
  add_lanes(gfx11,
            "s_mov_b32 m0, 256\nds_store_addtid_b32 v1 offset:8\ns_waitcnt "
            "lgkmcnt(0)\nds_load_addtid_b32 v20 offset:8",
            {}, [](u32 l, u32) { return l; });
  add_lanes(gfx12,
            "s_mov_b32 m0, 256\nds_store_addtid_b32 v1 offset:8\ns_wait_dscnt "
            "0x0\nds_load_addtid_b32 v20 offset:8",
            {}, [](u32 l, u32) { return l; });
  // LDS DMA in its widths: lanes land in order, bytes and shorts in dwords of their own, extended
  for (const auto& [form, bits, sign] : {std::tuple{"ubyte", 8u, false},
                                         {"sbyte", 8u, true},
                                         {"ushort", 16u, false},
                                         {"sshort", 16u, true},
                                         {"dword", 32u, false}}) {
    const auto want = [bits = bits, sign = sign](u32 l, u32) {
      const u32 x = 16 * l + 512, v = bits == 32 ? x : x & ((1u << bits) - 1);
      return sign && v >> (bits - 1) ? v | ~((1u << bits) - 1) : v;
    };
    const std::string at = "v_lshlrev_b32 v25, 4, v1\nv_lshlrev_b32 v26, 2, v1\ns_mov_b32 m0, 64\n",
                      read = "\ns_waitcnt vmcnt(0)\nds_read_b32 v20, v26 offset:64";
    add_lanes(gfx942 | gfx950,
              at + "v_add_u32 v25, 512, v25\nglobal_load_lds_" + form + " v25, s[24:25]" + read, {},
              want);
    add_lanes(gfx9,
              at +
                  "s_mov_b32 s28, s24\ns_mov_b32 s29, s25\ns_mov_b32 s30, 4096\ns_mov_b32 s31, "
                  "0x20000\nv_add_u32 v25, 512, v25\nbuffer_load_" +
                  form + " v25, s[28:31], 0 offen lds" + read,
              {}, want);
  }
  for (const u32 n : {3u, 4u})
    add_lanes(
        gfx950,
        "v_lshlrev_b32 v25, 4, v1\nv_mul_u32_u24 v26, " + std::to_string(4 * n) +
            ", v1\ns_mov_b32 m0, 0\nglobal_load_lds_dwordx" + std::to_string(n) +
            " v25, s[24:25]\ns_waitcnt vmcnt(0)\nds_read_b32 v20, v26\nds_read_b32 v21, v26 "
            "offset:8",
        {}, [](u32 l, u32 r) { return 16 * l + 8 * r; }, 2);
  // cache control does nothing to values
  add(gfx90a, "buffer_wbinvl1\nbuffer_wbinvl1_vol\nbuffer_wbl2\nbuffer_invl2\nv_mov_b32 v20, 1", {},
      {1});
  add(gfx942 | gfx950, "buffer_wbl2 sc1\nbuffer_inv sc1\nv_mov_b32 v20, 1", {}, {1});
  add(gfx11, "buffer_gl0_inv\nbuffer_gl1_inv\nv_mov_b32 v20, 1", {}, {1});
  add(gfx12,
      "global_inv scope:SCOPE_DEV\nglobal_wb scope:SCOPE_DEV\nglobal_wbinv "
      "scope:SCOPE_SYS\nv_mov_b32 v20, 1",
      {}, {1});
}

}  // namespace

void load_store_tables() {
  for (const u32 on : {u32{gfx9}, u32{gfx11}, u32{gfx12}})
    for (const space s : {space::global, space::flat, space::buffer, space::lds, space::scratch}) {
      const addressing a{s, s == space::scratch && on == gfx9 ? u32{gfx942 | gfx950} : on};
      parts(a);
      wide(a);
    }
  two_addresses();
  special();
}

}  // namespace assembly
