// The checks of registers, memory and barriers: what a wave may read, when results are there, which
// memory is alive.
#include "checks.hpp"

#include <cstdio>

#include "memory.hpp"

namespace amdsim {
namespace {

std::string hex(u64 x) {
  char b[32];
  std::snprintf(b, sizeof b, "0x%llx", static_cast<unsigned long long>(x));
  return b;
}

std::string register_name(u32 reg, bool scalar) {
  if (!scalar) return (reg < 256 ? "v" : "a") + std::to_string(reg & 255);
  switch (reg) {
    case sreg::vcc: return "vcc_lo";
    case sreg::vcc + 1: return "vcc_hi";
    case sreg::m0: return "m0";
    case sreg::exec: return "exec_lo";
    case sreg::exec + 1: return "exec_hi";
    default: return "s" + std::to_string(reg);
  }
}

[[gnu::cold]] void report_undefined(wave& w, const op& o, u32 reg, bool scalar, u64 lanes) {
  std::string text = where(w, o) + ": uses " + register_name(reg, scalar) +
                     ", which was never written (or only from registers that were not)";
  if (!scalar) text += " in lane " + std::to_string(__builtin_ctzll(lanes));
  report(*w.run, key_of(w, o, "undefined"), text + " (wave " + std::to_string(w.id) + ")");
}
[[gnu::cold]] void report_wait(wave& w, const op& o, u32 reg, bool scalar, bool write) {
  report(*w.run, key_of(w, o, "wait"),
         where(w, o) + ": " + (write ? "writes " : "reads ") + register_name(reg, scalar) +
             " while a load into it is outstanding: no wait covers it (wave " +
             std::to_string(w.id) + ")");
}

bool complete(const wave_checks& c, const wave_checks::tag& t) {
  return t.by == counter::none || c.done[static_cast<u32>(t.by)] >= t.sequence;
}

void check_pending(wave& w, const op& o, const reg_use& u, bool write) {
  wave_checks& c = *w.checks;
  const counter same = write ? o.x->raises : counter::none;
  for (u32 r = u.first; r < u32{u.first} + u.count; ++r) {
    u64* bits = u.scalar ? c.scalar_pending : c.pending;
    if (!(bits[r / 64] >> (r % 64) & 1)) continue;
    const wave_checks::tag& t = u.scalar ? c.scalar_tags[r] : c.tags[r];
    if (complete(c, t)) {
      bits[r / 64] &= ~(u64{1} << (r % 64));
      continue;
    }
    // Loads of one kind return in order, so a later one may overwrite an earlier one's register;
    // scalar loads do not.
    if (write && t.by == same && same != counter::scalar) continue;
    report_wait(w, o, r, u.scalar, write);
    bits[r / 64] &= ~(u64{1} << (r % 64));
  }
}

bool any_pending(const wave_checks& c, const reg_use& u) {
  const u64* bits = u.scalar ? c.scalar_pending : c.pending;
  const u32 first = u.first / 64, last = (u32{u.first} + u.count - 1) / 64;
  for (u32 i = first; i <= last; ++i)
    if (bits[i]) return true;
  return false;
}

/// Lanes of one source register that are defined as far as the operation reads them.
u64 defined_lanes(const wave_checks& c, const op& o, u32 r, u64 exec) {
  if (o.uses_dpp && r >= o.src[0].reg && r < u32{o.src[0].reg} + o.src[0].rows) {
    // The result's lanes depend on other lanes of the source.
    const lane_map& m = o.x->dpp;
    u64 good = ~u64{0};
    for (u64 e = exec & m.valid & m.enabled; e; e &= e - 1) {
      const u32 l = static_cast<u32>(__builtin_ctzll(e)), from = m.lane[l];
      if (((exec >> from & 1) || m.fetch_inactive) && !(c.defined[r] >> from & 1))
        good &= ~(u64{1} << l);
    }
    return good;
  }
  return c.defined[r];
}

/// Definedness of results from that of sources.
void carry(wave& w, const op& o, u64 exec) {
  wave_checks& c = *w.checks;
  const op_extra& x = *o.x;
  u64 all = ~u64{0}, low = ~u64{0}, high = ~u64{0};
  bool scalars = true;
  for (const reg_use& u : x.reads)
    for (u32 i = 0; i < u.count; ++i) {
      const u32 r = u32{u.first} + i;
      if (u.scalar) {
        if (!c.scalar_defined[r]) [[unlikely]] {
          scalars = false;
          if (u.count == 1 || i == 0) low = 0;
          if (u.count == 1 || i == 1) high = 0;
        }
        continue;
      }
      const u64 d = o.uses_dpp ? defined_lanes(c, o, r, exec) : c.defined[r];
      all &= d;
      if (u.count == 1 || i == 0) low &= d;
      if (u.count == 1 || i == 1) high &= d;
    }
  if (x.undefined == flow::select && o.src[0].k == source::vgpr && o.src[1].k == source::vgpr &&
      scalars) {
    const u64 m = o.ssrc == sreg::exec ? exec : w.mask(o.ssrc);
    all = (defined_lanes(c, o, o.src[0].reg, exec) & ~m) | (c.defined[o.src[1].reg] & m);
  }
  if (!scalars) all = 0;
  for (const reg_use& u : x.writes) {
    if (u.scalar) {
      for (u32 r = u.first; r < u32{u.first} + u.count; ++r)
        c.scalar_defined[r] = scalars || o.dst.k == source::vgpr;
      continue;
    }
    const u64 lanes = u.all_lanes ? ~u64{0} : exec;
    for (u32 i = 0; i < u.count; ++i) {
      u64 d = all;
      if (x.undefined == flow::carry_parts) d = i ? high : low;
      if (x.undefined == flow::carry_low && i == 0) d = low;
      u64& to = c.defined[u.first + i];
      to = (to & ~lanes) | (lanes & d) | (u.half ? to & lanes : 0);
    }
  }
}

}  // namespace

std::string key_of(const wave& w, const op& o, const char* kind) {
  return std::string(kind) + std::to_string(&o - w.prog->ops.data());
}

void check_operation(wave& w, const op& o) {
  wave_checks& c = *w.checks;
  const op_extra& x = *o.x;
  const u64 exec = w.exec();
  const settings& set = *w.run->set;
  if (set.waits) {
    if (c.anything_pending) {
      for (const reg_use& u : x.reads)
        if (any_pending(c, u)) [[unlikely]]
          check_pending(w, o, u, false);
      for (const reg_use& u : x.writes)
        if (any_pending(c, u)) [[unlikely]]
          check_pending(w, o, u, true);
    }
    if (x.raises != counter::none) {
      const u32 sequence = ++c.issued[static_cast<u32>(x.raises)];
      c.anything_pending = c.anything_pending || !x.writes.empty();
      if (x.raises != counter::store)
        for (const reg_use& u : x.writes)
          for (u32 r = u.first; r < u32{u.first} + u.count; ++r) {
            (u.scalar ? c.scalar_tags[r] : c.tags[r]) = {sequence, x.raises};
            (u.scalar ? c.scalar_pending : c.pending)[r / 64] |= u64{1} << (r % 64);
          }
      if (x.raises_too != counter::none) ++c.issued[static_cast<u32>(x.raises_too)];
    }
  }
  if (!set.undefined) return;
  if (x.undefined != flow::report) {
    // Mostly everything is defined, and so are the results.
    if (x.whole && !o.uses_dpp) [[likely]] {
      u64 all = exec;
      for (const u16 r : x.vector_reads) all &= c.defined[r];
      bool scalars = true;
      for (const u8 r : x.scalar_reads) scalars = scalars && c.scalar_defined[r];
      if (all == exec && scalars) [[likely]] {
        for (const u16 r : x.vector_writes) c.defined[r] |= exec;
        for (const u8 r : x.scalar_writes) c.scalar_defined[r] = true;
        return;
      }
    }
    carry(w, o, exec);
    return;
  }
  for (const reg_use& u : x.reads) {
    if (u.scalar) {
      for (u32 r = u.first; r < u32{u.first} + u.count; ++r)
        if (!c.scalar_defined[r]) [[unlikely]] {
          report_undefined(w, o, r, true, 0);
          c.scalar_defined[r] = true;
        }
      continue;
    }
    // spills are noted in scratch's own shadow
    if (x.scratch && o.src[1].k == source::vgpr && u.first == o.src[1].reg) continue;
    const u64 need = u.all_lanes ? w.started : exec;
    for (u32 r = u.first; r < u32{u.first} + u.count; ++r) {
      const u64 missing = need & ~(o.uses_dpp ? defined_lanes(c, o, r, exec) : c.defined[r]);
      if (!missing) [[likely]]
        continue;
      report_undefined(w, o, r, false, missing);
      c.defined[r] |= missing;
    }
  }
  if (x.scratch && !(o.flags & 2)) {
    // A spill slot remembers which lanes were written.
    const u32 at = (static_cast<u32>(o.imm) + (o.flags & 4 ? w.s[o.ssrc] : 0)) / 4;
    if (x.writes.empty()) {
      for (u32 i = 0; i < o.src[1].rows && at + i < c.scratch_defined.size(); ++i) {
        u64& d = c.scratch_defined[at + i];
        d = (d & ~exec) | (c.defined[o.src[1].reg + i] & exec);
      }
    } else {
      const reg_use& u = x.writes.front();
      for (u32 i = 0; i < u.count && at + i < c.scratch_defined.size(); ++i) {
        u64& d = c.defined[u.first + i];
        d = (d & ~exec) | (c.scratch_defined[at + i] & exec);
      }
    }
    return;
  }
  for (const reg_use& u : x.writes) {
    if (u.scalar) {
      for (u32 r = u.first; r < u32{u.first} + u.count; ++r) c.scalar_defined[r] = true;
    } else {
      const u64 lanes = u.all_lanes ? ~u64{0} : exec;
      for (u32 r = u.first; r < u32{u.first} + u.count; ++r) c.defined[r] |= lanes;
    }
  }
}

void wait_for(wave& w, const op& o) {
  if (!w.checks) return;
  wave_checks& c = *w.checks;
  for (u32 k = 0; k < counters; ++k) {
    const u32 n = o.counts >> (8 * k) & 255;
    if (n == 255) continue;
    // Scalar loads return out of order: only waiting for all of them says anything.
    if (k == static_cast<u32>(counter::scalar) && n != 0) continue;
    const u32 reached = c.issued[k] > n ? c.issued[k] - n : 0;
    if (reached > c.done[k]) c.done[k] = reached;
  }
  // With nothing outstanding the pending marks can go at once.
  for (u32 k = 0; k < counters; ++k)
    if (k != static_cast<u32>(counter::store) && c.done[k] < c.issued[k]) return;
  if (c.anything_pending) {
    for (u64& b : c.pending) b = 0;
    for (u64& b : c.scalar_pending) b = 0;
    c.anything_pending = false;
  }
}

void report_alignment(wave& w, const op& o, u32 lane, u64 at, u32 alignment, const char* what) {
  report(*w.run, key_of(w, o, "align"),
         where(w, o) + ": " + what + " address " + hex(at) + " is not a multiple of " +
             std::to_string(alignment) + " (wave " + std::to_string(w.id) + ", lane " +
             std::to_string(lane) + ")");
}

bool check_global(wave& w, const op& o, u32 lane, u64 at, u32 bytes, u32 alignment, bool write) {
  const settings& set = *w.run->set;
  if (set.align && (at & (alignment - 1))) report_alignment(w, o, lane, at, alignment, "memory");
  if (!set.global) return true;
  // The blocks that were met last; a change of any block makes all of them void.
  const u64 now = memory::generation();
  memory_cache& near = w.g->near;
  if (near.generation != now) near = {};
  near.generation = now;
  for (const auto& c : near.blocks)
    if (at - c.first < c.bytes && c.bytes - (at - c.first) >= bytes) return true;
  allocation a;
  if (memory::find(at, a) && a.bytes - (at - a.first) >= bytes) {
    near.blocks[near.victim++ % std::size(near.blocks)] = {a.first, a.bytes};
    return true;
  }
  std::string text = where(w, o) + ": " + (write ? "writes " : "reads ") + std::to_string(bytes) +
                     " bytes at " + hex(at) + ", outside every live allocation (wave " +
                     std::to_string(w.id) + ", lane " + std::to_string(lane) + ")";
  if (memory::nearest(at, a)) {
    const u64 end = a.first + a.bytes;
    text += "; the nearest block has " + std::to_string(a.bytes) + " bytes at " + hex(a.first);
    text += at >= end      ? ", which ends " + std::to_string(at - end) + " bytes before"
            : at < a.first ? ", which begins " + std::to_string(a.first - at) + " bytes behind"
                           : ", which the access overruns";
  }
  report(*w.run, key_of(w, o, "global"), text);
  return false;
}

void report_barrier(launch& l, const group& g) {
  std::string text = l.kernel->name + ": barrier divergence in workgroup (" +
                     std::to_string(g.id[0]) + ", " + std::to_string(g.id[1]) + ", " +
                     std::to_string(g.id[2]) + "):";
  for (const wave& w : g.waves) {
    if (w.state == stop::barrier || w.state == stop::split_wait)
      text += " wave " + std::to_string(w.id) + " waits at " +
              where(w, w.prog->ops[w.barrier_pc - 1]).substr(l.kernel->name.size() + 1) + ";";
    else if (w.state == stop::end)
      text += " wave " + std::to_string(w.id) + " has ended after " + std::to_string(w.signals) +
              " barriers;";
  }
  report(l, "barrier", text);
}

}  // namespace amdsim
