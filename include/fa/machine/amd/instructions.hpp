// Matrix instructions of AMD chips: the call, and which lane holds which element. All compute D
// [16, 16] += A [16, K] B [K, 16] with f32 accumulation; B lies in the lanes as A does, with rows
// and columns exchanged. A new chip is a table here.
#pragma once

#include <fa/core/config.hpp>
#include <fa/core/dtype.hpp>
#include <fa/machine/amd/chip.hpp>

namespace fa::amd_machine {

/// Where an element lies in a matrix.
struct element_place {
  int row, col;
  constexpr bool operator==(const element_place&) const = default;
};

#if FA_AMD
using float4 = float __attribute__((ext_vector_type(4)));
using short4 = short __attribute__((ext_vector_type(4)));
using short8 = short __attribute__((ext_vector_type(8)));
using short16 = short __attribute__((ext_vector_type(16)));
using half4 = _Float16 __attribute__((ext_vector_type(4)));
using half8 = _Float16 __attribute__((ext_vector_type(8)));
using half16 = _Float16 __attribute__((ext_vector_type(16)));
#if defined(__clang__) && __clang_major__ >= 18
using bfloat8 = __bf16 __attribute__((ext_vector_type(8)));
#else
using bfloat8 = short8;
#endif
#endif

/// v_mfma_f32_16x16x16_{f16,bf16} of gfx90a and gfx942. As in all of these, element i of a lane is
/// the one at operand(lane, i) of A [16, K], or at accumulator(lane, i) of D; depth: K.
struct mfma_16x16x16 {
  static constexpr int lanes = 64, depth = 16, operand_elements = 4, accumulator_elements = 4;
  static constexpr element_place operand(int lane, int i) { return {lane % 16, lane / 16 * 4 + i}; }
  static constexpr element_place accumulator(int lane, int i) {
    return {lane / 16 * 4 + i, lane % 16};
  }
};

/// v_mfma_f32_16x16x32_{f16,bf16} of gfx950.
struct mfma_16x16x32 {
  static constexpr int lanes = 64, depth = 32, operand_elements = 8, accumulator_elements = 4;
  static constexpr element_place operand(int lane, int i) { return {lane % 16, lane / 16 * 8 + i}; }
  static constexpr element_place accumulator(int lane, int i) {
    return {lane / 16 * 4 + i, lane % 16};
  }
};

/// v_mfma_f32_16x16x4_f32 of CDNA: products of f32 without loss.
struct mfma_16x16x4 {
  static constexpr int lanes = 64, depth = 4, operand_elements = 1, accumulator_elements = 4;
  static constexpr element_place operand(int lane, int) { return {lane % 16, lane / 16}; }
  static constexpr element_place accumulator(int lane, int i) {
    return {lane / 16 * 4 + i, lane % 16};
  }
};

/// v_wmma_f32_16x16x16_{f16,bf16} of gfx11. Lanes l and l + 16 must hold the same operand.
struct wmma_16x16x16_gfx11 {
  static constexpr int lanes = 32, depth = 16, operand_elements = 16, accumulator_elements = 8;
  static constexpr element_place operand(int lane, int i) { return {lane % 16, i}; }
  static constexpr element_place accumulator(int lane, int i) {
    return {2 * i + lane / 16, lane % 16};
  }
};

/// v_wmma_f32_16x16x16_{f16,bf16} of gfx12.
struct wmma_16x16x16_gfx12 {
  static constexpr int lanes = 32, depth = 16, operand_elements = 8, accumulator_elements = 8;
  static constexpr element_place operand(int lane, int i) {
    return {lane % 16, i / 4 * 8 + lane / 16 * 4 + i % 4};
  }
  static constexpr element_place accumulator(int lane, int i) {
    return {lane / 16 * 8 + i, lane % 16};
  }
};

/// The matrix instruction of a chip for products of elements of type T: a map from above, and
/// `call(a, b, c)`.
template <amd_chip Chip, class T>
struct matrix_instruction {
  static_assert(
      always_false<T>,
      "fa: this chip has no matrix instruction for this element type (both are named above)");
};

/// True if a chip multiplies elements of type T by a matrix instruction: f32 where it can, all
/// others everywhere (a type that it lacks does not compile, see above).
template <amd_chip Chip, class T>
inline constexpr bool has_matrix_instruction = !is_f32<T> || facts_of(Chip).f32_matrix;

// The calls are templates: a compiler looks for a builtin only where it is used, and none knows
// those of all chips.
template <>
struct matrix_instruction<amd_chip::gfx90a, f16> : mfma_16x16x16 {
#if FA_AMD
  using operand_type = half4;
  template <class C>
  FA_DEVICE static C call(operand_type a, operand_type b, C c) {
    return __builtin_amdgcn_mfma_f32_16x16x16f16(a, b, c, 0, 0, 0);
  }
#endif
};

template <>
struct matrix_instruction<amd_chip::gfx90a, bf16> : mfma_16x16x16 {
#if FA_AMD
  using operand_type = short4;
  template <class C>
  FA_DEVICE static C call(operand_type a, operand_type b, C c) {
    return __builtin_amdgcn_mfma_f32_16x16x16bf16_1k(a, b, c, 0, 0, 0);
  }
#endif
};

template <>
struct matrix_instruction<amd_chip::gfx90a, f32> : mfma_16x16x4 {
#if FA_AMD
  using operand_type = float;
  template <class C>
  FA_DEVICE static C call(operand_type a, operand_type b, C c) {
    return __builtin_amdgcn_mfma_f32_16x16x4f32(a, b, c, 0, 0, 0);
  }
#endif
};

template <>
struct matrix_instruction<amd_chip::gfx942, f16> : matrix_instruction<amd_chip::gfx90a, f16> {};
template <>
struct matrix_instruction<amd_chip::gfx942, bf16> : matrix_instruction<amd_chip::gfx90a, bf16> {};
template <>
struct matrix_instruction<amd_chip::gfx942, f32> : matrix_instruction<amd_chip::gfx90a, f32> {};

template <>
struct matrix_instruction<amd_chip::gfx950, f16> : mfma_16x16x32 {
#if FA_AMD
  using operand_type = half8;
  template <class C>
  FA_DEVICE static C call(operand_type a, operand_type b, C c) {
    return __builtin_amdgcn_mfma_f32_16x16x32_f16(a, b, c, 0, 0, 0);
  }
#endif
};

template <>
struct matrix_instruction<amd_chip::gfx950, bf16> : mfma_16x16x32 {
#if FA_AMD
  using operand_type = bfloat8;
  template <class C>
  FA_DEVICE static C call(operand_type a, operand_type b, C c) {
    return __builtin_amdgcn_mfma_f32_16x16x32_bf16(a, b, c, 0, 0, 0);
  }
#endif
};

template <>
struct matrix_instruction<amd_chip::gfx950, f32> : matrix_instruction<amd_chip::gfx90a, f32> {};

template <>
struct matrix_instruction<amd_chip::gfx11, f16> : wmma_16x16x16_gfx11 {
#if FA_AMD
  using operand_type = half16;
  template <class C>
  FA_DEVICE static C call(operand_type a, operand_type b, C c) {
    return __builtin_amdgcn_wmma_f32_16x16x16_f16_w32(a, b, c);
  }
#endif
};

template <>
struct matrix_instruction<amd_chip::gfx11, bf16> : wmma_16x16x16_gfx11 {
#if FA_AMD
  using operand_type = short16;
  template <class C>
  FA_DEVICE static C call(operand_type a, operand_type b, C c) {
    return __builtin_amdgcn_wmma_f32_16x16x16_bf16_w32(a, b, c);
  }
#endif
};

template <>
struct matrix_instruction<amd_chip::gfx12, f16> : wmma_16x16x16_gfx12 {
#if FA_AMD
  using operand_type = half8;
  template <class C>
  FA_DEVICE static C call(operand_type a, operand_type b, C c) {
    return __builtin_amdgcn_wmma_f32_16x16x16_f16_w32_gfx12(a, b, c);
  }
#endif
};

template <>
struct matrix_instruction<amd_chip::gfx12, bf16> : wmma_16x16x16_gfx12 {
#if FA_AMD
  using operand_type = short8;
  template <class C>
  FA_DEVICE static C call(operand_type a, operand_type b, C c) {
    return __builtin_amdgcn_wmma_f32_16x16x16_bf16_w32_gfx12(a, b, c);
  }
#endif
};

}  // namespace fa::amd_machine
