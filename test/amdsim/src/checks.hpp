// What the checks know about a wave's registers and about LDS.
#pragma once
#include "schedule.hpp"

namespace amdsim {

/// Shadow of a wave's registers.
struct wave_checks {
  u64 defined[512] = {};          ///< lanes that were ever written, by vector register
  bool scalar_defined[sreg::count] = {};
  u64 pending[512 / 64] = {};     ///< vector registers with a result under way
  u64 scalar_pending[2] = {};
  bool anything_pending = false;  ///< some bit of these may be set
  struct tag {
    u32 sequence = 0;
    counter by = counter::none;
  };
  tag tags[512], scalar_tags[sreg::count];
  u32 issued[counters] = {}, done[counters] = {};
  struct mark {
    u32 lds, load;
  };
  std::vector<mark> at_signal;    ///< what was complete at each barrier signal
  std::vector<u64> scratch_defined;  ///< lanes written, by dword of the scratch slice
};

/// Shadow of `granule` bytes of LDS.
struct lds_cell {
  u32 write_signals = 0, write_sequence = 0, read_signals = 0, read_sequence = 0;
  u32 readers = 0;      ///< waves that read in the phase of read_signals
  u8 writer = 0xff;     ///< 0xff: never written
  u8 kind = 0;          ///< 0 plain, 1 DMA, 2 atomic
  u8 reader = 0xff;
  u32 write_pc = 0, read_pc = 0;
};

struct lds_shadow {
  u32 shift = 2;  ///< log2 of the granule
  std::vector<lds_cell> cells;
};

enum class lds_access : u8 { read, write, dma, atomic };

/// Register checks of one operation, before it executes.
void check_operation(wave& w, const op& o);
/// LDS checks of one lane's access; `at` and `bytes` are within LDS.
void check_lds(wave& w, const op& o, u32 lane, u32 at, u32 bytes, lds_access how);
/// Whether the lane's bytes lie in one live allocation; reports if not. Alignment as well.
bool check_global(wave& w, const op& o, u32 lane, u64 at, u32 bytes, u32 alignment, bool write);
/// Reports LDS bytes outside the workgroup's part.
void report_lds_range(wave& w, const op& o, u32 lane, u64 at, u32 bytes);
void report_alignment(wave& w, const op& o, u32 lane, u64 at, u32 alignment, const char* what);
void report_scratch_range(wave& w, const op& o, u32 lane, u64 at);

/// A wave reached a barrier that others can never reach.
void report_barrier(launch& l, const group& g);

}  // namespace amdsim
