// The roofs: loops that do nothing but fused multiply-adds, bf16 dot products, or reads.
#include "roof.hpp"

#include <barrier>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include <sys/mman.h>
#include <unistd.h>

#include "measure.hpp"

#if defined(__AVX512F__) && defined(__AVX512BF16__)
#include <immintrin.h>
#endif

namespace bench {
namespace {

#if defined(__AVX512F__)
constexpr int vector_bytes = 64;
// of 32 registers; latency 4 to 5 times two units needs 10
constexpr std::size_t accumulators = 24;
#elif defined(__AVX__)
constexpr int vector_bytes = 32;
constexpr std::size_t accumulators = 12;  // of 16 registers
#else
constexpr int vector_bytes = 16;
constexpr std::size_t accumulators = 12;
#endif
constexpr int lanes = vector_bytes / 4;
typedef float float_vector __attribute__((vector_size(vector_bytes)));
typedef std::uint64_t word_vector __attribute__((vector_size(vector_bytes)));

/// A value that the compiler cannot know.
template <class T>
T unknown(T x) {
  volatile T y = x;
  return y;
}
volatile double sink;  // NOLINT: keeps the loops' results

/// One step on every accumulator: written as a fold, so that each is a register of its
/// own in every compiler.
template <class Step, std::size_t... I>
[[gnu::always_inline]] inline void each(float_vector* a, Step step, std::index_sequence<I...>) {
  ((a[I] = step(a[I])), ...);
}

template <class Step>
[[gnu::always_inline]] inline void spin(long steps, Step step) {
  float_vector a[accumulators];
  constexpr std::make_index_sequence<accumulators> all{};
  float start = 1.0f;
  each(a, [&](float_vector) { return float_vector{} + (start += 1.0f); }, all);
  for (long i = 0; i < steps; i++) each(a, step, all);
  float_vector sum{};
  each(a, [&](float_vector x) { return sum += x; }, all);
  sink = sum[0];
}

[[gnu::noinline]] void spin_fma(long steps) {
  const float_vector x = float_vector{} + unknown(0.999f),
                     y = float_vector{} + unknown(1e-3f);  // tends to 1: no denormals
  spin(steps, [=](float_vector a) { return a * x + y; });
}

#if defined(__AVX512F__) && defined(__AVX512BF16__)
[[gnu::noinline]] void spin_dot(long steps) {
  // two small bf16 numbers: the sum stays finite
  const __m512i pair = _mm512_set1_epi32(unknown(0x3a003a00));
  __m512bh x, y;
  static_assert(sizeof x == sizeof pair);
  __builtin_memcpy(&x, &pair, sizeof x);
  __builtin_memcpy(&y, &pair, sizeof y);
  spin(steps, [=](float_vector a) { return (float_vector)_mm512_dpbf16_ps((__m512)a, x, y); });
}
#endif

[[gnu::noinline]] void spin_read(const void* data, std::size_t bytes) {
  constexpr std::size_t streams = 8, step = streams * vector_bytes;
  const auto* p = static_cast<const word_vector*>(data);
  word_vector a[streams] = {};
  for (std::size_t i = 0; i < bytes / step; i++, p += streams)
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      ((a[I] ^= p[I]), ...);
    }(std::make_index_sequence<streams>{});
  for (std::size_t i = 1; i < streams; i++) a[0] ^= a[i];
  sink = static_cast<double>(a[0][0]);
}

/// Runs body(i) on all threads at once and returns the sum over them of work / own time.
template <class Body>
double rate_of_all(int threads, double work_each, Body body) {
  const auto timed = [&](int i, bool cpu) {
    const stopwatch watch(cpu);
    body(i);
    return work_each / watch.seconds();
  };
  if (threads == 1) return timed(0, use_cpu_clock(1));
  std::vector<double> rate(static_cast<std::size_t>(threads));
  std::barrier start(threads);
  const auto work = [&](int i) {
    start.arrive_and_wait();
    rate[static_cast<std::size_t>(i)] = timed(i, false);
  };
  std::vector<std::thread> crew;
  for (int i = 1; i < threads; i++) crew.emplace_back(work, i);
  work(0);
  for (auto& t : crew) t.join();
  double sum = 0;
  for (const double r : rate) sum += r;
  return sum;
}

/// As many steps as take about a millisecond, found once.
template <class Loop>
long steps_of_a_slice(Loop loop) {
  for (long steps = 1024;; steps *= 2) {
    const stopwatch watch(true);
    loop(steps);
    if (const double s = watch.seconds(); s > 1e-3)
      return static_cast<long>(static_cast<double>(steps) * 1e-3 / s) + 1;
  }
}

}  // namespace

const char* instruction_set() {
#if defined(__AVX512F__) && defined(__AVX512BF16__)
  return "AVX-512 with bf16 dot products";
#elif defined(__AVX512F__)
  return "AVX-512";
#elif defined(__AVX2__) && defined(__FMA__)
  return "AVX2 with FMA";
#elif defined(__AVX__)
  return "AVX";
#elif defined(__SSE2__)
  return "SSE2";
#else
  return "16-byte vectors";
#endif
}

double fma_roof(int threads) {
  static const long steps = steps_of_a_slice(spin_fma);
  const double work = 2.0 * lanes * accumulators * static_cast<double>(steps);
  return rate_of_all(threads, work, [](int) { spin_fma(steps); });
}

#if defined(__AVX512F__) && defined(__AVX512BF16__)
bool has_bf16_dot() { return true; }
double bf16_dot_roof(int threads) {
  static const long steps = steps_of_a_slice(spin_dot);
  const double work = 4.0 * lanes * accumulators * static_cast<double>(steps);
  return rate_of_all(threads, work, [](int) { spin_dot(steps); });
}
#else
bool has_bf16_dot() { return false; }
double bf16_dot_roof(int) { return 0; }
#endif

bool bf16_dot_pays() {
  if (!has_bf16_dot()) return false;
  samples dot, fma;
  for (int i = 0; i < 5; i++) {
    dot.add(bf16_dot_roof(1));
    fma.add(fma_roof(1));
  }
  return dot.best() > fma.best();
}

double read_roof(const void* data, std::size_t bytes, int threads) {
  const std::size_t part = bytes / static_cast<std::size_t>(threads) / 4096 * 4096;
  return rate_of_all(threads, static_cast<double>(part), [=](int i) {
    spin_read(static_cast<const char*>(data) + static_cast<std::size_t>(i) * part, part);
  });
}

void* arena(std::size_t bytes, const std::string& tag, bool& fresh) {
  static std::unique_ptr<void, decltype(&std::free)> memory(nullptr, &std::free);
  static std::size_t size = 0;
  static std::string last;
  constexpr std::size_t page = std::size_t{1} << 21;
  bytes = (bytes + page - 1) / page * page;
  if (size < bytes) {
    memory.reset();
    memory.reset(std::aligned_alloc(page, bytes));
    size = memory ? bytes : 0;
    last.clear();
#ifdef MADV_HUGEPAGE
    if (memory)
      madvise(memory.get(), size,
              MADV_HUGEPAGE);  // a hint: what is measured is memory, not page tables
#endif
  }
  fresh = last == tag;
  last = tag;
  return memory.get();
}

std::size_t beyond_caches() {
  constexpr std::size_t mib = 1 << 20;
  long last = 0;
#ifdef _SC_LEVEL3_CACHE_SIZE
  last = sysconf(_SC_LEVEL3_CACHE_SIZE);
#endif
  return std::clamp(4 * static_cast<std::size_t>(std::max(last, 0L)), 256 * mib, 1024 * mib);
}

}  // namespace bench
