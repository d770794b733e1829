// Threads of a workgroup, and what lanes of a wave exchange.
#pragma once

#include <cstdint>

#include <fa/core/config.hpp>
#include <fa/machine/amd/chip.hpp>
#include <fa/machine/select.hpp>

#if FA_AMD

namespace fa::amd_machine {

inline constexpr int lanes = facts_of(this_chip).lanes;

/// The workgroup's number in its launch.
FA_DEVICE int workgroup() { return static_cast<int>(__builtin_amdgcn_workgroup_id_x()); }

/// The thread's number in its workgroup, and the lane's in its wave.
FA_DEVICE int thread() { return static_cast<int>(__builtin_amdgcn_workitem_id_x()); }
FA_DEVICE int lane() { return thread() % lanes; }

/// The same as thread() for what happens rarely inside a loop: computed anew each time, so that
/// nothing of it stays in registers all along.
FA_DEVICE int thread_anew() {
  int t = thread();
  asm volatile("" : "+v"(t));
  __builtin_assume(t >= 0 && t < 1024);
  return t;
}

/// x, of which nothing that follows from it is kept in registers across a loop.
FA_DEVICE std::uint32_t anew(std::uint32_t x) {
  asm volatile("" : "+v"(x));
  return x;
}

/// A value that all lanes of the wave have, told to the compiler.
FA_DEVICE int uniform(int x) { return __builtin_amdgcn_readfirstlane(x); }
FA_DEVICE float uniform(float x) {
  return __builtin_bit_cast(float, uniform(__builtin_bit_cast(int, x)));
}

/// The wave's number in its workgroup.
FA_DEVICE int wave() { return uniform(thread() / lanes); }

/// Waits for this wave's LDS accesses, then for all waves. Loads from memory stay under way, which
/// the compiler's own barrier does not allow on every chip.
template <amd_chip Chip>
FA_DEVICE void block_barrier() {
  if constexpr (facts_of(Chip).split_barrier) {
    asm volatile("s_wait_dscnt 0x0\n\ts_barrier_signal -1\n\ts_barrier_wait -1" ::: "memory");
  } else {
    asm volatile("s_waitcnt lgkmcnt(0)\n\ts_barrier" ::: "memory");
  }
}

/// Loads that were issued above stay above: the compiler would move them to where their values are
/// used. Two ways to say it: at the ends of two branches the same one would make them share their
/// loads, and wait there.
FA_DEVICE void keep_in_flight() { asm volatile("; loads" ::: "memory"); }
FA_DEVICE void keep_in_flight_too() { asm volatile("; loads of the last tile" ::: "memory"); }

/// The x of another lane of the wave.
FA_DEVICE float from_lane(float x, int other) {
  return __builtin_bit_cast(float,
                            __builtin_amdgcn_ds_bpermute(other * 4, __builtin_bit_cast(int, x)));
}

/// f over the lanes that hold a row's columns; every lane gets the result.
template <class F>
FA_DEVICE float across_lane_groups(float x, const F& f) {
  x = f(x, from_lane(x, lane() ^ 16));
  if constexpr (lanes == 64) x = f(x, from_lane(x, lane() ^ 32));
  return x;
}

/// True if x is in any lane of the wave.
template <int Lanes = lanes>
FA_DEVICE bool any_lane(bool x) {
#if __has_builtin(__builtin_amdgcn_ballot_w64)
  if constexpr (Lanes == 64) return __builtin_amdgcn_ballot_w64(x) != 0;
  else return __builtin_amdgcn_ballot_w32(x) != 0;
#else
  return __builtin_amdgcn_uicmp(static_cast<unsigned>(x), 0u, 33) != 0;
#endif
}

}  // namespace fa::amd_machine

#endif
