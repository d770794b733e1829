// Running vector operations: operands are turned into rows of 32-bit lanes, a lane kernel computes,
// the result is merged under EXEC.
#pragma once
#include "decode.hpp"

namespace amdsim {

/// Most rows a source or result takes up.
inline constexpr u32 max_rows = 2;

/// Handler for operations with that many sources; `other`: with halves or doubles among its
/// operands; `ieee`: with a lane kernel of its own for MODE.IEEE.
handler valu_handler(u32 sources, bool other, bool ieee);
/// Whether halves or doubles are among the operands.
bool other_precision(const valu_def& d);
/// Rows of a source, in the register file or in `room` (max_rows rows).
const u32* fetch(wave& w, const source& s, u32* room);
/// The same for source 0 of an operation that may have a DPP pattern. Narrows `write` to the lanes
/// that may be written.
const u32* fetch_dpp(wave& w, const op& o, u32* room, u64& write);
/// Rows of a fetched source with subnormal halves and floats made zero if MODE asks for it (in
/// `room` then). Doubles are left to the host's arithmetic, and floats are too where they do not
/// meet other formats.
const u32* flush_inputs(const wave& w, const source& s, const u32* row, u32* room);
/// The same for a result of type `t`, in place.
void flush_results(const wave& w, type t, u32* row);
/// Applies sign, selection and packing of an operand to a constant.
void apply_constant_modifiers(source& s);
/// Clamp, output multiplier, half and SDWA merges, then the write under `mask`.
void retire(wave& w, const op& o, u32* result, u64 mask);
/// Writes `rows` rows under a lane mask.
void write_rows(wave& w, u32 reg, u32 rows, const u32* from, u64 mask);

}  // namespace amdsim
