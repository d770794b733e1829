// A probe on the Hopper machine: blocks of threads that stay, with producers and consumers.
#pragma once

#include "probe.hpp"

#include <fa/machine/nv/hopper/warp_roles.hpp>

namespace test {

/// Two warpgroups of 64 rows, two stages of 32 keys.
template <class T, int D, int DV>
struct hopper_blocks {
  struct alignas(16) no_outputs {
    int unused[4];
  };
  using machine = fa::nv_machine::warpgroups<T, 2, 2, 1, 1, no_outputs>;
  static constexpr fa::forward_config tile{128, 32, D, DV};
  static constexpr int threads = machine::threads;
  static constexpr int shared_bytes =
      fa::nv_machine::hopper_plan<D, fa::abt_then_ab<T, D, DV>>::all(
          tile.q_rows, tile.kv_rows, machine::output_panels, machine::query_stages,
          machine::stages);
};

/// A problem of which producers bring Q, K and V.
template <class Problem, class Received>
struct received_problem {
  using element = typename Problem::element;
  using output = typename Problem::output;
  typename Received::query q;
  typename Received::source k, v;
  fa::packed_rows<output> o;
  fa::packed_rows<float> row[4];
  const float* of_token;
  const float* of_key;
  float level;
  decltype(Problem::mask) mask;

  template <class M, int BM>
  FA_DEVICE static auto rows() {
    return Received::rows();
  }
  template <class M, int BM, int BN, class Position>
  FA_DEVICE static auto walk(const Position&) {
    return Received::walk();
  }
};

/// What nv_machine::run_roles asks for. Each block of threads has every n-th block of rows.
template <class Probe, class Blocks, class Problem>
struct hopper_probe {
  using machine = typename Blocks::machine;
  Problem a;
  int blocks;
  static constexpr bool maps_keys = false;

  template <class F>
  FA_DEVICE void for_each_item(const F& f) const {
    for (int block = static_cast<int>(blockIdx.x); block < blocks;
         block += static_cast<int>(gridDim.x))
      f(block);
  }
  template <int R>
  FA_DEVICE fa::block_rows block_of(int block) const {
    return fa::whole_block<R>(block, a.q.rows, a.q.heads);
  }
  FA_DEVICE auto mask_of(int) const { return a.mask; }
  FA_DEVICE int keys_of(int) const { return a.k.rows; }
  FA_DEVICE static fa::sequence sequence_of(int) { return {}; }
  FA_DEVICE auto queries_of(int) const { return a.q; }
  FA_DEVICE static typename machine::first_outputs first_outputs_of(int) { return {}; }
  FA_DEVICE static fa::nv_machine::mapped_query mapped_query_of(int) { return {}; }
  template <int I>
  FA_DEVICE static fa::nv_machine::mapped_rows mapped_of(int) {
    return {};
  }
  template <int I>
  FA_DEVICE auto strided_of(int) const {
    return I == 0 ? a.k : a.v;
  }

  FA_DEVICE void compute(const fa::nv_machine::received_tile<machine>&) const {
    using received = fa::nv_machine::received_tile<machine>;
    run_probe<machine, Blocks::tile, Probe>(
        received_problem<Problem, received>{{},
                                            {},
                                            {},
                                            a.o,
                                            {a.row[0], a.row[1], a.row[2], a.row[3]},
                                            a.of_token,
                                            a.of_key,
                                            a.level,
                                            a.mask});
  }
};

/// Empty but where the compiler's target is sm_90a.
template <class Work, int Threads, class Blocks>
__global__ void __launch_bounds__(FA_NV_HOPPER ? Threads : 32, 1)
    hopper_kernel(const __grid_constant__ Work work) {
#if FA_NV_HOPPER
  fa::nv_machine::run_roles<typename Blocks::machine, Blocks::tile.q_rows, Blocks::tile.kv_rows,
                            Blocks::tile.head_dim, Blocks::tile.value_dim>(work);
#endif
}

}  // namespace test
