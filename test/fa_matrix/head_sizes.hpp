// The head sizes that this program is built for. They are compile-time numbers of the library; a
// table may name any.
#pragma once

#include <array>

namespace fa_matrix {

struct head_size {
  int d, dv;
};

/// Compiled with optimisation, for every element type.
inline constexpr auto common_head_sizes = std::to_array<head_size>(
    {{32, 32}, {64, 64}, {96, 96}, {128, 128}, {192, 192}, {256, 256}});

/// Compiled without, to keep the build short: the same kernels at a tenth of the speed.
/// Every element type.
inline constexpr auto rare_head_sizes = std::to_array<head_size>({
    {1, 1},    {8, 8},    {16, 16},   {33, 33},   {40, 40},   {48, 48},   {59, 59},
    {72, 72},  {80, 80},  {111, 111}, {160, 160}, {224, 224}, {512, 512}, {24, 48},
    {64, 128}, {64, 256}, {96, 128},  {120, 160}, {192, 128}, {256, 108},
});

/// The same, 16-bit element types only.
inline constexpr auto half_head_sizes = std::to_array<head_size>({
    {2, 2},
    {5, 5},
    {17, 17},
    {24, 24},
    {56, 56},
    {104, 104},
    {112, 112},
    {120, 120},
    {176, 176},
    {208, 208},
    {320, 320},
    {40, 64},
    {128, 64},
    {24, 152},
    {120, 8},
});

/// A size of each kind for builds where kernels are dear: whole, odd and split tiles, a value size
/// of its own. Every element type.
inline constexpr auto core_head_sizes = std::to_array<head_size>(
    {{32, 32}, {40, 40}, {64, 64}, {111, 111}, {128, 128}, {192, 128}, {256, 256}});

/// These have kernels for the other mask types too, and for f32 output of 16-bit inputs. Compiled
/// with optimisation.
inline constexpr auto extra_head_sizes = std::to_array<head_size>({{64, 64}});

}  // namespace fa_matrix
