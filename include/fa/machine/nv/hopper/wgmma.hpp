// Matrix instructions of sm_90a: 64 rows by four warps, asynchronously. Operands lie in shared
// memory in panels of 64 columns of 16 bits, rows of 128 bytes, whose 16-byte chunks are permuted
// within eight rows (chunk ^ row % 8): the "128-byte swizzle".
//
//   accumulator [64, N]   warp w of the four holds rows 16 w to 16 w + 15 as mma.sync does
//   first operand         in shared memory, or in registers as that of mma.sync
//   second operand        K [N, 16], rows in memory, or V [16, N], transposed on the way
#pragma once

#include <cstdint>

#include <fa/core/config.hpp>
#include <fa/core/dtype.hpp>
#include <fa/machine/nv/lanes.hpp>
#include <fa/machine/nv/mma.hpp>
#include <fa/machine/select.hpp>

namespace fa::nv_machine {

inline constexpr int panel_cols = 64;  ///< 16-bit columns of a panel
inline constexpr int panel_row_bytes = 128;

#if FA_NV

/// Panels of C columns.
template <int C>
inline constexpr int panels_of = ceil_div(C, panel_cols);

/// Bytes from the beginning of a panel to 16-byte chunk `chunk` of row `row`.
FA_FN constexpr int place_in_panel(int row, int chunk) {
  return row * panel_row_bytes + (chunk ^ row % 8) * 16;
}

/// Where shared memory holds an operand: its address (a multiple of 1024 at the first row), and two
/// distances in bytes. Operands of whole rows: `stride` from eight rows to the next. Transposed
/// ones: `lead` from panel to panel, `stride` as before.
FA_DEVICE std::uint64_t operand_descriptor(std::uint32_t address, int lead, int stride) {
  constexpr std::uint64_t swizzle_128_bytes = std::uint64_t{1} << 62;
  const auto in_16_bytes = [](int x) FA_LAMBDA { return static_cast<std::uint64_t>(x) / 16; };
  return (address & 0x3ffffu) / 16 | in_16_bytes(lead) << 16 | in_16_bytes(stride) << 32 |
         swizzle_128_bytes;
}

/// A descriptor whose address is so many bytes further on.
FA_DEVICE constexpr std::uint64_t further(std::uint64_t descriptor, int bytes) {
  return descriptor + static_cast<std::uint64_t>(bytes / 16);
}

/// Before products: makes registers and shared memory that this warp wrote visible to them.
FA_DEVICE void begin_products() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }
/// Behind products: closes them as a group that can be awaited.
FA_DEVICE void commit_products() { asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory"); }
/// Waits until at most `Pending` groups are under way.
template <int Pending>
FA_DEVICE void wait_products() {
  asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(Pending) : "memory");
}

/// Products of N columns of elements of type T, for the N that tiles have: see the list below.
///   first(d, a, b)   d  = a b^T of 16 columns of a [64, 16] and b [N, 16], both in shared memory
///   add(d, a, b)     d += the same
///   add(d, a, v)     d += a v of a [64, 16] in registers and v [16, N] in shared memory
///   wait<n>(d)       wait_products<n>, and d is not read before
template <int N, class T>
struct wgmma;

// The registers of d are operands 0 to N / 2 - 1 of each instruction, what follows has the next
// numbers.
#define FA_NAMES_32 "%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15"
#define FA_NAMES_64 FA_NAMES_32 ",%16,%17,%18,%19,%20,%21,%22,%23,%24,%25,%26,%27,%28,%29,%30,%31"
#define FA_NAMES_96 FA_NAMES_64 ",%32,%33,%34,%35,%36,%37,%38,%39,%40,%41,%42,%43,%44,%45,%46,%47"
#define FA_NAMES_128 FA_NAMES_96 ",%48,%49,%50,%51,%52,%53,%54,%55,%56,%57,%58,%59,%60,%61,%62,%63"
#define FA_NAMES_160 FA_NAMES_128 ",%64,%65,%66,%67,%68,%69,%70,%71,%72,%73,%74,%75,%76,%77,%78,%79"
#define FA_NAMES_192 FA_NAMES_160 ",%80,%81,%82,%83,%84,%85,%86,%87,%88,%89,%90,%91,%92,%93,%94,%95"
#define FA_NAMES_224 \
  FA_NAMES_192 ",%96,%97,%98,%99,%100,%101,%102,%103,%104,%105,%106,%107,%108,%109,%110,%111"
#define FA_NAMES_256 \
  FA_NAMES_224 ",%112,%113,%114,%115,%116,%117,%118,%119,%120,%121,%122,%123,%124,%125,%126,%127"
#define FA_SQUARE(way, t) way(d[t][0]), way(d[t][1]), way(d[t][2]), way(d[t][3])
#define FA_SQUARES(way, t0, t1, t2, t3) \
  FA_SQUARE(way, t0), FA_SQUARE(way, t1), FA_SQUARE(way, t2), FA_SQUARE(way, t3)
#define FA_FLOATS_32(way) FA_SQUARES(way, 0, 1, 2, 3)
#define FA_FLOATS_64(way) FA_FLOATS_32(way), FA_SQUARES(way, 4, 5, 6, 7)
#define FA_FLOATS_96(way) FA_FLOATS_64(way), FA_SQUARES(way, 8, 9, 10, 11)
#define FA_FLOATS_128(way) FA_FLOATS_96(way), FA_SQUARES(way, 12, 13, 14, 15)
#define FA_FLOATS_160(way) FA_FLOATS_128(way), FA_SQUARES(way, 16, 17, 18, 19)
#define FA_FLOATS_192(way) FA_FLOATS_160(way), FA_SQUARES(way, 20, 21, 22, 23)
#define FA_FLOATS_224(way) FA_FLOATS_192(way), FA_SQUARES(way, 24, 25, 26, 27)
#define FA_FLOATS_256(way) FA_FLOATS_224(way), FA_SQUARES(way, 28, 29, 30, 31)

// Whether d is added to is a predicate; the numbers behind the operands: factors 1 and 1, and which
// operand is transposed.
#define FA_WGMMA(n, type, adds, rest)                                               \
  "{.reg .pred p; setp.ne.b32 p, " adds ", 0; wgmma.mma_async.sync.aligned.m64n" #n \
  "k16.f32." #type "." #type " {" FA_NAMES_##n "}, " rest ";}"
#define FA_WGMMA_OF(n, type, r0, r1, r2, r3, r4)                                               \
  template <>                                                                                  \
  struct wgmma<n, type> {                                                                      \
    FA_DEVICE static void first(float (&d)[n / 8][4], std::uint64_t a, std::uint64_t b) {      \
      asm volatile(FA_WGMMA(n, type, "0", r0 ", " r1 ", p, 1, 1, 0, 0")                        \
                   : FA_FLOATS_##n("=f")                                                       \
                   : "l"(a), "l"(b));                                                          \
    }                                                                                          \
    FA_DEVICE static void add(float (&d)[n / 8][4], std::uint64_t a, std::uint64_t b) {        \
      asm volatile(FA_WGMMA(n, type, "1", r0 ", " r1 ", p, 1, 1, 0, 0")                        \
                   : FA_FLOATS_##n("+f")                                                       \
                   : "l"(a), "l"(b));                                                          \
    }                                                                                          \
    FA_DEVICE static void add(float (&d)[n / 8][4], const pairs4& a, std::uint64_t v) {        \
      asm volatile(FA_WGMMA(n, type, "1", "{" r0 "," r1 "," r2 "," r3 "}, " r4 ", p, 1, 1, 1") \
                   : FA_FLOATS_##n("+f")                                                       \
                   : "r"(a.x[0]), "r"(a.x[1]), "r"(a.x[2]), "r"(a.x[3]), "l"(v));              \
    }                                                                                          \
    template <int Pending>                                                                     \
    FA_DEVICE static void wait(float (&d)[n / 8][4]) {                                         \
      asm volatile("wgmma.wait_group.sync.aligned " r0 ";"                                     \
                   : FA_FLOATS_##n("+f")                                                       \
                   : "n"(Pending)                                                              \
                   : "memory");                                                                \
    }                                                                                          \
  };
#define FA_WGMMA_SIZES(type)                                     \
  FA_WGMMA_OF(32, type, "%16", "%17", "%18", "%19", "%20")       \
  FA_WGMMA_OF(64, type, "%32", "%33", "%34", "%35", "%36")       \
  FA_WGMMA_OF(96, type, "%48", "%49", "%50", "%51", "%52")       \
  FA_WGMMA_OF(128, type, "%64", "%65", "%66", "%67", "%68")      \
  FA_WGMMA_OF(160, type, "%80", "%81", "%82", "%83", "%84")      \
  FA_WGMMA_OF(192, type, "%96", "%97", "%98", "%99", "%100")     \
  FA_WGMMA_OF(224, type, "%112", "%113", "%114", "%115", "%116") \
  FA_WGMMA_OF(256, type, "%128", "%129", "%130", "%131", "%132")
FA_WGMMA_SIZES(bf16)
FA_WGMMA_SIZES(f16)

#undef FA_WGMMA_SIZES
#undef FA_WGMMA_OF
#undef FA_WGMMA
#undef FA_FLOATS_256
#undef FA_FLOATS_224
#undef FA_FLOATS_192
#undef FA_FLOATS_160
#undef FA_FLOATS_128
#undef FA_FLOATS_96
#undef FA_FLOATS_64
#undef FA_FLOATS_32
#undef FA_SQUARES
#undef FA_SQUARE
#undef FA_NAMES_256
#undef FA_NAMES_224
#undef FA_NAMES_192
#undef FA_NAMES_160
#undef FA_NAMES_128
#undef FA_NAMES_96
#undef FA_NAMES_64
#undef FA_NAMES_32

#endif

}  // namespace fa::nv_machine
