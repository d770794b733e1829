// Tile sizes of the AMD machine.
#pragma once

#include <fa/core/element.hpp>
#include <fa/core/numeric.hpp>
#include <fa/kernel/forward.hpp>
#include <fa/launch/forward.hpp>
#include <fa/machine/amd/layout.hpp>

namespace fa {

/// A workgroup of the AMD machine.
struct amd_config {
  amd_machine::block_shape shape;
  forward_config tile;
  bool operator==(const amd_config&) const = default;
};

/// Tiles of a problem on a chip: as many rows a wave as registers hold without a spill, since by
/// them reads of K and V from LDS are shared. Chips whose waves have much room (CDNA): 8 waves, two
/// a SIMD, K and V of 64 keys in LDS, taken in steps of 32. Others (RDNA): 4 waves; Q lies in LDS
/// where O leaves no registers for it, which are more of them where a lane holds whole rows. Share
/// of matrix cycles, serial, bf16, 2048 keys, in the model of bench/results/amd_profile.md:
///   gfx942 D 192/128    48 rows a wave 0.64, 32 rows 0.58
///   gfx1100 D 64        48 rows a wave 0.69, 32 rows 0.66
///   gfx1201 D 64        48 rows a wave 0.57, 32 rows 0.54
///   gfx1201 D 256       Q in registers 0.67, in LDS 0.65
template <amd_chip Chip, class T, int D, int DV>
constexpr amd_config amd_forward_config(weight_rounding rounding = weight_rounding::nearest_even) {
  using sizes = amd_machine::tile_sizes<Chip, T>;
  using format = amd_machine::fragment<Chip, T>;
  constexpr amd_machine::chip_facts facts = amd_machine::facts_of(Chip);
  constexpr bool narrow = !is_f32<T>;
  // Floats that the registers of a wave hold: 32768 on CDNA, 8192 on RDNA.
  constexpr bool roomy = facts.vector_registers * facts.lanes >= 16384;
  constexpr int d = sizes::padded_cols(D), dv = sizes::padded_values(DV), larger = max_of(d, dv);
  constexpr int least_keys = max_of(format::cols, 16);  // of an operand of P
  amd_config c{.shape = {.waves = roomy ? 8 : 4,
                         .staged_keys = 64,
                         .key_buffers = 2,
                         .value_buffers = 2,
                         .query_in_lds = !roomy,
                         .rounding = rounding},
               .tile = {.q_rows = 0, .kv_rows = 32, .head_dim = D, .value_dim = DV}};
  int row_tiles = 1;  // of 16 rows, of a wave
  if constexpr (roomy && narrow) {
    row_tiles = larger <= 64 ? 4 : dv <= 128 && d <= 192 ? 3 : 2;
    if (larger > 128) c.shape.staged_keys = 32;
  } else if constexpr (roomy) {
    row_tiles = larger <= 64 ? 2 : 1;
    c.shape.staged_keys = 32;
  } else if constexpr (narrow) {
    row_tiles = larger <= 64 ? 3 : larger <= 128 ? 2 : 1;
    c.shape.staged_keys = larger <= 64 ? 64 : larger <= 128 ? 32 : 16;
    if (!format::whole_rows && larger > 128) c.shape.query_in_lds = false;
  } else {
    c.shape.staged_keys = 16;
  }
  const auto rows = [&] { return c.shape.waves * row_tiles * 16; };
  using lds = amd_machine::lds_plan<Chip, T, D, keys_and_values<T, D, DV>>;
  const auto fits = [&] { return lds::all(c.shape, rows()) <= facts.lds_bytes; };
  if (!roomy && !fits()) c.shape.value_buffers = 1;
  while (!fits() && c.shape.staged_keys > least_keys) c.shape.staged_keys /= 2;
  if (!fits()) c.shape.value_buffers = 1;
  if (!fits()) c.shape.key_buffers = 1;
  while (!fits() && c.shape.waves > 1) c.shape.waves /= 2;
  c.tile.kv_rows = min_of(c.shape.staged_keys, 32);
  c.tile.q_rows = rows();
  return c;
}

/// The tiles of a kernel on a chip, and what the machine must know to run them. A kernel that has
/// none does not run there.
template <amd_chip Chip, class Shape>
struct amd_tiles;
template <amd_chip Chip, class QT, class KT, int D, int DV, weight_rounding R, class Tile>
struct amd_tiles<Chip, forward_shape<QT, KT, D, DV, R, Tile>> {
  using element = KT;
  using brings = keys_and_values<KT, D, DV>;
  static constexpr int query_cols = D;
  static constexpr amd_config config = amd_forward_config<Chip, KT, D, DV>(R);
};

}  // namespace fa
