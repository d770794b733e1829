// Tile sizes of the NVIDIA machine.
#pragma once

#include <fa/core/numeric.hpp>
#include <fa/kernel/forward.hpp>
#include <fa/machine/nv/memory.hpp>

namespace fa {

/// A block of the NVIDIA machine.
struct nv_config {
  int warps;                                               ///< of a block
  int parts;                                               ///< warps that share rows, each with a part of the columns of O
  int stages;                                              ///< steps of K and V in shared memory
  int blocks;                                              ///< on a multiprocessor at a time, at least: limits registers
  forward_config tile;
};

/// Bytes of shared memory that a block needs.
template <class T, int D, int DV>
constexpr int nv_shared_bytes(int q_rows, int kv_rows, int stages, int parts) {
  const int query = nv_machine::row_format<T, D>::stride_bytes;
  const int value = round_up(round_up(DV, 16 * parts) * static_cast<int>(sizeof(T)), 32) + 16;
  return q_rows * query + stages * kv_rows * (query + value);
}

/// Shared memory that every block must fit in: that of sm_80, less what the system keeps.
inline constexpr int nv_shared_bytes_limit = 162 * 1024;

/// Tiles of a problem. A warp owns 32 rows of 16-bit elements where O leaves registers for it: K and V are then read from shared
/// memory half as often as with 16 rows, and that is what bounds mma.sync. Above 256 columns of O two warps share rows. Two stages
/// of K and V where two blocks fit on a multiprocessor with them, else one, filled by halves.
template <class T, int D, int DV>
constexpr nv_config nv_forward_config() {
  constexpr bool half = sizeof(T) == 2, tall = half && DV <= 128, split = DV > 256;
  nv_config c{.warps = half && split ? 8 : 4, .parts = split ? 2 : 1, .stages = tall && D <= 128 ? 2 : 1,
              .blocks = half && !split && D <= 256 ? 2 : 1,
              .tile = {.q_rows = 0, .kv_rows = half ? 64 : DV > 128 ? 16 : 32, .head_dim = D, .value_dim = DV}};
  c.tile.q_rows = c.warps / c.parts * (tall ? 32 : 16);
  while (c.tile.kv_rows > 16 && nv_shared_bytes<T, D, DV>(c.tile.q_rows, c.tile.kv_rows, c.stages, c.parts) > nv_shared_bytes_limit) {
    c.tile.kv_rows /= 2;
  }
  return c;
}

}  // namespace fa
