#include "chip.hpp"

namespace amdsim {
namespace {
constexpr u64 gib = u64{1} << 30;
constexpr chip table[] = {
    {"gfx90a", "AMD Instinct MI250X", ":sramecc+:xnack-", family::gfx9, 0x3f, 110, 1700000, 65536,
     512, 64 * gib, "gfx90a", ""},
    {"gfx942", "AMD Instinct MI300X", ":sramecc+:xnack-", family::gfx9, 0x4c, 304, 2100000, 65536,
     512, 192 * gib, "gfx942", ""},
    {"gfx950", "AMD Instinct MI355X", ":sramecc+:xnack-", family::gfx9, 0x4f, 256, 2400000, 163840,
     512, 288 * gib, "gfx942", ""},
    {"gfx1100", "AMD Radeon RX 7900 XTX", "", family::gfx11, 0x41, 48, 2500000, 65536, 1536,
     24 * gib, "gfx1100", ""},
    {"gfx1101", "AMD Radeon RX 7800 XT", "", family::gfx11, 0x46, 30, 2430000, 65536, 1536,
     16 * gib, "gfx1101", ""},
    {"gfx1102", "AMD Radeon RX 7600", "", family::gfx11, 0x47, 16, 2625000, 65536, 1024, 8 * gib,
     "gfx1102", ""},
    {"gfx1151", "AMD Radeon 8060S", "", family::gfx11, 0x4a, 20, 2900000, 65536, 1536, 64 * gib,
     "gfx1151", ""},
    {"gfx1200", "AMD Radeon RX 9060 XT", "", family::gfx12, 0x48, 16, 3130000, 65536, 1536,
     16 * gib, "gfx1200", ""},
    {"gfx1201", "AMD Radeon RX 9070 XT", "", family::gfx12, 0x4e, 32, 2970000, 65536, 1536,
     16 * gib, "gfx1201", ""},
};
}  // namespace

const chip* find_chip(std::string_view name) {
  for (const chip& c : table)
    if (name == c.name) return &c;
  return nullptr;
}

const char* chip_names() {
  return "gfx90a gfx942 gfx950 gfx1100 gfx1101 gfx1102 gfx1151 gfx1200 gfx1201";
}

}  // namespace amdsim
