// The chips that can be simulated, and what programs may ask about them.
#pragma once
#include <string_view>

#include "base.hpp"

namespace amdsim {

/// Instruction-set generations that differ in encoding, counters and register rules.
enum class family : u8 { gfx9, gfx11, gfx12 };

/// One row per chip; the figures are those that the vendor publishes for the part named.
struct chip {
  const char* name;      ///< target name, as in --offload-arch
  const char* product;   ///< marketing name of a card that carries it
  const char* features;  ///< suffix of gcnArchName
  family gen;
  u32 elf_mach;  ///< EF_AMDGPU_MACH value in a code object's e_flags
  u32 compute_units;
  u32 clock_khz;
  u32 lds_bytes;       ///< most LDS a workgroup may have
  u32 vgprs_per_simd;  ///< 32-bit registers per lane of a SIMD (wave size of the family's default)
  u64 memory_bytes;
  const char* llvm_cpu;  ///< name to give LLVM 19's disassembler
  const char* llvm_attributes;

  bool wave64_default() const { return gen == family::gfx9; }
  u32 wave_size() const { return gen == family::gfx9 ? 64 : 32; }
  int major() const { return gen == family::gfx9 ? 9 : gen == family::gfx11 ? 11 : 12; }
  int minor() const { return is("gfx942") ? 4 : is("gfx950") || is("gfx1151") ? 5 : 0; }
  /// Of a compute unit, which on RDNA is half of a workgroup processor.
  u32 lds_per_unit() const { return gen == family::gfx9 ? lds_bytes : 65536; }
  int threads_per_unit() const { return gen == family::gfx9 ? 2048 : 1024; }
  int l2_bytes() const { return gen == family::gfx9 ? 4 << 20 : 6 << 20; }
  bool is(std::string_view n) const { return n == name; }
  /// fp8 conversions and products use the FNUZ encodings (gfx942) rather than OCP's.
  bool fp8_fnuz() const { return elf_mach == 0x4c || elf_mach == 0x40; }
};

/// The chip of that name, or null.
const chip* find_chip(std::string_view name);
/// All names, separated by blanks, for messages.
const char* chip_names();

}  // namespace amdsim
