// LDS, global, flat, scratch, buffer and scalar memory, atomics, lane exchanges through LDS.
#include "assembly.hpp"

namespace assembly {
namespace {

/// Waits for everything.
std::string drain() { return "\n@drain\n"; }

/// A case in two spellings: gfx9's, and that of gfx11 and gfx12.
void both(const std::string& nine, const std::string& eleven, std::vector<u32> in,
          std::function<u32(u32, u32)> want, u32 results = 1, u32 on9 = gfx9, u32 on11 = rdna) {
  const auto expand = [](std::string s, bool twelve) {
    const std::string wait =
        twelve ? "s_wait_loadcnt 0x0\ns_wait_storecnt 0x0\ns_wait_dscnt 0x0\ns_wait_kmcnt 0x0"
               : "s_waitcnt vmcnt(0) lgkmcnt(0)";
    for (std::size_t at; (at = s.find("@drain")) != std::string::npos;) s.replace(at, 6, wait);
    if (twelve)
      for (std::size_t at; (at = s.find("], 0 off")) != std::string::npos;)
        s.replace(at, 4, "], null");
    return s;
  };
  if (on9) add_lanes(on9, expand(nine, false), in, want, results);
  if (on11 & gfx11) add_lanes(gfx11, expand(eleven, false), in, want, results);
  if (on11 & gfx12) add_lanes(gfx12, expand(eleven, true), in, want, results);
}

void lds() {
  const std::string at4 = "v_lshlrev_b32 v25, 2, v1\n", at8 = "v_lshlrev_b32 v25, 3, v1\n",
                    at16 = "v_lshlrev_b32 v25, 4, v1\n";
  both(at4 + "ds_write_b32 v25, v1 offset:8" + drain() + "ds_read_b32 v20, v25 offset:8",
       at4 + "ds_store_b32 v25, v1 offset:8" + drain() + "ds_load_b32 v20, v25 offset:8", {},
       [](u32 l, u32) { return l; });
  both(
      at8 + "ds_write_b64 v25, v[2:3]" + drain() + "ds_read_b64 v[20:21], v25",
      at8 + "ds_store_b64 v25, v[2:3]" + drain() + "ds_load_b64 v[20:21], v25", {5, 6},
      [](u32, u32 r) { return 5 + r; }, 2);
  both(
      at16 + "ds_write_b128 v25, v[2:5]" + drain() + "ds_read_b128 v[20:23], v25",
      at16 + "ds_store_b128 v25, v[2:5]" + drain() + "ds_load_b128 v[20:23], v25", {5, 6, 7, 8},
      [](u32, u32 r) { return 5 + r; }, 4);
  both(
      at16 + "ds_write_b96 v25, v[2:4]" + drain() + "ds_read_b96 v[20:22], v25",
      at16 + "ds_store_b96 v25, v[2:4]" + drain() + "ds_load_b96 v[20:22], v25", {5, 6, 7},
      [](u32, u32 r) { return 5 + r; }, 3);
  both(
      at8 + "ds_write2_b32 v25, v2, v3 offset0:0 offset1:1" + drain() +
          "ds_read2_b32 v[20:21], v25 offset0:1 offset1:0",
      at8 + "ds_store_2addr_b32 v25, v2, v3 offset0:0 offset1:1" + drain() +
          "ds_load_2addr_b32 v[20:21], v25 offset0:1 offset1:0",
      {5, 6}, [](u32, u32 r) { return 6 - r; }, 2);
  both(
      "v_mov_b32 v25, 0\nds_write2st64_b32 v25, v2, v3 offset0:1 offset1:2" + drain() +
          "ds_read_b32 v20, v25 offset:256\nds_read_b32 v21, v25 offset:512",
      "v_mov_b32 v25, 0\nds_store_2addr_stride64_b32 v25, v2, v3 offset0:1 offset1:2" + drain() +
          "ds_load_b32 v20, v25 offset:256\nds_load_b32 v21, v25 offset:512",
      {5, 6}, [](u32, u32 r) { return 5 + r; }, 2);
  both(
      at16 + "ds_write2_b64 v25, v[2:3], v[4:5] offset1:1" + drain() +
          "ds_read2_b64 v[20:23], v25 offset1:1",
      at16 + "ds_store_2addr_b64 v25, v[2:3], v[4:5] offset1:1" + drain() +
          "ds_load_2addr_b64 v[20:23], v25 offset1:1",
      {5, 6, 7, 8}, [](u32, u32 r) { return 5 + r; }, 4);
  both(
      at4 + "ds_write_b8 v25, v2\nds_write_b16 v25, v3 offset:2" + drain() +
          "ds_read_u8 v20, v25\nds_read_i8 v21, v25\nds_read_u16 v22, v25 offset:2\nds_read_i16 "
          "v23, v25 offset:2",
      at4 + "ds_store_b8 v25, v2\nds_store_b16 v25, v3 offset:2" + drain() +
          "ds_load_u8 v20, v25\nds_load_i8 v21, v25\nds_load_u16 v22, v25 offset:2\nds_load_i16 "
          "v23, v25 offset:2",
      {0x180, 0x8001},
      [](u32, u32 r) {
        return r == 0 ? 0x80u : r == 1 ? 0xffffff80u : r == 2 ? 0x8001u : 0xffff8001u;
      },
      4);
  both(at4 + "ds_write_b16 v25, v2\nds_write_b16_d16_hi v25, v3 offset:2" + drain() +
           "ds_read_u16_d16 v20, v25\nds_read_u16_d16_hi v20, v25 offset:2",
       at4 + "ds_store_b16 v25, v2\nds_store_b16_d16_hi v25, v3 offset:2" + drain() +
           "ds_load_u16_d16 v20, v25\nds_load_u16_d16_hi v20, v25 offset:2",
       {0x1234, 0x56789abc}, [](u32, u32) { return 0x56781234u; });
  // atomics: all lanes on one word
  const auto atomic = [&](const std::string& nine, const std::string& eleven, u32 start,
                          std::function<u32()> result) {
    const std::string head9 = "v_mov_b32 v25, 0\nv_mov_b32 v26, s10\nds_write_b32 v25, v26" +
                              drain(),
                      head11 = "v_mov_b32 v25, 0\nv_mov_b32 v26, s10\nds_store_b32 v25, v26" +
                               drain();
    both(head9 + nine + " v25, v1" + drain() + "ds_read_b32 v20, v25",
         head11 + eleven + " v25, v1" + drain() + "ds_load_b32 v20, v25", {0, 0, start},
         [result](u32, u32) { return result(); });
  };
  const auto n = [] { return wave_lanes(); };
  atomic("ds_add_u32", "ds_add_u32", 10, [n] { return 10 + n() * (n() - 1) / 2; });
  atomic("ds_sub_u32", "ds_sub_u32", 5000, [n] { return 5000 - n() * (n() - 1) / 2; });
  atomic("ds_max_u32", "ds_max_u32", 3, [n] { return n() - 1; });
  atomic("ds_min_i32", "ds_min_i32", 3, [] { return 0u; });
  atomic("ds_max_i32", "ds_max_i32", ~0u, [n] { return n() - 1; });
  atomic("ds_min_u32", "ds_min_u32", ~0u, [] { return 0u; });
  atomic("ds_or_b32", "ds_or_b32", 0x100, [n] { return 0x100 | (n() - 1); });
  atomic("ds_and_b32", "ds_and_b32", ~0u, [] { return 0u; });
  atomic("ds_xor_b32", "ds_xor_b32", 7, [] { return 7u; });
  atomic("ds_inc_u32", "ds_inc_u32", 100, [n] { return n() - 1; });
  both("v_mov_b32 v25, 0\nv_mov_b32 v26, 1.0\nds_write_b32 v25, v26" + drain() +
           "ds_add_f32 v25, v26" + drain() + "ds_read_b32 v20, v25",
       "v_mov_b32 v25, 0\nv_mov_b32 v26, 1.0\nds_store_b32 v25, v26" + drain() +
           "ds_add_f32 v25, v26" + drain() + "ds_load_b32 v20, v25",
       {}, [](u32, u32) { return f(static_cast<float>(wave_lanes() + 1)); });
  both("v_mov_b32 v25, 0\nv_mov_b32 v26, 0\nds_write_b32 v25, v26" + drain() +
           "v_mov_b32 v26, 1\nds_add_rtn_u32 v20, v25, v26",
       "v_mov_b32 v25, 0\nv_mov_b32 v26, 0\nds_store_b32 v25, v26" + drain() +
           "v_mov_b32 v26, 1\nds_add_rtn_u32 v20, v25, v26",
       {}, [](u32 l, u32) { return l; });
  both(
      at4 + "ds_write_b32 v25, v1" + drain() + "ds_cmpst_rtn_b32 v20, v25, v2, v3" + drain() +
          "ds_read_b32 v21, v25",
      at4 + "ds_store_b32 v25, v1" + drain() + "ds_cmpstore_rtn_b32 v20, v25, v3, v2" + drain() +
          "ds_load_b32 v21, v25",
      {5, 99}, [](u32 l, u32 r) { return r == 0   ? l
                                         : l == 5 ? 99
                                                  : l; }, 2);
  both(
      at4 + "ds_write_b32 v25, v1" + drain() + "ds_wrxchg_rtn_b32 v20, v25, v2" + drain() +
          "ds_read_b32 v21, v25",
      at4 + "ds_store_b32 v25, v1" + drain() + "ds_storexchg_rtn_b32 v20, v25, v2" + drain() +
          "ds_load_b32 v21, v25",
      {5}, [](u32 l, u32 r) { return r ? 5 : l; }, 2);
  both(
      at8 + "ds_write_b64 v25, v[2:3]" + drain() + "ds_add_u64 v25, v[4:5]" + drain() +
          "ds_read_b64 v[20:21], v25",
      at8 + "ds_store_b64 v25, v[2:3]" + drain() + "ds_add_u64 v25, v[4:5]" + drain() +
          "ds_load_b64 v[20:21], v25",
      {~0u, 0, 1, 1}, [](u32, u32 r) { return r ? 2u : 0u; }, 2);
  // inactive lanes write nothing
  both(at4 + "v_mov_b32 v26, 7\nds_write_b32 v25, v26" + drain() +
           "s_mov_b64 exec, 3\nds_write_b32 v25, v1\ns_mov_b64 exec, -1" + drain() +
           "ds_read_b32 v20, v25",
       at4 + "v_mov_b32 v26, 7\nds_store_b32 v25, v26" + drain() +
           "s_mov_b32 exec_lo, 3\nds_store_b32 v25, v1\ns_mov_b32 exec_lo, -1" + drain() +
           "ds_load_b32 v20, v25",
       {}, [](u32 l, u32) { return l < 2 ? l : 7; });
  // exchanges
  both("v_xor_b32 v25, 5, v1\nv_lshlrev_b32 v25, 2, v25\nds_bpermute_b32 v20, v25, v1",
       "v_xor_b32 v25, 5, v1\nv_lshlrev_b32 v25, 2, v25\nds_bpermute_b32 v20, v25, v1", {},
       [](u32 l, u32) { return l ^ 5; });
  both("v_add_u32 v25, 1, v1\nv_lshlrev_b32 v25, 2, v25\nds_permute_b32 v20, v25, v1",
       "v_add_nc_u32 v25, 1, v1\nv_lshlrev_b32 v25, 2, v25\nds_permute_b32 v20, v25, v1", {},
       [](u32 l, u32) { return (l - 1) & (wave_lanes() - 1); });
  both("ds_swizzle_b32 v20, v1 offset:0x401f", "ds_swizzle_b32 v20, v1 offset:0x401f", {},
       [](u32 l, u32) { return l ^ 16; });
  both("ds_swizzle_b32 v20, v1 offset:0x8055", "ds_swizzle_b32 v20, v1 offset:0x8055", {},
       [](u32 l, u32) { return (l & ~3u) | 1; });
  both("ds_swizzle_b32 v20, v1 offset:0x0018", "ds_swizzle_b32 v20, v1 offset:0x0018", {},
       [](u32 l, u32) { return l & ~7u; });
  both(
      "ds_swizzle_b32 v20, v1 offset:0xc080", "", {},
      [](u32 l, u32) { return (l & 32) | ((l + 4) & 31); }, 1, gfx9, 0);
  // gfx950: 16 lanes bring 4 x 16 elements and take columns
  both(
      at8 +
          "v_lshlrev_b32 v26, 2, v1\nv_or_b32 v27, 1, v26\nv_lshl_or_b32 v26, v27, 16, "
          "v26\nv_lshlrev_b32 v27, 2, v1\nv_or_b32 v28, 3, v27\nv_or_b32 v27, 2, "
          "v27\nv_lshl_or_b32 v27, v28, 16, v27\nds_write_b64 v25, v[26:27]" +
          drain() + "ds_read_b64_tr_b16 v[20:21], v25",
      "", {},
      [](u32 l, u32 r) {
        // lane m of the 16 brings elements 4 m .. 4 m + 3 of a row of 16; row q is lanes
        // 4 q .. 4 q + 3
        const u32 first = l & ~15u, i = l & 15;
        const auto e = [&](u32 row) { return 4 * (first + 4 * row + i / 4) + i % 4; };
        return e(2 * r) | e(2 * r + 1) << 16;
      },
      2, gfx950, 0);
}

void global() {
  const std::string
      at4 = "v_lshlrev_b32 v25, 2, v1\n",
      address9 =
          "v_mov_b32 v27, s25\nv_add_co_u32 v26, vcc, s24, v25\nv_addc_co_u32 v27, vcc, 0, v27, "
          "vcc\n",
      address11 =
          "v_add_co_u32 v26, vcc_lo, s24, v25\nv_add_co_ci_u32 v27, vcc_lo, s25, 0, vcc_lo\n";
  both(at4 + "global_load_dword v20, v25, s[24:25] offset:8",
       at4 + "global_load_b32 v20, v25, s[24:25] offset:8", {},
       [](u32 l, u32) { return 4 * l + 8; });
  both(at4 + address9 + "global_load_dword v20, v[26:27], off offset:4",
       at4 + address11 + "global_load_b32 v20, v[26:27], off offset:4", {},
       [](u32 l, u32) { return 4 * l + 4; });
  both(
      at4 + "global_load_dwordx4 v[20:23], v25, s[24:25]",
      at4 + "global_load_b128 v[20:23], v25, s[24:25]", {},
      [](u32 l, u32 r) { return 4 * (l + r); }, 4);
  both(
      at4 + "global_load_dwordx3 v[20:22], v25, s[24:25]",
      at4 + "global_load_b96 v[20:22], v25, s[24:25]", {}, [](u32 l, u32 r) { return 4 * (l + r); },
      3);
  both(
      at4 + "global_load_dwordx2 v[20:21], v25, s[24:25]",
      at4 + "global_load_b64 v[20:21], v25, s[24:25]", {}, [](u32 l, u32 r) { return 4 * (l + r); },
      2);
  both(
      at4 +
          "global_load_ubyte v20, v25, s[24:25]\nglobal_load_sbyte v21, v25, "
          "s[24:25]\nglobal_load_ushort v22, v25, s[24:25]\nglobal_load_sshort v23, v25, s[24:25]",
      at4 +
          "global_load_u8 v20, v25, s[24:25]\nglobal_load_i8 v21, v25, s[24:25]\nglobal_load_u16 "
          "v22, v25, s[24:25]\nglobal_load_i16 v23, v25, s[24:25]",
      {},
      [](u32 l, u32 r) {
        return r == 1 ? static_cast<u32>(static_cast<std::int8_t>(4 * l)) : 4 * l;
      },
      4);
  both(at4 +
           "global_load_short_d16 v20, v25, s[24:25]\nglobal_load_short_d16_hi v20, v25, s[24:25] "
           "offset:4",
       at4 +
           "global_load_d16_b16 v20, v25, s[24:25]\nglobal_load_d16_hi_b16 v20, v25, s[24:25] "
           "offset:4",
       {}, [](u32 l, u32) { return 4 * l | (4 * l + 4) << 16; });
  both(at4 + "global_store_dword v25, v2, s[24:25]" + drain() +
           "global_load_dword v20, v25, s[24:25]",
       at4 + "global_store_b32 v25, v2, s[24:25]" + drain() + "global_load_b32 v20, v25, s[24:25]",
       {77}, [](u32, u32) { return 77u; });
  both(at4 +
           "global_store_byte v25, v2, s[24:25] offset:1\nglobal_store_short_d16_hi v25, v2, "
           "s[24:25] offset:2" +
           drain() + "global_load_dword v20, v25, s[24:25]",
       at4 +
           "global_store_b8 v25, v2, s[24:25] offset:1\nglobal_store_d16_hi_b16 v25, v2, s[24:25] "
           "offset:2" +
           drain() + "global_load_b32 v20, v25, s[24:25]",
       {0x56781234}, [](u32 l, u32) { return 0x56783400u | 4 * l; });
  both(
      "v_lshlrev_b32 v25, 4, v1\nglobal_store_dwordx4 v25, v[2:5], s[24:25]" + drain() +
          "global_load_dwordx4 v[20:23], v25, s[24:25]",
      "v_lshlrev_b32 v25, 4, v1\nglobal_store_b128 v25, v[2:5], s[24:25]" + drain() +
          "global_load_b128 v[20:23], v25, s[24:25]",
      {1, 2, 3, 4}, [](u32, u32 r) { return r + 1; }, 4);
  const auto atomic = [&](const std::string& nine, const std::string& eleven,
                          std::function<u32()> result, u32 on9 = gfx9, u32 on11 = rdna) {
    both(
        "v_mov_b32 v25, 0\n" + nine + " v25, v1, s[24:25] offset:400" + drain() +
            "global_load_dword v20, v25, s[24:25] offset:400",
        "v_mov_b32 v25, 0\n" + eleven + " v25, v1, s[24:25] offset:400" + drain() +
            "global_load_b32 v20, v25, s[24:25] offset:400",
        {}, [result](u32, u32) { return result(); }, 1, on9, on11);
  };
  atomic("global_atomic_add", "global_atomic_add_u32",
         [] { return 400 + wave_lanes() * (wave_lanes() - 1) / 2; });
  atomic("global_atomic_umax", "global_atomic_max_u32", [] { return 400u; });
  atomic("global_atomic_smin", "global_atomic_min_i32", [] { return 0u; });
  atomic("global_atomic_or", "global_atomic_or_b32", [] { return 400u | (wave_lanes() - 1); });
  atomic("global_atomic_swap", "global_atomic_swap_b32", [] { return wave_lanes() - 1; });
  both(at4 + "v_mov_b32 v26, 1.0\nglobal_store_dword v25, v26, s[24:25]" + drain() +
           "global_atomic_add_f32 v25, v2, s[24:25]" + drain() +
           "global_load_dword v20, v25, s[24:25]",
       at4 + "v_mov_b32 v26, 1.0\nglobal_store_b32 v25, v26, s[24:25]" + drain() +
           "global_atomic_add_f32 v25, v2, s[24:25]" + drain() +
           "global_load_b32 v20, v25, s[24:25]",
       {f(2)}, [](u32, u32) { return f(3); });
  both(
      at4 + "global_atomic_cmpswap v20, v25, v[2:3], s[24:25] " + "glc" + drain() +
          "global_load_dword v21, v25, s[24:25]",
      "", {99, 8}, [](u32 l, u32 r) { return r == 0   ? 4 * l
                                             : l == 2 ? 99
                                                      : 4 * l; }, 2, gfx90a, 0);
  both(
      at4 + "global_atomic_cmpswap v20, v25, v[2:3], s[24:25] " + "sc0" + drain() +
          "global_load_dword v21, v25, s[24:25]",
      "", {99, 8}, [](u32 l, u32 r) { return r == 0   ? 4 * l
                                             : l == 2 ? 99
                                                      : 4 * l; }, 2,
      gfx942 | gfx950, 0);
  // LDS DMA: lanes land in order from M0 plus the offset
  both(
      at4 +
          "v_xor_b32 v26, 4, v25\ns_mov_b32 m0, 64\nglobal_load_lds_dword v26, s[24:25] offset:16" +
          drain() + "ds_read_b32 v20, v25 offset:80",
      "", {}, [](u32 l, u32) { return ((4 * l) ^ 4) + 16; }, 1, gfx942 | gfx950, 0);
  both(
      at4 +
          "s_mov_b32 s28, s24\ns_mov_b32 s29, s25\ns_mov_b32 s30, 4096\ns_mov_b32 s31, "
          "0x20000\ns_mov_b32 m0, 64\nbuffer_load_dword v25, s[28:31], 0 offen offset:16 lds" +
          drain() + "ds_read_b32 v20, v25 offset:80",
      "", {}, [](u32 l, u32) { return 4 * l + 16; }, 1, gfx9, 0);
  both(
      "v_lshlrev_b32 v25, 4, v1\ns_mov_b32 s28, s24\ns_mov_b32 s29, s25\ns_mov_b32 s30, "
      "4096\ns_mov_b32 s31, 0x20000\ns_mov_b32 m0, 0\nbuffer_load_dwordx4 v25, s[28:31], 0 offen "
      "lds" +
          drain() + "ds_read_b128 v[20:23], v25",
      "", {}, [](u32 l, u32 r) { return 16 * l + 4 * r; }, 4, gfx950, 0);
  // every width of flat, scratch and buffer loads and stores
  struct width {
    const char *nine, *eleven;
    u32 regs, mask;
  };
  for (const width& w : {width{"ubyte", "u8", 1, 0xff},
                         {"ushort", "u16", 1, 0xffff},
                         {"dword", "b32", 1, ~0u},
                         {"dwordx2", "b64", 2, ~0u},
                         {"dwordx3", "b96", 3, ~0u},
                         {"dwordx4", "b128", 4, ~0u}}) {
    const std::string to = w.regs == 1 ? "v20" : "v[20:" + std::to_string(19 + w.regs) + "]",
                      from = w.regs == 1 ? "v2" : "v[2:" + std::to_string(1 + w.regs) + "]";
    const std::string store9 = std::string(w.nine) == "ubyte"    ? "byte"
                               : std::string(w.nine) == "ushort" ? "short"
                                                                 : w.nine,
                      store11 = std::string(w.eleven) == "u8"    ? "b8"
                                : std::string(w.eleven) == "u16" ? "b16"
                                                                 : w.eleven;
    const auto want = [w](u32, u32 r) { return (0x01020304u + r) & w.mask; };
    const std::vector<u32> in = {0x01020304, 0x01020305, 0x01020306, 0x01020307};
    const std::string at16 = "v_lshlrev_b32 v25, 4, v1\n";
    both(at16 + address9 + "flat_store_" + store9 + " v[26:27], " + from + drain() + "flat_load_" +
             w.nine + " " + to + ", v[26:27]" + drain(),
         at16 + address11 + "flat_store_" + store11 + " v[26:27], " + from + drain() +
             "flat_load_" + w.eleven + " " + to + ", v[26:27]" + drain(),
         in, want, w.regs);
    both("scratch_store_" + store9 + " off, " + from + ", off offset:16" + drain() +
             "scratch_load_" + w.nine + " " + to + ", off, off offset:16",
         "scratch_store_" + store11 + " off, " + from + ", off offset:16" + drain() +
             "scratch_load_" + w.eleven + " " + to + ", off, off offset:16",
         in, want, w.regs, gfx942 | gfx950);
    const std::string
        rsrc9 =
            "s_mov_b32 s28, s24\ns_mov_b32 s29, s25\ns_mov_b32 s30, 4096\ns_mov_b32 s31, 0x20000\n",
        rsrc11 =
            "s_mov_b32 s28, s24\ns_mov_b32 s29, s25\ns_mov_b32 s30, 4096\ns_mov_b32 s31, "
            "0x31004000\n";
    both(at16 + rsrc9 + "buffer_store_" + store9 + " " + from + ", v25, s[28:31], 0 offen" +
             drain() + "buffer_load_" + w.nine + " " + to + ", v25, s[28:31], 0 offen",
         at16 + rsrc11 + "buffer_store_" + store11 + " " + from + ", v25, s[28:31], 0 offen" +
             drain() + "buffer_load_" + w.eleven + " " + to + ", v25, s[28:31], 0 offen",
         in, want, w.regs);
  }
  // flat: global memory and LDS by one instruction
  both(at4 + address9 + "flat_load_dword v20, v[26:27]" + drain(),
       at4 + address11 + "flat_load_b32 v20, v[26:27]" + drain(), {},
       [](u32 l, u32) { return 4 * l; });
  both(at4 + "ds_write_b32 v25, v1" + drain() +
           "s_mov_b64 s[30:31], src_shared_base\nv_mov_b32 v26, v25\nv_mov_b32 v27, "
           "s31\nflat_load_dword v20, v[26:27]" +
           drain(),
       at4 + "ds_store_b32 v25, v1" + drain() +
           "s_mov_b64 s[30:31], src_shared_base\nv_mov_b32 v26, v25\nv_mov_b32 v27, "
           "s31\nflat_load_b32 v20, v[26:27]" +
           drain(),
       {}, [](u32 l, u32) { return l; });
}

void buffers() {
  const auto head = [](u32 records, u32 flags) {
    return "v_lshlrev_b32 v25, 2, v1\ns_mov_b32 s28, s24\ns_mov_b32 s29, s25\ns_mov_b32 s30, " +
           std::to_string(records) + "\ns_mov_b32 s31, " + std::to_string(flags) + "\n";
  };
  const std::string h9 = head(64, 0x20000), h11 = head(64, 0x31004000);
  both(h9 + "buffer_load_dword v20, v25, s[28:31], 0 offen",
       h11 + "buffer_load_b32 v20, v25, s[28:31], 0 offen", {},
       [](u32 l, u32) { return l < 16 ? 4 * l : 0; });
  both(h9 + "buffer_load_dword v20, v25, s[28:31], s10 offen offset:8",
       h11 + "buffer_load_b32 v20, v25, s[28:31], s10 offen offset:8", {0, 0, 16},
       [](u32 l, u32) { return l < 14 ? 4 * l + 24 : 0; });
  both(
      h9 + "buffer_load_dwordx4 v[20:23], v25, s[28:31], 0 offen",
      h11 + "buffer_load_b128 v[20:23], v25, s[28:31], 0 offen", {},
      [](u32 l, u32 r) { return l + r < 16 ? 4 * (l + r) : 0; }, 4);
  both(h9 + "buffer_load_ubyte v20, v25, s[28:31], 0 offen offset:1",
       h11 + "buffer_load_u8 v20, v25, s[28:31], 0 offen offset:1", {},
       [](u32, u32) { return 0u; });
  both(h9 + "buffer_store_dword v2, v25, s[28:31], 0 offen" + drain() +
           "global_load_dword v20, v25, s[24:25]",
       h11 + "buffer_store_b32 v2, v25, s[28:31], 0 offen" + drain() +
           "global_load_b32 v20, v25, s[24:25]",
       {7}, [](u32 l, u32) { return l < 16 ? 7 : 4 * l; });
  both(
      h9 + "buffer_load_dword v20, off, s[28:31], 0 offset:12",
      h11 + "buffer_load_b32 v20, off, s[28:31], 0 offset:12", {}, [](u32, u32) { return 12u; }, 1,
      gfx9, gfx11);
  both(h9 + "buffer_atomic_add v2, v25, s[28:31], 0 offen" + drain() +
           "global_load_dword v20, v25, s[24:25]",
       h11 + "buffer_atomic_add_u32 v2, v25, s[28:31], 0 offen" + drain() +
           "global_load_b32 v20, v25, s[24:25]",
       {7}, [](u32 l, u32) { return 4 * l + (l < 16 ? 7 : 0); });
  // scalar loads, with and without a descriptor
  both(
      "s_load_dwordx2 s[30:31], s[24:25], 0x10" + drain() +
          "v_mov_b32 v20, s30\nv_mov_b32 v21, s31",
      "s_load_b64 s[30:31], s[24:25], 0x10" + drain() + "v_mov_b32 v20, s30\nv_mov_b32 v21, s31",
      {}, [](u32, u32 r) { return 16 + 4 * r; }, 2);
  both(h9 + "s_buffer_load_dword s30, s[28:31], 0x8\n" + drain() + "v_mov_b32 v20, s30",
       h11 + "s_buffer_load_b32 s30, s[28:31], 0x8\n" + drain() + "v_mov_b32 v20, s30", {},
       [](u32, u32) { return 8u; });
  both("s_mov_b32 s26, 12\ns_load_dword s30, s[24:25], s26" + drain() + "v_mov_b32 v20, s30",
       "s_mov_b32 s26, 12\ns_load_b32 s30, s[24:25], s26 offset:0x0" + drain() +
           "v_mov_b32 v20, s30",
       {}, [](u32, u32) { return 12u; });
  // scratch
  both(
      "scratch_store_dword off, v1, off offset:8" + drain() +
          "scratch_load_dword v20, off, off offset:8",
      "scratch_store_b32 off, v1, off offset:8" + drain() +
          "scratch_load_b32 v20, off, off offset:8",
      {}, [](u32 l, u32) { return l; }, 1, gfx942 | gfx950);
  both(
      "v_mov_b32 v25, 16\nscratch_store_dwordx2 v25, v[2:3], off" + drain() +
          "s_mov_b32 s30, 16\nscratch_load_dwordx2 v[20:21], off, s30",
      "v_mov_b32 v25, 16\nscratch_store_b64 v25, v[2:3], off" + drain() +
          "s_mov_b32 s30, 16\nscratch_load_b64 v[20:21], off, s30",
      {3, 4}, [](u32, u32 r) { return 3 + r; }, 2, gfx942 | gfx950);
  both(
      "scratch_store_byte off, v2, off offset:3" + drain() +
          "scratch_load_ubyte v20, off, off offset:3",
      "scratch_store_b8 off, v2, off offset:3" + drain() + "scratch_load_u8 v20, off, off offset:3",
      {0x1ff}, [](u32, u32) { return 0xffu; }, 1, gfx942 | gfx950);
}

}  // namespace

void memory_cases() {
  lds();
  global();
  buffers();
}

}  // namespace assembly
