// K and V: steps of BN keys in shared memory, the next ones under way while one is computed with.
#pragma once

#include <fa/machine/nv/layout.hpp>

#if FA_NV

namespace fa::nv_machine {

/// Walks the keys that the rows of a block see. Stage i of M::stages holds K and V of steps i, i +
/// stages, ...; a single stage is filled in two halves, each while the other is computed with.
template <class M, class T, int R, int BN, int D, int DV>
struct key_stream {
  row_view<const T> k;  // K [keys, D]
  row_view<const T> v;  // V [keys, DV]
  block_position at;

  static constexpr int stages = M::stages;
  static constexpr int value_cols = M::template padded_cols<DV>;
  static constexpr int query_bytes = R * row_format<T, D>::stride_bytes;
  static constexpr int key_bytes = BN * row_format<T, D>::stride_bytes;
  static constexpr int stage_bytes = key_bytes + BN * row_format<T, value_cols>::stride_bytes;
  static constexpr int shared_bytes = query_bytes + stages * stage_bytes;

  /// For each step: p = weigh(scores(K), first key, edge), then accumulate(p, V). `edge`: the mask
  /// may drop something inside, or keys end. Barriers are the block's, the steps that are computed
  /// the warp's.
  template <class Mask, class Scores, class Weigh, class Accumulate>
  FA_DEVICE void visit(const Mask& mask, const Scores& scores, const Weigh& weigh,
                       const Accumulate& accumulate) const {
    const key_span all = within(mask.span(at.block_tokens(), k.rows), k.rows);
    const key_span own = at.own_rows > 0 ? within(mask.span(at.own_tokens(), k.rows), k.rows)
                                         : key_span{0, 0, 0, 0};
    const int key_width = access_bytes(k.data, k.stride * i64{sizeof(T)});
    const int value_width = access_bytes(v.data, v.stride * i64{sizeof(T)});
    const auto fetch_keys = [&](int first, int stage) FA_LAMBDA {
      if (first < all.end) copy_step<D, D>(stage_base(stage), k, first, key_width);
    };
    const auto fetch_values = [&](int first, int stage) FA_LAMBDA {
      if (first < all.end)
        copy_step<DV, value_cols>(stage_base(stage) + key_bytes, v, first, value_width);
    };
    int stage = 0;
    if constexpr (stages == 1) {
      fetch_keys(all.begin, 0);
      commit_copies();
    } else {
      FA_UNROLL for (int i = 0; i < stages - 1; ++i) {
        fetch_keys(all.begin + i * BN, i);
        fetch_values(all.begin + i * BN, i);
        commit_copies();
      }
    }
    FA_NO_UNROLL for (int first = all.begin; first < all.end; first += BN) {
      const std::uint32_t from = stage_base(stage);
      const int keys = min_of(BN, k.rows - first);
      const bool wanted = first < own.end && first + BN > own.begin;
      const bool edge = first < own.full_begin || first + BN > own.full_end;
      if constexpr (stages == 1) {  // V comes under the scores, the next K under the second product
        pass_barrier<0>();
        fetch_values(first, 0);
        commit_copies();
        typename M::template scores_of<R, BN> s;
        if (wanted) s = scores(step_tile<T, BN, D>{from, keys});  // S [R, BN]
        pass_barrier<0>();
        fetch_keys(first + BN, 0);
        commit_copies();
        if (wanted) {
          const auto& p = weigh(s, first, edge);  // P [R, BN]
          accumulate(p, step_tile<T, BN, DV>{from + key_bytes, keys});
        }
      } else {
        pass_barrier<stages - 2>();
        const int next = first + (stages - 1) * BN, free = stage == 0 ? stages - 1 : stage - 1;
        fetch_keys(next, free);
        fetch_values(next, free);
        commit_copies();
        if (wanted) {
          auto s = scores(step_tile<T, BN, D>{from, keys});  // S [R, BN]
          const auto& p = weigh(s, first, edge);             // P [R, BN]
          accumulate(p, step_tile<T, BN, DV>{from + key_bytes, keys});
        }
        stage = stage + 1 == stages ? 0 : stage + 1;
      }
    }
    wait_copies<0>();
  }

 private:
  FA_DEVICE static std::uint32_t stage_base(int stage) {
    return shared_base() + static_cast<std::uint32_t>(query_bytes + stage * stage_bytes);
  }

  /// Behind it, what all threads copied is there, but for the last Pending groups of each; and what
  /// all of them read before may be overwritten.
  template <int Pending>
  FA_DEVICE static void pass_barrier() {
    wait_copies<Pending>();
    block_barrier();
  }

  /// Rows first to first + BN of C columns, in the format of rows of Padded columns.
  template <int C, int Padded>
  FA_DEVICE static void copy_step(std::uint32_t to, const row_view<const T>& rows, int first,
                                  int width) {
    const T* from = rows.row(first);
    copy_rows<T, BN, C, M::threads, Padded>(to, rows.rows - first, width, from, rows.stride,
                                            [&](int r)
                                                FA_LAMBDA { return from + r * rows.stride; });
  }
};

}  // namespace fa::nv_machine

#endif
