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

/// The tiles of a variant on a chip, and the machine that runs them.
template <class V, amd_chip Chip>
struct amd_build {
  static constexpr amd_config config = amd_forward_config<Chip, typename V::element, V::dims::query, V::dims::value>();
  using machine = amd_machine::waves<Chip, typename V::element, config.shape, config.tile.q_rows, V::dims::query, V::dims::value>;
};

/// Threads of a workgroup in this pass of the compiler.
template <class V>
constexpr int amd_threads() {
  if constexpr (amd_machine::this_chip == amd_chip::unsupported) return 1;
  else return amd_build<V, amd_machine::this_chip>::machine::threads;
}

}  // namespace detail

/// Workgroup i is work item first + i.
template <class V, class Work>
__attribute__((global)) void __attribute__((amdgpu_flat_work_group_size(detail::amd_threads<V>(), detail::amd_threads<V>())))
amd_forward_kernel(const Work work, i64 first) {
#if FA_AMD_DEVICE
  static_assert(amd_machine::this_chip != amd_chip::unsupported,
                "fa: kernels exist for gfx90a, gfx942, gfx950, gfx110x, gfx115x, gfx1200 and gfx1201. Remedy: leave other "
                "architectures out of --offload-arch");
  using build = detail::amd_build<V, amd_machine::this_chip>;
  work.template run<typename build::machine, build::config.tile>(first + __builtin_amdgcn_workgroup_id_x());
#endif
}

namespace detail {

/// Enqueues a call whose arguments were checked, with the tiles of the current device's chip.
template <class V>
status run_forward(const hip_stream& where, const forward_arguments<V>& a) {
  static_assert(std::is_void_v<typename V::shape>,
                "fa::attention: tile<q_rows, kv_rows> on a GPU. Rule: it tunes the host. Remedy: leave it out");
  if constexpr (V::packed) {
    if (a.batch == 0) return {};
  }
  if (a.q.empty()) return {};
  amd_machine::architecture device;
  if (status s = amd_machine::current_architecture(device); !s) return s;
  device_forward_of<V> work;
  const auto enqueue = [&](auto chip) {
    constexpr amd_config config = amd_build<V, static_cast<amd_chip>(decltype(chip)::value)>::config;
    const i64 items = device_work<V>(work, a, config.tile.q_rows);
    return amd_machine::launch(amd_forward_kernel<V, device_forward_of<V>>, work, items,
                               config.shape.waves * amd_machine::lanes_of(static_cast<amd_chip>(decltype(chip)::value)), device,
                               where.stream);
  };
  switch (device.chip) {
    case amd_chip::gfx90a: return enqueue(constant<static_cast<int>(amd_chip::gfx90a)>{});
    case amd_chip::gfx942: return enqueue(constant<static_cast<int>(amd_chip::gfx942)>{});
    case amd_chip::gfx950: return enqueue(constant<static_cast<int>(amd_chip::gfx950)>{});
    case amd_chip::gfx11: return enqueue(constant<static_cast<int>(amd_chip::gfx11)>{});
    case amd_chip::gfx12: return enqueue(constant<static_cast<int>(amd_chip::gfx12)>{});
    case amd_chip::unsupported: break;
  }
  return {status_code::no_image, "device", amd_machine::no_image_rule, device.number()};
}

}  // namespace detail

}  // namespace fa

#endif
