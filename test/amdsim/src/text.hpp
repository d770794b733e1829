// One instruction as the disassembler prints it, taken apart: mnemonic, operands, modifiers.
#pragma once
#include <array>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "chip.hpp"

namespace amdsim {

/// Which encoding carries the instruction; the mnemonic's suffix says so.
enum class form : u8 { plain, e32, e64, dpp, dpp8, sdwa };

/// An operand as written.
struct operand_text {
  enum class kind : u8 { none, vgpr, agpr, sgpr, integer, real, off, named } k = kind::none;
  u32 reg = 0;    ///< first register
  u32 count = 1;  ///< registers
  i64 value = 0;  ///< integers; literals in hexadecimal keep their 32 bits
  double real = 0;
  bool literal = false;  ///< written in hexadecimal: a literal constant
  bool neg = false, abs = false, sext = false;
  bool high = false, low = false;  ///< v1.h, v1.l
  std::string name;                ///< what is not a register or a number
};

/// Scalar registers by number, as the simulator holds them.
namespace sreg {
inline constexpr u32 flat_scratch = 102, vcc = 106, ttmp0 = 108, m0 = 124, null = 125, exec = 126,
                     count = 128;
/// Reading one of these computes a value; they are not stored.
inline constexpr u32 scc = 130, vccz = 131, execz = 132, shared_base = 134, shared_limit = 136,
                     private_base = 138, private_limit = 140, pops_id = 142;
}  // namespace sreg

/// A disassembled instruction.
struct inst {
  std::string text;      ///< as printed, for messages
  std::string mnemonic;  ///< with suffix
  std::string name;      ///< without suffix
  form encoding = form::plain;
  std::vector<operand_text> operands;
  std::map<std::string, std::string> modifiers;
  std::array<u32, 4> raw{};
  u32 bytes = 0;
  u64 address = 0;
  const chip* target = nullptr;
  u32 halves = 0;  ///< 16-bit operands of short encodings in the high half: bit 0..2 sources, bit 3
                   ///< destination

  bool has(const char* m) const { return modifiers.count(m) != 0; }
  /// Value of a numeric modifier, or `otherwise`.
  i64 number(const char* m, i64 otherwise = 0) const;
  /// Bits of a list modifier such as op_sel:[1,0]; nullopt if it is absent.
  std::optional<u32> bits(const char* m) const;
};

/// Takes apart one line of assembly. Halves of a dual instruction (":: ") are parsed by the caller.
void parse_line(const std::string& line, inst& out);
/// Parses one operand.
operand_text parse_operand(std::string s);

}  // namespace amdsim
