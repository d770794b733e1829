// The two products by multiply-adds, in the tiles of the matrix instructions: f32 on RDNA.
#pragma once

#include <fa/machine/amd/layout.hpp>

#if FA_AMD

namespace fa::amd_machine {

/// K lies in LDS as for matrix instructions, and so does V^T; each lane multiplies its own query
/// with the keys, or columns, that its accumulators hold. Reads of K and V are the same for 16
/// lanes.
template <amd_chip Chip, class T>
struct vector_product_verbs {
  static_assert(is_f32<T>, "fa: only f32 is multiplied without matrix instructions");
  static constexpr int weight_keys = 16;

  /// S = Q K^T: [R, D] x [BN, D] -> [R, BN].
  template <class M, int R, int BN, int D>
  FA_DEVICE static score_tile<M, R, BN> mma_abt(const query_in_lds<M, R, D>& q,
                                                const key_tile<M, BN, D>& k) {
    constexpr int chunks = M::sizes::key_chunks(D), values = M::format::values;
    score_tile<M, R, BN> s;
    FA_UNROLL for (auto& row : s.v) {
      FA_UNROLL for (auto& tile : row) { FA_UNROLL for (float& x : tile) x = 0.f; }
    }
    s.keys = k.keys;
    const std::uint32_t query = first_chunk<M>(q.at) + static_cast<std::uint32_t>(lane() % 16 * 16);
    const std::uint32_t key = first_chunk<M>(k.at) +
                              static_cast<std::uint32_t>(M::format::accumulator_row(lane(), 0) *
                                                         16);
    FA_NO_UNROLL for (int pair = 0; pair < chunks; pair += 2) {
      FA_UNROLL for (int c = 0; c < 2; ++c) {
        const auto at = static_cast<std::uint32_t>((pair + c) * 256);
        const auto turn = static_cast<std::uint32_t>(M::format::rotation(c) * 16);
        float4 b[M::template row_tiles<R>];
        FA_UNROLL for (int i = 0; i < s.row_tiles; ++i) {
          b[i] = lds_load<float4>((query ^ turn) + at +
                                  static_cast<std::uint32_t>(i * chunks * 256));
        }
        FA_UNROLL for (int t = 0; t < s.col_tiles; ++t) {
          FA_UNROLL for (int r = 0; r < values; ++r) {
            const int row = t * chunks * 256 + (r ^ M::format::rotation(c)) * 16;
            const float4 a = lds_load<float4>(key + at + static_cast<std::uint32_t>(row));
            FA_UNROLL for (int i = 0; i < s.row_tiles; ++i) {
              float sum = a[0] * b[i][0];  // four by four: a shorter chain of roundings
              FA_UNROLL for (int e = 1; e < 4; ++e) sum += a[e] * b[i][e];
              s.v[i][t][r] += sum;
            }
          }
        }
        __builtin_amdgcn_sched_barrier(0);
      }
    }
    return s;
  }

  template <class, class M, int R, int BN>
  FA_DEVICE static const score_tile<M, R, BN>& as_operand(const score_tile<M, R, BN>& s) {
    return s;
  }

  /// O += P V: [R, BN] x [BN, C] -> [R, C].
  template <class M, int R, int BN, int C>
  FA_DEVICE static void mma_ab(output_tile<M, R, C>& o, const score_tile<M, R, BN>& p,
                               const value_tile<M, BN, C>& v) {
    constexpr int chunks = M::sizes::value_chunks(M::shape.staged_keys), values = M::format::values;
    const std::uint32_t column = first_chunk<M>(v.at) +
                                 static_cast<std::uint32_t>(M::format::accumulator_row(lane(), 0) *
                                                            16);
    const bool upper = lane() >= 16;
    FA_UNROLL for (int t = 0; t < BN / 16; ++t) {
      // Of all 16 keys, half of which another lane holds.
      float weight[M::template row_tiles<R>][16];
      FA_UNROLL for (int i = 0; i < o.row_tiles; ++i) {
        FA_UNROLL for (int r = 0; r < values; ++r) {
          const float mine = p.v[i][t][r], other = from_lane(mine, lane() ^ 16);
          weight[i][r] = upper ? other : mine;
          weight[i][r + values] = upper ? mine : other;
        }
      }
      FA_UNROLL for (int c = 0; c < o.col_tiles; ++c) {
        FA_UNROLL for (int r = 0; r < values; ++r) {
          FA_UNROLL for (int quad = 0; quad < 4; ++quad) {
            const int chunk = t * 4 + quad;
            const float4 a = lds_load<float4>(
                column + static_cast<std::uint32_t>((c * chunks + chunk) * 256 +
                                                    (r ^ M::format::rotation(chunk)) * 16));
            FA_UNROLL for (int i = 0; i < o.row_tiles; ++i) {
              float x = o.v[i][c][r];
              FA_UNROLL for (int e = 0; e < 4; ++e) x += weight[i][quad * 4 + e] * a[e];
              o.v[i][c][r] = x;
            }
          }
          // The compiler would read ahead until registers run out.
          if (r % 2 == 1) __builtin_amdgcn_sched_barrier(0);
        }
      }
    }
  }

 private:
  /// Where the tile begins that a lane reads at `at`.
  template <class M>
  FA_DEVICE static std::uint32_t first_chunk(const lane_address& at) {
    return at.even - static_cast<std::uint32_t>(M::format::read_address(lane(), 0)) + at.constant;
  }
};

}  // namespace fa::amd_machine

#endif
