// K and V: steps of BN keys in shared memory, the next ones under way while one is computed with.
#pragma once

#include <fa/machine/nv/layout.hpp>
#include <fa/machine/roles.hpp>
#include <fa/machine/walk.hpp>

#if FA_NV

namespace fa::nv_machine {

/// Steps of BN rows of what Brings names.
template <class M, int R, int BN, class Brings, class... Sources>
struct key_stream : unsupported_stream<Brings> {};

/// Keys and values. Stage i of M::stages holds K and V of steps i, i + stages, ...; a single stage
/// is filled in two halves, each while the other is computed with.
template <class M, int R, int BN, class T, int D, int DV, RowSource K, RowSource V>
struct key_stream<M, R, BN, abt_then_ab<T, D, DV>, K, V> {
  K k;  // K [keys, D]
  V v;  // V [keys, DV]
  block_position at;

  using abt_tile = step_tile<T, BN, D>;  ///< what `scores` gets
  using ab_tile = step_tile<T, BN, DV>;  ///< what `accumulate` gets

  static constexpr int stages = M::stages;
  static constexpr int value_cols = M::template padded_cols<DV>;
  using plan = shared_plan<T, D, abt_then_ab<T, D, DV>>;
  static constexpr int query_bytes = plan::query(R);
  static constexpr int key_bytes = BN * plan::row(use::abt, D, M::column_splits);
  static constexpr int stage_bytes = plan::stage(BN, M::column_splits);

  /// Barriers are the block's, the steps that are computed the warp's.
  template <class Scores, class Weigh, class Accumulate>
  FA_DEVICE void visit(const key_walk<BN>& walk, const Scores& scores, const Weigh& weigh,
                       const Accumulate& accumulate) const {
    const int key_width = k.alignment(), value_width = v.alignment();
    const auto fetch_keys = [&](int first, int stage) FA_LAMBDA {
      if (first < walk.end) copy_step<D, D>(stage_base(stage), k, first, key_width);
    };
    const auto fetch_values = [&](int first, int stage) FA_LAMBDA {
      if (first < walk.end)
        copy_step<DV, value_cols>(stage_base(stage) + key_bytes, v, first, value_width);
    };
    int stage = 0;
    if constexpr (stages == 1) {
      fetch_keys(walk.first, 0);
      commit_copies();
    } else {
      FA_UNROLL for (int i = 0; i < stages - 1; ++i) {
        fetch_keys(walk.first + i * BN, i);
        fetch_values(walk.first + i * BN, i);
        commit_copies();
      }
    }
    FA_NO_UNROLL for (int first = walk.first; first < walk.end; first += BN) {
      const std::uint32_t from = stage_base(stage);
      const int keys = min_of(BN, k.rows - first);
      const bool wanted = walk.own.needs(first);
      const bool edge = walk.own.edge(first);
      if constexpr (stages == 1) {  // V comes under the scores, the next K under the second product
        pass_barrier<0>();
        fetch_values(first, 0);
        commit_copies();
        typename M::template scores<R, BN> s;
        if (wanted) s = scores(abt_tile{from, keys});  // S [R, BN]
        pass_barrier<0>();
        fetch_keys(first + BN, 0);
        commit_copies();
        if (wanted) {
          const auto& p = weigh(s, first, edge);  // P [R, BN]
          accumulate(p, ab_tile{from + key_bytes, keys});
        }
      } else {
        pass_barrier<stages - 2>();
        const int next = first + (stages - 1) * BN, free = stage == 0 ? stages - 1 : stage - 1;
        fetch_keys(next, free);
        fetch_values(next, free);
        commit_copies();
        if (wanted) {
          auto s = scores(abt_tile{from, keys});  // S [R, BN]
          const auto& p = weigh(s, first, edge);  // P [R, BN]
          accumulate(p, ab_tile{from + key_bytes, keys});
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
  template <int C, int Padded, class Source>
  FA_DEVICE static void copy_step(std::uint32_t to, const Source& rows, int first, int width) {
    copy_rows<BN, C, M::threads, Padded>(to, rows, first, rows.rows - first, width);
  }
};

}  // namespace fa::nv_machine

#endif
