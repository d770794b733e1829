#include "disasm.hpp"

#include <llvm-c/Disassembler.h>
#include <llvm-c/Target.h>

#include <algorithm>
#include <cstring>
#include <mutex>
#include <stdexcept>

namespace amdsim {
namespace {

void initialize_llvm() {
  static std::once_flag once;
  std::call_once(once, [] {
    LLVMInitializeAMDGPUTargetInfo();
    LLVMInitializeAMDGPUTargetMC();
    LLVMInitializeAMDGPUDisassembler();
  });
}

u32 word_at(const u8* p) {
  u32 w;
  std::memcpy(&w, p, 4);
  return w;
}

}  // namespace

disassembler::disassembler(const chip& c, bool wave64) : chip_(c) {
  initialize_llvm();
  const char* attributes = c.gen != family::gfx9 && wave64 ? "+wavefrontsize64,-wavefrontsize32"
                                                           : c.llvm_attributes;
  context_ = LLVMCreateDisasmCPUFeatures("amdgcn-amd-amdhsa", c.llvm_cpu, attributes, nullptr, 0,
                                         nullptr, nullptr);
  if (!context_) throw std::runtime_error(std::string("LLVM has no disassembler for ") + c.name);
}

disassembler::~disassembler() { LLVMDisasmDispose(context_); }

u64 disassembler::llvm_text(const u8* code, u64 available, u64 address, std::string& text) {
  char buffer[512];
  u8 bytes[32] = {};
  const u64 n = available < sizeof bytes ? available : sizeof bytes;
  std::memcpy(bytes, code, n);
  const u64 size = LLVMDisasmInstruction(context_, bytes, n, address, buffer, sizeof buffer);
  text = size ? buffer : "";
  const auto first = text.find_first_not_of(" \t");
  text = first == std::string::npos ? "" : text.substr(first);
  for (char& ch : text)
    if (ch == '\t') ch = ' ';
  return size;
}

// On gfx11 and gfx12 the short encodings VOP1, VOP2 and VOPC name a 16-bit operand by 7 bits of
// register and one bit of half. LLVM 19 takes such a register to be 32 bits wide and refuses the
// high half, so the half bits are taken out here, one operand at a time.
bool disassembler::high_halves(const u8* code, u64 available, u64 address, inst& out) {
  u8 bytes[16] = {};
  const u64 n = available < sizeof bytes ? available : sizeof bytes;
  std::memcpy(bytes, code, n);
  u32 w = word_at(bytes);
  if (w >> 31) return false;
  const bool vopc = (w >> 25) == 0x3e, vop1 = (w >> 25) == 0x3f;
  const bool dpp = (w & 0x1ff) == 0xfa || (w & 0x1ff) == 0xe9 || (w & 0x1ff) == 0xea;
  u32 d1 = n >= 8 ? word_at(bytes + 4) : 0;
  u32 high = 0;
  if (dpp && (d1 & 0x80)) {
    high |= 1;
    d1 &= ~0x80u;
  } else if (!dpp && (w & 0x180) == 0x180) {
    high |= 1;
    w &= ~0x80u;
  }
  if (!vop1 && (w >> 16 & 1)) {
    high |= 2;
    w &= ~(1u << 16);
  }
  if (!vopc && (w >> 24 & 1)) {
    high |= 8;
    w &= ~(1u << 24);
  }
  if (!high) return false;
  std::memcpy(bytes, &w, 4);
  if (n >= 8) std::memcpy(bytes + 4, &d1, 4);
  std::string text;
  const u64 size = llvm_text(bytes, n, address, text);
  if (!size) return false;
  inst trial;
  parse_line(text, trial);
  const u32 half = half_operands(trial.name);
  // A register that is not 16 bits wide keeps its eighth bit.
  const auto restore = [&](std::size_t operand) {
    if (operand < trial.operands.size()) trial.operands[operand].reg += 128;
  };
  const std::size_t first_source = vopc && trial.operands.size() == 2 ? 0 : 1;
  if ((high & 8) && !(half & 8)) restore(0);
  if ((high & 1) && !(half & 1)) restore(first_source);
  if ((high & 2) && !(half & 2)) restore(first_source + 1);
  trial.halves = high & half;
  trial.text = text + (trial.halves ? " (high halves: " + std::to_string(trial.halves) + ")" : "");
  trial.bytes = static_cast<u32>(size);
  out = trial;
  return true;
}

bool disassembler::decode(const u8* code, u64 available, u64 address, inst& out) {
  out = inst{};
  std::string text;
  u32 bytes = 0;
  u8 known[16];
  u32 skip = 0;
  std::string name, operands, modifiers;
  if (chip_.is("gfx950") &&
      rewrite_gfx950(code, available, known, skip, name, operands, modifiers)) {
    bytes = static_cast<u32>(llvm_text(known, sizeof known, address, text));
    if (!bytes) return false;
    bytes += skip;
    // The suffix of the encoding stays; added operands go before the first modifier.
    const auto blank = text.find(' ');
    std::string suffix;
    for (const char* s : {"_dpp", "_sdwa"})
      if (text.compare(blank - std::strlen(s), std::strlen(s), s) == 0) suffix = s;
    std::string rest = text.substr(blank);
    auto at = rest.size();
    if (!operands.empty())
      for (const char* m : {" cbsz", " abid", " blgp"}) at = std::min(at, rest.find(m));
    rest.insert(at, operands);
    text = name + suffix + rest + modifiers;
  }
  if (!bytes) bytes = static_cast<u32>(llvm_text(code, available, address, text));
  const bool broken = !bytes || text.find("Invalid register") != std::string::npos ||
                      text.find("<unknown>") != std::string::npos;
  if (broken) {
    if (chip_.gen == family::gfx9 || !high_halves(code, available, address, out)) return false;
  } else {
    out.text = text;
    out.bytes = bytes;
    const auto dual = text.find(" :: ");
    parse_line(dual == std::string::npos ? text : text.substr(0, dual), out);
  }
  for (u32 i = 0; i < 4 && 4 * i + 4 <= available; ++i) out.raw[i] = word_at(code + 4 * i);
  out.address = address;
  out.target = &chip_;
  return true;
}

}  // namespace amdsim
