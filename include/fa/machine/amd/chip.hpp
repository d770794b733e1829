// The AMD chips that the library has kernels for: one row of facts each. What differs between chips
// is asked of the row, by what it is about; matrix instructions have a table of their own
// (instructions.hpp). A new chip is an enumerator, a row here, its instructions, and its macro in
// machine/select.hpp.
#pragma once

#include <iterator>

#include <fa/machine/select.hpp>

namespace fa {

/// A chip, or a family whose members run the same code: gfx11 is RDNA 3 and 3.5 (gfx1100 to
/// gfx1152), gfx12 is RDNA 4 (gfx1200 and gfx1201).
enum class amd_chip { gfx90a, gfx942, gfx950, gfx11, gfx12, unsupported };

namespace amd_machine {

/// The chip that this pass of the compiler makes code for; the host's pass makes none.
inline constexpr amd_chip this_chip = amd_chip::FA_AMD_CHIP;

/// How a chip multiplies matrices.
enum class matrix_kind {
  mfma,             ///< in a unit of its own, beside which the wave goes on; accumulators may be
                    ///< registers of their own
  wmma_whole_rows,  ///< in the wave's own time; lanes l and l + 16 must hold the same whole rows
  wmma              ///< in the wave's own time; lanes l and l + 16 share a row
};

/// What differs between chips besides their instructions.
struct chip_facts {
  amd_chip chip;
  /// Architectures as the HIP runtime names them; those that end in * go on in any way.
  const char* names[2];
  int lanes;  ///< of a wave
  matrix_kind matrix;
  bool f32_matrix;       ///< multiplies matrices of f32 too, without loss
  bool packed_math;      ///< multiplies and adds pairs of floats by one instruction: v_pk_fma_f32
  bool converts_bf16;    ///< rounds pairs of floats to bf16 by an instruction: v_cvt_pk_bf16_f32
  bool split_barrier;    ///< counts LDS accesses by themselves, and has barriers of two parts:
                         ///< s_wait_dscnt, s_barrier_signal, s_barrier_wait
  int vector_registers;  ///< that a lane of a wave may have, those for accumulators included
  int lds_bytes;         ///< that a workgroup may have
  int lds_banks;  ///< of 4 bytes: accesses by lanes that are served at once must meet in none
  /// A matter of the compilers that know the chip: these keep the distances between the rows of a
  /// tile in vector registers, unless its loads go from row to row.
  bool walks_rows;
};

/// A row a chip, in the order of the enumerators. Sources: the instruction set documents "AMD
/// Instinct MI200", "AMD Instinct MI300", "AMD CDNA 4", "RDNA 3" (and "RDNA 3.5") and "RDNA 4", and
/// the user guide of LLVM's AMDGPU backend for registers and LDS. Banks of gfx950: those of its
/// 16-byte reads.
inline constexpr chip_facts chip_table[] = {
    {.chip = amd_chip::gfx90a,  // CDNA 2: MI210, MI250
     .names = {"gfx90a"},
     .lanes = 64,
     .matrix = matrix_kind::mfma,
     .f32_matrix = true,
     .packed_math = true,
     .converts_bf16 = false,
     .split_barrier = false,
     .vector_registers = 512,
     .lds_bytes = 64 * 1024,
     .lds_banks = 32,
     .walks_rows = false},
    {.chip = amd_chip::gfx942,  // CDNA 3: MI300, MI325
     .names = {"gfx942"},
     .lanes = 64,
     .matrix = matrix_kind::mfma,
     .f32_matrix = true,
     .packed_math = true,
     .converts_bf16 = false,
     .split_barrier = false,
     .vector_registers = 512,
     .lds_bytes = 64 * 1024,
     .lds_banks = 32,
     .walks_rows = false},
    {.chip = amd_chip::gfx950,  // CDNA 4: MI350, MI355
     .names = {"gfx950"},
     .lanes = 64,
     .matrix = matrix_kind::mfma,
     .f32_matrix = true,
     .packed_math = true,
     .converts_bf16 = true,
     .split_barrier = false,
     .vector_registers = 512,
     .lds_bytes = 160 * 1024,
     .lds_banks = 64,
     .walks_rows = true},
    {.chip = amd_chip::gfx11,  // RDNA 3 and 3.5
     .names = {"gfx110*", "gfx115*"},
     .lanes = 32,
     .matrix = matrix_kind::wmma_whole_rows,
     .f32_matrix = false,
     .packed_math = false,
     .converts_bf16 = false,
     .split_barrier = false,
     .vector_registers = 256,
     .lds_bytes = 64 * 1024,
     .lds_banks = 32,
     .walks_rows = false},
    {.chip = amd_chip::gfx12,  // RDNA 4
     .names = {"gfx120*"},
     .lanes = 32,
     .matrix = matrix_kind::wmma,
     .f32_matrix = false,
     .packed_math = false,
     .converts_bf16 = false,
     .split_barrier = true,
     .vector_registers = 256,
     .lds_bytes = 64 * 1024,
     .lds_banks = 32,
     .walks_rows = false},
    // For the host's pass, which reads the text of kernels but makes no code of it.
    {.chip = amd_chip::unsupported,
     .names = {},
     .lanes = 32,
     .matrix = matrix_kind::wmma,
     .f32_matrix = false,
     .packed_math = false,
     .converts_bf16 = false,
     .split_barrier = false,
     .vector_registers = 256,
     .lds_bytes = 64 * 1024,
     .lds_banks = 32,
     .walks_rows = false},
};

/// The facts of a chip.
constexpr const chip_facts& facts_of(amd_chip chip) { return chip_table[static_cast<int>(chip)]; }

static_assert(
    [] {
      for (int i = 0; i < static_cast<int>(std::size(chip_table)); ++i) {
        if (chip_table[i].chip != static_cast<amd_chip>(i)) return false;
      }
      return facts_of(amd_chip::unsupported).chip == amd_chip::unsupported;
    }(),
    "fa: chip_table has a row for each amd_chip, in the same order");

/// Whether an architecture as the HIP runtime names it, such as "gfx942:sramecc+:xnack-", is the
/// one of a pattern of the table.
constexpr bool is_named(const char* name, const char* pattern) {
  while (*pattern != '\0' && *pattern != '*') {
    if (*name++ != *pattern++) return false;
  }
  return *pattern == '*' || *name == '\0' || *name == ':';
}

/// The chip of an architecture as the HIP runtime names it; amd_chip::unsupported where the table
/// has none.
constexpr amd_chip chip_named(const char* name) {
  for (const chip_facts& row : chip_table) {
    for (const char* pattern : row.names) {
      if (pattern != nullptr && is_named(name, pattern)) return row.chip;
    }
  }
  return amd_chip::unsupported;
}

}  // namespace amd_machine

}  // namespace fa
