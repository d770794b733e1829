// What the tables of scalar instructions share: how operands are read and results
// written, by shape.
#pragma once
#include "decode.hpp"

namespace amdsim {

/// What becomes of SCC.
enum class scc : u8 { keep, nonzero };

/// d = F(s0, s1) on 32 bits.
template <auto F, scc Rule>
void two32(wave& w, const op& o) {
  const u32 r = static_cast<u32>(F(read32(w, o.src[0]), read32(w, o.src[1])));
  w.set32(o.sdst, r);
  if constexpr (Rule == scc::nonzero) w.scc = r != 0;
}
template <auto F, scc Rule>
void two64(wave& w, const op& o) {
  const u64 r = F(read64(w, o.src[0]), read64(w, o.src[1]));
  w.set64(o.sdst, r);
  if constexpr (Rule == scc::nonzero) w.scc = r != 0;
}
template <auto F, scc Rule>
void shift64(wave& w, const op& o) {
  const u64 r = F(read64(w, o.src[0]), read32(w, o.src[1]));
  w.set64(o.sdst, r);
  if constexpr (Rule == scc::nonzero) w.scc = r != 0;
}
template <auto F, scc Rule>
void one32(wave& w, const op& o) {
  const u32 r = static_cast<u32>(F(read32(w, o.src[0])));
  w.set32(o.sdst, r);
  if constexpr (Rule == scc::nonzero) w.scc = r != 0;
}
template <auto F, scc Rule>
void one64(wave& w, const op& o) {
  const u64 r = F(read64(w, o.src[0]));
  w.set64(o.sdst, r);
  if constexpr (Rule == scc::nonzero) w.scc = r != 0;
}
/// 64 bits in, 32 out.
template <auto F, scc Rule>
void count64(wave& w, const op& o) {
  const u32 r = F(read64(w, o.src[0]));
  w.set32(o.sdst, r);
  if constexpr (Rule == scc::nonzero) w.scc = r != 0;
}
template <auto F>
void compare32(wave& w, const op& o) {
  w.scc = F(read32(w, o.src[0]), read32(w, o.src[1]));
}
template <auto F>
void compare64(wave& w, const op& o) {
  w.scc = F(read64(w, o.src[0]), read64(w, o.src[1]));
}
/// d = F(s0, s1) with SCC as second result.
template <auto F>
void flagged(wave& w, const op& o) {
  bool flag = w.scc;
  w.set32(o.sdst, F(read32(w, o.src[0]), read32(w, o.src[1]), flag));
  w.scc = flag;
}
struct shape {
  u8 dst, s0, s1;  ///< registers of each operand; 0: absent
};
constexpr type of_registers(u8 n) { return n == 2 ? type::b64 : type::b32; }

struct scalar_form {
  const char* name;
  handler run;
  shape at;
};

/// Builds an operation whose operands are as the form (the payload) says.
void build_scalar(binder& b, const void* payload);

void define_salu_flow(definitions& d);
void define_salu_float(definitions& d);

}  // namespace amdsim
