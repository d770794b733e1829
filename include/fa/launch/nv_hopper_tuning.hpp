// Tile sizes of the Hopper machine.
#pragma once

#include <fa/core/numeric.hpp>
#include <fa/kernel/forward.hpp>

namespace fa {

/// A block of the Hopper machine.
struct nv_hopper_config {
  int groups;                                              ///< warpgroups that compute, 64 rows each
  int slots;                                               ///< steps of K and V in shared memory
  int query_slots;                                         ///< blocks of Q in shared memory
  forward_config tile;
  bool operator==(const nv_hopper_config&) const = default;
};

/// The element types and head sizes that have tiles. f32 has no matrix instruction without rounding, and more than 256 columns of O
/// would not fit in the registers.
template <class T, int D, int DV>
inline constexpr bool has_hopper_tiles = sizeof(T) == 2 && D <= 256 && DV <= 256;

/// Bytes of shared memory of a block: Q, K and V in chunks of 64 columns, and barriers.
template <int D, int DV>
constexpr int nv_hopper_shared_bytes(const nv_hopper_config& c) {
  const int key = round_up(D, 64) * 2, value = round_up(DV, 64) * 2;
  return c.query_slots * c.tile.q_rows * key + c.slots * c.tile.kv_rows * (key + value) + 2048;
}

inline constexpr int nv_hopper_most_shared_bytes = 227 * 1024;

/// Tiles of a problem. Registers bound the keys of a step: O, S and P of a row lie in those of four lanes, and a score needs some
/// of its own. Shared memory bounds the rest. Small heads leave registers for three warpgroups, which hide more of the softmax.
/// H200, bf16, 16384 tokens, no mask, TFLOP/s: D 64 three warpgroups 550, two 463; D 128 128 keys 660, 160 keys 657.
template <int D, int DV>
constexpr nv_hopper_config nv_hopper_forward_config(bool has_score) {
  const bool small = D <= 64 && DV <= 64;
  nv_hopper_config c{.groups = small ? 3 : 2, .slots = 2, .query_slots = 2,
                     .tile = {.q_rows = small ? 192 : 128,
                              .kv_rows = (DV <= 128 ? 128 : DV <= 192 ? 96 : 64) - (!has_score ? 0 : small ? 64 : 32),
                              .head_dim = D, .value_dim = DV}};
  const auto fits = [&] { return nv_hopper_shared_bytes<D, DV>(c) <= nv_hopper_most_shared_bytes; };
  if (!fits()) c.query_slots = 1;
  while (!fits()) c.tile.kv_rows -= 32;
  return c;
}

}  // namespace fa
