// Any kernel on an AMD GPU: how it is built for a chip, and launched.
#pragma once

#include <fa/launch/on.hpp>

#if FA_AMD

#include <type_traits>

#include <fa/launch/amd_tuning.hpp>
#include <fa/launch/call.hpp>
#include <fa/launch/schedule.hpp>
#include <fa/machine/amd/launch.hpp>
#include <fa/machine/amd/machine.hpp>

namespace fa {

/// A kernel for calls of one type, built for a chip: its tiles, and the machine that runs them.
template <class Kernel, class Call, amd_chip Chip>
struct amd_build {
  using tiles = amd_tiles<Chip, typename Call::shape>;
  using machine =
      amd_machine::waves<Chip, typename tiles::element, tiles::config.shape,
                         tiles::config.tile.q_rows, tiles::query_cols, typename tiles::brings>;
  static constexpr auto tile = tiles::config.tile;
};

/// The most threads of a workgroup in this pass of the compiler.
template <class Kernel, class Call>
constexpr int amd_threads() {
  if constexpr (amd_machine::this_chip == amd_chip::unsupported) return 1;
  else return amd_build<Kernel, Call, amd_machine::this_chip>::machine::threads;
}

/// The outputs of a work item, found when they are written. Entry: the type of the kernel whose
/// first argument is the call.
template <class Entry>
struct amd_outputs {
  work_item item;
  FA_FN auto get() const { return amd_machine::first_argument<Entry>::get().outputs(item); }
};

/// Workgroup i is work item first + i.
template <class Kernel, class Call>
__attribute__((global)) void
    __attribute__((amdgpu_flat_work_group_size(amd_threads<Kernel, Call>(),
                                               amd_threads<Kernel, Call>())))
    amd_entry([[maybe_unused]] const Call call, [[maybe_unused]] i64 first) {
#if FA_AMD_DEVICE
  static_assert(amd_machine::this_chip != amd_chip::unsupported,
                "fa: kernels exist for gfx90a, gfx942, gfx950, gfx110x, gfx115x, gfx1200 and "
                "gfx1201. Remedy: leave other architectures out of --offload-arch");
  using build = amd_build<Kernel, Call, amd_machine::this_chip>;
  using entry = decltype(amd_entry<Kernel, Call>);
  static_assert(std::is_same_v<typename amd_machine::first_argument<entry>::type, Call>);
  const work_item item = call.template item_at<typename build::machine>(
      fa::in_order(call)(first + amd_machine::workgroup()), build::tile.q_rows);
  if (!item.exists) return;
  Kernel::template run<typename build::machine, build::tile>(
      Kernel::problem_of(call, item, amd_outputs<entry>{item}));
#endif
}

namespace detail {

/// Enqueues a kernel on arguments that were checked, with the tiles of the current device's chip.
template <class Kernel, class Arguments>
status launch(const hip_stream& where, const Arguments& a) {
  if (Kernel::has_no_rows(a)) return {};
  status reach;
  Kernel::for_each_streamed(a, [&](const auto& tensor, const char* name) {
    if (reach) reach = amd_machine::check_reach(tensor, name);
  });
  if (!reach) return reach;
  const amd_machine::architecture* device = nullptr;
  if (status s = amd_machine::current_architecture(device); !s) return s;
  auto call = Kernel::template call_of<true>(a);  // one kernel for dense and for packed tokens
  using call_type = decltype(call);
  return amd_machine::for_chip(*device, [&](auto chip) {
    using build = amd_build<Kernel, call_type, chip.value>;
    call.blocks_per_head = ceil_div<i64>(Kernel::most_queries(a), build::tile.q_rows);
    return amd_machine::launch(amd_entry<Kernel, call_type>, call, fa::in_order(call).items(),
                               build::machine::threads, *device, where.stream);
  });
}

}  // namespace detail

}  // namespace fa

#endif
