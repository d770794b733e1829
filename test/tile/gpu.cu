// Verbs on the machines of GPUs: AMD's, and NVIDIA's by mma.sync and on Hopper.
#include "../device/device.hpp"
#include "checks.hpp"

#if !defined(__HIP__)
#include "hopper.hpp"
#endif

namespace test {

/// Tiles on the current GPU, a block of threads for each block of rows.
struct on_gpu {
  template <class T>
  class array {
   public:
    explicit array(const std::vector<T>& x) : data_(x) {}
    T* data() const { return data_.data(); }
    std::vector<T> get() const {
      auto x = data_.get();
      digest().add(x);
      return x;
    }

   private:
    device_array<T> data_;
  };
  template <class T>
  static constexpr bool rounds_weights = sizeof(T) == 2;
  static constexpr bool keeps_values_apart = false;
  static constexpr bool aligned = false;
};

#if defined(__HIP__)

using fa::amd_machine::matrix_kind;

/// Workgroups of two waves, with Q in registers or in LDS. 16-bit elements: 32 rows a wave; small
/// heads have two steps for each tile of keys and two buffers, large ones one of each.
template <class T, int D, int DV>
struct amd_blocks {
  static constexpr bool half = sizeof(T) == 2, small = half && D <= 64;
  static constexpr int BN = half ? 32 : 16;
  static constexpr fa::forward_config tile{half ? 64 : 32, BN, D, DV};

  template <fa::amd_chip Chip>
  struct on {
    static constexpr fa::amd_machine::chip_facts facts = fa::amd_machine::facts_of(Chip);
    static constexpr fa::amd_machine::block_shape shape{
        .waves = 2,
        .staged_keys = small ? 2 * BN : BN,
        .key_buffers = small ? 2 : 1,
        .value_buffers = small ? 2 : 1,
        .query_in_lds = facts.matrix != matrix_kind::mfma &&
                        (facts.matrix == matrix_kind::wmma_whole_rows || !half || small)};
    using machine =
        fa::amd_machine::waves<Chip, T, shape, tile.q_rows, D, fa::abt_then_ab<T, D, DV>>;
  };
  static constexpr int threads = 2 * fa::amd_machine::lanes;  ///< in this pass of the compiler
};

template <class Probe, class Blocks, class Problem>
__attribute__((global)) void
    __attribute__((amdgpu_flat_work_group_size(Blocks::threads, Blocks::threads)))
    probe_kernel([[maybe_unused]] Problem a) {
#if FA_AMD_DEVICE
  using machine = typename Blocks::template on<fa::amd_machine::this_chip>::machine;
  a.block = fa::amd_machine::workgroup();
  run_probe<machine, Blocks::tile, Probe>(a);
#endif
}

struct on_amd : on_gpu {
  template <class T, int D, int DV>
  static constexpr fa::forward_config config() {
    return amd_blocks<T, D, DV>::tile;
  }
  template <class Probe, int D, int DV, class Problem>
  static void run(Problem a, int blocks) {
    using amd = amd_blocks<typename Problem::element, D, DV>;
    const fa::amd_machine::architecture* device = nullptr;
    if (!fa::amd_machine::current_architecture(device)) gpu::must(hipErrorNoDevice);
    const unsigned threads = 2 *
                             static_cast<unsigned>(fa::amd_machine::facts_of(device->chip).lanes);
    void* arguments[] = {&a};
    gpu::must(hipLaunchKernel(reinterpret_cast<const void*>(probe_kernel<Probe, amd, Problem>),
                              dim3(static_cast<unsigned>(blocks)), dim3(threads), arguments, 0,
                              nullptr));
    gpu::synchronize();
  }
};

#else

/// Two warps of 32 rows with two stages; or two that share 16 rows, each with half of the columns;
/// f32: two of 16 rows.
template <class T, int D, int DV>
struct nv_blocks {
  static constexpr bool half = sizeof(T) == 2, shares = half && D > 64;
  using machine = fa::nv_machine::warps<T, 2, shares ? 2 : 1, half && !shares ? 2 : 1>;
  static constexpr fa::forward_config tile{shares ? 16 : half ? 64 : 32, half ? 32 : 16, D, DV};
  static constexpr int threads = machine::threads;
  static constexpr int shared_bytes =
      fa::nv_machine::shared_plan<T, D, fa::abt_then_ab<T, D, DV>>::all(
          tile.q_rows, tile.kv_rows, machine::stages, machine::column_splits);
};

template <class Probe, class Blocks, class Problem>
__global__ void __launch_bounds__(Blocks::threads)
    probe_kernel(const __grid_constant__ Problem argument) {
  Problem a = argument;
  a.block = static_cast<int>(blockIdx.x);
  run_probe<typename Blocks::machine, Blocks::tile, Probe>(a);
}

struct on_nv : on_gpu {
  template <class T, int D, int DV>
  static constexpr fa::forward_config config() {
    return nv_blocks<T, D, DV>::tile;
  }
  template <class Probe, int D, int DV, class Problem>
  static void run(const Problem& a, int blocks) {
    using nv = nv_blocks<typename Problem::element, D, DV>;
    const auto kernel = probe_kernel<Probe, nv, Problem>;
    gpu::must(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                   nv::shared_bytes));
    kernel<<<static_cast<unsigned>(blocks), nv::threads, nv::shared_bytes>>>(a);
    gpu::must(cudaGetLastError());
    gpu::synchronize();
  }
};

struct on_hopper : on_gpu {
  static constexpr bool aligned = true;
  template <class T, int D, int DV>
  static constexpr fa::forward_config config() {
    return hopper_blocks<T, D, DV>::tile;
  }
  template <class Probe, int D, int DV, class Problem>
  static constexpr auto kernel() {
    using hopper = hopper_blocks<typename Problem::element, D, DV>;
    return hopper_kernel<hopper_probe<Probe, hopper, Problem>, hopper::threads, hopper>;
  }
  template <class Probe, int D, int DV, class Problem>
  static void run(const Problem& a, int blocks) {
    using hopper = hopper_blocks<typename Problem::element, D, DV>;
    const auto entry = kernel<Probe, D, DV, Problem>();
    gpu::must(cudaFuncSetAttribute(entry, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                   hopper::shared_bytes));
    entry<<<2, hopper::threads, hopper::shared_bytes>>>({a, blocks});
    gpu::must(cudaGetLastError());
    gpu::synchronize();
  }

  /// Whether the current GPU has the image that holds this machine's kernels.
  static bool exists() {
    using problem = tile_problem<fa::bf16, fa::bf16, fa::band>;
    int multiprocessors = 0;
    return fa::nv_machine::has_image_for(
        reinterpret_cast<const void*>(kernel<step_probe, 40, 24, problem>()),
        hopper_blocks<fa::bf16, 40, 24>::threads, multiprocessors);
  }
};

#endif

template <class Place, class T, int D, int DV>
void check_tiles(checks& check, const char* name) {
  auto report = [&](bool good, const std::string& what) { check(good, what); };
  tile_checks<Place, T, D, DV, decltype(report)>(report, name).all();
}

}  // namespace test

int main() {
  using namespace test;
  checks check;
#if defined(__HIP__)
  check_tiles<on_amd, fa::bf16, 40, 24>(check, "bf16");
  check_tiles<on_amd, fa::f16, 100, 37>(check, "f16");
  check_tiles<on_amd, float, 19, 40>(check, "f32");
#else
  check_tiles<on_nv, fa::bf16, 40, 24>(check, "bf16");
  check_tiles<on_nv, fa::f16, 100, 37>(check, "f16");
  check_tiles<on_nv, float, 19, 40>(check, "f32");
  if (on_hopper::exists()) {
    check_tiles<on_hopper, fa::bf16, 40, 24>(check, "Hopper bf16");
    check_tiles<on_hopper, fa::f16, 100, 72>(check, "Hopper f16");
  } else {
    std::printf("no kernels of the Hopper machine for this GPU\n");
  }
#endif
  return check.result();
}
