// Running vector operations: operands are turned into rows of 32-bit lanes, a lane kernel computes, the result is merged under EXEC.
#pragma once
#include "decode.hpp"

namespace amdsim {

/// Most rows a source or result takes up.
inline constexpr u32 max_rows = 2;

/// Handler for operations with that many sources.
handler valu_handler(u32 sources);
/// Rows of a source, in the register file or in `room` (max_rows rows).
const u32* fetch(wave& w, const source& s, u32* room);
/// The same for source 0 of an operation that may have a DPP pattern. Narrows `write` to the lanes that may be written.
const u32* fetch_dpp(wave& w, const op& o, u32* room, u64& write);
/// Applies sign, selection and packing of an operand to a constant.
void apply_constant_modifiers(source& s);
/// Clamp, output multiplier, half and SDWA merges, then the write under `mask`.
void retire(wave& w, const op& o, u32* result, u64 mask);
/// Writes `rows` rows under a lane mask.
void write_rows(wave& w, u32 reg, u32 rows, const u32* from, u64 mask);

}  // namespace amdsim
