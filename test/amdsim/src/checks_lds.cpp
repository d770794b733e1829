// The checks of LDS: two waves at one place without a barrier between, data that are not
// there yet or never were.
#include <algorithm>

#include "checks.hpp"

namespace amdsim {
namespace {

// A stamp says who touched a granule last and when:
//   bits 40..63  barrier signals of the wave at that time, plus one; a granule that nobody touched
//   has stamp 0 bits 32..39  the wave's number, with a bit for LDS DMA and one for atomics bits
//   0..31   index of the operation
constexpr u32 when_shift = 40, who_shift = 32;
constexpr u64 dma_bit = u64{0x80} << who_shift, atomic_bit = u64{0x40} << who_shift;
u32 wave_of(u64 stamp) { return static_cast<u32>(stamp >> who_shift) & 31u; }
u32 signals_of(u64 stamp) { return static_cast<u32>(stamp >> when_shift) - 1; }

/// The same for all lanes of one access.
struct access {
  u64 stamp;      ///< what it leaves behind
  u64 low, high;  ///< stamps in between: before a barrier that both waves have passed, and complete
                  ///< by then
  u64 unsure;     ///< bits of stamps that need a closer look all the same
  u32 sequence;   ///< of the wave's accesses that its counters count
};

access describe(const wave& w, const op& o, lds_access how) {
  const lds_shadow& shadow = *w.g->shadow;
  access a;
  const u64 kind = how == lds_access::dma ? dma_bit : how == lds_access::atomic ? atomic_bit : 0;
  a.stamp = u64{w.signals + 1} << when_shift | u64{w.id} << who_shift | kind |
            static_cast<u64>(&o - w.prog->ops.data());
  a.low = u64{shadow.incomplete + 1} << when_shift;
  a.high = u64{w.waits + 1} << when_shift;
  a.unsure = shadow.incomplete_dma ? dma_bit : 0;
  const counter by = how == lds_access::dma ? counter::load : counter::lds;
  a.sequence = w.checks ? w.checks->issued[static_cast<u32>(by)] : 0;
  return a;
}

/// Whether an access made by `from` after `signals` barrier signals is over for a wave that has
/// passed `to.waits` barriers.
bool ordered(const wave& from, u32 signals, u32 sequence, bool dma, const wave& to, bool& late) {
  late = false;
  if (to.waits <= signals) return false;
  if (!from.checks || !from.run->set->waits) return true;
  // Some barrier that both have passed must have been signalled after the access was complete.
  const auto& marks = from.checks->at_signal;
  if (to.waits > marks.size()) return true;
  const wave_checks::mark& m = marks[to.waits - 1];
  late = (dma ? m.load : m.lds) < sequence;
  return !late;
}

[[gnu::cold]] void report_race(wave& w, const op& o, u32 at, u64 stamp, bool wrote, bool late) {
  const auto index = static_cast<u32>(stamp);
  const std::string key = "race" + std::to_string(index) + "," +
                          std::to_string(&o - w.prog->ops.data());
  report(*w.run, key,
         where(w, o) + ": LDS race: wave " + std::to_string(w.id) + " and wave " +
             std::to_string(wave_of(stamp)) + " (" + (wrote ? "wrote" : "read") + " by '" +
             w.prog->ops[index].x->text + "') at LDS byte " + std::to_string(at) +
             (late ? ": the barrier between them was reached before a wait covered that access"
                   : ": no barrier between them"));
}

/// An access after a write, where the quick look did not settle it.
void after_write(wave& w, const op& o, u32 lane, u32 at, u64 stamp, u32 sequence, lds_access how) {
  const settings& set = *w.run->set;
  if (!stamp) {
    if (set.undefined && (how == lds_access::read || how == lds_access::atomic))
      report(*w.run, key_of(w, o, "lds"),
             where(w, o) + ": reads LDS byte " + std::to_string(at) +
                 ", which was never written (wave " + std::to_string(w.id) + ", lane " +
                 std::to_string(lane) + ")");
    return;
  }
  const bool dma = (stamp & dma_bit) != 0;
  if (wave_of(stamp) == w.id) {
    // A wave's own LDS accesses are in order; data that memory brings to LDS are not there
    // before a wait says so.
    if (dma && set.waits && w.checks && how != lds_access::dma &&
        w.checks->done[static_cast<u32>(counter::load)] < sequence)
      report(*w.run, key_of(w, o, "wait"),
             where(w, o) + ": touches LDS byte " + std::to_string(at) +
                 " while a load into it is outstanding: no wait covers it (wave " +
                 std::to_string(w.id) + ")");
    return;
  }
  if (how == lds_access::atomic && (stamp & atomic_bit)) return;
  bool late;
  if (!ordered(w.g->waves[wave_of(stamp)], signals_of(stamp), sequence, dma, w, late) &&
      (late ? set.waits : set.races))
    report_race(w, o, at, stamp, true, late);
}

/// A write after a read.
void after_read(wave& w, const op& o, u32 at, u64 stamp, u32 sequence) {
  const settings& set = *w.run->set;
  if (!stamp || wave_of(stamp) == w.id) return;
  bool late;
  if (!ordered(w.g->waves[wave_of(stamp)], signals_of(stamp), sequence, false, w, late) &&
      (late ? set.waits : set.races))
    report_race(w, o, at, stamp, false, late);
}

/// Everything about one lane's access to a granule.
[[gnu::noinline]] void look_closer(wave& w, const op& o, u32 lane, u32 granule, lds_access how) {
  const lds_shadow& s = *w.g->shadow;
  const u32 at = granule << s.shift;
  after_write(w, o, lane, at, s.write[granule], s.write_sequence[granule], how);
  if (how == lds_access::read || (how == lds_access::atomic && (s.write[granule] & atomic_bit)))
    return;
  after_read(w, o, at, s.read[granule], s.read_sequence[granule]);
  after_read(w, o, at, s.other[granule], 0);
}

/// `N` neighbouring stamps or sequence numbers at once.
template <u32 N>
struct several {
  typedef u64 stamps __attribute__((vector_size(8 * N)));
  typedef u32 numbers __attribute__((vector_size(4 * N)));
  template <class T>
  static stamps load(const T* from) {
    stamps x;
    std::memcpy(&x, from, sizeof x);
    return x;
  }
  static bool any(stamps x) {
    u64 all[N], r = 0;
    std::memcpy(all, &x, sizeof all);
    for (const u64 each : all) r |= each;
    return r != 0;
  }
};

/// Looks at `N` neighbouring granules at a time.
template <lds_access How, u32 N>
struct checker {
  using stamps = typename several<N>::stamps;
  wave& w;
  const op& o;
  const access a;
  lds_shadow& s;

  /// All ones where a stamp needs a closer look.
  stamps doubtful(stamps x) const {
    const stamps away = stamps(x < a.low) | stamps(x >= a.high) | stamps((x & a.unsure) != 0);
    return away & stamps(x >> who_shift != a.stamp >> who_shift);
  }
  stamps doubtful_if_any(stamps x) const { return doubtful(x) & stamps(x != 0); }

  stamps look(u32 at) const {
    stamps bad = doubtful(several<N>::load(&s.write[at]));
    if constexpr (How != lds_access::read)
      bad |= doubtful_if_any(several<N>::load(&s.read[at])) |
             doubtful_if_any(several<N>::load(&s.other[at]));
    return bad;
  }
  void leave(u32 at) const {
    const stamps now = stamps{} + a.stamp;
    const typename several<N>::numbers sequence = typename several<N>::numbers{} + a.sequence;
    if constexpr (How == lds_access::read) {
      // Two different waves among the last readers are enough to tell whether a later writer
      // met another one.
      const stamps before = several<N>::load(&s.read[at]);
      constexpr u64 wave_bits = u64{31} << who_shift;
      const stamps foreign = stamps(before != 0) & stamps(((before ^ a.stamp) & wave_bits) != 0);
      if (several<N>::any(foreign)) {
        const stamps others = (several<N>::load(&s.other[at]) & ~foreign) | (before & foreign);
        std::memcpy(&s.other[at], &others, sizeof others);
      }
      std::memcpy(&s.read[at], &now, sizeof now);
      std::memcpy(&s.read_sequence[at], &sequence, sizeof sequence);
    } else {
      std::memcpy(&s.write[at], &now, sizeof now);
      std::memcpy(&s.write_sequence[at], &sequence, sizeof sequence);
      // Readers stay noted: whoever they race with later races with this write too.
    }
  }
};

template <lds_access How, u32 N>
void touch(wave& w, const op& o, const u32* at, u64 mask, u32 bytes) {
  lds_shadow& s = *w.g->shadow;
  const access a = describe(w, o, How);
  const checker<How, N> all{w, o, a, s};
  const checker<How, 1> one{w, o, a, s};
  // First what was there before, then what this leaves: lanes of one access do not
  // race with each other.
  typename several<N>::stamps bad = {};
  u32 straddling = 0;
  const u32 shift = s.shift, off = (1u << shift) - 1, count = std::max(bytes >> shift, N);
  for (u64 m = mask; m; m &= m - 1) {
    const u32 l = static_cast<u32>(__builtin_ctzll(m));
    straddling |= at[l] & off;
    for (u32 i = 0; i < count; i += N) bad |= all.look((at[l] >> shift) + i);
  }
  const bool whole = bytes == count << shift && !straddling;
  if (whole && !several<N>::any(bad)) [[likely]] {
    for (u64 m = mask; m; m &= m - 1)
      for (u32 i = 0; i < count; i += N) all.leave((at[__builtin_ctzll(m)] >> shift) + i);
    return;
  }
  const auto each = [&](auto f) {
    for (u64 m = mask; m; m &= m - 1) {
      const u32 l = static_cast<u32>(__builtin_ctzll(m));
      for (u32 i = at[l] >> shift; i <= (at[l] + bytes - 1) >> shift; ++i) f(l, i);
    }
  };
  each([&](u32 l, u32 i) {
    if (several<1>::any(one.look(i))) look_closer(w, o, l, i, How);
  });
  each([&](u32, u32 i) { one.leave(i); });
}
template <lds_access How>
void touch_any(wave& w, const op& o, const u32* at, u64 mask, u32 bytes) {
  const u32 granules = bytes >> w.g->shadow->shift;
  if (granules && granules % 4 == 0) return touch<How, 4>(w, o, at, mask, bytes);
  if (granules == 2) return touch<How, 2>(w, o, at, mask, bytes);
  return touch<How, 1>(w, o, at, mask, bytes);
}

}  // namespace

void lds_shadow::clear(u32 granules) {
  constexpr u32 beyond = 4;  // accesses are looked at by up to four granules
  for (auto* stamps : {&write, &read, &other}) stamps->assign(granules + beyond, 0);
  for (auto* numbers : {&write_sequence, &read_sequence}) numbers->assign(granules + beyond, 0);
  incomplete = incomplete_dma = 0;
}

void check_lds_lanes(wave& w, const op& o, const u32* at, u64 mask, u32 bytes, lds_access how) {
  switch (how) {
    case lds_access::read: return touch_any<lds_access::read>(w, o, at, mask, bytes);
    case lds_access::write: return touch_any<lds_access::write>(w, o, at, mask, bytes);
    case lds_access::dma: return touch_any<lds_access::dma>(w, o, at, mask, bytes);
    case lds_access::atomic: return touch_any<lds_access::atomic>(w, o, at, mask, bytes);
  }
}

void check_lds(wave& w, const op& o, u32 lane, u32 at, u32 bytes, lds_access how) {
  u32 addresses[row_lanes];
  addresses[lane] = at;
  check_lds_lanes(w, o, addresses, u64{1} << lane, bytes, how);
}

void note_signal(wave& w) {
  if (!w.checks) return;
  const wave_checks& c = *w.checks;
  constexpr auto lds = static_cast<u32>(counter::lds), load = static_cast<u32>(counter::load);
  w.checks->at_signal.push_back({c.done[lds], c.done[load]});
  const auto signals = static_cast<u32>(w.checks->at_signal.size());
  if (w.g->shadow && c.done[lds] < c.issued[lds]) w.g->shadow->incomplete = signals;
  if (w.g->shadow && c.done[load] < c.issued[load]) w.g->shadow->incomplete_dma = signals;
}

void report_lds_range(wave& w, const op& o, u32 lane, u64 at, u32 bytes) {
  if (!w.run->set->global) return;
  report(*w.run, key_of(w, o, "ldsrange"),
         where(w, o) + ": " + std::to_string(bytes) + " bytes at LDS address " +
             std::to_string(at) + " lie outside the workgroup's " + std::to_string(w.g->lds_bytes) +
             " bytes (wave " + std::to_string(w.id) + ", lane " + std::to_string(lane) + ")");
}
void report_scratch_range(wave& w, const op& o, u32 lane, u64 at) {
  report(*w.run, key_of(w, o, "scratch"),
         where(w, o) + ": scratch offset " + std::to_string(at) + " lies outside the lane's " +
             std::to_string(w.scratch_bytes) + " bytes (wave " + std::to_string(w.id) + ", lane " +
             std::to_string(lane) + ")");
}

}  // namespace amdsim
