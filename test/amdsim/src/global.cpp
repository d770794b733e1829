// Memory instructions with 64-bit addresses: global, flat, scratch, and scalar loads.
#include <deque>

#include "decode.hpp"
#include "memory.hpp"
#include "valu.hpp"

namespace amdsim {
namespace {

enum class space : u8 { global, flat, scratch };

struct payload_form {
  space where;
  mem_form f;
  const atomic_form* atomic = nullptr;
  bool lds = false;  ///< memory to LDS
};
std::deque<payload_form>& payloads() {
  static std::deque<payload_form> p;
  return p;
}
const payload_form& form_of(const op& o) {
  return *reinterpret_cast<const payload_form*>(
      static_cast<std::uintptr_t>(join(o.x->data[0], o.x->data[1])));
}

/// Address of each lane: flags bit 0: scalar base plus 32-bit register, else 64-bit
/// register (or nothing).
void lane_addresses(wave& w, const op& o, u64* at) {
  const u64 offset = static_cast<u64>(o.imm);
  if (o.flags & 1) {
    const u64 base = w.s64(o.ssrc) + offset;
    if (o.src[0].k == source::vgpr) {
      const u32* v = w.row(o.src[0].reg);
      for (u32 l = 0; l < row_lanes; ++l) at[l] = base + v[l];
    } else {
      for (u32 l = 0; l < row_lanes; ++l) at[l] = base;
    }
    return;
  }
  const u32 *lo = w.row(o.src[0].reg), *hi = w.row(o.src[0].reg + 1u);
  for (u32 l = 0; l < row_lanes; ++l) at[l] = join(lo[l], hi[l]) + offset;
}

bool usable(wave& w, const op& o, u32 lane, u64 at, u32 bytes, bool write) {
  const settings& s = *w.run->set;
  if (!s.global) return true;
  return check_global(
      w, o, lane, at, bytes, 1,
      write);  // any alignment is right in the mode in which drivers set the hardware
}

/// Where a flat address points; global ones stay as they are.
space aperture(u64 at) {
  return high32(at) == high32(shared_aperture)    ? space::flat
         : high32(at) == high32(private_aperture) ? space::scratch
                                                  : space::global;
}

bool read_lane(wave& w, const op& o, u32 lane, u64 at, u32 bytes, u8* out) {
  if (o.counts) {  // flat: may be LDS or scratch
    const space s = aperture(at);
    if (s == space::flat) return lds_read(w, o, lane, low32(at), bytes, out);
    if (s == space::scratch) return scratch_read(w, o, lane, low32(at), bytes, out);
  }
  if (!usable(w, o, lane, at, bytes, false)) {
    std::memset(out, 0xff, bytes);
    return false;
  }
  std::memcpy(out, reinterpret_cast<const void*>(at), bytes);
  return true;
}
void write_lane(wave& w, const op& o, u32 lane, u64 at, u32 bytes, const u8* in) {
  if (o.counts) {
    const space s = aperture(at);
    if (s == space::flat) {
      lds_write(w, o, lane, low32(at), bytes, in);
      return;
    }
    if (s == space::scratch) {
      scratch_write(w, o, lane, low32(at), bytes, in);
      return;
    }
  }
  if (!usable(w, o, lane, at, bytes, true)) return;
  std::memcpy(reinterpret_cast<void*>(at), in, bytes);
}

void load(wave& w, const op& o) {
  const u64 mask = w.exec();
  if (!mask) return;
  u64 at[row_lanes];
  lane_addresses(w, o, at);
  const mem_form& f = form_of(o).f;
  u8 data[16];
  // Several loads may overwrite their own address registers, so addresses were computed first.
  for (u64 m = mask; m; m &= m - 1) {
    const u32 l = static_cast<u32>(__builtin_ctzll(m));
    read_lane(w, o, l, at[l], f.bytes, data);
    if (f.bytes < 4) {
      deliver(w.row(o.dst.reg), l, load_le(data, f.bytes), f);
    } else {
      for (u32 r = 0; r < f.rows; ++r) std::memcpy(w.row(o.dst.reg + r) + l, data + 4 * r, 4);
    }
  }
}

void store(wave& w, const op& o) {
  const u64 mask = w.exec();
  if (!mask) return;
  u64 at[row_lanes];
  lane_addresses(w, o, at);
  const mem_form& f = form_of(o).f;
  u8 data[16];
  for (u64 m = mask; m; m &= m - 1) {
    const u32 l = static_cast<u32>(__builtin_ctzll(m));
    for (u32 r = 0; r < f.rows; ++r) {
      u32 x = w.row(o.src[1].reg + r)[l];
      if (f.half == 2) x >>= 16;
      std::memcpy(data + 4 * r, &x, 4);
    }
    write_lane(w, o, l, at[l], f.bytes, data);
  }
}

/// Memory to LDS: lanes land one after the other from M0 plus the instruction's offset.
void load_to_lds(wave& w, const op& o) {
  const u64 mask = w.exec();
  u64 at[row_lanes];
  lane_addresses(w, o, at);
  const mem_form& f = form_of(o).f;
  const u32 stride = f.bytes < 4 ? 4 : f.bytes,
            base = (w.s[sreg::m0] & 0x3ffffu) + static_cast<u32>(o.imm);
  for (u64 m = mask; m; m &= m - 1) {
    const u32 l = static_cast<u32>(__builtin_ctzll(m));
    u8 data[16] = {};
    read_lane(w, o, l, at[l], f.bytes, data);
    if (f.sign) {
      const i32 x = sign_extend(load_le(data, f.bytes), 8u * f.bytes);
      std::memcpy(data, &x, 4);
    }
    lds_write(w, o, l, u64{base} + u64{stride} * l, stride, data, true);
  }
}

void atomic(wave& w, const op& o) {
  const u64 mask = w.exec();
  if (!mask) return;
  u64 at[row_lanes];
  lane_addresses(w, o, at);
  const atomic_form& f = *form_of(o).atomic;
  const u32 rows = f.bytes / 4u;
  for (u64 m = mask; m; m &= m - 1) {
    const u32 l = static_cast<u32>(__builtin_ctzll(m));
    const auto value = [&](u32 reg) {
      return rows == 2 ? join(w.row(reg)[l], w.row(reg + 1)[l]) : u64{w.row(reg)[l]};
    };
    const u64 data = value(o.src[1].reg), compare = f.compares ? value(o.src[1].reg + rows) : 0;
    u64 old = 0;
    if (o.counts && aperture(at[l]) == space::flat)
      old = lds_atomic(w, o, l, low32(at[l]), f, data, compare);
    else if (!w.run->set->any() || check_global(w, o, l, at[l], f.bytes, f.bytes, true))
      old = atomic_apply(at[l], f, data, compare);
    if (o.dst.k == source::vgpr) {
      w.row(o.dst.reg)[l] = low32(old);
      if (rows == 2) w.row(o.dst.reg + 1u)[l] = high32(old);
    }
  }
}

// ---- scratch: flags bit 1: a vector register holds an offset, bit 2: a scalar one

u32 scratch_offset(const wave& w, const op& o) {
  return static_cast<u32>(o.imm) + (o.flags & 4 ? w.s[o.ssrc] : 0);
}

void scratch_load(wave& w, const op& o) {
  const u64 mask = w.exec();
  if (!mask) return;
  const mem_form& f = form_of(o).f;
  const u32 base = scratch_offset(w, o);
  if (!(o.flags & 2) && f.bytes >= 4 && base % 4 == 0 && base < w.scratch_bytes &&
      w.scratch_bytes - base >= f.bytes) {
    for (u32 r = 0; r < f.rows; ++r) {
      alignas(32) u32 row[row_lanes];
      std::memcpy(row, scratch_at(w, 0, base + 4 * r), 4u * w.lanes);
      write_rows(w, o.dst.reg + r, 1, row, mask);
    }
    return;
  }
  u32 at[row_lanes];
  for (u32 l = 0; l < w.lanes; ++l) at[l] = base + (o.flags & 2 ? w.row(o.src[0].reg)[l] : 0);
  for (u64 m = mask; m; m &= m - 1) {
    const u32 l = static_cast<u32>(__builtin_ctzll(m));
    u8 data[16];
    scratch_read(w, o, l, at[l], f.bytes, data);
    if (f.bytes < 4) deliver(w.row(o.dst.reg), l, load_le(data, f.bytes), f);
    else
      for (u32 r = 0; r < f.rows; ++r) std::memcpy(w.row(o.dst.reg + r) + l, data + 4 * r, 4);
  }
}

void scratch_store(wave& w, const op& o) {
  const u64 mask = w.exec();
  const mem_form& f = form_of(o).f;
  const u32 base = scratch_offset(w, o);
  for (u64 m = mask; m; m &= m - 1) {
    const u32 l = static_cast<u32>(__builtin_ctzll(m));
    u8 data[16];
    for (u32 r = 0; r < f.rows; ++r) {
      u32 x = w.row(o.src[1].reg + r)[l];
      if (f.half == 2) x >>= 16;
      std::memcpy(data + 4 * r, &x, 4);
    }
    scratch_write(w, o, l, base + (o.flags & 2 ? w.row(o.src[0].reg)[l] : 0), f.bytes, data);
  }
}

void remember(binder& b, const payload_form* p) {
  const u64 a = reinterpret_cast<std::uintptr_t>(p);
  b.x.data[0] = low32(a);
  b.x.data[1] = high32(a);
}

/// Vector address at operand `v`, scalar base (or "off") at operand `s`.
void bind_address(binder& b, std::size_t v, std::size_t s, bool flat) {
  op& o = b.o;
  o.imm = b.in.number("offset");
  if (flat || b.operand(s).k == operand_text::kind::off) {
    o.src[0] = b.read(v, type::b64);
    return;
  }
  o.flags |= 1;
  o.ssrc = static_cast<u16>(b.operand(s).reg);
  b.note_scalar_read(o.ssrc, 2);
  if (b.operand(v).k != operand_text::kind::off) o.src[0] = b.read(v, type::b32);
}

source read_data(binder& b, std::size_t n, u32 rows) {
  source s = b.read(n, type::wide);
  if (s.k != source::vgpr) b.refuse("data must be in vector registers");
  s.rows = static_cast<u8>(rows);
  b.x.reads.back().count = s.rows;
  return s;
}

void counts_load(binder& b, bool flat) {
  b.x.raises = counter::load;
  if (flat) b.x.raises_too = counter::lds;
}
void counts_store(binder& b, bool flat) {
  b.x.raises = b.gfx9() ? counter::load : counter::store;
  if (flat) b.x.raises_too = counter::lds;
}

void build_load(binder& b, const void* payload) {
  const auto& p = *static_cast<const payload_form*>(payload);
  const bool flat = p.where == space::flat;
  op& o = b.o;
  remember(b, &p);
  o.counts = flat;
  if (p.lds) {
    bind_address(b, 0, 1, false);
    b.note_scalar_read(sreg::m0, 1);
    o.run = load_to_lds;
  } else {
    bind_address(b, 1, 2, flat);
    o.dst = b.write(0, p.f.rows);
    if (p.f.half) b.x.writes.back().half = true;
    o.run = load;
  }
  counts_load(b, flat);
}
void build_store(binder& b, const void* payload) {
  const auto& p = *static_cast<const payload_form*>(payload);
  const bool flat = p.where == space::flat;
  remember(b, &p);
  b.o.counts = flat;
  bind_address(b, 0, 2, flat);
  b.o.src[1] = read_data(b, 1, p.f.rows);
  b.o.run = store;
  counts_store(b, flat);
}
void build_atomic(binder& b, const void* payload) {
  const auto& p = *static_cast<const payload_form*>(payload);
  const bool flat = p.where == space::flat;
  const u32 rows = p.atomic->bytes / 4u;
  remember(b, &p);
  b.o.counts = flat;
  b.prog.global_atomics = true;
  // With a result there is one operand more, the destination.
  const std::size_t first = b.count() - (flat ? 2u : 3u);
  if (first > 1) b.refuse("operands of an atomic");
  bind_address(b, first, first + 2, flat);
  b.o.src[1] = read_data(b, first + 1, rows * (p.atomic->compares ? 2 : 1));
  if (first) {
    b.o.dst = b.write(0, rows);
    counts_load(b, flat);
  } else {
    counts_store(b, flat);
  }
  b.o.run = atomic;
}

void bind_scratch(binder& b, std::size_t v, std::size_t s) {
  op& o = b.o;
  o.imm = b.in.number("offset");
  if (b.operand(v).k != operand_text::kind::off) {
    o.src[0] = b.read(v, type::b32);
    o.flags |= 2;
  }
  if (b.operand(s).k != operand_text::kind::off) {
    o.ssrc = static_cast<u16>(b.operand(s).reg);
    b.note_scalar_read(o.ssrc, 1);
    o.flags |= 4;
  }
  b.x.scratch = true;
}
void build_scratch_load(binder& b, const void* payload) {
  const auto& p = *static_cast<const payload_form*>(payload);
  remember(b, &p);
  bind_scratch(b, 1, 2);
  b.o.dst = b.write(0, p.f.rows);
  if (p.f.half) b.x.writes.back().half = true;
  b.o.run = scratch_load;
  counts_load(b, false);
}
void build_scratch_store(binder& b, const void* payload) {
  const auto& p = *static_cast<const payload_form*>(payload);
  remember(b, &p);
  bind_scratch(b, 0, 2);
  b.o.src[1] = read_data(b, 1, p.f.rows);
  b.o.run = scratch_store;
  counts_store(b, false);
}

// ---- gfx12: transposing loads. 16 lanes bring the rows of a matrix, each gets a column. flags:
// bits per element in data[2]

void load_transposed(wave& w, const op& o) {
  const u64 mask = w.exec();
  u64 at[row_lanes];
  lane_addresses(w, o, at);
  const u32 bits = o.x->data[2], bytes = form_of(o).f.bytes,
            per = 8 * bytes / bits;  // elements a lane holds
  u8 raw[row_lanes][16] = {};
  for (u64 m = mask; m; m &= m - 1) {
    const u32 l = static_cast<u32>(__builtin_ctzll(m));
    read_lane(w, o, l, at[l], bytes, raw[l]);
  }
  // Lane l brings row l % 16 of the half l / 16; element e of lane l is then row per * (l / 16) + e
  // of column l % 16.
  for (u32 l = 0; l < w.lanes; ++l) {
    if (!(mask >> l & 1)) continue;
    u8 out[16] = {};
    for (u32 e = 0; e < per; ++e) {
      const u32 row = per * (l / 16) + e, column = l % 16;
      const u32 from = row % 16 + 16 * (column / per), element = column % per;
      std::memcpy(out + e * bits / 8, raw[from] + element * bits / 8, bits / 8);
    }
    for (u32 r = 0; r < bytes / 4; ++r) std::memcpy(w.row(o.dst.reg + r) + l, out + 4 * r, 4);
  }
}
void build_transposed(binder& b, const void* payload) {
  build_load(b, payload);
  if (b.prog.wave64) b.refuse("transposing load in wave64");
  b.x.data[2] = static_cast<const payload_form*>(payload)->f.bytes == 16 ? 16 : 8;
  b.o.run = load_transposed;
}

void nothing(wave&, const op&) {}
void build_cache(binder& b, const void*) { b.o.run = nothing; }

}  // namespace

void define_global(definitions& d) {
  const auto add = [&](const std::string& name, build_fn build, space s, const mem_form& f,
                       const atomic_form* a = nullptr, bool lds = false) {
    payloads().push_back({s, f, a, lds});
    d.add(name.c_str(), build, &payloads().back());
  };
  for (u32 i = 0; i < load_form_count; ++i) {
    const mem_form& f = load_forms[i];
    const std::string s = f.suffix;
    add("global_load_" + s, build_load, space::global, f);
    add("flat_load_" + s, build_load, space::flat, f);
    add("scratch_load_" + s, build_scratch_load, space::scratch, f);
    if (!f.half) add("global_load_lds_" + s, build_load, space::global, f, nullptr, true);
  }
  for (u32 i = 0; i < store_form_count; ++i) {
    const mem_form& f = store_forms[i];
    const std::string s = f.suffix;
    add("global_store_" + s, build_store, space::global, f);
    add("flat_store_" + s, build_store, space::flat, f);
    add("scratch_store_" + s, build_scratch_store, space::scratch, f);
  }
  for (u32 i = 0; i < atomic_form_count; ++i) {
    const atomic_form& a = atomic_forms[i];
    const mem_form f{"", a.bytes, static_cast<u8>(a.bytes / 4), false, 0};
    const bool same = std::string(a.name) == a.name11;
    for (u32 spelling = 0; spelling < (same ? 1u : 2u); ++spelling) {
      const char* n = spelling ? a.name11 : a.name;
      if (!*n) continue;
      add(std::string("global_atomic_") + n, build_atomic, space::global, f, &a);
      add(std::string("flat_atomic_") + n, build_atomic, space::flat, f, &a);
    }
  }
  add("global_load_tr_b128", build_transposed, space::global, {"", 16, 4, false, 0});
  add("global_load_tr_b64", build_transposed, space::global, {"", 8, 2, false, 0});
  for (const char* n :
       {"global_inv", "global_wb", "global_wbinv", "buffer_inv", "buffer_wbl2", "buffer_invl2",
        "buffer_wbinvl1", "buffer_wbinvl1_vol", "buffer_gl0_inv", "buffer_gl1_inv"})
    d.add(n, build_cache);
}

// ---- scalar loads

namespace {

struct scalar_load {
  const char* name;
  u8 bytes;
  u8 registers;
  bool sign;
};
constexpr scalar_load scalar_loads[] = {
    {"dword", 4, 1, false},    {"dwordx2", 8, 2, false},    {"dwordx4", 16, 4, false},
    {"dwordx8", 32, 8, false}, {"dwordx16", 64, 16, false}, {"b32", 4, 1, false},
    {"b64", 8, 2, false},      {"b96", 12, 3, false},       {"b128", 16, 4, false},
    {"b256", 32, 8, false},    {"b512", 64, 16, false},     {"u8", 1, 1, false},
    {"i8", 1, 1, true},        {"u16", 2, 1, false},        {"i16", 2, 1, true},
};

/// flags: bit 0 buffer descriptor, bit 1 a register offset in src[0], bit 2 sign, counts: bytes
void run_scalar_load(wave& w, const op& o) {
  u64 offset = static_cast<u64>(o.imm);
  if (o.flags & 2) offset += read32(w, o.src[0]);
  const u32 bytes = o.counts;
  u64 at = w.s64(o.ssrc);
  u64 limit = ~u64{0};
  if (o.flags & 1) {
    at &= 0xffffffffffffu;
    const u32 stride = w.s[o.ssrc + 1] >> 16 & 0x3fff;
    limit = u64{w.s[o.ssrc + 2]} * (stride ? stride : 1);
  }
  if (bytes >= 4) offset &= ~u64{3};
  const u64 begin = bytes >= 4 ? (at & ~u64{3}) + offset : at + offset;
  u32 data[16] = {};
  if (o.flags & 1) {
    for (u32 i = 0; i < bytes; i += 4)
      if (offset + i + 4 <= limit &&
          (!w.run->set->global || check_global(w, o, 0, begin + i, 4, 1, false)))
        std::memcpy(data + i / 4, reinterpret_cast<const void*>(begin + i), bytes < 4 ? bytes : 4);
  } else if (!w.run->set->global || check_global(w, o, 0, begin, bytes, 1, false)) {
    std::memcpy(data, reinterpret_cast<const void*>(begin), bytes);
  }
  if (bytes < 4 && (o.flags & 4)) data[0] = static_cast<u32>(sign_extend(data[0], 8 * bytes));
  if (o.sdst != sreg::null) std::memcpy(w.s + o.sdst, data, (bytes + 3) / 4 * 4);
}

void build_scalar_load(binder& b, const void* payload) {
  const auto& f = *static_cast<const scalar_load*>(payload);
  const bool buffer = b.in.name.rfind("s_buffer", 0) == 0;
  op& o = b.o;
  o.counts = f.bytes;
  o.flags = static_cast<u8>((buffer ? 1 : 0) | (f.sign ? 4 : 0));
  const operand_text& base = b.operand(1);
  if (base.k != operand_text::kind::sgpr) b.refuse("scalar base");
  o.ssrc = static_cast<u16>(base.reg);
  b.note_scalar_read(base.reg, buffer ? 3 : 2);
  const operand_text& offset = b.operand(2);
  o.imm = b.in.number("offset");
  if (offset.k == operand_text::kind::integer) {
    o.imm += offset.value;
  } else if (offset.k == operand_text::kind::sgpr && offset.reg != sreg::null) {
    o.src[0] = b.scalar(2, type::b32);
    o.flags |= 2;
  }
  o.sdst = b.write_scalar(0, f.registers);
  b.x.raises = counter::scalar;
  o.run = run_scalar_load;
}

void build_time(binder& b, const void*) {
  b.o.sdst = b.write_scalar(0, 2);
  b.x.raises = counter::scalar;
  b.o.run = [](wave& w, const op& o) {
    w.set64(o.sdst, w.total);
  };  // time is counted in instructions
}

}  // namespace

void define_smem(definitions& d) {
  for (const scalar_load& f : scalar_loads) {
    d.add((std::string("s_load_") + f.name).c_str(), build_scalar_load, &f);
    d.add((std::string("s_buffer_load_") + f.name).c_str(), build_scalar_load, &f);
  }
  d.add("s_memtime", build_time);
  d.add("s_memrealtime", build_time);
}

}  // namespace amdsim
