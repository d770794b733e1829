// Running a launch: workgroups over threads, waves in turns between barriers.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <random>
#include <thread>

#if defined(__SSE__)
#include <xmmintrin.h>
#endif

#include "memory.hpp"
#include "profile.hpp"

namespace amdsim {
namespace {

/// Instructions that a wave may run before the others get their turn, so that waves may wait for
/// each other in a loop.
constexpr u64 slice = 1000000;
/// A workgroup that spins longer than this without the check switched on is left alone.
std::atomic<u64> finding_count{0};

/// Everything that one host thread reuses from workgroup to workgroup.
struct worker {
  std::vector<u32> registers;
  std::vector<u8> lds, scratch;
  std::vector<wave_checks> checks;
  lds_shadow shadow;
  group g;
  std::vector<u64> counts;
  std::vector<u32> turn;
  u64 scratch_registered = 0;
};

template <bool Checked, bool Profiled>
void run_slice(wave& w, u64* counts) {
  const op* ops = w.prog->ops.data();
  u64 left = slice;
  while (left--) {
    const op& o = ops[w.pc];
    if constexpr (Checked) check_operation(w, o);
    if constexpr (Profiled) ++counts[w.pc];
    ++w.pc;
    o.run(w, o);
    if (w.state != stop::no) [[unlikely]]
      break;
  }
  const u64 done = slice - 1 - left;
  w.executed += done;
  w.total += done;
  if (w.state == stop::no) w.state = stop::yield;
}

/// Granule of the LDS shadow: the narrowest access that the code has.
u32 shadow_shift(const program& p) {
  u32 shift = 2;
  for (const op& o : p.ops) {
    const std::string& m = o.x->mnemonic;
    if (m.rfind("ds_", 0) != 0 && m.rfind("flat_", 0) != 0) continue;
    if (m.find("b8") != std::string::npos || m.find("u8") != std::string::npos ||
        m.find("i8") != std::string::npos || m.find("byte") != std::string::npos)
      return 0;
    if (m.find("b16") != std::string::npos || m.find("u16") != std::string::npos ||
        m.find("i16") != std::string::npos || m.find("short") != std::string::npos)
      shift = 1;
  }
  return shift;
}

void set_up_wave(launch& l, worker& k, wave& w, u32 index, u32 threads) {
  const kernel_info& info = *l.kernel;
  const program& p = *l.prog;
  const bool gfx9 = p.target->gen == family::gfx9;
  const u32 lanes = p.wave64 ? 64 : 32;
  w = wave{};
  w.lanes = lanes;
  w.blocks = lanes / block_lanes;
  w.full = lanes == 64 ? ~u64{0} : 0xffffffffu;
  w.id = static_cast<u8>(index);
  w.g = &k.g;
  w.prog = &p;
  w.run = &l;
  w.v = k.registers.data() + u64{index} * 512 * row_lanes;
  u32 at = 0;
  if (!p.index_of(info.entry, at)) throw std::logic_error("kernel entry was not decoded");
  w.pc = at;
  w.mode = (info.rsrc1 >> 12 & 0xffu) | (info.rsrc1 >> 21 & 1u) << 8 |
           (info.rsrc1 >> 23 & 1u) << 9 | (info.rsrc1 >> 26 & 1u) << 23;

  // What nobody has written is all ones, a NaN in every format.
  const u32 granule = gfx9 || lanes == 64 ? 8u : 16u, total = ((info.rsrc1 & 63u) + 1) * granule,
            accum = gfx9 ? ((info.rsrc3 & 63u) + 1) * 4 : 256;
  std::memset(w.v, 0xff, sizeof(u32) * row_lanes * std::min(total, 256u));
  if (total > accum)
    std::memset(w.row(256), 0xff, sizeof(u32) * row_lanes * std::min(total - accum, 256u));
  for (u32& s : w.s) s = 0xffffffffu;
  w.s[sreg::exec] = w.s[sreg::exec + 1] = 0;
  w.s[sreg::vcc] = w.s[sreg::vcc + 1] = 0;
  w.s[sreg::null] = 0;

  const u32 first = index * lanes, live = std::min(lanes, threads - first);
  w.started = live == 64 ? ~u64{0} : (u64{1} << live) - 1;
  w.set_exec(w.started);
  for (u32 i = 0; i < live; ++i) {
    const u32 t = first + i;
    w.row(0)[i] = t % l.block[0] | t / l.block[0] % l.block[1] << 10 |
                  t / (l.block[0] * l.block[1]) << 20;
  }

  w.scratch_bytes = (info.scratch_bytes + (info.dynamic_stack ? 16384 : 0) + 15) / 16 * 16;
  w.scratch = k.scratch.data() + u64{index} * w.scratch_bytes * lanes;

  // User registers in the order of the descriptor's enable bits, then the workgroup's place.
  u32 n = 0;
  std::vector<u32> filled;
  const auto put = [&](u32 x) { w.s[n++] = x; };
  const auto put64 = [&](u64 x) {
    put(low32(x));
    put(high32(x));
  };
  const u64 scratch_base = reinterpret_cast<u64>(w.scratch);
  if (info.properties & 1) {
    put(low32(scratch_base));
    put((high32(scratch_base) & 0xffffu) | 1u << 31);
    put(w.scratch_bytes * lanes);
    put(3u << 21 | 1u << 23 | 1u << 19);
  }
  if (info.properties & 2) put64(l.dispatch_packet);
  if (info.properties & 4) put64(0);
  if (info.properties & 8) put64(l.kernarg);
  if (info.properties & 16) put64(1);
  if (info.properties & 32) put64(scratch_base);
  if (info.properties & 64) put(w.scratch_bytes);
  const u32 user = info.rsrc2 >> 1 & 31;
  const u32 written = n;
  n = std::max(n, user);
  const u32 ids = n;
  if (p.target->gen == family::gfx12) {
    w.s[sreg::ttmp0 + 9] = k.g.id[0];
    w.s[sreg::ttmp0 + 7] = (k.g.id[1] & 0xffffu) | k.g.id[2] << 16;
    w.s[sreg::ttmp0 + 8] = index << 25;
  } else {
    for (u32 d = 0; d < 3; ++d)
      if (info.rsrc2 >> (7 + d) & 1) put(k.g.id[d]);
    if (info.rsrc2 >> 10 & 1) put(0);
    if (gfx9 && (info.rsrc2 & 1)) put(0);  // offset of the wave's scratch from the base given above
  }
  if (l.set->any_wave_check()) {
    wave_checks& c = k.checks[index];
    c = wave_checks{};
    c.defined[0] = w.started;
    for (u32 i = 0; i < written; ++i) c.scalar_defined[i] = true;
    for (u32 i = ids; i < n; ++i) c.scalar_defined[i] = true;
    for (u32 i = sreg::ttmp0; i < sreg::ttmp0 + 16; ++i) c.scalar_defined[i] = true;
    c.scalar_defined[sreg::exec] = c.scalar_defined[sreg::exec + 1] = c.scalar_defined[sreg::null] =
        true;
    c.scalar_defined[sreg::flat_scratch] = c.scalar_defined[sreg::flat_scratch + 1] = gfx9;
    c.scratch_defined.assign(w.scratch_bytes / 4, 0);
    w.checks = &c;
  }
}

/// Whether the barrier that a stopped wave waits for is complete.
bool released(const group& g, const wave& w) {
  for (const wave& other : g.waves)
    if (other.state != stop::end && other.signals <= w.waits) return false;
  return true;
}

void run_group(launch& l, worker& k, u32 x, u32 y, u32 z) {
  const settings& set = *l.set;
  const u32 lanes = l.prog->wave64 ? 64 : 32, threads = l.block[0] * l.block[1] * l.block[2],
            n = (threads + lanes - 1) / lanes;
  group& g = k.g;
  g.id[0] = x;
  g.id[1] = y;
  g.id[2] = z;
  g.lds = k.lds.data();
  g.lds_bytes = l.lds_bytes;
  g.shadow = nullptr;
  std::memset(g.lds, 0xff, l.lds_bytes);
  if ((set.races || set.undefined || set.waits) && l.lds_bytes) {
    k.shadow.clear((l.lds_bytes >> k.shadow.shift) + 1);
    g.shadow = &k.shadow;
  }
  if (g.waves.size() != n) g.waves.resize(n);
  for (u32 i = 0; i < n; ++i) set_up_wave(l, k, g.waves[i], i, threads);

  std::mt19937_64 random(set.seed ^ (u64{x} << 40 ^ u64{y} << 20 ^ z));
  k.turn.resize(n);
  u64* counts = k.counts.empty() ? nullptr : k.counts.data();
  bool divergence_reported = false;
  for (;;) {
    for (u32 i = 0; i < n; ++i) k.turn[i] = i;
    if (set.wave_order == settings::order::reverse) std::reverse(k.turn.begin(), k.turn.end());
    if (set.wave_order == settings::order::random)
      std::shuffle(k.turn.begin(), k.turn.end(), random);
    bool alive = false, moved = false;
    for (const u32 i : k.turn) {
      wave& w = g.waves[i];
      if (w.state == stop::end) continue;
      alive = true;
      if (w.state == stop::barrier || w.state == stop::split_wait) {
        if (!released(g, w)) continue;
        if (set.barriers && !divergence_reported)
          for (const wave& other : g.waves)
            if (other.state == stop::end && other.signals <= w.waits) {
              report_barrier(l, g);
              divergence_reported = true;
              break;
            }
        ++w.waits;
        w.executed = 0;
      }
      w.state = stop::no;
      moved = true;
      apply_mode(w);
      if (w.checks) counts ? run_slice<true, true>(w, counts) : run_slice<true, false>(w, counts);
      else counts ? run_slice<false, true>(w, counts) : run_slice<false, false>(w, counts);
      if (w.state == stop::fault || l.failed.load(std::memory_order_relaxed)) return;
      if (set.loops && w.executed > set.loop_limit) {
        report(l, "loop",
               where(w, l.prog->ops[w.pc]) + ": wave " + std::to_string(w.id) + " ran " +
                   std::to_string(w.executed) +
                   " instructions without reaching a barrier or its end: an endless loop?");
        l.failed = true;
        return;
      }
    }
    if (!alive) return;
    if (!moved) {
      report_barrier(l, g);
      l.failed = true;
      return;
    }
  }
}

}  // namespace

void apply_mode(const wave& w) {
#if defined(__SSE__)
  constexpr u32 rounding[] = {0x0000, 0x4000, 0x2000, 0x6000};  // nearest, up, down, to zero
  u32 csr = 0x1f80u | rounding[w.mode & 3];
  if (!(w.mode >> 4 & 1)) csr |= 0x0040;  // subnormal inputs are zero
  if (!(w.mode >> 5 & 1)) csr |= 0x8000;  // so are subnormal results
  _mm_setcsr(csr);
#else
  (void)w;
#endif
}

bool first_to_signal(const wave& w) {
  for (const wave& other : w.g->waves)
    if (&other != &w && other.state != stop::end && other.signals > w.signals) return false;
  return true;
}

void fault(wave& w, const op& o, const std::string& why) {
  w.state = stop::fault;
  w.run->failed = true;
  std::lock_guard g(w.run->lock);
  std::fprintf(stderr, "amdsim: %s: %s (%s)\n", where(w, o).c_str(), why.c_str(),
               w.prog->target->name);
  std::fflush(stderr);
}

std::string where(const wave& w, const op& o) {
  char buffer[96] = "";
  const auto index = static_cast<std::size_t>(&o - w.prog->ops.data());
  const u64 at = index < w.prog->address.size() ? w.prog->address[index] - w.run->kernel->entry : 0;
  std::snprintf(buffer, sizeof buffer, " +0x%llx", static_cast<unsigned long long>(at));
  return w.run->kernel->name + buffer + " '" + o.x->text + "'";
}

void report(launch& l, const std::string& key, const std::string& text) {
  std::lock_guard g(l.lock);
  finding_count.fetch_add(1);
  constexpr std::size_t most = 20;
  if (l.reported.size() > most || !l.reported.insert(key).second) return;
  if (l.reported.size() > most)
    std::fprintf(stderr, "amdsim: more findings in %s are not shown\n", l.kernel->name.c_str());
  else std::fprintf(stderr, "amdsim: %s\n", text.c_str());
  std::fflush(stderr);
}

u64 findings() { return finding_count.load(); }

/// Appends the names of all instructions that a launch executed.
static void write_coverage(const launch& l, const char* file) {
  std::FILE* f = std::fopen(file, "a");
  if (!f) return;
  std::set<std::string> names;
  for (std::size_t i = 0; i < l.counts.size(); ++i)
    if (l.counts[i]) names.insert(l.prog->ops[i].x->definition);
  for (const std::string& n : names) std::fprintf(f, "%s\n", n.c_str());
  std::fclose(f);
}

bool run_launch(launch& l) {
  const settings& set = *l.set;
  static const char* const coverage = std::getenv("AMDSIM_COVERAGE");
  const u32 lanes = l.prog->wave64 ? 64 : 32, threads = l.block[0] * l.block[1] * l.block[2],
            n = (threads + lanes - 1) / lanes;
  const u64 groups = u64{l.grid[0]} * l.grid[1] * l.grid[2];
  if (!set.profile.empty() || coverage) l.counts.assign(l.prog->ops.size(), 0);
  const u32 shift = shadow_shift(*l.prog);
  std::atomic<u64> next{0};
  const auto work = [&] {
    worker k;
#if defined(__SSE__)
    const u32 saved = _mm_getcsr();
#endif
    k.registers.resize(u64{n} * 512 * row_lanes);
    k.lds.resize(l.lds_bytes + 16);
    const u64 scratch =
        u64{(l.kernel->scratch_bytes + (l.kernel->dynamic_stack ? 16384u : 0u) + 15) / 16 * 16} *
        lanes * n;
    k.scratch.resize(scratch + 16);
    if (scratch)
      memory::add(reinterpret_cast<u64>(k.scratch.data()), scratch, allocation::kind::arguments);
    if (set.any_wave_check()) k.checks.resize(n);
    k.shadow.shift = shift;
    if (l.profiling()) k.counts.assign(l.prog->ops.size(), 0);
    for (;;) {
      const u64 i = next.fetch_add(1);
      if (i >= groups || l.failed.load(std::memory_order_relaxed)) break;
      run_group(l, k, static_cast<u32>(i % l.grid[0]), static_cast<u32>(i / l.grid[0] % l.grid[1]),
                static_cast<u32>(i / l.grid[0] / l.grid[1]));
    }
    if (scratch) memory::remove(reinterpret_cast<u64>(k.scratch.data()));
    std::lock_guard g(l.lock);
    for (std::size_t i = 0; i < k.counts.size(); ++i) l.counts[i] += k.counts[i];
#if defined(__SSE__)
    _mm_setcsr(saved);
#endif
  };
  // Global atomics make the result depend on the order of workgroups, so such kernels
  // run in that order.
  const u64 threads_used = l.prog->global_atomics ? 1 : std::min<u64>(set.threads, groups);
  if (threads_used <= 1) {
    work();
  } else {
    std::vector<std::thread> pool;
    for (u64 t = 0; t < threads_used; ++t) pool.emplace_back(work);
    for (std::thread& t : pool) t.join();
  }
  if (coverage && !l.failed) write_coverage(l, coverage);
  if (!set.profile.empty() && !l.failed) write_profile(l);
  return !l.failed;
}

}  // namespace amdsim
