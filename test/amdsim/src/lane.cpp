// Operations that move values between lanes or between vector and scalar registers.
#include "valu.hpp"

namespace amdsim {
namespace {

void readfirstlane(wave& w, const op& o) {
  const u64 mask = w.exec();
  const u32 lane = mask ? static_cast<u32>(__builtin_ctzll(mask)) : 0;
  w.set32(o.sdst, o.src[0].k == source::vgpr ? w.row(o.src[0].reg)[lane] : read32(w, o.src[0]));
}
void build_readfirstlane(binder& b, const void*) {
  b.o.src[0] = b.read(1, type::b32);
  b.o.sdst = b.write_scalar(0, 1);
  b.o.run = readfirstlane;
}

void readlane(wave& w, const op& o) {
  const u32 lane = read32(w, o.src[1]) & (w.lanes - 1);
  w.set32(o.sdst, w.row(o.src[0].reg)[lane]);
}
void build_readlane(binder& b, const void*) {
  b.o.src[0] = b.read(1, type::b32);
  b.x.reads.clear();  // any single lane, whatever EXEC says
  b.o.src[1] = b.scalar(2, type::b32);
  b.o.sdst = b.write_scalar(0, 1);
  b.o.run = readlane;
}

void writelane(wave& w, const op& o) {
  const u32 lane = read32(w, o.src[1]) & (w.lanes - 1);
  w.row(o.dst.reg)[lane] = read32(w, o.src[0]);
}
void build_writelane(binder& b, const void*) {
  b.o.src[0] = b.scalar(1, type::b32);
  b.o.src[1] = b.scalar(2, type::b32);
  b.o.dst = b.write(0, 1, true);
  b.o.run = writelane;
}

/// Within (or across) rows of 16 lanes, by a selector of 16 four-bit lane numbers. flags: 1 across,
/// 2 fetch inactive, 4 zero for inactive, 8 selector per lane
void permlane16(wave& w, const op& o) {
  const u64 mask = w.exec();
  if (!mask) return;
  alignas(32) u32 result[row_lanes];
  const u32 *in = w.row(o.src[0].reg), *old = w.row(o.dst.reg);
  const bool per_lane = o.flags & 8;
  const u64 selector = per_lane ? 0 : join(read32(w, o.src[1]), read32(w, o.src[2]));
  for (u32 l = 0; l < w.lanes; ++l) {
    const u32 pick = per_lane ? w.row(o.src[1].reg)[l] & 15
                              : static_cast<u32>(selector >> (4 * (l & 15))) & 15;
    const u32 from = ((l & ~15u) ^ (o.flags & 1 ? 16u : 0u)) | pick;
    const bool active = mask >> from & 1;
    result[l] = active || (o.flags & 2) ? in[from] : (o.flags & 4) ? 0 : old[l];
  }
  write_rows(w, o.dst.reg, 1, result, mask);
}
void build_permlane16(binder& b, const void* payload) {
  const auto kind = reinterpret_cast<std::uintptr_t>(payload);
  b.o.src[0] = b.read(1, type::b32);
  if (kind & 8) {
    b.o.src[1] = b.read(2, type::b32);
  } else {
    b.o.src[1] = b.scalar(2, type::b32);
    b.o.src[2] = b.scalar(3, type::b32);
  }
  b.o.dst = b.write(0, 1);
  const u32 sel = b.op_sel();
  b.o.flags = static_cast<u8>(kind | (sel & 1 ? 2 : 0) | (sel & 2 ? 4 : 0));
  b.o.run = permlane16;
}

/// Lane l gets lane l ^ 32; wave32 keeps its value.
void permlane64(wave& w, const op& o) {
  const u64 mask = w.exec();
  alignas(32) u32 result[row_lanes];
  const u32* in = w.row(o.src[0].reg);
  for (u32 l = 0; l < w.lanes; ++l) result[l] = w.lanes == 64 ? in[l ^ 32] : in[l];
  write_rows(w, o.dst.reg, 1, result, mask);
}
void build_permlane64(binder& b, const void*) {
  b.o.src[0] = b.read(1, type::b32);
  b.o.dst = b.write(0, 1);
  b.o.run = permlane64;
}

/// gfx950: odd groups of n lanes of the destination change places with the even groups before them
/// of the source. flags: n.
void permlane_swap(wave& w, const op& o) {
  u32 *d = w.row(o.dst.reg), *s = w.row(o.src[0].reg);
  const u32 n = o.flags;
  for (u32 l = n; l < w.lanes; ++l) {  // EXEC does not matter
    if (!(l / n & 1)) continue;
    const u32 t = d[l];
    d[l] = s[l - n];
    s[l - n] = t;
  }
}
void build_permlane_swap(binder& b, const void* payload) {
  b.o.dst = b.write(0, 1, true);
  b.o.src[0] = b.read(1, type::b32);
  b.write(1, 1, true);
  b.note_read(b.o.dst);
  b.o.flags = static_cast<u8>(reinterpret_cast<std::uintptr_t>(payload));
  b.o.run = permlane_swap;
}

}  // namespace

void define_lane(definitions& d) {
  d.add("v_readfirstlane_b32", build_readfirstlane);
  d.add("v_readlane_b32", build_readlane);
  d.add("v_writelane_b32", build_writelane);
  const auto number = [](std::uintptr_t n) { return reinterpret_cast<const void*>(n); };
  d.add("v_permlane16_b32", build_permlane16, number(0));
  d.add("v_permlanex16_b32", build_permlane16, number(1));
  d.add("v_permlane16_var_b32", build_permlane16, number(8));
  d.add("v_permlanex16_var_b32", build_permlane16, number(9));
  d.add("v_permlane64_b32", build_permlane64);
  d.add("v_permlane16_swap_b32", build_permlane_swap, number(16));
  d.add("v_permlane32_swap_b32", build_permlane_swap, number(32));
}

}  // namespace amdsim
