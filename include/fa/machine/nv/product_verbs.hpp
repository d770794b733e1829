// The two products: on tensor cores for 16-bit elements, by multiply-adds for f32. All addresses
// are one of the lane's plus constants.
#pragma once

#include <fa/machine/nv/layout.hpp>

#if FA_NV

namespace fa::nv_machine {

/// Address of the chunk that a lane gives to ldmatrix, in rows of a format.
template <class Format>
FA_DEVICE std::uint32_t operand_address(std::uint32_t base, element_place place) {
  return base + static_cast<std::uint32_t>(place.row * Format::stride_bytes + place.col * 16);
}

/// The two products of 16-bit elements, by mma.sync.
struct product_verbs {
  /// S = Q K^T: [R, D] x [BN, D] -> [R, BN].
  template <class M, class T, int R, int BN, int D>
    requires(is_16_bit<T>)
  FA_DEVICE static score_tile<M, R, BN> mma_abt(const query_tile<M, T, R, D>& q,
                                                const step_tile<T, BN, D>& k) {
    using format = row_format<T, D>;
    score_tile<M, R, BN> s;
    s.clear();
    s.keys = k.keys;
    const std::uint32_t q_at = operand_address<format>(q.base, row_operand_address(lane())) +
                               static_cast<std::uint32_t>(M::template warp_row<R>() *
                                                          format::stride_bytes);
    const std::uint32_t k_at = operand_address<format>(k.base, key_operand_address(lane()));
    // With many accumulators, unrolling all of it makes the compiler load ahead until registers run
    // out.
    constexpr int steps = format::padded_cols / 16;
    constexpr int few = steps <= 8 && D % 64 == 0 ? 4 : 2;
    constexpr int unrolled = s.row_tiles == 1 ? steps : few;
#pragma unroll unrolled
    for (int p = 0; p < steps; ++p) {
      pairs4 a[M::template row_tiles<R>];
      FA_UNROLL for (int m = 0; m < s.row_tiles; ++m) {
        a[m] = ldmatrix_x4(q_at +
                           static_cast<std::uint32_t>(m * 16 * format::stride_bytes + p * 32));
      }
      FA_UNROLL for (int n = 0; n < BN / 16; ++n) {
        const pairs4 b = ldmatrix_x4(
            k_at + static_cast<std::uint32_t>(n * 16 * format::stride_bytes + p * 32));
        FA_UNROLL for (int m = 0; m < s.row_tiles; ++m) {
          mma_m16n8k16(s.v[m][2 * n], a[m], b.x[0], b.x[1], T{});
          mma_m16n8k16(s.v[m][2 * n + 1], a[m], b.x[2], b.x[3], T{});
        }
      }
    }
    return s;
  }

  /// P, rounded to T. An accumulator and a first operand lie alike in the lanes.
  template <class T, class M, int R, int BN>
    requires(is_16_bit<T>)
  FA_DEVICE static weight_tile<M, T, R, BN> as_operand(const score_tile<M, R, BN>& s) {
    weight_tile<M, T, R, BN> p;
    FA_UNROLL for (int m = 0; m < s.row_tiles; ++m) {
      FA_UNROLL for (int n = 0; n < BN / 16; ++n) {
        FA_UNROLL for (int i = 0; i < 4; ++i) {
          const float (&from)[4] = s.v[m][2 * n + i / 2];
          p.v[m][n].x[i] = pack(from[i % 2 * 2], from[i % 2 * 2 + 1], T{});
        }
      }
    }
    return p;
  }

  /// O += P V: [R, BN] x [BN, C] -> [R, C].
  template <class M, class T, int R, int BN, int C>
  FA_DEVICE static void mma_ab(output_tile<M, T, R, C>& o, const weight_tile<M, T, R, BN>& p,
                               const step_tile<T, BN, C>& v) {
    using format = row_format<T, M::template padded_cols<C>>;
    const std::uint32_t v_at = operand_address<format>(v.base, value_operand_address(lane())) +
                               static_cast<std::uint32_t>(M::column_split() *
                                                          M::template split_cols<C> *
                                                          element_bytes<T>);
    FA_UNROLL for (int n = 0; n < BN / 16; ++n) {
      FA_UNROLL for (int c = 0; c < o.col_tiles / 2; ++c) {
        const pairs4 b = ldmatrix_x4_trans(
            v_at + static_cast<std::uint32_t>(n * 16 * format::stride_bytes + c * 32));
        FA_UNROLL for (int m = 0; m < o.row_tiles; ++m) {
          mma_m16n8k16(o.v[m][2 * c], p.v[m][n], b.x[0], b.x[1], T{});
          mma_m16n8k16(o.v[m][2 * c + 1], p.v[m][n], b.x[2], b.x[3], T{});
        }
      }
    }
  }
};

/// The two products of f32 elements by multiply-adds, in the same tiles.
struct float_product_verbs {
  /// S = Q K^T: [R, D] x [BN, D] -> [R, BN].
  template <class M, int R, int BN, int D>
  FA_DEVICE static score_tile<M, R, BN> mma_abt(const query_tile<M, float, R, D>& q,
                                                const step_tile<float, BN, D>& k) {
    using format = row_format<float, D>;
    constexpr auto stride = static_cast<std::uint32_t>(format::stride_bytes);
    score_tile<M, R, BN> s;
    s.clear();
    s.keys = k.keys;
    const element_place place = accumulator_place(lane(), 0);
    const std::uint32_t q_at =
        q.base + static_cast<std::uint32_t>(M::template warp_row<R>() + place.row) * stride;
    const std::uint32_t k_at = k.base + static_cast<std::uint32_t>(place.col) * stride;
    FA_NO_UNROLL for (std::uint32_t byte = 0; byte < format::padded_bytes; byte += 16) {
      float a[M::template row_tiles<R>][2][4];
      FA_UNROLL for (int m = 0; m < s.row_tiles; ++m) {
        FA_UNROLL for (int half = 0; half < 2; ++half) {
          load_shared(q_at + static_cast<std::uint32_t>(m * 16 + half * 8) * stride + byte,
                      a[m][half]);
        }
      }
      FA_UNROLL for (int n = 0; n < s.col_tiles; ++n) {
        FA_UNROLL for (int i = 0; i < 2; ++i) {
          float b[4];
          load_shared(k_at + static_cast<std::uint32_t>(n * 8 + i) * stride + byte, b);
          FA_UNROLL for (int m = 0; m < s.row_tiles; ++m) {
            FA_UNROLL for (int half = 0; half < 2; ++half) {
              float sum = a[m][half][0] * b[0];  // four by four: a shorter chain of roundings
              FA_UNROLL for (int x = 1; x < 4; ++x) sum += a[m][half][x] * b[x];
              s.v[m][n][2 * half + i] += sum;
            }
          }
        }
      }
    }
    return s;
  }

  template <class T, class M, int R, int BN>
    requires(is_f32<T>)
  FA_DEVICE static const score_tile<M, R, BN>& as_operand(const score_tile<M, R, BN>& s) {
    return s;
  }

  /// O += P V: [R, BN] x [BN, C] -> [R, C].
  template <class M, int R, int BN, int C>
  FA_DEVICE static void mma_ab(output_tile<M, float, R, C>& o, const score_tile<M, R, BN>& p,
                               const step_tile<float, BN, C>& v) {
    using format = row_format<float, M::template padded_cols<C>>;
    const std::uint32_t v_at =
        v.base +
        static_cast<std::uint32_t>(
            (M::column_split() * M::template split_cols<C> + accumulator_place(lane(), 0).col) * 4);
    FA_UNROLL for (int j = 0; j < BN; ++j) {
      // P of key j: in one of the four lanes that share the row.
      float weight[M::template row_tiles<R>][2];
      FA_UNROLL for (int m = 0; m < o.row_tiles; ++m) {
        FA_UNROLL for (int half = 0; half < 2; ++half)
            weight[m][half] = from_row_lane(p.v[m][j / 8][2 * half + j % 2], j % 8 / 2);
      }
      FA_UNROLL for (int n = 0; n < o.col_tiles; ++n) {
        float b[2];
        load_shared(v_at + static_cast<std::uint32_t>(j * format::stride_bytes + n * 32), b);
        FA_UNROLL for (int m = 0; m < o.row_tiles; ++m) {
          FA_UNROLL for (int i = 0; i < 4; ++i) o.v[m][n][i] += weight[m][i / 2] * b[i % 2];
        }
      }
    }
  }
};

}  // namespace fa::nv_machine

#endif
