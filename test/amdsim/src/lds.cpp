// LDS instructions, and the lane exchanges that go through its crossbar.
#include <deque>

#include "decode.hpp"
#include "memory.hpp"
#include "valu.hpp"

namespace amdsim {
namespace {

struct lds_form {
  mem_form f;
  const atomic_form* atomic = nullptr;
  bool two = false;       ///< two addresses
  bool stride64 = false;  ///< their offsets count 64 elements
  bool returns = false;
};
std::deque<lds_form>& forms() {
  static std::deque<lds_form> f;
  return f;
}
const lds_form& form_of(const op& o) {
  return *reinterpret_cast<const lds_form*>(
      static_cast<std::uintptr_t>(join(o.x->data[0], o.x->data[1])));
}

/// LDS access has its natural alignment; 12 bytes need 4.
u32 alignment_of(u32 bytes) { return bytes == 12 ? 4 : bytes; }

void check_alignment(wave& w, const op& o, const u32* base, u32 offset, u32 bytes, u64 mask) {
  if (!w.run->set->align) return;
  const u32 a = alignment_of(bytes);  // a power of two
  u32 low = 0;
  const u32* in = w.expand(mask);
  for (u32 l = 0; l < w.lanes; ++l) low |= (base[l] + offset) & in[l];
  if (!(low & (a - 1))) return;
  for (u64 m = mask; m; m &= m - 1) {
    const u32 l = static_cast<u32>(__builtin_ctzll(m));
    if ((base[l] + offset) & (a - 1)) {
      report_alignment(w, o, l, base[l] + offset, a, "LDS");
      return;
    }
  }
}

/// Whether all lanes of the mask lie inside LDS, so that the plain loops below need
/// not look at each lane.
bool all_inside(const wave& w, const u32* base, u32 bytes, u64 mask) {
  const u64 size = w.g->lds_bytes;
  u64 worst = 0;
  for (u64 m = mask; m; m &= m - 1) {
    const u64 a = u64{base[__builtin_ctzll(m)]} + bytes;
    worst = a > worst ? a : worst;
  }
  return worst <= size;
}

template <u32 Rows>
void read_plain(wave& w, const u32* base, u32 reg, u64 mask) {
  const u8* lds = w.g->lds;
  u32* out = w.row(reg);
  if (mask == w.full) {
    for (u32 l = 0; l < w.lanes; ++l) {
      u32 data[Rows];
      std::memcpy(data, lds + base[l], 4 * Rows);
      for (u32 r = 0; r < Rows; ++r) out[r * row_lanes + l] = data[r];
    }
    return;
  }
  for (u64 m = mask; m; m &= m - 1) {
    const u32 l = static_cast<u32>(__builtin_ctzll(m));
    u32 data[Rows];
    std::memcpy(data, lds + base[l], 4 * Rows);
    for (u32 r = 0; r < Rows; ++r) out[r * row_lanes + l] = data[r];
  }
}
template <u32 Rows>
void write_plain(wave& w, const u32* base, u32 reg, u64 mask) {
  u8* lds = w.g->lds;
  const u32* in = w.row(reg);
  for (u64 m = mask; m; m &= m - 1) {
    const u32 l = static_cast<u32>(__builtin_ctzll(m));
    u32 data[Rows];
    for (u32 r = 0; r < Rows; ++r) data[r] = in[r * row_lanes + l];
    std::memcpy(lds + base[l], data, 4 * Rows);
  }
}

void read_at(wave& w, const op& o, const u32* start, u32 offset, u32 reg, const mem_form& f,
             u64 mask) {
  alignas(32) u32 base[row_lanes];
  // addresses wrap: compilers make the register negative
  for (u32 l = 0; l < row_lanes; ++l) base[l] = start[l] + offset;
  if (f.bytes >= 4 && !f.half && all_inside(w, base, f.bytes, mask)) {
    if (w.g->shadow) check_lds_lanes(w, o, base, mask, f.bytes, lds_access::read);
    switch (f.rows) {
      case 1: return read_plain<1>(w, base, reg, mask);
      case 2: return read_plain<2>(w, base, reg, mask);
      case 3: return read_plain<3>(w, base, reg, mask);
      default: return read_plain<4>(w, base, reg, mask);
    }
  }
  u8 data[16];
  for (u64 m = mask; m; m &= m - 1) {
    const u32 l = static_cast<u32>(__builtin_ctzll(m));
    lds_read(w, o, l, base[l], f.bytes, data);
    if (f.bytes < 4) deliver(w.row(reg), l, load_le(data, f.bytes), f);
    else
      for (u32 r = 0; r < f.rows; ++r) std::memcpy(w.row(reg + r) + l, data + 4 * r, 4);
  }
}

void write_at(wave& w, const op& o, const u32* start, u32 offset, u32 reg, const mem_form& f,
              u64 mask) {
  alignas(32) u32 base[row_lanes];
  // addresses wrap: compilers make the register negative
  for (u32 l = 0; l < row_lanes; ++l) base[l] = start[l] + offset;
  if (f.bytes >= 4 && all_inside(w, base, f.bytes, mask)) {
    if (w.g->shadow) check_lds_lanes(w, o, base, mask, f.bytes, lds_access::write);
    switch (f.rows) {
      case 1: return write_plain<1>(w, base, reg, mask);
      case 2: return write_plain<2>(w, base, reg, mask);
      case 3: return write_plain<3>(w, base, reg, mask);
      default: return write_plain<4>(w, base, reg, mask);
    }
  }
  u8 data[16];
  for (u64 m = mask; m; m &= m - 1) {
    const u32 l = static_cast<u32>(__builtin_ctzll(m));
    for (u32 r = 0; r < f.rows; ++r) {
      u32 x = w.row(reg + r)[l];
      if (f.half == 2) x >>= 16;
      std::memcpy(data + 4 * r, &x, 4);
    }
    lds_write(w, o, l, base[l], f.bytes, data);
  }
}

void start(wave& w, const op& o, u32* base, u64 mask, u32 bytes) {
  std::memcpy(base, w.row(o.src[0].reg), sizeof(u32) * row_lanes);
  check_alignment(w, o, base, o.x->data[2], bytes, mask);
  if (form_of(o).two) check_alignment(w, o, base, o.x->data[3], bytes, mask);
  if (w.run->profiling()) profile_lds(w, o, base, &o.x->data[2], form_of(o).two ? 2 : 1, bytes);
}

void ds_read(wave& w, const op& o) {
  const u64 mask = w.exec();
  const lds_form& p = form_of(o);
  alignas(32) u32 base[row_lanes];  // a copy: the destination may be the address register
  start(w, o, base, mask, p.f.bytes);
  if (!mask) return;
  read_at(w, o, base, o.x->data[2], o.dst.reg, p.f, mask);
  if (p.two) read_at(w, o, base, o.x->data[3], o.dst.reg + p.f.rows, p.f, mask);
}
void ds_write(wave& w, const op& o) {
  const u64 mask = w.exec();
  const lds_form& p = form_of(o);
  alignas(32) u32 base[row_lanes];
  start(w, o, base, mask, p.f.bytes);
  if (!mask) return;
  write_at(w, o, base, o.x->data[2], o.src[1].reg, p.f, mask);
  if (p.two) write_at(w, o, base, o.x->data[3], o.src[2].reg, p.f, mask);
}
void ds_atomic(wave& w, const op& o) {
  const u64 mask = w.exec();
  const lds_form& p = form_of(o);
  const atomic_form& f = *p.atomic;
  const u32 rows = f.bytes / 4u;
  alignas(32) u32 base[row_lanes];
  start(w, o, base, mask, f.bytes);
  for (u64 m = mask; m; m &= m - 1) {
    const u32 l = static_cast<u32>(__builtin_ctzll(m));
    const auto value = [&](u32 reg) {
      return rows == 2 ? join(w.row(reg)[l], w.row(reg + 1)[l]) : u64{w.row(reg)[l]};
    };
    const u64 a = value(o.src[1].reg), c = f.compares ? value(o.src[2].reg) : 0;
    const u64 old = lds_atomic(w, o, l, base[l] + o.x->data[2], f, a, c);
    if (p.returns) {
      w.row(o.dst.reg)[l] = low32(old);
      if (rows == 2) w.row(o.dst.reg + 1u)[l] = high32(old);
    }
  }
}

void bind_offsets(binder& b, const lds_form& p) {
  const u64 a = reinterpret_cast<std::uintptr_t>(&p);
  b.x.data[0] = low32(a);
  b.x.data[1] = high32(a);
  const u32 bytes = p.atomic ? p.atomic->bytes : p.f.bytes,
            scale = p.stride64 ? 64u * bytes : bytes;
  if (p.two) {
    b.x.data[2] = static_cast<u32>(b.in.number("offset0")) * scale;
    b.x.data[3] = static_cast<u32>(b.in.number("offset1")) * scale;
  } else {
    b.x.data[2] = static_cast<u32>(b.in.number("offset"));
  }
  if (b.in.has("gds")) b.refuse("GDS");
}

source read_rows(binder& b, std::size_t n, u32 rows) {
  source s = b.read(n, type::wide);
  if (s.k != source::vgpr) b.refuse("data must be in vector registers");
  s.rows = static_cast<u8>(rows);
  b.x.reads.back().count = s.rows;
  return s;
}

void build_read(binder& b, const void* payload) {
  const auto& p = *static_cast<const lds_form*>(payload);
  bind_offsets(b, p);
  b.o.src[0] = b.read(1, type::b32);
  b.o.dst = b.write(0, p.f.rows * (p.two ? 2u : 1u));
  if (p.f.half) b.x.writes.back().half = true;
  b.x.raises = counter::lds;
  b.o.run = ds_read;
}
void build_write(binder& b, const void* payload) {
  const auto& p = *static_cast<const lds_form*>(payload);
  bind_offsets(b, p);
  b.o.src[0] = b.read(0, type::b32);
  b.o.src[1] = read_rows(b, 1, p.f.rows);
  if (p.two) b.o.src[2] = read_rows(b, 2, p.f.rows);
  b.x.raises = counter::lds;
  b.o.run = ds_write;
}
void build_atomic(binder& b, const void* payload) {
  const auto& p = *static_cast<const lds_form*>(payload);
  const u32 rows = p.atomic->bytes / 4u;
  bind_offsets(b, p);
  const std::size_t first = p.returns ? 1 : 0;
  b.o.src[0] = b.read(first, type::b32);
  b.o.src[1] = read_rows(b, first + 1, rows);
  if (p.atomic->compares) {
    // ds_cmpst gives the value to compare first, ds_cmpstore the data.
    b.o.src[2] = read_rows(b, first + 2, rows);
    if (b.in.name.find("cmpst_") != std::string::npos) std::swap(b.o.src[1], b.o.src[2]);
  }
  if (p.returns) b.o.dst = b.write(0, rows);
  b.x.raises = counter::lds;
  b.o.run = ds_atomic;
}

// ---- exchanges

void bpermute(wave& w, const op& o) {
  const u64 mask = w.exec();
  if (!mask) return;
  alignas(32) u32 result[row_lanes];
  const u32 *index = w.row(o.src[0].reg), *data = w.row(o.src[1].reg);
  const u32 offset = o.x->data[2];
  for (u32 l = 0; l < w.lanes; ++l) {
    const u32 from = (index[l] + offset) / 4 & (w.lanes - 1);
    result[l] = mask >> from & 1 || (o.flags & 1) ? data[from] : 0;
  }
  write_rows(w, o.dst.reg, 1, result, mask);
}
void permute(wave& w, const op& o) {
  const u64 mask = w.exec();
  if (!mask) return;
  alignas(32) u32 result[row_lanes] = {};
  const u32 *index = w.row(o.src[0].reg), *data = w.row(o.src[1].reg);
  for (u64 m = mask; m; m &= m - 1) {
    const u32 l = static_cast<u32>(__builtin_ctzll(m));
    result[(index[l] + o.x->data[2]) / 4 & (w.lanes - 1)] = data[l];
  }
  write_rows(w, o.dst.reg, 1, result, mask);
}
void build_permute(binder& b, const void* payload) {
  b.o.src[0] = b.read(1, type::b32);
  b.o.src[1] = b.read(2, type::b32);
  b.o.dst = b.write(0, 1);
  b.x.data[2] = static_cast<u32>(b.in.number("offset"));
  b.x.raises = counter::lds;
  b.o.flags = b.in.name.find("_fi_") != std::string::npos;
  b.o.run = payload ? bpermute : permute;
}

void swizzle(wave& w, const op& o) {
  const u64 mask = w.exec();
  if (!mask) return;
  alignas(32) u32 result[row_lanes];
  const u32* in = w.row(o.src[0].reg);
  const u32 mode = o.x->data[2];
  for (u32 l = 0; l < w.lanes; ++l) {
    u32 from;
    if (mode >= 0xe000) {  // bit-reversed order of a Fourier transform
      u32 r = 0;
      for (u32 i = 0; i < 5; ++i) r |= (l >> i & 1u) << (4 - i);
      const u32 keep = mode & 31;
      from = (l & 32u) | ((l & keep) | (r & ~keep & 31u));
    } else if (mode >= 0xc000) {  // rotation within 32 lanes
      const u32 keep = mode & 31, by = mode >> 5 & 31;
      const u32 moved = mode & 0x400 ? l - by : l + by;
      from = (l & 32u) | (((l & keep) | (moved & ~keep)) & 31u);
    } else if (mode & 0x8000) {
      from = (l & ~3u) | (mode >> (2 * (l & 3)) & 3u);
    } else {
      from = (l & 32u) | ((((l & mode & 31u) | (mode >> 5 & 31u)) ^ (mode >> 10 & 31u)) & 31u);
    }
    result[l] = mask >> from & 1 ? in[from] : 0;
  }
  write_rows(w, o.dst.reg, 1, result, mask);
}
void build_swizzle(binder& b, const void*) {
  b.o.src[0] = b.read(1, type::b32);
  b.o.dst = b.write(0, 1);
  b.x.data[2] = b.in.raw[0] & 0xffffu;
  b.x.raises = counter::lds;
  b.o.run = swizzle;
}

// ---- lane number times 4 as address, with M0 as base

void addtid(wave& w, const op& o) {
  const u64 mask = w.exec();
  const u32 base = (w.s[sreg::m0] & 0xffffu) + o.x->data[2];
  alignas(32) u32 at[row_lanes];
  for (u32 l = 0; l < row_lanes; ++l) at[l] = base + 4 * l;
  constexpr mem_form word{"", 4, 1, false, 0};
  if (o.flags) write_at(w, o, at, 0, o.src[1].reg, word, mask);
  else read_at(w, o, at, 0, o.dst.reg, word, mask);
}
void build_addtid(binder& b, const void* payload) {
  if (payload) b.o.src[1] = b.read(0, type::b32);
  else b.o.dst = b.write(0, 1);
  b.note_scalar_read(sreg::m0, 1);
  b.o.flags = payload != nullptr;
  b.x.data[2] = static_cast<u32>(b.in.number("offset"));
  b.x.raises = counter::lds;
  b.o.run = addtid;
}

// ---- gfx950: 16 lanes read a block of 8 (or 12) bytes each and get its columns. flags: bits per
// element

void read_transposed(wave& w, const op& o) {
  const u64 mask = w.exec();
  alignas(32) u32 base[row_lanes];
  const lds_form& p = form_of(o);
  start(w, o, base, mask, p.f.bytes);
  const u32 bits = o.flags, bytes = p.f.bytes, per = 8 * bytes / bits;
  u8 raw[row_lanes][16] = {};
  for (u64 m = mask; m; m &= m - 1) {
    const u32 l = static_cast<u32>(__builtin_ctzll(m));
    lds_read(w, o, l, base[l] + o.x->data[2], bytes, raw[l]);
  }
  const auto element = [&](const u8* p8, u32 i) {
    u32 v = 0;
    for (u32 k = 0; k < bits; ++k) v |= (p8[(i * bits + k) / 8] >> ((i * bits + k) % 8) & 1u) << k;
    return v;
  };
  for (u32 l = 0; l < w.lanes; ++l) {
    if (!(mask >> l & 1)) continue;
    u8 out[16] = {};
    const u32 first = l & ~15u, i = l & 15;
    for (u32 r = 0; r < per; ++r) {
      const u32 v = element(raw[first + r * (16 / per) + i / per], i % per);
      for (u32 k = 0; k < bits; ++k)
        out[(r * bits + k) / 8] = static_cast<u8>(out[(r * bits + k) / 8] |
                                                  (v >> k & 1u) << ((r * bits + k) % 8));
    }
    for (u32 r = 0; r < bytes / 4; ++r) std::memcpy(w.row(o.dst.reg + r) + l, out + 4 * r, 4);
  }
}
void build_read_transposed(binder& b, const void* payload) {
  build_read(b, payload);
  const std::string& n = b.in.name;
  b.o.flags = n.ends_with("b16") ? 16 : n.ends_with("b8") ? 8 : n.ends_with("b6") ? 6 : 4;
  b.o.run = read_transposed;
}

void nothing(wave&, const op&) {}
void build_nop(binder& b, const void*) { b.o.run = nothing; }

/// ds spelling of each atomic: gfx9 name, gfx11 name
struct ds_atomic_name {
  const char* nine;
  const char* eleven;
  const char* meaning;  ///< gfx11 spelling of the global atomic
};
constexpr ds_atomic_name ds_atomics[] = {
    {"add_u32", "add_u32", "add_u32"},
    {"sub_u32", "sub_u32", "sub_u32"},
    {"inc_u32", "inc_u32", "inc_u32"},
    {"dec_u32", "dec_u32", "dec_u32"},
    {"min_i32", "min_i32", "min_i32"},
    {"max_i32", "max_i32", "max_i32"},
    {"min_u32", "min_u32", "min_u32"},
    {"max_u32", "max_u32", "max_u32"},
    {"and_b32", "and_b32", "and_b32"},
    {"or_b32", "or_b32", "or_b32"},
    {"xor_b32", "xor_b32", "xor_b32"},
    {"cmpst_b32", "cmpstore_b32", "cmpswap_b32"},
    {"add_f32", "add_f32", "add_f32"},
    {"min_f32", "min_f32", "min_f32"},
    {"max_f32", "max_f32", "max_f32"},
    {"", "min_num_f32", "min_num_f32"},
    {"", "max_num_f32", "max_num_f32"},
    {"pk_add_f16", "pk_add_f16", "pk_add_f16"},
    {"pk_add_bf16", "pk_add_bf16", "pk_add_bf16"},
    {"add_u64", "add_u64", "add_u64"},
    {"sub_u64", "sub_u64", "sub_u64"},
    {"inc_u64", "inc_u64", "inc_u64"},
    {"dec_u64", "dec_u64", "dec_u64"},
    {"min_i64", "min_i64", "min_i64"},
    {"max_i64", "max_i64", "max_i64"},
    {"min_u64", "min_u64", "min_u64"},
    {"max_u64", "max_u64", "max_u64"},
    {"and_b64", "and_b64", "and_b64"},
    {"or_b64", "or_b64", "or_b64"},
    {"xor_b64", "xor_b64", "xor_b64"},
    {"cmpst_b64", "cmpstore_b64", "cmpswap_b64"},
    {"add_f64", "add_f64", "add_f64"},
    {"min_f64", "min_f64", "min_f64"},
    {"max_f64", "max_f64", "max_f64"},
    {"", "cond_sub_u32", "cond_sub_u32"},
    {"", "sub_clamp_u32", "sub_clamp_u32"},
};

}  // namespace

void define_lds(definitions& d) {
  const auto add = [&](const std::string& name, build_fn build, const lds_form& f) {
    forms().push_back(f);
    d.add(name.c_str(), build, &forms().back());
  };
  constexpr mem_form reads[] = {
      {"b32", 4, 1, false, 0},       {"b64", 8, 2, false, 0},       {"b96", 12, 3, false, 0},
      {"b128", 16, 4, false, 0},     {"u8", 1, 1, false, 0},        {"i8", 1, 1, true, 0},
      {"u16", 2, 1, false, 0},       {"i16", 2, 1, true, 0},        {"u8_d16", 1, 1, false, 1},
      {"u8_d16_hi", 1, 1, false, 2}, {"i8_d16", 1, 1, true, 1},     {"i8_d16_hi", 1, 1, true, 2},
      {"u16_d16", 2, 1, false, 1},   {"u16_d16_hi", 2, 1, false, 2}};
  constexpr mem_form writes[] = {{"b32", 4, 1, false, 0},       {"b64", 8, 2, false, 0},
                                 {"b96", 12, 3, false, 0},      {"b128", 16, 4, false, 0},
                                 {"b8", 1, 1, false, 0},        {"b16", 2, 1, false, 0},
                                 {"b8_d16_hi", 1, 1, false, 2}, {"b16_d16_hi", 2, 1, false, 2}};
  for (const mem_form& f : reads)
    for (const char* p : {"ds_read_", "ds_load_"}) add(std::string(p) + f.suffix, build_read, {f});
  for (const mem_form& f : writes)
    for (const char* p : {"ds_write_", "ds_store_"})
      add(std::string(p) + f.suffix, build_write, {f});
  for (u32 i = 0; i < 2; ++i) {
    const mem_form& f = reads[i];
    const std::string s = f.suffix;
    for (const bool far : {false, true}) {
      const lds_form two{f, nullptr, true, far, false};
      add(std::string(far ? "ds_read2st64_" : "ds_read2_") + s, build_read, two);
      add(std::string(far ? "ds_write2st64_" : "ds_write2_") + s, build_write, two);
      add(std::string(far ? "ds_load_2addr_stride64_" : "ds_load_2addr_") + s, build_read, two);
      add(std::string(far ? "ds_store_2addr_stride64_" : "ds_store_2addr_") + s, build_write, two);
    }
  }
  const auto meaning = [](const std::string& name) -> const atomic_form* {
    for (u32 i = 0; i < atomic_form_count; ++i)
      if (name == atomic_forms[i].name11) return &atomic_forms[i];
    throw std::logic_error("no atomic " + name);
  };
  for (const ds_atomic_name& n : ds_atomics) {
    const atomic_form* a = meaning(n.meaning);
    const mem_form f{"", a->bytes, static_cast<u8>(a->bytes / 4), false, 0};
    const bool same = std::string(n.nine) == n.eleven;
    for (u32 spelling = 0; spelling < (same ? 1u : 2u); ++spelling) {
      const std::string s = spelling ? n.eleven : n.nine;
      if (s.empty()) continue;
      add("ds_" + s, build_atomic, {f, a, false, false, false});
      // ds_add_rtn_u32, ds_pk_add_rtn_f16
      const auto cut = s.rfind('_');
      add("ds_" + s.substr(0, cut) + "_rtn" + s.substr(cut), build_atomic,
          {f, a, false, false, true});
    }
  }
  for (const char* bits : {"b32", "b64"}) {
    const atomic_form* a = meaning(std::string("swap_") + bits);
    const mem_form f{"", a->bytes, static_cast<u8>(a->bytes / 4), false, 0};
    add(std::string("ds_wrxchg_rtn_") + bits, build_atomic, {f, a, false, false, true});
    add(std::string("ds_storexchg_rtn_") + bits, build_atomic, {f, a, false, false, true});
  }
  static const int yes = 1;
  d.add("ds_permute_b32", build_permute);
  d.add("ds_bpermute_b32", build_permute, &yes);
  d.add("ds_bpermute_fi_b32", build_permute, &yes);
  d.add("ds_swizzle_b32", build_swizzle);
  d.add("ds_read_addtid_b32", build_addtid);
  d.add("ds_write_addtid_b32", build_addtid, &yes);
  d.alias("ds_load_addtid_b32", "ds_read_addtid_b32");
  d.alias("ds_store_addtid_b32", "ds_write_addtid_b32");
  for (const char* n : {"ds_read_b64_tr_b16", "ds_read_b64_tr_b8", "ds_read_b64_tr_b4"})
    add(n, build_read_transposed, {{"", 8, 2, false, 0}});
  add("ds_read_b96_tr_b6", build_read_transposed, {{"", 12, 3, false, 0}});
  d.add("ds_nop", build_nop);
}

}  // namespace amdsim
