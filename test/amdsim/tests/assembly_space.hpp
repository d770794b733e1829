// The memories that vector instructions reach, with their spellings of loads, stores and atomics on
// one word or more per lane.
#pragma once
#include "assembly_tables.hpp"

namespace assembly {

enum class space { global, flat, buffer, lds, scratch };

/// Text of instructions for one space on chips of one spelling. Addresses are `base` + 16 per lane;
/// v25 to v27 and s[28:31] are used.
struct addressing {
  space where;
  u32 on;  ///< gfx9, gfx11 or gfx12 chips

  bool nine() const { return on & gfx9; }
  bool twelve() const { return on & gfx12; }
  std::string wait() const {
    return twelve()     ? "\ns_wait_loadcnt 0x0\ns_wait_storecnt 0x0\ns_wait_dscnt 0x0\n"
           : on & gfx11 ? "\ns_waitcnt vmcnt(0) lgkmcnt(0)\ns_waitcnt_vscnt null, 0x0\n"
                        : "\ns_waitcnt vmcnt(0) lgkmcnt(0)\n";
  }
  /// EXEC with some lanes, and with all again.
  std::string some_lanes() const {
    return nine() ? "s_mov_b32 exec_lo, 0xf5a7c3ef\ns_mov_b32 exec_hi, 0x8001fffe\n"
                  : "s_mov_b32 exec_lo, 0xf5a7c3ef\n";
  }
  std::string all_lanes() const {
    return nine() ? "s_mov_b64 exec, -1\n" : "s_mov_b32 exec_lo, -1\n";
  }
  std::string prefix() const {
    return where == space::global   ? "global_"
           : where == space::flat   ? "flat_"
           : where == space::buffer ? "buffer_"
           : where == space::lds    ? "ds_"
                                    : "scratch_";
  }
  /// Computes the addresses.
  std::string set_up() const;
  /// Operands after the data (stores) or after the destination (loads).
  std::string at(u32 offset) const;
  std::string load(const std::string& form, const std::string& to, u32 offset) const {
    return prefix() + (where == space::lds && nine() ? "read_" : "load_") + form + " " + to + ", " +
           at(offset) + "\n";
  }
  std::string store(const std::string& form, const std::string& from, u32 offset) const;
};

}  // namespace assembly
