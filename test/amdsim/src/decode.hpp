// From parsed text to operations: the tables of instruction meanings and how operands are bound.
#pragma once
#include <unordered_map>

#include "machine.hpp"

namespace amdsim {

struct decode_error : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Meaning of a vector instruction without side effects.
struct valu_def {
  const char* name;
  lane_fn lanes;
  type d;
  type s[3];
  u8 sources;
  u8 flags;
  lane_fn ieee = nullptr;  ///< in place of `lanes` where MODE.IEEE is set
};
enum valu_flags : u8 {
  reads_dst = 1,       ///< the destination is the last source as well (mac, dot-accumulate)
  signs_from_neg = 2,  ///< neg_lo says that an integer operand is signed
};

class binder;
/// Fills in an operation from parsed text.
using build_fn = void (*)(binder&, const void* payload);

/// An instruction that the simulator knows.
struct definition {
  build_fn build;
  const void* payload;
  u32 half;  ///< 16-bit operands: bit 0..2 sources, bit 3 destination
};

/// All known instructions by name without suffix.
class definitions {
 public:
  static const definitions& all();
  const definition* find(const std::string& name) const;
  const std::unordered_map<std::string, definition>& table() const { return table_; }
  void add(const char* name, build_fn build, const void* payload = nullptr, u32 half = 0);
  void add(const valu_def* first, const valu_def* last);
  /// `name` means the same as `existing`.
  void alias(const char* name, const char* existing);

 private:
  definitions();
  std::unordered_map<std::string, definition> table_;
};

/// Binds the operands of one instruction.
class binder {
 public:
  binder(program& p, const inst& i, op& out, op_extra& extra) : prog(p), in(i), o(out), x(extra) {}
  program& prog;
  const inst& in;
  op& o;
  op_extra& x;

  bool gfx9() const { return prog.target->gen == family::gfx9; }
  bool gfx12() const { return prog.target->gen == family::gfx12; }
  const operand_text& operand(std::size_t n) const;
  std::size_t count() const { return in.operands.size(); }
  /// Operand `n` as a value of type `t`; notes the registers as read.
  source read(std::size_t n, type t, bool all_lanes = false);
  /// Constant or scalar operand; notes scalar registers as read.
  source scalar(std::size_t n, type t);
  /// Vector destination of `rows` registers.
  source write(std::size_t n, u32 rows, bool all_lanes = false);
  /// Scalar destination of `count` registers.
  u16 write_scalar(std::size_t n, u32 count);
  /// Lane mask operand, read or written.
  u16 mask_read(std::size_t n);
  u16 mask_write(std::size_t n);
  void note_read(const source& s, bool all_lanes = false);
  void note_scalar_read(u32 reg, u32 count);
  void note_scalar_write(u32 reg, u32 count);
  /// Constant rows for `s`.
  void spread(source& s);
  u32 mask_registers() const { return prog.wave64 ? 2 : 1; }
  [[noreturn]] void refuse(const std::string& why) const;
  /// op_sel bits, from the text or, where LLVM 19 leaves them out, the encoding.
  u32 op_sel() const;
};

/// Decodes `bytes` of code at `address` (both within the object's text) into `p`.
void decode_range(program& p, u64 address, u64 bytes);
/// Decodes a kernel and all functions it might call.
void decode_kernel(program& p, const kernel_info& k);

/// Vector source modifiers, DPP, SDWA, halves: common to all VALU builders. Fills o.src[n] from
/// operand `n + first`.
void bind_sources(binder& b, std::size_t first, const type* types, u32 count);
void bind_destination(binder& b, std::size_t n, type t);

/// gfx11 and gfx12: two operations in one instruction.
void build_dual(program& prog, const inst& first, const inst& second, op& o, op_extra& x);

void define_salu(definitions& d);
void define_smem(definitions& d);
void define_valu_f32(definitions& d);
void define_valu_int(definitions& d);
void define_valu_16(definitions& d);
void define_valu_64(definitions& d);
void define_valu_convert(definitions& d);
void define_valu_special(definitions& d);
void define_valu_dot(definitions& d);
void define_valu_gfx950(definitions& d);
void define_compare(definitions& d);
void define_lane(definitions& d);
void define_matrix(definitions& d);
void define_lds(definitions& d);
void define_global(definitions& d);
void define_buffer(definitions& d);

}  // namespace amdsim
