// How waves of a workgroup take turns: barriers, waits, and the switches of a run.
#pragma once
#include <atomic>
#include <mutex>
#include <set>

#include "machine.hpp"

namespace amdsim {

/// Which checks run, and how.
struct settings {
  const chip* target = nullptr;
  enum class order : u8 { forward, reverse, random } wave_order = order::forward;
  u64 seed = 0;
  bool races = false;      ///< LDS accesses of two waves that no barrier separates
  bool undefined = false;  ///< reading what was never written
  bool waits = false;      ///< results used before a wait covers them
  bool global = false;     ///< memory outside live allocations
  bool align = false;      ///< misaligned addresses
  bool barriers = false;   ///< waves that end while others wait
  bool loops = false;      ///< waves that never come to an end
  u64 loop_limit = 200000000;
  u32 threads = 1;
  bool trace = false;
  std::string profile;
  bool any_wave_check() const { return undefined || waits; }
  bool any() const { return races || undefined || waits || global || align || barriers || loops; }
};
/// The settings of this process, read once from the environment that the launcher prepared.
const settings& process_settings();

/// A kernel launch in progress.
struct launch {
  const settings* set = nullptr;
  const program* prog = nullptr;
  const kernel_info* kernel = nullptr;
  u32 grid[3] = {}, block[3] = {};
  u32 lds_bytes = 0;
  u64 kernarg = 0, dispatch_packet = 0;
  std::atomic<bool> failed{false};
  std::mutex lock;
  std::set<std::string> reported;  ///< findings already printed, without their lanes and addresses
  std::vector<u64> counts;         ///< profile: executions by operation
  std::atomic<u64> lds_passes_ideal{0}, lds_passes{0};
  bool profiling() const { return !counts.empty(); }
};

/// Prints a finding once per `key`, and makes the program's exit status 3.
void report(launch& l, const std::string& key, const std::string& text);
/// "kernel +0x1c: v_add_f32 ..." for messages.
std::string where(const wave& w, const op& o);
/// Findings reported by this process so far.
u64 findings();

/// Puts rounding and denormal modes of a wave into the host's floating-point state.
void apply_mode(const wave& w);
/// Handler of the wait instructions.
void wait_for(wave& w, const op& o);
/// gfx12: whether this wave is the first to signal the current barrier.
bool first_to_signal(const wave& w);
/// Notes for the checks what was complete when a wave signalled.
void note_signal(wave& w);

/// Runs a launch to its end. False if it failed.
bool run_launch(launch& l);

}  // namespace amdsim
