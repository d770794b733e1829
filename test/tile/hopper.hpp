// A probe on the Hopper machine: two blocks of threads that stay, producers and consumers, as
// launch/nv_hopper_forward.hpp has them, without tensor maps.
#pragma once

#include "probe.hpp"

#include <fa/machine/nv/hopper/machine.hpp>

namespace test {

/// Two warpgroups of 64 rows, two slots of 32 keys.
template <class T, int D, int DV>
struct hopper_tiles {
  using machine = fa::nv_machine::warpgroups<T, 2, 2, 1, 1>;
  static constexpr fa::forward_config tile{128, 32, D, DV};
  static constexpr int threads = machine::threads, grid = 2;
  static constexpr int shared_bytes =
      fa::nv_machine::block_memory<machine, tile.q_rows, tile.kv_rows, D, DV>::bytes;
};

/// All that a block of threads does: every `grid`-th block of rows.
template <class Probe, class Tiles, class Problem, class Mask>
FA_DEVICE void run_hopper_probe(const Problem& a, const Mask& mask, int blocks) {
  using namespace fa::nv_machine;
  using T = typename Problem::element;
  using To = typename Problem::output;
  using M = typename Tiles::machine;
  using state = block_state<M>;
  constexpr fa::forward_config cfg = Tiles::tile;
  constexpr int R = cfg.q_rows, BN = cfg.kv_rows, D = cfg.head_dim, DV = cfg.value_dim;
  const auto for_blocks = [&](const auto& f) FA_LAMBDA {
    for (int block = static_cast<int>(blockIdx.x); block < blocks; block += Tiles::grid)
      f(block, M::template rows_in_block<R>(block, a.q.rows, a.q.group));
  };
  state::prepare();
  if (warp() >= M::consumer_warps) {
    give_registers<M::producer_registers>();
    if (warp() == M::consumer_warps) {
      key_feed<M, R, BN, D, DV, strided_copies<T>> feed;
      for_blocks([&](int, const fa::block_rows& at) FA_LAMBDA {
        feed.feed(keys_and_values<fa::row_view<const T>>{a.k, a.v}, mask, at, a.k.rows);
      });
    } else {
      query_feed<M, T, R, BN, D, DV> feed;
      for_blocks([&](int block, const fa::block_rows& at) FA_LAMBDA {
        feed.feed(a.q, mapped_query{nullptr, 0, 0}, a.factor, mask, a.k.rows, at,
                  block_note{{block}}, block_outputs{a.o.data, nullptr});
      });
      feed.finish(block_note{{-1}});
    }
  } else {
    take_registers<M::consumer_registers>();
    const tile_problem<T, To, brought_rows> brought{
        a.q,        {},       {},       a.o,    {a.row[0], a.row[1], a.row[2], a.row[3]},
        a.of_token, a.of_key, a.factor, a.level};
    FA_NO_UNROLL for (;;) {
      state::next_block();
      const int block = state::note().x[0];
      if (!any_lane(block >= 0)) break;
      run_probe<M, cfg, Probe>(brought, mask, block);
    }
  }
}

/// Empty but where the compiler's target is sm_90a.
template <class Probe, class Tiles, class Problem, class Mask>
__global__ void __launch_bounds__(FA_NV_HOPPER ? Tiles::threads : 32, 1)
    hopper_probe_kernel(const __grid_constant__ Problem a, const __grid_constant__ Mask mask,
                        int blocks) {
#if FA_NV_HOPPER
  run_hopper_probe<Probe, Tiles>(a, mask, blocks);
#endif
}

}  // namespace test
