#include "decode.hpp"

#include <unordered_set>

#include "disasm.hpp"
#include "profile.hpp"
#include "valu.hpp"

namespace amdsim {
namespace {

using kind = operand_text::kind;

/// Bits of an inline or literal constant for an operand of type `t`.
u64 constant_bits(const operand_text& a, type t) {
  if (a.k == kind::real) {
    // LLVM prints the inline 1/(2 pi) with few digits; its bits are those of the format at hand.
    const bool inv2pi = std::fabs(a.real - 0.15915494) < 1e-8;
    const double v = inv2pi ? 0.15915494309189532 : a.real;
    switch (t) {
      case type::f16:
      case type::i16:
      case type::u16:
      case type::b16:
      case type::pkf16: return inv2pi ? 0x3118 : double_to_half(v);
      case type::bf16:
      case type::pkbf16: return inv2pi ? 0x3e22 : float_to_bfloat(static_cast<float>(v));
      case type::f64:
      case type::b64:
      case type::i64:
      case type::u64: return inv2pi ? 0x3fc45f306dc9c882u : bits_as<u64>(v);
      default: return inv2pi ? 0x3e22f983 : bits_as<u32>(static_cast<float>(v));
    }
  }
  if (!a.literal) return static_cast<u64>(a.value);
  const u64 lit = static_cast<u64>(a.value);
  if (lit >> 32) return lit;
  if (t == type::f64) return lit << 32;
  if (t == type::i64) return static_cast<u64>(static_cast<i64>(static_cast<i32>(low32(lit))));
  return lit;
}

void parse_dpp(binder& b) {
  auto& m = b.x.dpp;
  const inst& in = b.in;
  const u32 lanes = b.prog.wave64 ? 64 : 32;
  m.bound = in.has("bound_ctrl");
  m.fetch_inactive = in.number("fi") != 0;
  u32 row_mask = static_cast<u32>(in.number("row_mask", 15)),
      bank_mask = static_cast<u32>(in.number("bank_mask", 15));
  std::vector<u32> list;
  const auto numbers = [&](const char* name) {
    list.clear();
    const auto it = in.modifiers.find(name);
    if (it == in.modifiers.end()) return false;
    u32 value = 0;
    bool open = false;
    for (char ch : it->second)
      if (ch >= '0' && ch <= '9') {
        value = open ? value * 10 + static_cast<u32>(ch - '0') : static_cast<u32>(ch - '0');
        open = true;
      } else if (open) {
        list.push_back(value);
        open = false;
      }
    if (open) list.push_back(value);
    return true;
  };
  const auto each = [&](auto&& f) {
    m.valid = 0;
    for (u32 l = 0; l < lanes; ++l) {
      const i32 s = f(static_cast<i32>(l));
      if (s < 0) continue;
      m.lane[l] = static_cast<u8>(s);
      m.valid |= u64{1} << l;
    }
  };
  if (in.encoding == form::dpp8) {
    if (!numbers("dpp8") || list.size() != 8) b.refuse("dpp8 selector");
    each([&](i32 l) { return (l & ~7) | static_cast<i32>(list[static_cast<u32>(l & 7)]); });
    row_mask = bank_mask = 15;
    m.bound = true;  // an inactive source lane gives zero, and the lane is written
  } else if (numbers("quad_perm") && list.size() == 4) {
    each([&](i32 l) { return (l & ~3) | static_cast<i32>(list[static_cast<u32>(l & 3)]); });
  } else if (numbers("row_shl")) {
    each([&](i32 l) {
      return (l & 15) + static_cast<i32>(list[0]) < 16 ? l + static_cast<i32>(list[0]) : -1;
    });
  } else if (numbers("row_shr")) {
    each([&](i32 l) {
      return (l & 15) >= static_cast<i32>(list[0]) ? l - static_cast<i32>(list[0]) : -1;
    });
  } else if (numbers("row_ror")) {
    each([&](i32 l) { return (l & ~15) | ((l - static_cast<i32>(list[0])) & 15); });
  } else if (numbers("row_share") || numbers("row_newbcast")) {
    each([&](i32 l) { return (l & ~15) | static_cast<i32>(list[0]); });
  } else if (numbers("row_xmask")) {
    each([&](i32 l) { return l ^ static_cast<i32>(list[0]); });
  } else if (in.has("row_mirror")) {
    each([](i32 l) { return (l & ~15) | (15 - (l & 15)); });
  } else if (in.has("row_half_mirror")) {
    each([](i32 l) { return (l & ~7) | (7 - (l & 7)); });
  } else if (numbers("row_bcast")) {
    const i32 n = static_cast<i32>(list[0]);
    each([n](i32 l) { return n == 15 ? (l >= 16 ? (l & ~15) - 1 : -1) : (l >= 32 ? 31 : -1); });
  } else if (numbers("wave_shl")) {
    each([](i32 l) { return l + 1 < 64 ? l + 1 : -1; });
  } else if (numbers("wave_shr")) {
    each([](i32 l) { return l - 1; });
  } else if (numbers("wave_rol")) {
    each([](i32 l) { return (l + 1) & 63; });
  } else if (numbers("wave_ror")) {
    each([](i32 l) { return (l - 1) & 63; });
  } else {
    b.refuse("DPP control");
  }
  for (u32 l = 0; l < lanes; ++l)
    if ((row_mask >> (l / 16 & 3) & 1) && (bank_mask >> (l / 4 & 3) & 1)) m.enabled |= u64{1} << l;
  b.o.uses_dpp = true;
}

u8 sdwa_select(const std::string& s) {
  if (s.rfind("BYTE_", 0) == 0) return static_cast<u8>(s[5] - '0');
  if (s.rfind("WORD_", 0) == 0) return static_cast<u8>(4 + s[5] - '0');
  return 6;
}

/// On gfx9 these keep the half of the destination that they do not write; the other 16-bit
/// operations clear it.
bool gfx9_keeps_half(const std::string& n) {
  for (const char* k : {"v_mad_f16", "v_fma_f16", "v_div_fixup_f16", "v_mad_u16", "v_mad_i16",
                        "v_mac_f16", "v_fmac_f16", "v_madak_f16", "v_madmk_f16", "v_interp_p2_f16"})
    if (n == k) return true;
  return false;
}

void build_valu(binder& b, const void* payload) {
  const auto& d = *static_cast<const valu_def*>(payload);
  op& o = b.o;
  o.lanes = d.lanes;
  o.ieee = d.ieee;
  o.sources = d.sources;
  const bool dst_read = d.flags & reads_dst;
  const u32 listed = d.sources - (dst_read ? 1u : 0u);
  std::size_t first = 1;
  bool dst_listed = false;
  if (dst_read && b.count() == listed + 2)
    dst_listed = true;  // some spellings list the accumulator
  bind_sources(b, first, d.s, dst_listed ? d.sources : listed);
  bind_destination(b, 0, d.d);
  if (dst_read && !dst_listed) {
    source s = o.dst;
    s.t = d.s[listed];
    s.rows = static_cast<u8>(rows_of(s.t));
    s.plain = true;
    if (is_half(s.t) && o.dst_half == 2) {
      s.sel = 5;
      s.plain = false;
    }
    if (is_packed(s.t)) s.sel = 2;
    o.src[listed] = s;
    b.note_read(s);
  }
  o.run = valu_handler(d.sources, other_precision(d), d.ieee != nullptr);
}

}  // namespace

bool program::index_of(u64 at, u32& index) const {
  if (at < object->text || at - object->text >= object->text_bytes || (at & 3)) return false;
  const u64 word = (at - object->text) / 4;
  const u32 i = word < at_word.size() ? at_word[word] : 0;
  if (!i) return false;
  index = i - 1;
  return true;
}

// ---- binder

void binder::refuse(const std::string& why) const { throw decode_error(why); }

const operand_text& binder::operand(std::size_t n) const {
  if (n >= in.operands.size()) refuse("operand " + std::to_string(n) + " is missing");
  return in.operands[n];
}

void binder::spread(source& s) {
  auto& c = prog.constants.emplace_back();
  for (u32 l = 0; l < row_lanes; ++l) {
    c[l] = s.lo;
    c[row_lanes + l] = s.hi;
  }
  s.row = c.data();
}

void binder::note_read(const source& s, bool all_lanes) {
  if (s.k == source::vgpr) x.reads.push_back({s.reg, s.rows, false, all_lanes, false});
  if (s.k == source::sgpr) note_scalar_read(s.reg, s.rows);
}
void binder::note_scalar_read(u32 reg, u32 n) {
  if (reg < sreg::count && reg != sreg::null)
    x.reads.push_back({static_cast<u16>(reg), static_cast<u8>(n), true, false, false});
}
void binder::note_scalar_write(u32 reg, u32 n) {
  if (reg < sreg::count && reg != sreg::null)
    x.writes.push_back({static_cast<u16>(reg), static_cast<u8>(n), true, false, false});
}

source binder::read(std::size_t n, type t, bool all_lanes) {
  const operand_text& a = operand(n);
  source s;
  s.t = t;
  s.rows = static_cast<u8>(t == type::wide ? a.count : rows_of(t));
  s.neg = a.neg;
  s.abs = a.abs;
  s.sext = a.sext;
  switch (a.k) {
    case kind::vgpr:
    case kind::agpr:
      s.k = source::vgpr;
      s.reg = static_cast<u16>(a.reg + (a.k == kind::agpr ? 256 : 0));
      if (s.reg + s.rows > 512) refuse("register out of range");
      s.plain = true;
      break;
    case kind::sgpr:
      s.k = source::sgpr;
      s.reg = static_cast<u16>(a.reg);
      // A 32-bit register can stand where 64 bits are read only for the computed ones.
      break;
    case kind::integer:
    case kind::real: {
      s.k = source::imm;
      const u64 v = constant_bits(a, t);
      s.lo = low32(v);
      s.hi = high32(v);
      break;
    }
    default: refuse("operand '" + a.name + "' is not a value");
  }
  note_read(s, all_lanes);
  return s;
}

source binder::scalar(std::size_t n, type t) {
  source s = read(n, t);
  if (s.k == source::vgpr) refuse("a scalar operand is expected");
  return s;
}

source binder::write(std::size_t n, u32 rows, bool all_lanes) {
  const operand_text& a = operand(n);
  source s;
  if (a.k != kind::vgpr && a.k != kind::agpr)
    refuse("a vector register is expected as destination");
  s.k = source::vgpr;
  s.reg = static_cast<u16>(a.reg + (a.k == kind::agpr ? 256 : 0));
  s.rows = static_cast<u8>(rows);
  if (s.reg + rows > 512) refuse("register out of range");
  x.writes.push_back({s.reg, s.rows, false, all_lanes, false});
  return s;
}

u16 binder::write_scalar(std::size_t n, u32 registers) {
  const operand_text& a = operand(n);
  if (a.k != kind::sgpr) refuse("a scalar register is expected as destination");
  note_scalar_write(a.reg, registers);
  return static_cast<u16>(a.reg);
}

u16 binder::mask_read(std::size_t n) {
  const operand_text& a = operand(n);
  if (a.k != kind::sgpr) refuse("a lane mask is expected");
  note_scalar_read(a.reg, mask_registers());
  return static_cast<u16>(a.reg);
}
u16 binder::mask_write(std::size_t n) { return write_scalar(n, mask_registers()); }

u32 binder::op_sel() const {
  // Bits 11..14 of the 64-bit vector encodings; LLVM 19 does not print them for all 16-bit
  // operations of gfx11 and gfx12.
  if (!gfx9() && in.raw[0] >> 26 == 0x35) return in.raw[0] >> 11 & 15;
  const u32 listed = in.bits("op_sel").value_or(0);
  return listed;
}

// ---- vector operands

void bind_sources(binder& b, std::size_t first, const type* types, u32 count) {
  const inst& in = b.in;
  op& o = b.o;
  const bool vop3p = in.raw[0] >> 24 == 0xcc || in.raw[0] >> 23 == 0x1a7;
  const u32 sel = b.op_sel(), sel_hi = in.bits("op_sel_hi").value_or(7),
            neg_lo = in.bits("neg_lo").value_or(0), neg_hi = in.bits("neg_hi").value_or(0);
  for (u32 i = 0; i < count; ++i) {
    source s = b.read(first + i, types[i]);
    const operand_text& a = b.operand(first + i);
    if (is_packed(types[i]) || types[i] == type::pkf32) {
      // sel: bit 0 the low result takes the high part, bit 1 the high result does; neg, abs: sign
      // of low and high part
      s.sel = static_cast<u8>((sel >> i & 1) | (vop3p ? sel_hi >> i & 1 : 1) << 1);
      s.neg = neg_lo >> i & 1;
      s.abs = neg_hi >> i & 1;
      if (s.sel != 2 || s.neg || s.abs) s.plain = false;
      if (types[i] == type::pkf32 && s.k == source::vgpr && (s.sel == 0 || s.sel == 3)) {
        // Both results take the same half: the other register of the pair is not read.
        reg_use& used = b.x.reads.back();
        if (s.sel == 3) ++used.first;
        used.count = 1;
      }
    } else {
      if (is_half(types[i])) {
        const bool high = a.high || (in.halves >> i & 1) || (sel >> i & 1);
        if (high) s.sel = 5;
      }
      if (in.encoding == form::sdwa && i < 2) {
        const auto it = in.modifiers.find(i ? "src1_sel" : "src0_sel");
        if (it != in.modifiers.end()) s.sel = sdwa_select(it->second);
      }
      if (s.neg || s.abs || s.sel != 6) s.plain = false;
    }
    if (s.k == source::imm) {
      // Constants are changed once, here.
      if (!is_packed(types[i]) && types[i] != type::pkf32) s.sel = 6;
      apply_constant_modifiers(s);
      b.spread(s);
    }
    o.src[i] = s;
  }
  if (in.encoding == form::dpp || in.encoding == form::dpp8) parse_dpp(b);
}

void bind_destination(binder& b, std::size_t n, type t) {
  const inst& in = b.in;
  op& o = b.o;
  o.dst = b.write(n, rows_of(t));
  o.dst.t = t;
  o.dst_rows = static_cast<u8>(rows_of(t));
  o.clamp = in.has("clamp");
  const auto times = in.number("mul"), over = in.number("div");
  o.omod = times == 2 ? 1 : times == 4 ? 2 : over == 2 ? 3 : 0;
  if (is_half(t)) {
    const bool high = b.operand(n).high || (in.halves & 8) || (b.op_sel() & 8);
    const bool keep = !b.gfx9() || gfx9_keeps_half(in.name) || high;
    o.dst_half = high ? 2 : keep ? 1 : 3;
    if (in.encoding == form::sdwa) o.dst_half = 0;
    if (o.dst_half == 3) o.dst_half = 0;  // lane kernels of 16-bit types leave the upper half zero
  }
  if (in.encoding == form::sdwa && in.has("dst_sel")) {
    o.dst_sel = sdwa_select(in.modifiers.at("dst_sel"));
    const auto u = in.modifiers.find("dst_unused");
    o.dst_unused = u == in.modifiers.end() || u->second == "UNUSED_PAD" ? 0
                   : u->second == "UNUSED_SEXT"                         ? 1
                                                                        : 2;
  }
  o.post = o.clamp || o.omod || o.dst_half || o.dst_sel != 6;
}

// ---- definitions

const definitions& definitions::all() {
  static const definitions d;
  return d;
}

definitions::definitions() {
  define_salu(*this);
  define_smem(*this);
  define_valu_f32(*this);
  define_valu_int(*this);
  define_valu_16(*this);
  define_valu_64(*this);
  define_valu_convert(*this);
  define_valu_special(*this);
  define_valu_dot(*this);
  define_valu_gfx950(*this);
  define_compare(*this);
  define_lane(*this);
  define_matrix(*this);
  define_lds(*this);
  define_global(*this);
  define_buffer(*this);
}

const definition* definitions::find(const std::string& name) const {
  const auto it = table_.find(name);
  return it == table_.end() ? nullptr : &it->second;
}

void definitions::add(const char* name, build_fn build, const void* payload, u32 half) {
  if (!table_.emplace(name, definition{build, payload, half}).second)
    throw std::logic_error(std::string("instruction defined twice: ") + name);
}

void definitions::add(const valu_def* first, const valu_def* last) {
  for (; first != last; ++first) {
    u32 half = is_half(first->d) ? 8 : 0;
    for (u32 i = 0; i < first->sources; ++i)
      if (is_half(first->s[i])) half |= 1u << i;
    add(first->name, build_valu, first, half);
  }
}

void definitions::alias(const char* name, const char* existing) {
  const auto it = table_.find(existing);
  if (it == table_.end())
    throw std::logic_error(std::string("alias of an unknown instruction: ") + existing);
  const definition d = it->second;
  if (!table_.emplace(name, d).second)
    throw std::logic_error(std::string("instruction defined twice: ") + name);
}

u32 half_operands(const std::string& name) {
  const definition* d = definitions::all().find(name);
  return d ? d->half : 0;
}

// ---- whole kernels

namespace {

void run_unknown(wave& w, const op& o) {
  fault(w, o, o.x->name.empty() ? "unknown encoding" : o.x->name);
}

/// How values that were never written pass through an operation.
flow flow_of(const std::string& n, const op& o, const op_extra& x) {
  const auto starts = [&](const char* p) { return n.rfind(p, 0) == 0; };
  for (const reg_use& u : x.writes)
    if (u.scalar && (u.first == sreg::exec || u.first == sreg::exec + 1)) return flow::report;
  if (starts("s_")) {
    if (x.raises != counter::none || starts("s_cmp") || starts("s_bitcmp") ||
        n.find("exec") != std::string::npos || n.find("pc_b64") != std::string::npos ||
        x.writes.empty())
      return flow::report;
    return flow::carry;
  }
  if (!starts("v_") || starts("v_cmp") || starts("v_readl") || starts("v_readf") ||
      starts("v_mfma") || starts("v_wmma") || o.dst.k != source::vgpr)
    return flow::report;
  if (starts("v_cndmask")) return flow::select;
  if (o.dst.t == type::pkf32 || n == "v_mov_b64") return flow::carry_parts;
  if (n == "v_mad_u64_u32" || n == "v_mad_i64_i32" || n == "v_mad_co_u64_u32" ||
      n == "v_mad_co_i64_i32" || n == "v_lshl_add_u64" || n == "v_lshlrev_b64")
    return flow::carry_low;
  return flow::carry;
}

/// Spells out register ranges.
void flatten(op_extra& x) {
  for (const bool write : {false, true})
    for (const reg_use& u : write ? x.writes : x.reads) {
      if (u.all_lanes || (write && u.half)) x.whole = false;
      for (u32 r = u.first; r < u32{u.first} + u.count; ++r) {
        if (u.scalar) (write ? x.scalar_writes : x.scalar_reads).push_back(static_cast<u8>(r));
        else (write ? x.vector_writes : x.vector_reads).push_back(static_cast<u16>(r));
      }
    }
}

/// Decodes one instruction into `o`; an instruction that is not known becomes one that stops when
/// it is executed.
void build_op(program& p, const inst& in, op& o, op_extra& x) {
  x.text = in.text;
  x.mnemonic = in.mnemonic;
  classify(in.mnemonic, *p.target, x);
  binder b(p, in, o, x);
  const auto give_up = [&](const std::string& why) {
    o = op{};
    o.x = &x;
    o.run = run_unknown;
    x.name = why;
    x.reads.clear();
    x.writes.clear();
  };
  if (const auto dual = in.text.find(" :: "); dual != std::string::npos) {
    inst second = in;
    second.operands.clear();
    second.modifiers.clear();
    parse_line(in.text.substr(dual + 4), second);
    try {
      build_dual(p, in, second, o, x);
      x.undefined = flow::carry;
    } catch (const decode_error& e) {
      give_up(std::string("cannot be decoded: ") + e.what());
    }
    return;
  }
  std::string name = in.name;
  const definitions& defs = definitions::all();
  if (in.has("clamp") && defs.find(name + " clamp")) name += " clamp";
  const definition* d = defs.find(name);
  if (!d && in.encoding != form::plain) d = defs.find(in.mnemonic);
  if (!d) {
    o.run = run_unknown;
    x.name = "is not implemented";
    return;
  }
  try {
    d->build(b, d->payload);
    x.definition = defs.find(name) ? name : in.mnemonic;
    x.undefined = flow_of(in.name, o, x);
  } catch (const decode_error& e) {
    give_up(std::string("cannot be decoded: ") + e.what());
  }
}

}  // namespace

void decode_range(program& p, u64 address, u64 bytes) {
  const code_object& c = *p.object;
  if (p.at_word.empty()) p.at_word.resize(c.text_bytes / 4 + 1);
  disassembler dis(*p.target, p.wave64);
  const u64 end = address + bytes;
  const std::size_t first = p.ops.size();
  // One extra operation after the range stops a wave that runs off its end.
  const auto append_unknown = [&](u64 at, const char* text) {
    op_extra& x = p.extras.emplace_back();
    x.text = text;
    x.name = "unknown encoding";
    op o;
    o.x = &x;
    o.run = run_unknown;
    p.ops.push_back(o);
    p.address.push_back(at);
  };
  for (u64 at = address; at < end;) {
    const u64 word = (at - c.text) / 4;
    if (p.at_word[word]) {
      at += 4;
      continue;
    }
    inst in;
    if (!dis.decode(reinterpret_cast<const u8*>(at), end - at, at, in)) {
      u32 w;
      std::memcpy(&w, reinterpret_cast<const void*>(at), 4);
      char buffer[32];
      std::snprintf(buffer, sizeof buffer, ".long 0x%08x", w);
      p.at_word[word] = static_cast<u32>(p.ops.size()) + 1;
      append_unknown(at, buffer);
      at += 4;
      continue;
    }
    op_extra& x = p.extras.emplace_back();
    op o;
    o.x = &x;
    build_op(p, in, o, x);
    flatten(x);
    p.at_word[word] = static_cast<u32>(p.ops.size()) + 1;
    p.ops.push_back(o);
    p.address.push_back(at);
    at += in.bytes;
  }
  append_unknown(end, "(end of code)");
  // Branches were built with the distance; now that all indices are known they get the index.
  for (std::size_t i = first; i < p.ops.size(); ++i) {
    op& o = p.ops[i];
    if (!o.branches) continue;
    const u64 to = p.address[i] + 4 + static_cast<u64>(o.imm * 4);
    u32 index = 0;
    o.target = p.index_of(to, index) ? index : static_cast<u32>(p.ops.size() - 1);
  }
}

void decode_kernel(program& p, const kernel_info& k) {
  const code_object& c = *p.object;
  u32 ignored;
  if (p.index_of(k.entry, ignored)) return;
  u64 bytes = 0;
  for (const auto& [name, s] : c.symbols)
    if (s.address == k.entry && s.function) bytes = s.size;
  if (!bytes) {
    // A kernel without a size: up to the next symbol or the end.
    u64 end = c.text + c.text_bytes;
    for (const auto& [name, s] : c.symbols)
      if (s.address > k.entry && s.address < end) end = s.address;
    bytes = end - k.entry;
  }
  // Functions that are not kernels may be called.
  std::unordered_set<u64> entries;
  for (const auto& [name, other] : c.kernels) entries.insert(other.entry);
  for (const auto& [name, s] : c.symbols) {
    if (!s.function || s.address < c.text || s.address - c.text >= c.text_bytes || !s.size ||
        entries.count(s.address))
      continue;
    if (!p.index_of(s.address, ignored)) decode_range(p, s.address, s.size);
  }
  decode_range(p, k.entry, bytes);
}

}  // namespace amdsim

/// Calls `each` with the name of every instruction that the simulator knows; for the table of what
/// the tests cover.
extern "C" __attribute__((visibility("default"))) void amdsim_known_instructions(
    void (*each)(const char*)) {
  for (const auto& [name, d] : amdsim::definitions::all().table()) each(name.c_str());
}
