// Small assembly programs: each case runs a few instructions on given inputs and compares all lanes
// with values from the ISA's rules.
#pragma once
#include <bit>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace assembly {

using u32 = std::uint32_t;
using u64 = std::uint64_t;

/// gfx115 is gfx11 with scalar floating point; its chip has the bit of gfx11 too.
enum chips : u32 {
  gfx90a = 1,
  gfx942 = 2,
  gfx950 = 4,
  gfx11 = 8,
  gfx12 = 16,
  gfx115 = 32,
  gfx9 = 7,
  rdna = 24,
  all = 31,
  fp8_fnuz = 2,
  fp8_ocp = 20,
  scalar_floats = gfx12 | gfx115
};

/// Inputs stand in s8.. and, the same in all lanes, in v2..; v1 is the lane. Results are v20..v23,
/// which begin as `untouched`; LDS has 4096 bytes; s[24:25] points to 4096 bytes of memory that
/// holds its own offsets as words.
struct test_case {
  u32 on;
  std::string code;
  std::vector<u32> in;
  std::function<u32(u32 lane, u32 result)> want;
  u32 results = 1;
  std::vector<u32> lane_inputs = {};  ///< if any: v2.. differ by lane, 64 words per register
};
inline constexpr u32 untouched = 0xdeadbeef;

/// All registered cases.
std::vector<test_case>& cases();
/// The same expected values in all lanes.
void add(u32 on, std::string code, std::vector<u32> in, std::vector<u32> out);
/// Expected values by lane.
void add_lanes(u32 on, std::string code, std::vector<u32> in,
               std::function<u32(u32 lane, u32 result)> want, u32 results = 1);

inline u32 f(float x) { return std::bit_cast<u32>(x); }
inline u32 lo(double x) { return static_cast<u32>(std::bit_cast<u64>(x)); }
inline u32 hi(double x) { return static_cast<u32>(std::bit_cast<u64>(x) >> 32); }
inline constexpr u32 inf = 0x7f800000, ninf = 0xff800000, nan = 0x7fc00000, denormal = 1,
                     nzero = 0x80000000;

/// Lanes of a wave on the chip under test.
u32 wave_lanes();
/// Name of the chip under test.
const std::string& chip();

void valu_cases();
void memory_cases();
void matrix_cases();
void mode_cases();
void integer_tables();
void half_tables();
void float_tables();
void compare_tables();
void convert_tables();
void scaled_conversions();
void scalar_tables();
void atomic_tables();
void load_store_tables();

}  // namespace assembly
