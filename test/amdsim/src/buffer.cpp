// Buffer instructions: addresses from a four-register descriptor, with its range
// rules and swizzles.
#include <deque>

#include "decode.hpp"
#include "memory.hpp"
#include "valu.hpp"

namespace amdsim {
namespace {

struct buffer_form {
  mem_form f;
  const atomic_form* atomic = nullptr;
};
std::deque<buffer_form>& forms() {
  static std::deque<buffer_form> f;
  return f;
}
const buffer_form& form_of(const op& o) {
  return *reinterpret_cast<const buffer_form*>(
      static_cast<std::uintptr_t>(join(o.x->data[0], o.x->data[1])));
}

/// A decoded buffer descriptor.
struct descriptor {
  u64 base;
  u32 stride, records, index_stride;
  bool swizzle, add_tid;
  u32 range_rule;  ///< gfx11, gfx12: OOB_SELECT; gfx9: 4
};
descriptor read_descriptor(const wave& w, const op& o) {
  const u32* s = w.s + o.ssrc;
  descriptor d{};
  const bool gfx9 = w.prog->target->gen == family::gfx9;
  d.base = join(s[0], s[1] & 0xffffu);
  d.stride = s[1] >> 16 & 0x3fffu;
  d.records = s[2];
  d.swizzle = gfx9 ? s[1] >> 31 : (s[1] >> 30) != 0;
  d.add_tid = s[3] >> 23 & 1;
  d.index_stride = 8u << (s[3] >> 21 & 3u);
  d.range_rule = gfx9 ? 4 : s[3] >> 28 & 3u;
  return d;
}

struct lane_place {
  u64 at;      ///< address, if in range
  u64 linear;  ///< bytes from the base that the range rule looks at
  u32 index, offset;
};

/// flags: bit 0 offen, bit 1 idxen
lane_place place(wave& w, const op& o, const descriptor& d, u32 soffset, u32 lane) {
  u32 reg = o.src[0].reg;
  u32 index = o.flags & 2 ? w.row(reg++)[lane] : 0;
  u32 offset = static_cast<u32>(o.imm) + (o.flags & 1 ? w.row(reg)[lane] : 0);
  if (d.add_tid) index += lane;
  lane_place p{0, u64{d.stride} * index + offset, index, offset};
  if (d.swizzle) {
    const u64 n = d.index_stride, rest = index % n;
    p.at = d.base + soffset + (index / n) * n * d.stride + (u64{offset} / 4) * 4 * n + rest * 4 +
           offset % 4;
  } else {
    p.at = d.base + soffset + p.linear;
  }
  return p;
}

/// Whether the `bytes` at `skip` of the lane's element lie in range. The scalar
/// offset is not looked at.
bool in_range(const descriptor& d, const lane_place& p, u32 skip, u32 bytes) {
  // scratch: the segment's own size is checked by its allocation
  if (d.swizzle && d.add_tid) return true;
  switch (d.range_rule) {
    case 0:
      return p.index < d.records && (d.stride == 0 || u64{p.offset} + skip + bytes <= d.stride);
    case 1: return p.index < d.records;
    case 2: return d.records != 0;
    case 4:
      if (d.swizzle && d.stride)
        return p.index < d.records && u64{p.offset} + skip + bytes <= d.stride;
      [[fallthrough]];
    default: return p.linear + skip + bytes <= d.records;
  }
}

bool usable(wave& w, const op& o, u32 lane, u64 at, u32 bytes, bool write) {
  const settings& s = *w.run->set;
  if (!s.global) return true;
  return check_global(
      w, o, lane, at, bytes, 1,
      write);  // any alignment is right in the mode in which drivers set the hardware
}

/// Reads what is in range; the rest is zero.
void read_lane(wave& w, const op& o, const descriptor& d, const lane_place& p, u32 lane, u32 bytes,
               u8* out) {
  std::memset(out, 0, 16);
  const u32 step = bytes < 4 ? bytes : 4;
  for (u32 i = 0; i < bytes; i += step) {
    const u64 at = p.at + (d.swizzle ? i / 4 * 4u * d.index_stride : i);
    if (in_range(d, p, i, step) && usable(w, o, lane, at, step, false))
      std::memcpy(out + i, reinterpret_cast<const void*>(at), step);
  }
}

u32 scalar_offset(const wave& w, const op& o) { return read32(w, o.src[2]); }

void load(wave& w, const op& o) {
  const u64 mask = w.exec();
  const descriptor d = read_descriptor(w, o);
  const u32 soffset = scalar_offset(w, o);
  const mem_form& f = form_of(o).f;
  lane_place places[row_lanes];
  for (u64 m = mask; m; m &= m - 1) {
    const u32 l = static_cast<u32>(__builtin_ctzll(m));
    places[l] = place(w, o, d, soffset, l);
  }
  for (u64 m = mask; m; m &= m - 1) {
    const u32 l = static_cast<u32>(__builtin_ctzll(m));
    u8 data[16];
    read_lane(w, o, d, places[l], l, f.bytes, data);
    if (f.bytes < 4) deliver(w.row(o.dst.reg), l, load_le(data, f.bytes), f);
    else
      for (u32 r = 0; r < f.rows; ++r) std::memcpy(w.row(o.dst.reg + r) + l, data + 4 * r, 4);
  }
}

void load_to_lds(wave& w, const op& o) {
  const u64 mask = w.exec();
  const descriptor d = read_descriptor(w, o);
  const u32 soffset = scalar_offset(w, o);
  const mem_form& f = form_of(o).f;
  const u32 stride = f.bytes < 4 ? 4 : f.bytes,
            base = (w.s[sreg::m0] & 0x3ffffu) + static_cast<u32>(o.imm);
  for (u64 m = mask; m; m &= m - 1) {
    const u32 l = static_cast<u32>(__builtin_ctzll(m));
    u8 data[16];
    read_lane(w, o, d, place(w, o, d, soffset, l), l, f.bytes, data);
    if (f.sign) {
      const i32 x = sign_extend(load_le(data, f.bytes), 8u * f.bytes);
      std::memcpy(data, &x, 4);
    }
    lds_write(w, o, l, u64{base} + u64{stride} * l, stride, data, true);
  }
}

void store(wave& w, const op& o) {
  const u64 mask = w.exec();
  const descriptor d = read_descriptor(w, o);
  const u32 soffset = scalar_offset(w, o);
  const mem_form& f = form_of(o).f;
  for (u64 m = mask; m; m &= m - 1) {
    const u32 l = static_cast<u32>(__builtin_ctzll(m));
    const lane_place p = place(w, o, d, soffset, l);
    const u32 step = f.bytes < 4 ? f.bytes : 4;
    for (u32 i = 0; i < f.bytes; i += step) {
      u32 x = w.row(o.src[1].reg + i / 4)[l];
      if (f.half == 2) x >>= 16;
      const u64 at = p.at + (d.swizzle ? i / 4 * 4u * d.index_stride : i);
      if (in_range(d, p, i, step) && usable(w, o, l, at, step, true))
        std::memcpy(reinterpret_cast<void*>(at), &x, step);
    }
  }
}

void atomic(wave& w, const op& o) {
  const u64 mask = w.exec();
  const descriptor d = read_descriptor(w, o);
  const u32 soffset = scalar_offset(w, o);
  const atomic_form& f = *form_of(o).atomic;
  const u32 rows = f.bytes / 4u;
  for (u64 m = mask; m; m &= m - 1) {
    const u32 l = static_cast<u32>(__builtin_ctzll(m));
    const lane_place p = place(w, o, d, soffset, l);
    const auto value = [&](u32 reg) {
      return rows == 2 ? join(w.row(reg)[l], w.row(reg + 1)[l]) : u64{w.row(reg)[l]};
    };
    u64 old = 0;
    if (in_range(d, p, 0, f.bytes) &&
        (!w.run->set->any() || check_global(w, o, l, p.at, f.bytes, f.bytes, true)))
      old = atomic_apply(p.at, f, value(o.src[1].reg), f.compares ? value(o.src[1].reg + rows) : 0);
    if (o.flags & 4) {
      w.row(o.src[1].reg)[l] = low32(old);
      if (rows == 2) w.row(o.src[1].reg + 1u)[l] = high32(old);
    }
  }
}

void bind_descriptor(binder& b, std::size_t vaddr, std::size_t first) {
  op& o = b.o;
  if (b.in.has("offen")) o.flags |= 1;
  if (b.in.has("idxen")) o.flags |= 2;
  if (b.in.has("addr64")) b.refuse("addr64");
  if (b.in.has("tfe")) b.refuse("tfe");
  if (o.flags & 3) {
    source s = b.read(vaddr, type::wide);
    if (s.k != source::vgpr) b.refuse("address must be a vector register");
    o.src[0] = s;
  }
  o.ssrc = static_cast<u16>(b.operand(first).reg);
  b.note_scalar_read(o.ssrc, 4);
  o.src[2] = b.scalar(first + 1, type::u32);
  o.imm = b.in.number("offset");
}

void remember(binder& b, const buffer_form* p) {
  const u64 a = reinterpret_cast<std::uintptr_t>(p);
  b.x.data[0] = low32(a);
  b.x.data[1] = high32(a);
}

void build_load(binder& b, const void* payload) {
  const auto& p = *static_cast<const buffer_form*>(payload);
  remember(b, &p);
  const bool lds = b.in.has("lds") || b.in.name.find("_lds") != std::string::npos;
  // The LDS form has no data register; with "off" as its address LLVM prints either
  // nothing or "off".
  std::size_t vaddr = lds ? 0 : 1, first = vaddr + 1;
  if (lds && b.operand(0).k == operand_text::kind::sgpr) first = 0;
  if (lds && b.operand(0).k == operand_text::kind::off) first = 1;
  bind_descriptor(b, vaddr, first);
  b.x.raises = counter::load;
  if (lds) {
    b.note_scalar_read(sreg::m0, 1);
    b.o.run = load_to_lds;
    return;
  }
  b.o.dst = b.write(0, p.f.rows);
  if (p.f.half) b.x.writes.back().half = true;
  b.o.run = load;
}
source read_data(binder& b, std::size_t n, u32 rows) {
  source s = b.read(n, type::wide);
  if (s.k != source::vgpr) b.refuse("data must be in vector registers");
  s.rows = static_cast<u8>(rows);
  b.x.reads.back().count = s.rows;
  return s;
}
void build_store(binder& b, const void* payload) {
  const auto& p = *static_cast<const buffer_form*>(payload);
  remember(b, &p);
  b.o.src[1] = read_data(b, 0, p.f.rows);
  bind_descriptor(b, 1, 2);
  b.x.raises = b.gfx9() ? counter::load : counter::store;
  b.o.run = store;
}
void build_atomic(binder& b, const void* payload) {
  const auto& p = *static_cast<const buffer_form*>(payload);
  remember(b, &p);
  b.prog.global_atomics = true;
  const u32 rows = p.atomic->bytes / 4u;
  b.o.src[1] = read_data(b, 0, rows * (p.atomic->compares ? 2 : 1));
  const auto th = b.in.modifiers.find("th");
  const bool returns = b.in.has("glc") || b.in.has("sc0") ||
                       (th != b.in.modifiers.end() &&
                        th->second.find("RETURN") != std::string::npos);
  bind_descriptor(b, 1, 2);
  if (returns) {
    b.o.flags |= 4;
    b.write(0, rows);
    b.x.raises = counter::load;
  } else {
    b.x.raises = b.gfx9() ? counter::load : counter::store;
  }
  b.o.run = atomic;
}

}  // namespace

void define_buffer(definitions& d) {
  const auto add = [&](const std::string& name, build_fn build, const mem_form& f,
                       const atomic_form* a = nullptr) {
    forms().push_back({f, a});
    d.add(name.c_str(), build, &forms().back());
  };
  for (u32 i = 0; i < load_form_count; ++i) {
    add(std::string("buffer_load_") + load_forms[i].suffix, build_load, load_forms[i]);
    if (!load_forms[i].half && load_forms[i].rows == 1)
      add(std::string("buffer_load_lds_") + load_forms[i].suffix, build_load, load_forms[i]);
  }
  for (u32 i = 0; i < store_form_count; ++i)
    add(std::string("buffer_store_") + store_forms[i].suffix, build_store, store_forms[i]);
  for (u32 i = 0; i < atomic_form_count; ++i) {
    const atomic_form& a = atomic_forms[i];
    const mem_form f{"", a.bytes, static_cast<u8>(a.bytes / 4), false, 0};
    const bool same = std::string(a.name) == a.name11;
    for (u32 spelling = 0; spelling < (same ? 1u : 2u); ++spelling) {
      const char* n = spelling ? a.name11 : a.name;
      if (!*n) continue;
      add(std::string("buffer_atomic_") + n, build_atomic, f, &a);
    }
  }
}

}  // namespace amdsim
