// The two products by warpgroups: 64 rows each, issued and awaited apart, so that softmax runs
// under them.
#pragma once

#include <fa/machine/nv/hopper/wgmma.hpp>
#include <fa/machine/nv/softmax_verbs.hpp>

#if FA_NV

namespace fa::nv_machine {

/// Q of a warpgroup, [64, D] in panels.
template <class M, class T, int R, int D>
struct panel_query {
  using machine = M;
  std::uint32_t base;
};

/// K or V of a step, [BN, C] in panels. Rows that do not exist are zero.
template <class T, int BN, int C>
struct panel_step {
  std::uint32_t base;
};

/// Output O [R, C] of a warpgroup, and factors of its rows that are still to be applied. What all
/// warps of a warpgroup must do together, to await a product, must not hang on what one of them
/// finds: so a warp that must rescale only notes the factors, and applies them when the product was
/// awaited by all.
template <class M, class T, int R, int C>
struct deferred_scale_output : output_tile<M, T, R, C> {
  row_values<M, R> factor;

  FA_DEVICE void apply_scale() {
    if (any_lane(factor.v[0][0] != 1.f || factor.v[0][1] != 1.f)) [[unlikely]] {
      softmax_verbs::scale_rows(static_cast<output_tile<M, T, R, C>&>(*this), factor);
      softmax_verbs::fill(factor, 1.f);
    }
  }
};

/// Waits until at most Pending products are under way, those into `tile` not among them.
template <int Pending, class T, class Tile>
FA_DEVICE void await(Tile& tile) {
  static_assert(Tile::row_tiles == 1);
  wgmma<Tile::col_tiles * 8, T>::template wait<Pending>(tile.v[0]);
}

struct warpgroup_product_verbs {
  static constexpr int warpgroup_rows = 64;  ///< of a warpgroup
  static constexpr int eight_rows_bytes = 8 * panel_row_bytes;

  /// Issues S = Q K^T: [64, D] x [BN, D] -> [64, BN].
  template <class M, class T, int R, int BN, int D>
  FA_DEVICE static score_tile<M, R, BN> mma_abt(const panel_query<M, T, R, D>& q,
                                                const panel_step<T, BN, D>& k) {
    score_tile<M, R, BN> s;
    const std::uint64_t a = operand_descriptor(q.base, 16, eight_rows_bytes),
                        b = operand_descriptor(k.base, 16, eight_rows_bytes);
    begin_products();
    wgmma<BN, T>::first(s.v[0], a, b);
    FA_UNROLL for (int p = 1; p < ceil_div(D, 16); ++p) {
      const int panel = p / 4, inside = p % 4 * 32;
      wgmma<BN, T>::add(s.v[0], further(a, panel * warpgroup_rows * panel_row_bytes + inside),
                        further(b, panel * BN * panel_row_bytes + inside));
    }
    commit_products();
    return s;
  }

  /// P, rounded to T. An accumulator and a first operand lie alike in the lanes. Awaits the product
  /// that still reads the P before.
  template <class T, class M, int R, int BN>
  FA_DEVICE static weight_tile<M, T, R, BN> as_operand(score_tile<M, R, BN> s) {
    weight_tile<M, T, R, BN> p;
    await<0, T>(s);  // named, so that it stays behind softmax
    FA_UNROLL for (int n = 0; n < BN / 16; ++n) {
      FA_UNROLL for (int i = 0; i < 4; ++i) {
        const float (&from)[4] = s.v[0][2 * n + i / 2];
        p.v[0][n].x[i] = pack(from[i % 2 * 2], from[i % 2 * 2 + 1], T{});
      }
    }
    return p;
  }

  /// Issues O += P V: [64, BN] x [BN, C] -> [64, C]. The product before was awaited, in as_operand.
  template <class M, class T, int R, int BN, int C>
  FA_DEVICE static void mma_ab(deferred_scale_output<M, T, R, C>& o,
                               const weight_tile<M, T, R, BN>& p, const panel_step<T, BN, C>& v) {
    const std::uint64_t b = operand_descriptor(v.base, BN * panel_row_bytes, eight_rows_bytes);
    o.apply_scale();
    begin_products();
    FA_UNROLL for (int n = 0; n < BN / 16; ++n) {
      wgmma<output_tile<M, T, R, C>::col_tiles * 8, T>::add(o.v[0], p.v[0][n],
                                                            further(b, n * 16 * panel_row_bytes));
    }
    commit_products();
  }
};

}  // namespace fa::nv_machine

#endif
