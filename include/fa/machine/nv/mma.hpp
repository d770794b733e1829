// Matrix instructions of sm_80 and newer: the call, and which lane holds which element.
//
//   mma.sync m16n8k16   accumulator [16, 8]: lane 4 i + j holds, of rows i and i + 8, columns 2 j
//                       and 2 j + 1
//   ldmatrix.x4         four squares [8, 8] of 16-bit elements: lane l gives the address of row
//                       l % 8 of square l / 8
#pragma once

#include <cstdint>

#include <fa/core/config.hpp>
#include <fa/core/dtype.hpp>
#include <fa/core/numeric.hpp>
#include <fa/machine/select.hpp>

namespace fa::nv_machine {

/// Where an element lies in a matrix.
struct element_place {
  int row, col;
};

/// Where value `value` (0 to 3) of lane `lane` lies in an accumulator [16, 8].
FA_FN constexpr element_place accumulator_place(int lane, int value) {
  return {lane / 4 + value / 2 * 8, lane % 4 * 2 + value % 2};
}

/// Of sixteen accumulators side by side, the columns below `limit` that a lane holds: bit 2 n + i
/// for value i of accumulator n.
FA_FN constexpr std::uint32_t columns_below(int lane, int limit) {
  const int rest = limit - accumulator_place(lane, 0).col;
  const int count = clamp((rest >> 3) * 2 + min_of(rest & 7, 2), 0, 32);
  return count == 32 ? ~0u : (1u << count) - 1;
}

/// The row and the 16-byte column whose address a lane gives to ldmatrix for the first operand [16,
/// 16], rows in memory.
FA_FN constexpr element_place row_operand_address(int lane) { return {lane % 16, lane / 16}; }

/// The same for the second operand [16, 16] of a product A B^T, whose rows lie in memory: two n8
/// tiles, one after the other.
FA_FN constexpr element_place key_operand_address(int lane) {
  return {lane % 8 + lane / 16 * 8, lane / 8 % 2};
}

/// The same for the second operand [16, 16] of a product A B, transposed on the way: two n8 tiles,
/// side by side.
FA_FN constexpr element_place value_operand_address(int lane) { return {lane % 16, lane / 16}; }

#if FA_NV

/// Four registers of 16-bit pairs: an operand [16, 16].
struct pairs4 {
  std::uint32_t x[4];
};

/// Two floats as a register of 16-bit elements, rounded to nearest even; `low` is the element of
/// the lower column.
FA_DEVICE std::uint32_t pack(float low, float high, bf16) {
  std::uint32_t r;
  asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(r) : "f"(high), "f"(low));
  return r;
}
FA_DEVICE std::uint32_t pack(float low, float high, f16) {
  std::uint32_t r;
  asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(r) : "f"(high), "f"(low));
  return r;
}

/// c [16, 8] += a [16, 16] b [16, 8], f32 accumulation.
FA_DEVICE void mma_m16n8k16(float (&c)[4], const pairs4& a, std::uint32_t b0, std::uint32_t b1,
                            bf16) {
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
      "{%0,%1,%2,%3};"
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
      : "r"(a.x[0]), "r"(a.x[1]), "r"(a.x[2]), "r"(a.x[3]), "r"(b0), "r"(b1));
}
FA_DEVICE void mma_m16n8k16(float (&c)[4], const pairs4& a, std::uint32_t b0, std::uint32_t b1,
                            f16) {
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
      "{%0,%1,%2,%3};"
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
      : "r"(a.x[0]), "r"(a.x[1]), "r"(a.x[2]), "r"(a.x[3]), "r"(b0), "r"(b1));
}

/// ldmatrix.x4, and with each square transposed.
FA_DEVICE pairs4 ldmatrix_x4(std::uint32_t address) {
  pairs4 r;
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(r.x[0]), "=r"(r.x[1]), "=r"(r.x[2]), "=r"(r.x[3])
               : "r"(address)
               : "memory");
  return r;
}
FA_DEVICE pairs4 ldmatrix_x4_trans(std::uint32_t address) {
  pairs4 r;
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(r.x[0]), "=r"(r.x[1]), "=r"(r.x[2]), "=r"(r.x[3])
               : "r"(address)
               : "memory");
  return r;
}

#endif

}  // namespace fa::nv_machine
