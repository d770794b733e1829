// Barriers in shared memory, on which copies and threads arrive, and registers that roles trade.
#pragma once

#include <cstdint>

#include <fa/core/config.hpp>
#include <fa/machine/nv/lanes.hpp>

#if FA_NV

namespace fa::nv_machine {

// A barrier completes a phase when all its arrivals, and all bytes that it expects, have come.
// Phases are told apart by their parity: the first has 0, and to wait for 1 before it passes at
// once.

FA_DEVICE void init_barrier(std::uint32_t barrier, int arrivals) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(barrier), "r"(arrivals) : "memory");
}
/// Behind the last init_barrier of a thread, before the block barrier: copies see them too.
FA_DEVICE void publish_barriers() {
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}

/// Arrives for this thread alone, or only where `who` holds. That is no branch: in one, the
/// compiler may let all lanes meet, for an address that it keeps once a warp, and those that passed
/// by never come.
FA_DEVICE void arrive(std::uint32_t barrier) {
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(barrier) : "memory");
}
FA_DEVICE void arrive_if(std::uint32_t barrier, bool who) {
  asm volatile(
      "{.reg .pred p; setp.ne.u32 p, %1, 0; @p mbarrier.arrive.shared::cta.b64 _, [%0];}" ::"r"(
          barrier),
      "r"(who ? 1u : 0u)
      : "memory");
}
/// Arrives once for the whole warp.
FA_DEVICE void arrive_for_warp(std::uint32_t barrier) {
  asm volatile(
      "{.reg .pred p; elect.sync _|p, 0xffffffff; @p mbarrier.arrive.shared::cta.b64 _, [%0];}" ::
          "r"(barrier)
      : "memory");
}
/// Lets the phase wait for so many bytes of bulk copies.
FA_DEVICE void expect_bytes(std::uint32_t barrier, int bytes) {
  asm volatile("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], %1;" ::"r"(barrier), "r"(bytes)
               : "memory");
}
/// Both: arrives, and lets the phase wait for so many bytes.
FA_DEVICE void arrive_expecting(std::uint32_t barrier, int bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes)
               : "memory");
}
/// Waits until the phase of this parity is complete.
FA_DEVICE void wait_phase(std::uint32_t barrier, std::uint32_t parity) {
  std::uint32_t done;
  do {
    asm volatile(
        "{.reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, "
        "p;}"
        : "=r"(done)
        : "r"(barrier), "r"(parity)
        : "memory");
  } while (done == 0);
}

/// Makes shared memory that this thread wrote visible to matrix instructions and bulk copies.
FA_DEVICE void publish_to_products() {
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

/// Gives registers of this warpgroup back, down to Count a thread; or takes them, up to Count.
template <int Count>
FA_DEVICE void give_registers() {
  asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(Count));
}
template <int Count>
FA_DEVICE void take_registers() {
  asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(Count));
}

/// Where a ring of Stages stages stands after a number of steps: each stage's barriers complete a
/// phase a round.
template <int Stages>
struct ring_place {
  static_assert((Stages & (Stages - 1)) == 0, "stage and phase of a step are bits of its number");
  std::uint32_t step = 0;

  FA_DEVICE int stage() const { return static_cast<int>(step % Stages); }
  FA_DEVICE std::uint32_t full_parity() const { return step / Stages % 2; }
  /// The first wait passes.
  FA_DEVICE std::uint32_t empty_parity() const { return full_parity() ^ 1u; }
  FA_DEVICE ring_place before() const { return {step - 1}; }
};

}  // namespace fa::nv_machine

#endif
