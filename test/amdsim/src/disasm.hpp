// Decoding by LLVM's disassembler, plus the encodings that the installed LLVM does not know.
#pragma once
#include <memory>

#include "text.hpp"

namespace amdsim {

/// Disassembles for one chip. Not for use by several threads at once.
class disassembler {
 public:
  disassembler(const chip& c, bool wave64);
  ~disassembler();
  disassembler(const disassembler&) = delete;
  disassembler& operator=(const disassembler&) = delete;

  /// Decodes the instruction at `code`, of which `available` bytes may be read. False if the
  /// encoding is unknown.
  bool decode(const u8* code, u64 available, u64 address, inst& out);

 private:
  u64 llvm_text(const u8* code, u64 available, u64 address, std::string& text);
  bool high_halves(const u8* code, u64 available, u64 address, inst& out);
  const chip& chip_;
  void* context_ = nullptr;
};

/// gfx950: if the code is an instruction that LLVM 19 lacks, writes 16 bytes of a known one with
/// the same operands to `out` and returns 1. `skip`: bytes before it; `name`: the true mnemonic;
/// the rest is to be added to the text.
u32 rewrite_gfx950(const u8* code, u64 available, u8* out, u32& skip, std::string& name,
                   std::string& more_operands, std::string& more_modifiers);

/// Sources (bit 0..2) and destination (bit 3) of an instruction that are 16 bits wide; see
/// semantics tables.
u32 half_operands(const std::string& name);

}  // namespace amdsim
