// The cost model: class and cycles of each instruction, and the JSON line per launch.
#pragma once
#include "schedule.hpp"

namespace amdsim {

enum class category : u8 { matrix, trans, valu, lds, vmem, scratch, wait, barrier, nop, salu };
inline constexpr u32 categories = 10;

/// Fills in class and cycles of an instruction.
void classify(const std::string& mnemonic, const chip& c, op_extra& x);
/// Appends the JSON line of a finished launch to the profile file.
void write_profile(const launch& l);

}  // namespace amdsim
