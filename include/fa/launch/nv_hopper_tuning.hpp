// Tile sizes of the Hopper machine.
#pragma once

#include <fa/core/numeric.hpp>
#include <fa/kernel/forward.hpp>

namespace fa {

/// A block of the Hopper machine.
struct nv_hopper_config {
  int groups;         ///< warpgroups that compute, 64 rows each
  int slots;          ///< steps of K and V in shared memory, a power of two
  int query_slots;    ///< blocks of Q in shared memory
  int output_chunks;  ///< chunks of 64 columns of O there at a time
  forward_config tile;
  bool operator==(const nv_hopper_config&) const = default;
};

/// The element types and head sizes that have tiles. f32 has no matrix instruction without
/// rounding, and more than 256 columns of O would not fit in the registers.
template <class T, int D, int DV>
inline constexpr bool has_hopper_tiles = sizeof(T) == 2 && D <= 256 && DV <= 256;

/// Bytes of shared memory of a block: barriers, and O, Q, K and V in chunks of 64 columns.
template <int D, int DV>
constexpr int nv_hopper_shared_bytes(const nv_hopper_config& c) {
  const int key = round_up(D, 64) * 2, value = round_up(DV, 64) * 2;
  const int output = c.tile.q_rows * c.output_chunks * 128;
  return 1024 + output + c.query_slots * c.tile.q_rows * key +
         c.slots * c.tile.kv_rows * (key + value);
}

inline constexpr int nv_hopper_most_shared_bytes = 227 * 1024;

/// Tiles of a problem. Registers bound the keys of a step: O, S and P of a row lie in those of four
/// lanes, and a score needs some of its own. Shared memory bounds the rest. Small heads leave
/// registers for four warpgroups with short steps, which hide more of the softmax and of what lies
/// between blocks of rows. H200, bf16, no mask, TFLOP/s at 16384 and at 512 tokens: D 64 four
/// warpgroups with 64 keys 557 and 396, three with 128 keys 544 and 326; D 128 two with 128 keys
/// 666 and 463, three with 64 keys 650 and 443, two with 64 keys 628 and 424.
template <int D, int DV>
constexpr nv_hopper_config nv_hopper_forward_config(bool has_score) {
  const bool small = D <= 64 && DV <= 64;
  nv_hopper_config c{.groups = !small      ? 2
                               : has_score ? 3
                                           : 4,
                     .slots = 2,
                     .query_slots = 2,
                     .output_chunks = 1,
                     .tile = {.q_rows = 0,
                              .kv_rows = small ? 64
                                               : (DV <= 128   ? 128
                                                  : DV <= 192 ? 96
                                                              : 64) -
                                                     (has_score ? 32 : 0),
                              .head_dim = D,
                              .value_dim = DV}};
  c.tile.q_rows = 64 * c.groups;
  const auto fits = [&] { return nv_hopper_shared_bytes<D, DV>(c) <= nv_hopper_most_shared_bytes; };
  if (!fits()) c.query_slots = 1;
  while (!fits()) c.tile.kv_rows -= 32;
  const auto doubled = [&](int& size, int most) {  // as far as shared memory goes
    while (size < most && fits()) size *= 2;
    if (!fits()) size /= 2;
  };
  doubled(c.slots, 8);
  doubled(c.output_chunks, DV <= 64 ? 1 : 2);
  return c;
}

}  // namespace fa
