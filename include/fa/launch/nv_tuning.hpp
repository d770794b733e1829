// Tile sizes of the NVIDIA machine.
#pragma once

#include <fa/core/element.hpp>
#include <fa/core/numeric.hpp>
#include <fa/kernel/forward.hpp>
#include <fa/launch/forward.hpp>
#include <fa/machine/nv/memory.hpp>

namespace fa {

/// A block of the NVIDIA machine.
struct nv_config {
  int warps;          ///< of a block
  int column_splits;  ///< warps that share rows, each with a part of the columns of O
  int stages;         ///< steps of K and V in shared memory
  int blocks;         ///< on a multiprocessor at a time, at least: limits registers
  forward_config tile;
  bool operator==(const nv_config&) const = default;
};

/// Shared memory of a block, by GPU: sm_90 and sm_100 have 227 KB, sm_80 has 163 KB, others 99 KB.
inline constexpr int nv_most_shared_bytes = 226 * 1024, nv_least_shared_bytes = 98 * 1024;

/// Tiles of a problem for GPUs with so much shared memory. A warp owns 32 rows of 16-bit elements
/// where O leaves registers for it: K and V are then read from shared memory half as often as with
/// 16 rows, and that is what bounds mma.sync. Above 256 columns of O two warps share rows. H200,
/// bf16, 16384 tokens, TFLOP/s without mask, of this and of the next best:
///   D 64    two stages 338, one stage 310; 96 keys 335; three blocks 320
///   D 128   one stage 373, two stages 365; 80 keys 329; 8 warps of 16 rows 282
///   D 256   128 keys, one stage 314; 96 keys 303; 64 keys 297; 4 warps 274
template <class T, int D, int DV>
constexpr nv_config nv_forward_config(int most_shared_bytes) {
  constexpr bool narrow = !is_f32<T>, tall = narrow && DV <= 128, split = DV > 256;
  nv_config c{.warps = narrow && !tall ? 8 : 4,
              .column_splits = split ? 2 : 1,
              .stages = tall && D <= 64 && DV <= 64 ? 2 : 1,
              .blocks = tall ? 2 : 1,
              .tile = {.q_rows = 0,
                       .kv_rows = tall       ? 64
                                  : narrow   ? 128
                                  : DV > 128 ? 16
                                             : 32,
                       .head_dim = D,
                       .value_dim = DV}};
  using plan = nv_machine::shared_plan<T, D, keys_and_values<T, D, DV>>;
  const auto rows = [&] { return c.warps / c.column_splits * (tall ? 32 : 16); };
  const auto fits = [&] {
    return plan::all(rows(), c.tile.kv_rows, c.stages, c.column_splits) <= most_shared_bytes;
  };
  while (!fits() && c.tile.kv_rows > (narrow ? 16 : 8)) c.tile.kv_rows /= 2;
  while (!fits() && c.warps > c.column_splits) c.warps /= 2;
  if (plan::all(rows(), c.tile.kv_rows, c.stages, c.column_splits) > nv_most_shared_bytes / 2)
    c.blocks = 1;
  c.tile.q_rows = rows();
  return c;
}

/// The tiles of a kernel on GPUs with so much shared memory, and what the machine must know to run
/// them.
template <class Shape, int MostSharedBytes>
struct nv_tiles;
template <class QT, class KT, int D, int DV, weight_rounding R, class Tile, int MostSharedBytes>
struct nv_tiles<forward_shape<QT, KT, D, DV, R, Tile>, MostSharedBytes> {
  using element = KT;
  using brings = keys_and_values<KT, D, DV>;
  static constexpr int query_cols = D;
  static constexpr nv_config config = nv_forward_config<KT, D, DV>(MostSharedBytes);
};

}  // namespace fa
