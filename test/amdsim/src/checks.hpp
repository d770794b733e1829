// What the checks know about a wave's registers and about LDS.
#pragma once
#include "schedule.hpp"

namespace amdsim {

/// Shadow of a wave's registers.
struct wave_checks {
  u64 defined[512] = {};  ///< lanes that were ever written, by vector register
  bool scalar_defined[sreg::count] = {};
  u64 pending[512 / 64] = {};  ///< vector registers with a result under way
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
  std::vector<mark> at_signal;       ///< what was complete at each barrier signal
  std::vector<u64> scratch_defined;  ///< lanes written, by dword of the scratch slice
};

/// What is remembered of each granule of LDS; 0: nothing yet. checks_lds.cpp says what stamps are.
struct lds_shadow {
  u32 shift = 2;  ///< log2 of the granule
  /// Number of the last barrier signal that a wave gave with LDS accesses outstanding; 0: none. The
  /// same for loads from memory, of which LDS DMA are some.
  u32 incomplete = 0, incomplete_dma = 0;
  std::vector<u64> write, read;
  std::vector<u64> other;  ///< the last reader that was another wave than `read`'s
  std::vector<u32> write_sequence, read_sequence;
  void clear(u32 granules);
};

enum class lds_access : u8 { read, write, dma, atomic };

/// Names a finding at an operation.
std::string key_of(const wave& w, const op& o, const char* kind);
/// Register checks of one operation, before it executes.
void check_operation(wave& w, const op& o);
/// LDS checks of the lanes in `mask`, whose addresses `at` and bytes are within
/// LDS; or of one lane.
void check_lds_lanes(wave& w, const op& o, const u32* at, u64 mask, u32 bytes, lds_access how);
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
