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

using fa::amd_machine::is_cdna;

/// Workgroups of two waves. 16-bit elements: 32 rows a wave; small heads have two steps for each
/// tile of keys and two buffers, large ones one of each.
template <class T, int D, int DV>
struct amd_tiles {
  static constexpr bool half = sizeof(T) == 2, small = half && D <= 64;
  static constexpr int BN = half ? 32 : 16;
  static constexpr fa::forward_config tile{half ? 64 : 32, BN, D, DV};

  template <fa::amd_chip Chip>
  struct on {
    static constexpr fa::amd_machine::block_shape shape{
        .waves = 2,
        .staged_keys = small ? 2 * BN : BN,
        .key_buffers = small ? 2 : 1,
        .value_buffers = small ? 2 : 1,
        .query_in_lds = !is_cdna(Chip) && !(Chip == fa::amd_chip::gfx12 && half && !small)};
    using machine = fa::amd_machine::waves<Chip, T, shape, tile.q_rows, D, DV>;
  };
  static constexpr int threads = 2 * fa::amd_machine::lanes;  ///< in this pass of the compiler
};

template <class Probe, class Tiles, class Problem, class Mask>
__attribute__((global)) void
    __attribute__((amdgpu_flat_work_group_size(Tiles::threads, Tiles::threads)))
    probe_kernel([[maybe_unused]] const Problem a, [[maybe_unused]] const Mask mask) {
#if FA_AMD_DEVICE
  using machine = typename Tiles::template on<fa::amd_machine::this_chip>::machine;
  run_probe<machine, Tiles::tile, Probe>(a, mask, fa::amd_machine::workgroup());
#endif
}

struct on_amd : on_gpu {
  template <class T, int D, int DV>
  static constexpr fa::forward_config config() {
    return amd_tiles<T, D, DV>::tile;
  }
  template <class Probe, class T, int D, int DV, class Problem, class Mask>
  static void run(const Problem& a, const Mask& mask, int blocks) {
    const fa::amd_machine::architecture* device = nullptr;
    if (!fa::amd_machine::current_architecture(device)) gpu::must(hipErrorNoDevice);
    const unsigned threads = 2 * static_cast<unsigned>(fa::amd_machine::lanes_of(device->chip));
    Problem problem = a;
    Mask bound = mask;
    void* arguments[] = {&problem, &bound};
    gpu::must(hipLaunchKernel(
        reinterpret_cast<const void*>(probe_kernel<Probe, amd_tiles<T, D, DV>, Problem, Mask>),
        dim3(static_cast<unsigned>(blocks)), dim3(threads), arguments, 0, nullptr));
    gpu::synchronize();
  }
};

#else

/// Two warps of 32 rows with two stages; or two that share 16 rows, each with half of the columns;
/// f32: two of 16 rows.
template <class T, int D, int DV>
struct nv_tiles {
  static constexpr bool half = sizeof(T) == 2, shares = half && D > 64;
  using machine = fa::nv_machine::warps<T, 2, shares ? 2 : 1, half && !shares ? 2 : 1>;
  static constexpr fa::forward_config tile{shares ? 16 : half ? 64 : 32, half ? 32 : 16, D, DV};
  static constexpr int threads = machine::threads;
  static constexpr int shared_bytes =
      machine::template kv_stream<T, tile.q_rows, tile.kv_rows, D, DV>::shared_bytes;
};

template <class Probe, class Tiles, class Problem, class Mask>
__global__ void __launch_bounds__(Tiles::threads)
    probe_kernel(const __grid_constant__ Problem a, const __grid_constant__ Mask mask) {
  run_probe<typename Tiles::machine, Tiles::tile, Probe>(a, mask, static_cast<int>(blockIdx.x));
}

struct on_nv : on_gpu {
  template <class T, int D, int DV>
  static constexpr fa::forward_config config() {
    return nv_tiles<T, D, DV>::tile;
  }
  template <class Probe, class T, int D, int DV, class Problem, class Mask>
  static void run(const Problem& a, const Mask& mask, int blocks) {
    using tiles = nv_tiles<T, D, DV>;
    const auto kernel = probe_kernel<Probe, tiles, Problem, Mask>;
    gpu::must(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                   tiles::shared_bytes));
    kernel<<<static_cast<unsigned>(blocks), tiles::threads, tiles::shared_bytes>>>(a, mask);
    gpu::must(cudaGetLastError());
    gpu::synchronize();
  }
};

struct on_hopper : on_gpu {
  static constexpr bool aligned = true;
  template <class T, int D, int DV>
  static constexpr fa::forward_config config() {
    return hopper_tiles<T, D, DV>::tile;
  }
  template <class Probe, class T, int D, int DV, class Problem, class Mask>
  static void run(const Problem& a, const Mask& mask, int blocks) {
    using tiles = hopper_tiles<T, D, DV>;
    const auto kernel = hopper_probe_kernel<Probe, tiles, Problem, Mask>;
    gpu::must(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                   tiles::shared_bytes));
    kernel<<<tiles::grid, tiles::threads, tiles::shared_bytes>>>(a, mask, blocks);
    gpu::must(cudaGetLastError());
    gpu::synchronize();
  }
};

/// Whether the current GPU has the image that holds Hopper's kernels.
inline bool is_hopper() {
  using tiles = hopper_tiles<fa::bf16, 40, 24>;
  int multiprocessors = 0;
  const auto* kernel = reinterpret_cast<const void*>(
      hopper_probe_kernel<step_probe, tiles, tile_problem<fa::bf16, fa::bf16>, fa::band>);
  return fa::nv_machine::has_image_for(kernel, tiles::threads, multiprocessors);
}

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
  int devices = 0;
  gpu::must(cudaGetDeviceCount(&devices));
  check_tiles<on_nv, fa::bf16, 40, 24>(check, "bf16");
  check_tiles<on_nv, fa::f16, 100, 37>(check, "f16");
  check_tiles<on_nv, float, 19, 40>(check, "f32");
  if (is_hopper()) {
    check_tiles<on_hopper, fa::bf16, 40, 24>(check, "Hopper bf16");
    check_tiles<on_hopper, fa::f16, 100, 72>(check, "Hopper f16");
  } else {
    std::printf("no image with Hopper's kernels for this GPU\n");
  }
#endif
  return check.result();
}
