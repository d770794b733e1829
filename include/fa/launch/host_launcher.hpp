// Any kernel on host threads: a work item at a time, on the machine that suits its rows.
#pragma once

#include <type_traits>

#include <fa/core/status.hpp>
#include <fa/launch/call.hpp>
#include <fa/launch/checks.hpp>
#include <fa/launch/host_threads.hpp>
#include <fa/launch/host_tuning.hpp>
#include <fa/launch/schedule.hpp>
#include <fa/machine/host/line/machine.hpp>
#include <fa/machine/host/strip/machine.hpp>

namespace fa {
inline namespace FA_HOST_ISA {

/// One problem on one machine. A function for each instance, so that the tiles of two never share a
/// stack frame; masks that bind to the same type share it.
template <class Kernel, class M, auto cfg, class Problem>
[[gnu::noinline]] void run_block(const Problem& problem) {
  Kernel::template run<M, cfg>(problem);
}

/// The work items of a call as host threads take them.
template <class Kernel, class Call>
struct host_work {
  using shape = typename Call::shape;
  static constexpr auto strip_tiles = host_strip_tiles<shape>();

  Call call;
  head_by_head schedule;

  explicit host_work(const Call& of) : call(of) {
    call.blocks_per_head = ceil_div<i64>(call.longest_queries(), strip_tiles.q_rows);
    schedule = fa::in_order(call);
  }

  /// Does number `i` of schedule.items().
  void operator()(i64 i) const {
    const work_item item = call.item_at(schedule(i), strip_tiles.q_rows);
    if (!item.exists) return;
    if (item.rows() == 1) return run<host_machine::lines, host_line_tiles<shape>(1)>(item);
    if (item.rows() <= 4) return run<host_machine::lines, host_line_tiles<shape>(4)>(item);
    constexpr int most = host_machine::most_line_rows;
    if (item.rows() <= most) return run<host_machine::lines, host_line_tiles<shape>(most)>(item);
    run<host_machine::strips, strip_tiles>(item);
  }

 private:
  template <class M, auto cfg>
  void run(const work_item& item) const {
    run_block<Kernel, M, cfg>(Kernel::problem_of(call, item, held_outputs{call.outputs(item)}));
  }
};

}  // namespace FA_HOST_ISA

namespace detail {

/// Runs a kernel on arguments that were checked, but for offsets, and returns when it is done.
template <class Kernel, class Where, class Arguments>
status launch(const Where& where, const Arguments& a) {
  if (status s = check_sequences(a); !s) return s;
  if (Kernel::has_no_rows(a)) return {};
  const auto call = Kernel::template call_of<true>(a);
  const host_work<Kernel, std::remove_const_t<decltype(call)>> work(call);
  where.parallel_for(work.schedule.items(), work);
  return {};
}

}  // namespace detail

}  // namespace fa
