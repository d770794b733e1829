// Tile sizes of the Hopper machine.
#pragma once

#include <fa/core/element.hpp>
#include <fa/core/numeric.hpp>
#include <fa/kernel/forward.hpp>
#include <fa/launch/forward.hpp>
#include <fa/machine/nv/hopper/block_memory.hpp>

namespace fa {

/// A block of the Hopper machine.
struct hopper_config {
  int warpgroups;     ///< warpgroups that compute, 64 rows each
  int stages;         ///< steps of K and V in shared memory, a power of two
  int query_stages;   ///< blocks of Q in shared memory
  int output_panels;  ///< panels of 64 columns of O there at a time
  forward_config tile;
  bool operator==(const hopper_config&) const = default;
};

/// The element types and head sizes that have tiles. f32 has no matrix instruction without
/// rounding, and more than 256 columns of O would not fit in the registers.
template <class T, int D, int DV>
inline constexpr bool has_hopper_tiles = is_16_bit<T> && D <= 256 && DV <= 256;

inline constexpr int hopper_most_shared_bytes = 227 * 1024;

/// Tiles of a problem. Registers bound the keys of a step: O, S and P of a row lie in those of four
/// lanes, and a score needs some of its own. Shared memory bounds the rest. Small heads leave
/// registers for four warpgroups with short steps, which hide more of the softmax and of what lies
/// between blocks of rows. H200, bf16, no mask, TFLOP/s at 16384 and at 512 tokens: D 64 four
/// warpgroups with 64 keys 557 and 396, three with 128 keys 544 and 326; D 128 two with 128 keys
/// 666 and 463, three with 64 keys 650 and 443, two with 64 keys 628 and 424.
template <int D, int DV>
constexpr hopper_config hopper_forward_config(bool has_score) {
  const bool small = D <= 64 && DV <= 64;
  const int large_kv_rows = DV <= 128 ? 128 : DV <= 192 ? 96 : 64;
  hopper_config c{.warpgroups = !small      ? 2
                                : has_score ? 3
                                            : 4,
                  .stages = 2,
                  .query_stages = 2,
                  .output_panels = 1,
                  .tile = {.q_rows = 0,
                           .kv_rows = small ? 64 : large_kv_rows - (has_score ? 32 : 0),
                           .head_dim = D,
                           .value_dim = DV}};
  c.tile.q_rows = 64 * c.warpgroups;
  using plan = nv_machine::hopper_plan<D, keys_and_values<bf16, D, DV>>;
  const auto fits = [&] {
    return plan::all(c.tile.q_rows, c.tile.kv_rows, c.output_panels, c.query_stages, c.stages) <=
           hopper_most_shared_bytes;
  };
  if (!fits()) c.query_stages = 1;
  while (!fits()) c.tile.kv_rows -= 32;
  const auto doubled = [&](int& size, int most) {  // as far as shared memory goes
    while (size < most && fits()) size *= 2;
    if (!fits()) size /= 2;
  };
  doubled(c.stages, 8);
  doubled(c.output_panels, DV <= 64 ? 1 : 2);
  return c;
}

/// The tiles of a kernel on Hopper, and what the machine must know to run them; none: `exist` is
/// false, and mma.sync takes the call.
template <class Shape, bool HasScore>
struct hopper_tiles {
  static constexpr bool exist = false;
};
template <class QT, class KT, int D, int DV, weight_rounding R, class Tile, bool HasScore>
  requires has_hopper_tiles<KT, D, DV>
struct hopper_tiles<forward_shape<QT, KT, D, DV, R, Tile>, HasScore> {
  static constexpr bool exist = true;
  using element = KT;
  static constexpr hopper_config config = hopper_forward_config<D, DV>(HasScore);
  static constexpr int shared_bytes = nv_machine::hopper_plan<D, keys_and_values<KT, D, DV>>::all(
      config.tile.q_rows, config.tile.kv_rows, config.output_panels, config.query_stages,
      config.stages);
};

}  // namespace fa
