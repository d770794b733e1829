// Barriers in shared memory, on which copies and threads arrive, and registers that roles trade.
#pragma once

#include <cstdint>

#include <fa/core/config.hpp>
#include <fa/machine/nv/lanes.hpp>

#if FA_NV

namespace fa::nv_machine {

// A barrier completes a phase when all its arrivals, and all bytes it was told to expect, have come. The first wait of those who
// fill passes at once: they wait for parity 1, the phase before the first.

FA_DEVICE void init_barrier(std::uint32_t barrier, int arrivals) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" :: "r"(barrier), "r"(arrivals) : "memory");
}
/// Behind the last init_barrier of a thread, before the block barrier: copies see them too.
FA_DEVICE void publish_barriers() { asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory"); }

FA_DEVICE void arrive(std::uint32_t barrier) {
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" :: "r"(barrier) : "memory");
}
/// Arrives, and lets the phase wait for so many bytes of bulk copies.
FA_DEVICE void arrive_expecting(std::uint32_t barrier, int bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" :: "r"(barrier), "r"(bytes) : "memory");
}
/// Waits until the phase of this parity is complete.
FA_DEVICE void wait_phase(std::uint32_t barrier, std::uint32_t parity) {
  std::uint32_t done;
  do {
    asm volatile("{.reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p;}"
                 : "=r"(done) : "r"(barrier), "r"(parity) : "memory");
  } while (done == 0);
}

/// Makes shared memory that this thread wrote visible to matrix instructions and bulk copies.
FA_DEVICE void publish_to_products() { asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); }

/// Gives registers of this warpgroup back, down to Count a thread; or takes them, up to Count.
template <int Count>
FA_DEVICE void give_registers() { asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" :: "n"(Count)); }
template <int Count>
FA_DEVICE void take_registers() { asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" :: "n"(Count)); }

/// Where a ring of Slots slots stands after a number of steps: each slot's barriers complete a phase a round.
template <int Slots>
struct ring_place {
  int slot;
  std::uint32_t parity;

  FA_DEVICE static ring_place after(std::uint32_t steps) {
    return {static_cast<int>(steps % Slots), steps / Slots % 2};
  }
  FA_DEVICE void next() {
    slot = slot + 1 == Slots ? 0 : slot + 1;
    parity ^= slot == 0 ? 1u : 0u;
  }
  FA_DEVICE ring_place before() const { return {slot == 0 ? Slots - 1 : slot - 1, slot == 0 ? parity ^ 1u : parity}; }
};

}  // namespace fa::nv_machine

#endif
