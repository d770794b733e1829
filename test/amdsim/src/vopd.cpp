// Dual instructions of gfx11 and gfx12: two operations at once, both reading before either writes.
#include "valu.hpp"

namespace amdsim {
namespace {

/// Both halves as operations of their own; the first half's destination is written to a room and
/// copied after the second has run.
struct pair_of {
  op x, y;
  op_extra ex, ey;
};
std::deque<pair_of>& pairs() {
  static std::deque<pair_of> p;
  return p;
}

void run_pair(wave& w, const op& o) {
  const auto& p = *reinterpret_cast<const pair_of*>(static_cast<std::uintptr_t>(o.imm));
  const u64 mask = w.exec();
  if (!mask) return;
  // The second half's result is computed first and kept aside; the first half then still
  // sees the old registers.
  alignas(32) u32 old[row_lanes], second[row_lanes];
  u32* y = w.row(p.y.dst.reg);
  std::memcpy(old, y, sizeof old);
  p.y.run(w, p.y);
  std::memcpy(second, y, sizeof second);
  std::memcpy(y, old, sizeof old);
  p.x.run(w, p.x);
  std::memcpy(y, second, sizeof second);
}

}  // namespace

void build_dual(program& prog, const inst& in, const inst& second, op& o, op_extra& x) {
  pairs().emplace_back();
  pair_of& p = pairs().back();
  const auto build = [&](const inst& half, op& to, op_extra& extra) {
    inst plain = half;
    plain.name = "v_" + half.name.substr(7);  // v_dual_mul_f32 -> v_mul_f32
    const definition* d = definitions::all().find(plain.name);
    if (!d) throw decode_error(half.name + " is not known");
    to.x = &extra;
    binder b(prog, plain, to, extra);
    d->build(b, d->payload);
    if (to.dst.k != source::vgpr || to.dst_rows != 1)
      throw decode_error("dual operation without a 32-bit result");
  };
  inst a = in, b = second;
  // The words belong to the pair: neither half has modifiers of its own in them.
  a.raw = b.raw = {};
  build(a, p.x, p.ex);
  build(b, p.y, p.ey);
  for (const auto* e : {&p.ex, &p.ey}) {
    x.reads.insert(x.reads.end(), e->reads.begin(), e->reads.end());
    x.writes.insert(x.writes.end(), e->writes.begin(), e->writes.end());
  }
  o.imm = static_cast<i64>(reinterpret_cast<std::uintptr_t>(&p));
  o.run = run_pair;
}

}  // namespace amdsim
