// Tile sizes of the host, with the measurements behind them.
#pragma once

#include <type_traits>

#include <fa/core/numeric.hpp>
#include <fa/kernel/forward.hpp>

namespace fa {

/// Bytes of stack that a block of the host machine needs for its tiles: Q, O, S, P and a step of K
/// and V as floats.
constexpr i64 host_block_bytes(i64 q_rows, i64 kv_rows, i64 head_dim, i64 value_dim) {
  return 4 * (q_rows * (head_dim + value_dim + kv_rows + kv_rows / 2) +
              kv_rows * (head_dim + value_dim + 64));
}

inline constexpr i64 host_block_bytes_limit = i64{1} << 20;

/// The host's tiles. A block is 96 rows: two strips with AVX-512, four with AVX2, eight with SSE2.
/// 96 rows read K and V half as often as 48 and widen 16-bit elements half as often; more rows, or
/// as many of the largest heads, leave the second-level cache. Steps of 24 to 384 keys are equally
/// fast as long as a step's K and V stay in that cache too, which decides for large heads. Zen 3,
/// f32, D = 256, 4096 keys, 2026-11-30: 96 x 64 90, 48 x 64 87, 96 x 32 88 GFLOP/s of 104.
constexpr forward_config host_forward_config(int head_dim, int value_dim) {
  const int widest = head_dim > value_dim ? head_dim : value_dim;
  return {.q_rows = widest <= 256 ? 96 : 48,
          .kv_rows = widest <= 128   ? 96
                     : widest <= 256 ? 64
                                     : 32,
          .head_dim = head_dim,
          .value_dim = value_dim};
}

/// The tiles of forward where query rows lie in lanes: those that the user named, or the host's.
template <class Shape>
constexpr forward_config host_strip_tiles() {
  forward_config c = host_forward_config(Shape::head_dim, Shape::value_dim);
  if constexpr (!std::is_void_v<typename Shape::tile_option>) {
    c.q_rows = Shape::tile_option::q_rows;
    c.kv_rows = Shape::tile_option::kv_rows;
  }
  return c;
}

/// The same where the head size lies in lanes, for so many rows.
template <class Shape>
constexpr forward_config host_line_tiles(int rows) {
  return {
      .q_rows = rows, .kv_rows = 128, .head_dim = Shape::head_dim, .value_dim = Shape::value_dim};
}

}  // namespace fa
