// The AMD chips that the library has kernels for, and what differs between them besides their
// instructions.
#pragma once

#include <fa/machine/select.hpp>

namespace fa {

/// A chip, or a family whose members run the same code: gfx11 is RDNA 3 and 3.5 (gfx1100 to
/// gfx1152), gfx12 is RDNA 4 (gfx1200 and gfx1201).
enum class amd_chip { gfx90a, gfx942, gfx950, gfx11, gfx12, unsupported };

namespace amd_machine {

/// The chip that this pass of the compiler makes code for; the host's pass makes none.
inline constexpr amd_chip this_chip = amd_chip::FA_AMD_CHIP;

/// CDNA runs waves of 64 lanes and multiplies matrices by MFMA, RDNA waves of 32 by WMMA.
constexpr bool is_cdna(amd_chip chip) {
  return chip == amd_chip::gfx90a || chip == amd_chip::gfx942 || chip == amd_chip::gfx950;
}

constexpr int lanes_of(amd_chip chip) { return is_cdna(chip) ? 64 : 32; }

/// Bytes of LDS that a workgroup can have.
constexpr int lds_bytes_of(amd_chip chip) {
  return chip == amd_chip::gfx950 ? 160 * 1024 : 64 * 1024;
}

/// The chip of an architecture as the HIP runtime names it, such as "gfx942:sramecc+:xnack-".
constexpr amd_chip chip_named(const char* name) {
  const auto is = [&](const char* prefix, bool whole) {
    const char* p = name;
    while (*prefix != '\0') {
      if (*p++ != *prefix++) return false;
    }
    return !whole || *p == '\0' || *p == ':';
  };
  if (is("gfx90a", true)) return amd_chip::gfx90a;
  if (is("gfx942", true)) return amd_chip::gfx942;
  if (is("gfx950", true)) return amd_chip::gfx950;
  if (is("gfx110", false) || is("gfx115", false)) return amd_chip::gfx11;
  if (is("gfx120", false)) return amd_chip::gfx12;
  return amd_chip::unsupported;
}

}  // namespace amd_machine

}  // namespace fa
