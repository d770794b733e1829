// The forward kernel on an AMD GPU: how it is built for a chip and launched.
#pragma once

#include <fa/launch/on.hpp>

#if FA_AMD

#include <fa/launch/amd_tuning.hpp>
#include <fa/launch/checks.hpp>
#include <fa/launch/device_forward.hpp>
#include <fa/machine/amd/launch.hpp>
#include <fa/machine/amd/machine.hpp>

namespace fa {

namespace detail {

/// What tells apart two kernels, besides their work.
template <class T, int D, int DV, weight_rounding Rounding>
struct amd_kernel {
  /// The tiles on a chip, and the machine that runs them.
  template <amd_chip Chip>
  struct on {
    static constexpr amd_config config = amd_forward_config<Chip, T, D, DV>(Rounding);
    static constexpr int threads = config.shape.waves * amd_machine::lanes_of(Chip);
    using machine = amd_machine::waves<Chip, T, config.shape, config.tile.q_rows, D, DV>;
  };

  /// Threads of a workgroup in this pass of the compiler.
  static constexpr int threads() {
    if constexpr (amd_machine::this_chip == amd_chip::unsupported) return 1;
    else return on<amd_machine::this_chip>::threads;
  }
};

}  // namespace detail

/// Workgroup i is work item first + i.
template <class Kernel, class Work>
__attribute__((global)) void
    __attribute__((amdgpu_flat_work_group_size(Kernel::threads(), Kernel::threads())))
    amd_forward_kernel([[maybe_unused]] const Work work, [[maybe_unused]] i64 first) {
#if FA_AMD_DEVICE
  static_assert(amd_machine::this_chip != amd_chip::unsupported,
                "fa: kernels exist for gfx90a, gfx942, gfx950, gfx110x, gfx115x, gfx1200 and "
                "gfx1201. Remedy: leave other "
                "architectures out of --offload-arch");
  using build = typename Kernel::template on<amd_machine::this_chip>;
  work.template run<typename build::machine, build::config.tile>(first + amd_machine::workgroup());
#endif
}

namespace detail {

/// Lanes reach the rows of a tile by offsets of 32 bits from an address of 64.
template <class T>
status check_reach(const tensor<T>& t, const char* name) {
  constexpr i64 limit = (i64{1} << 23) - 1;  // 64 rows of 4 bytes an element
  if (t.empty() || t.seqlen == 1 || magnitude(t.token_stride) <= limit) return {};
  return {status_code::bad_stride, name, "must be below 2^23 elements on AMD GPUs", t.token_stride};
}

/// Enqueues a call whose arguments were checked, with the tiles of the current device's chip.
template <class V>
status run_forward(const hip_stream& where, const forward_arguments<V>& a) {
  using kernel = amd_kernel<typename V::element, V::dims::query, V::dims::value, V::rounding>;
  if (has_no_rows(a)) return {};
  if (status s = check_reach(a.k, "k.token_stride"); !s) return s;
  if (status s = check_reach(a.v, "v.token_stride"); !s) return s;
  const amd_machine::architecture* device = nullptr;
  if (status s = amd_machine::current_architecture(device); !s) return s;
  using work_type =
      device_forward<typename V::element, typename V::out, device_mask_of<V>, typename V::score>;
  const auto enqueue = [&](auto chip) {
    using build = typename kernel::template on<static_cast<amd_chip>(decltype(chip)::value)>;
    const work_type work{device_call_from<true>(a, build::config.tile.q_rows)};
    return amd_machine::launch(amd_forward_kernel<kernel, work_type>, work, work.call.items(),
                               build::threads, *device, where.stream);
  };
  switch (device->chip) {
    case amd_chip::gfx90a: return enqueue(constant<static_cast<int>(amd_chip::gfx90a)>{});
    case amd_chip::gfx942: return enqueue(constant<static_cast<int>(amd_chip::gfx942)>{});
    case amd_chip::gfx950: return enqueue(constant<static_cast<int>(amd_chip::gfx950)>{});
    case amd_chip::gfx11: return enqueue(constant<static_cast<int>(amd_chip::gfx11)>{});
    case amd_chip::gfx12: return enqueue(constant<static_cast<int>(amd_chip::gfx12)>{});
    case amd_chip::unsupported: break;
  }
  return {status_code::no_image, "device", amd_machine::no_image_rule, 0, device->shown};
}

}  // namespace detail

}  // namespace fa

#endif
