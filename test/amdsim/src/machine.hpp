// The simulated machine: operations in decoded form, waves, workgroups, and the switches of a run.
#pragma once
#include <array>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "code_object.hpp"
#include "text.hpp"

namespace amdsim {

struct wave;
struct op;
struct group;
struct wave_checks;
struct lds_shadow;
struct launch;

/// How an operand's bits are read. The order matters: see `rows_of` and `is_half`.
enum class type : u8 {
  none,
  b16,
  i16,
  u16,
  f16,
  bf16,
  b32,
  i32,
  u32,
  f32,
  pki16,
  pkf16,
  pkbf16,
  b64,
  i64,
  u64,
  f64,
  pkf32,
  mask,
  wide
};

inline constexpr u32 rows_of(type t) { return t >= type::b64 && t <= type::pkf32 ? 2 : 1; }
inline constexpr bool is_half(type t) { return t >= type::b16 && t <= type::bf16; }
inline constexpr bool is_packed(type t) { return t >= type::pki16 && t <= type::pkbf16; }

/// Executes one operation for a wave.
using handler = void (*)(wave&, const op&);
/// Computes all lanes of a vector operation: `d` result rows, `s` source rows, `blocks`
/// blocks of 32 lanes.
using lane_fn = void (*)(u32* d, const u32* const* s, u32 blocks);

/// A decoded operand.
struct source {
  enum kind : u8 { none, vgpr, sgpr, imm } k = none;
  type t = type::none;
  u8 rows = 1;
  bool plain = false;  ///< a vector register that needs no change
  bool neg = false, abs = false, sext = false;
  u8 sel = 6;                ///< SDWA: 0..3 byte, 4..5 word, 6 all
  u16 reg = 0;               ///< vgpr: row, 256.. are accumulation registers; sgpr: number
  u32 lo = 0, hi = 0;        ///< constants
  const u32* row = nullptr;  ///< constants spread over the lanes
};

/// Registers an operation reads or writes, for the checks.
struct reg_use {
  u16 first = 0;
  u8 count = 0;
  bool scalar = false;
  bool all_lanes = false;  ///< whatever EXEC says
  bool half = false;       ///< keeps the other half
};

/// Counters that an instruction waits for or raises.
enum class counter : u8 { load, store, lds, scalar, none };

/// Source lanes of a DPP operand.
struct lane_map {
  std::array<u8, 64> lane{};
  u64 valid = 0;    ///< lanes whose source exists
  u64 enabled = 0;  ///< row and bank masks
  bool bound = false, fetch_inactive = false;
};

/// What an operation does with a source that was never written: most results are then undefined
/// too, and only uses that matter (an address, memory, a comparison, a lane read, a matrix product)
/// are reported. Compilers rely on this, for the unused half of a pair say.
enum class flow : u8 { report, carry, carry_parts, carry_low, select };

/// What the checks, the profile and messages need to know about an operation.
struct op_extra {
  std::string text;  ///< as disassembled
  std::string mnemonic;
  std::string definition;  ///< name in the tables of instructions
  std::string name;        ///< why it cannot be executed
  std::vector<reg_use> reads, writes;
  // The same register by register, for the quick path of the checks.
  std::vector<u16> vector_reads, vector_writes;
  std::vector<u8> scalar_reads, scalar_writes;
  bool whole = true;               ///< all vector writes follow EXEC and fill the register
  counter raises = counter::none;  ///< pending results of this instruction
  counter raises_too = counter::none;
  flow undefined = flow::report;  ///< what becomes of sources that were never written
  bool scratch = false;
  u8 category = 0;    ///< profile class
  double cycles = 0;  ///< profile: on its own unit
  lane_map dpp;
  std::array<u32, 8> data{};  ///< private to the handler
};

/// A decoded instruction: everything that executing it needs.
struct op {
  handler run = nullptr;
  lane_fn lanes = nullptr;
  lane_fn ieee = nullptr;  ///< in place of `lanes` where MODE.IEEE is set
  source src[4];
  source dst;
  u16 sdst = sreg::null;  ///< scalar destination
  u16 ssrc = sreg::null;  ///< lane mask read
  u8 sources = 0;
  u8 dst_rows = 1;
  bool post = false;  ///< result needs clamp, output modifier or merging
  bool clamp = false;
  u8 omod = 0;  ///< 1: x2, 2: x4, 3: /2
  u8 dst_half =
      0;  ///< 0 whole register, 1 low half and keep, 2 high half and keep, 3 low half and zero
  u8 dst_sel = 6;     ///< SDWA
  u8 dst_unused = 0;  ///< SDWA: 0 zero, 1 sign, 2 keep
  bool uses_dpp = false;
  bool branches = false;  ///< imm is a distance in words, target gets the index
  u8 flags = 0;           ///< private to the handler
  i64 imm = 0;            ///< offset or immediate
  u32 target = 0;         ///< branch: index of the operation
  u32 counts = 0;         ///< private to the handler
  const op_extra* x = nullptr;
};

/// Why a wave does not go on.
enum class stop : u8 { no, barrier, split_wait, yield, end, fault };

/// Counts that a wave may still have outstanding, in the order of `counter`.
inline constexpr u32 counters = 4;

/// Everything decoded from a code object for one wave size.
struct program {
  const code_object* object = nullptr;
  const chip* target = nullptr;
  bool wave64 = true;
  std::vector<op> ops;
  std::vector<u64> address;
  std::vector<u32>
      at_word;  ///< by (address - text) / 4: index + 1 of the operation, 0 if not decoded
  std::deque<op_extra> extras;
  std::deque<std::array<u32, 2 * row_lanes>> constants;
  bool global_atomics = false;  ///< some decoded kernel has them

  /// Index of the operation at an address; false if nothing was decoded there.
  bool index_of(u64 at, u32& index) const;
};

/// State of one wave.
struct wave {
  u32* v = nullptr;  ///< rows of 64 lanes: 256 vector, then 256 accumulation registers
  u32 s[sreg::count] = {};
  u64 full = 0;  ///< all lanes of the wave size
  u32 lanes = 64, blocks = 2;
  u32 pc = 0;  ///< index of the next operation
  bool scc = false;
  stop state = stop::no;
  u8 id = 0;
  u32 mode = 0;                ///< MODE register
  u32 signals = 0, waits = 0;  ///< barriers signalled and passed
  u32 barrier_pc = 0;
  u64 executed = 0;  ///< since the last barrier
  u64 total = 0;
  u64 started = 0;  ///< lanes that exist
  u8* scratch = nullptr;
  u32 scratch_bytes = 0;  ///< per lane
  group* g = nullptr;
  const program* prog = nullptr;
  launch* run = nullptr;
  wave_checks* checks = nullptr;
  u64 expanded_for = 0;
  bool expanded_valid = false;
  alignas(64) u32 expanded[row_lanes];

  u64 exec() const { return join(s[sreg::exec], s[sreg::exec + 1]) & full; }
  void set_exec(u64 m) {
    m &= full;
    s[sreg::exec] = low32(m);
    if (full >> 32) s[sreg::exec + 1] = high32(m);
  }
  /// A lane mask held in scalar registers.
  u64 mask(u32 reg) const { return full >> 32 ? join(s[reg], s[reg + 1]) : u64{s[reg]}; }
  void set_mask(u32 reg, u64 m) {
    if (reg == sreg::null) return;
    s[reg] = low32(m);
    if (full >> 32) s[reg + 1] = high32(m);
  }
  u64 s64(u32 reg) const { return reg == sreg::null ? 0 : join(s[reg], s[reg + 1]); }
  void set64(u32 reg, u64 x) {
    if (reg == sreg::null) return;
    s[reg] = low32(x);
    s[reg + 1] = high32(x);
  }
  void set32(u32 reg, u32 x) {
    if (reg != sreg::null) s[reg] = x;
  }
  u32* row(u32 reg) { return v + u64{reg} * row_lanes; }
  /// The mask as all-ones or zero per lane; kept while the mask stays the same.
  const u32* expand(u64 m) {
    if (!expanded_valid || expanded_for != m) {
      expand_mask(expanded, m);
      expanded_for = m;
      expanded_valid = true;
    }
    return expanded;
  }
};

/// The blocks of memory that the checks met last.
struct memory_cache {
  struct block {
    u64 first = 1, bytes = 0;
  };
  block blocks[4];
  u64 generation = 0;
  u32 victim = 0;
};

/// A workgroup that runs.
struct group {
  u8* lds = nullptr;
  u32 lds_bytes = 0;
  u32 id[3] = {};
  std::vector<wave> waves;
  lds_shadow* shadow = nullptr;
  memory_cache near;
};

/// Value of a scalar source: register, constant, or one of the computed ones.
u32 read32(const wave& w, const source& s);
u64 read64(const wave& w, const source& s);

/// Reports that the operation cannot be executed and stops the launch.
[[gnu::cold]] void fault(wave& w, const op& o, const std::string& why);

inline constexpr u64 shared_aperture = u64{0x00010000} << 32;
inline constexpr u64 private_aperture = u64{0x00020000} << 32;

}  // namespace amdsim
