// How a case is timed: rounds of the case with slices of its roof (a loop that does nothing but
// what limits the case) before, between and after them, all in one process on the same threads. On
// a shared machine the clock and the neighbours change within seconds, so a rate only means
// something beside a roof taken at the same time.
#pragma once

#include <benchmark/benchmark.h>

#include <time.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <string>
#include <vector>

namespace bench {

/// What the command line sets.
struct settings {
  double min_seconds = 0.5;  ///< of kernel time per case; follows --benchmark_min_time
  bool cpu_clock =
      false;  ///< one-thread cases by the thread's CPU time, for machines where others are at work
  int all_threads = 1;  ///< what "all threads" means
};

/// The settings of this process. main() fills them before any case is registered.
inline settings& options() {
  static settings s;
  return s;
}

/// A stopwatch: wall time, or the CPU time of the calling thread. The latter leaves out what
/// other processes took from this one by preempting it, and means nothing once a case has
/// more than one thread.
class stopwatch {
 public:
  explicit stopwatch(bool cpu) : cpu_(cpu), start_(now()) {}
  double seconds() const { return now() - start_; }

 private:
  double now() const {
    if (cpu_) {
      timespec t;
      clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
      return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
    }
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch())
        .count();
  }
  bool cpu_;
  double start_;
};

/// The clock for a case on that many threads.
inline bool use_cpu_clock(int threads) { return options().cpu_clock && threads == 1; }

/// Rates (something per second) of many rounds of one thing.
struct samples {
  std::vector<double> rates;
  void add(double rate) { rates.push_back(rate); }
  double best() const { return *std::max_element(rates.begin(), rates.end()); }
  double median() const {
    auto r = rates;
    const auto middle = r.begin() + static_cast<std::ptrdiff_t>(r.size() / 2);
    std::nth_element(r.begin(), middle, r.end());
    return *middle;
  }
};

/// Times rounds of `run`, each of which does `work` units (flops, bytes), and slices of `roof`, a
/// callable that returns units per second. Adds to the state, in units of 1e9 per second:
///   <unit>    the best round
///   roof      the best slice
///   fraction  their quotient: what the code reaches when nobody disturbs it
///   median    median round by median slice: the same with everything that happened meanwhile
/// A best of many short slices is a hard roof: it catches the machine's highest clock.
template <class Run, class Roof>
void measure(benchmark::State& state, const char* unit, double work, int threads, Run run,
             Roof roof) {
  constexpr double slice_seconds = 1e-3;  // about what one call of `roof` takes
  const bool cpu = use_cpu_clock(threads);
  samples done, roofs;
  const auto timed_run = [&] {
    const stopwatch watch(cpu);
    static_cast<void>(run());
    benchmark::ClobberMemory();
    return watch.seconds();
  };

  roofs.add(roof());
  timed_run();  // touches every page, starts the thread pool
  const double once = std::max(timed_run(), 1e-7);
  roofs.add(roof());

  const auto rounds = static_cast<benchmark::IterationCount>(
      std::clamp(std::ceil(1.2 * options().min_seconds / once), 3.0, 1e6));
  const int slices = static_cast<int>(
      std::clamp(0.1 * once / slice_seconds, 1.0, 6.0));  // in one gap
  const auto gap = static_cast<benchmark::IterationCount>(
      std::clamp(4 * slice_seconds / once, 1.0, 1e6));  // rounds between two

  while (state.KeepRunningBatch(rounds)) {
    for (benchmark::IterationCount i = 1; i <= rounds; i++) {
      done.add(work / timed_run());
      if (i % gap == 0 || i == rounds) {
        state.PauseTiming();
        for (int s = 0; s < slices; s++) roofs.add(roof());
        state.ResumeTiming();
      }
    }
  }
  state.counters[unit] = done.best() * 1e-9;
  state.counters["roof"] = roofs.best() * 1e-9;
  state.counters["fraction"] = done.best() / roofs.best();
  state.counters["median"] = done.median() / roofs.median();
}

/// Registers a case under a name; google benchmark's own suffixes (threads, min_time)
/// are not wanted in it.
template <class Body>
void add_case(const std::string& name, Body body) {
  benchmark::RegisterBenchmark(name.c_str(), body)->Unit(benchmark::kMillisecond);
}

}  // namespace bench
