// The checks: what a wave may read, when results are there, who may touch LDS, which memory is alive.
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

std::string key_of(const wave& w, const op& o, const char* kind) { return std::string(kind) + std::to_string(&o - w.prog->ops.data()); }

[[gnu::cold]] void report_undefined(wave& w, const op& o, u32 reg, bool scalar, u64 lanes) {
  std::string text = where(w, o) + ": uses " + register_name(reg, scalar) + ", which was never written (or only from registers that were not)";
  if (!scalar) text += " in lane " + std::to_string(__builtin_ctzll(lanes));
  report(*w.run, key_of(w, o, "undefined"), text + " (wave " + std::to_string(w.id) + ")");
}
[[gnu::cold]] void report_wait(wave& w, const op& o, u32 reg, bool scalar, bool write) {
  report(*w.run, key_of(w, o, "wait"), where(w, o) + ": " + (write ? "writes " : "reads ") + register_name(reg, scalar) + " while a load into it is outstanding: no wait covers it (wave " + std::to_string(w.id) + ")");
}

bool complete(const wave_checks& c, const wave_checks::tag& t) { return t.by == counter::none || c.done[static_cast<u32>(t.by)] >= t.sequence; }

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
    // Loads of one kind return in order, so a later one may overwrite an earlier one's register; scalar loads do not.
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
      if (((exec >> from & 1) || m.fetch_inactive) && !(c.defined[r] >> from & 1)) good &= ~(u64{1} << l);
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
  if (x.undefined == flow::select && o.src[0].k == source::vgpr && o.src[1].k == source::vgpr && scalars) {
    const u64 m = o.ssrc == sreg::exec ? exec : w.mask(o.ssrc);
    all = (defined_lanes(c, o, o.src[0].reg, exec) & ~m) | (c.defined[o.src[1].reg] & m);
  }
  if (!scalars) all = 0;
  for (const reg_use& u : x.writes) {
    if (u.scalar) {
      for (u32 r = u.first; r < u32{u.first} + u.count; ++r) c.scalar_defined[r] = scalars || o.dst.k == source::vgpr;
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
    if (x.scratch && o.src[1].k == source::vgpr && u.first == o.src[1].reg) continue;  // spills are noted in scratch's own shadow
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

void note_signal(wave& w) {
  if (w.checks) w.checks->at_signal.push_back({w.checks->done[static_cast<u32>(counter::lds)], w.checks->done[static_cast<u32>(counter::load)]});
}

namespace {

/// Whether an LDS access made by `from` after `signals` barrier signals is visible to a wave that has passed `waits` barriers.
bool ordered(const wave& from, u32 signals, u32 sequence, bool dma, const wave& to, bool& late) {
  late = false;
  if (to.waits <= signals) return false;
  if (!from.checks || !from.run->set->waits) return true;
  // Some barrier that both have passed must have been signalled after the access was complete.
  const auto& marks = from.checks->at_signal;
  if (to.waits == 0 || to.waits > marks.size()) return true;
  const wave_checks::mark& m = marks[to.waits - 1];
  late = (dma ? m.load : m.lds) < sequence;
  return !late;
}

[[gnu::cold]] void report_race(wave& w, const op& o, u32 at, const lds_cell& c, bool against_write, u32 other, bool late) {
  const op& first = w.prog->ops[against_write ? c.write_pc : c.read_pc];
  const std::string key = "race" + std::to_string(&first - w.prog->ops.data()) + "," + std::to_string(&o - w.prog->ops.data());
  report(*w.run, key,
         where(w, o) + ": LDS race: wave " + std::to_string(w.id) + " and wave " + std::to_string(other) + " (" + (against_write ? "wrote" : "read") + " by '" + first.x->text + "') at LDS byte " + std::to_string(at) +
             (late ? ": the barrier between them was reached before a wait covered that access" : ": no barrier between them"));
}

}  // namespace

void check_lds(wave& w, const op& o, u32 lane, u32 at, u32 bytes, lds_access how) {
  lds_shadow& shadow = *w.g->shadow;
  const settings& set = *w.run->set;
  const u32 first = at >> shadow.shift, last = (at + bytes - 1) >> shadow.shift;
  const u32 pc = static_cast<u32>(&o - w.prog->ops.data());
  const bool reads = how == lds_access::read || how == lds_access::atomic, writes = how != lds_access::read;
  const u32 lds_sequence = w.checks ? w.checks->issued[static_cast<u32>(counter::lds)] : 0;
  const u32 load_sequence = w.checks ? w.checks->issued[static_cast<u32>(counter::load)] : 0;
  for (u32 i = first; i <= last; ++i) {
    lds_cell& c = shadow.cells[i];
    if (c.writer == 0xff) {
      if (reads && set.undefined) [[unlikely]] {
        report(*w.run, key_of(w, o, "lds"), where(w, o) + ": reads LDS byte " + std::to_string(i << shadow.shift) + ", which was never written (wave " + std::to_string(w.id) + ", lane " + std::to_string(lane) + ")");
      }
    } else if (c.writer == w.id) {
      // A wave's own LDS accesses are in order; data that memory brings to LDS are not there before a wait says so.
      if (c.kind == 1 && set.waits && w.checks && w.checks->done[static_cast<u32>(counter::load)] < c.write_sequence && how != lds_access::dma) [[unlikely]] {
        report(*w.run, key_of(w, o, "wait"), where(w, o) + ": touches LDS byte " + std::to_string(i << shadow.shift) + " while a load into it is outstanding: no wait covers it (wave " + std::to_string(w.id) + ")");
      }
    } else if (!(how == lds_access::atomic && c.kind == 2)) {
      bool late;
      if (!ordered(w.g->waves[c.writer], c.write_signals, c.write_sequence, c.kind == 1, w, late)) [[unlikely]] {
        if (late ? set.waits : set.races) report_race(w, o, i << shadow.shift, c, true, c.writer, late);
      }
    }
    if (writes) {
      const u32 others = c.readers & ~(1u << w.id);
      if (others && !(how == lds_access::atomic && c.kind == 2)) {
        bool late = false;
        const u32 other = c.reader != w.id && c.reader != 0xff ? c.reader : static_cast<u32>(__builtin_ctz(others));
        const bool plain_order = w.waits > c.read_signals;
        if (!plain_order) {
          if (set.races) report_race(w, o, i << shadow.shift, c, false, other, false);
        } else if (other == c.reader && !ordered(w.g->waves[other], c.read_signals, c.read_sequence, false, w, late)) {
          if (set.waits && late) report_race(w, o, i << shadow.shift, c, false, other, true);
        }
      }
      c.writer = w.id;
      c.kind = how == lds_access::dma ? 1 : how == lds_access::atomic ? 2 : 0;
      c.write_signals = w.signals;
      c.write_sequence = how == lds_access::dma ? load_sequence : lds_sequence;
      c.write_pc = pc;
      if (how != lds_access::atomic) c.readers = 0;
    }
    if (how == lds_access::read) {
      if (c.read_signals != w.signals) c.readers = 0;
      c.readers |= 1u << w.id;
      c.read_signals = w.signals;
      c.reader = w.id;
      c.read_sequence = lds_sequence;
      c.read_pc = pc;
    }
  }
}

void report_lds_range(wave& w, const op& o, u32 lane, u64 at, u32 bytes) {
  if (!w.run->set->global) return;
  report(*w.run, key_of(w, o, "ldsrange"),
         where(w, o) + ": " + std::to_string(bytes) + " bytes at LDS address " + std::to_string(at) + " lie outside the workgroup's " + std::to_string(w.g->lds_bytes) + " bytes (wave " + std::to_string(w.id) + ", lane " + std::to_string(lane) + ")");
}
void report_scratch_range(wave& w, const op& o, u32 lane, u64 at) {
  report(*w.run, key_of(w, o, "scratch"),
         where(w, o) + ": scratch offset " + std::to_string(at) + " lies outside the lane's " + std::to_string(w.scratch_bytes) + " bytes (wave " + std::to_string(w.id) + ", lane " + std::to_string(lane) + ")");
}
void report_alignment(wave& w, const op& o, u32 lane, u64 at, u32 alignment, const char* what) {
  report(*w.run, key_of(w, o, "align"), where(w, o) + ": " + what + " address " + hex(at) + " is not a multiple of " + std::to_string(alignment) + " (wave " + std::to_string(w.id) + ", lane " + std::to_string(lane) + ")");
}

bool check_global(wave& w, const op& o, u32 lane, u64 at, u32 bytes, u32 alignment, bool write) {
  const settings& set = *w.run->set;
  if (set.align && at % alignment) report_alignment(w, o, lane, at, alignment, "memory");
  if (!set.global) return true;
  struct cached {
    u64 first = 1, bytes = 0, generation = 0;
  };
  thread_local cached near[4];
  thread_local u32 victim = 0;
  const u64 now = memory::generation();
  for (const cached& c : near)
    if (c.generation == now && at - c.first < c.bytes && c.bytes - (at - c.first) >= bytes) return true;
  allocation a;
  if (memory::find(at, a) && a.bytes - (at - a.first) >= bytes) {
    near[victim++ % 4] = {a.first, a.bytes, now};
    return true;
  }
  std::string text = where(w, o) + ": " + (write ? "writes " : "reads ") + std::to_string(bytes) + " bytes at " + hex(at) + ", outside every live allocation (wave " + std::to_string(w.id) + ", lane " + std::to_string(lane) + ")";
  if (memory::nearest(at, a)) {
    const u64 end = a.first + a.bytes;
    text += "; the nearest block has " + std::to_string(a.bytes) + " bytes at " + hex(a.first);
    text += at >= end ? ", which ends " + std::to_string(at - end) + " bytes before" : at < a.first ? ", which begins " + std::to_string(a.first - at) + " bytes behind" : ", which the access overruns";
  }
  report(*w.run, key_of(w, o, "global"), text);
  return false;
}

void report_barrier(launch& l, const group& g) {
  std::string text = l.kernel->name + ": barrier divergence in workgroup (" + std::to_string(g.id[0]) + ", " + std::to_string(g.id[1]) + ", " + std::to_string(g.id[2]) + "):";
  for (const wave& w : g.waves) {
    if (w.state == stop::barrier || w.state == stop::split_wait)
      text += " wave " + std::to_string(w.id) + " waits at " + where(w, w.prog->ops[w.barrier_pc - 1]).substr(l.kernel->name.size() + 1) + ";";
    else if (w.state == stop::end)
      text += " wave " + std::to_string(w.id) + " has ended after " + std::to_string(w.signals) + " barriers;";
  }
  report(l, "barrier", text);
}

}  // namespace amdsim
