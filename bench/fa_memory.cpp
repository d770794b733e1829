// fa_memory: how much memory forward needs beyond its inputs and outputs. Each size runs in a
// process of its own, whose largest resident set is compared before and after the call. Fails if
// the need grows with the sequence.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include <sys/wait.h>
#include <unistd.h>

#include "../test/arguments.hpp"

#include <fa/attention.hpp>

namespace {

struct size {
  std::int64_t queries, keys, heads, heads_kv;
};

/// A field of /proc/self/status in KiB, -1 where there is none.
long status_field(const std::string& name) {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;)
    if (word == name) {
      long kib = -1;
      status >> kib;
      return kib;
    }
  return -1;
}

/// Runs one size in this process and returns the growth of the largest resident set in KiB,
/// negative on failure.
long measure(const size& s, int threads) {
  constexpr int dim = 64;
  using attention = fa::attention<fa::bf16, fa::head_dim<dim>, fa::causal>;
  const auto make = [&](std::int64_t heads, std::int64_t tokens) {
    return std::vector<fa::bf16>(static_cast<std::size_t>(heads * tokens * dim), fa::bf16(0.5f));
  };
  auto q = make(s.heads, s.queries), k = make(s.heads_kv, s.keys), v = make(s.heads_kv, s.keys),
       o = make(s.heads, s.queries);
  const auto a = test::arguments<attention>(
      test::dense_call({1, s.heads, s.heads_kv, s.queries, s.keys}, dim, dim)
          .at(q.data(), k.data(), v.data(), o.data()));
  std::ofstream("/proc/self/clear_refs")
      << "5" << std::flush;  // the largest resident set starts again from here
  const long before = status_field("VmHWM:");
  if (const fa::status st = attention::forward(fa::host{.threads = threads}, a); !st) {
    std::fprintf(stderr, "%s\n", st.message());
    return -1;
  }
  const long after = status_field("VmHWM:");
  return before < 0 ? -1 : after - before;
}

/// The same in a fresh process of this program.
long measure_apart(const std::string& size_text) {
  std::FILE* child = popen(("/proc/" + std::to_string(getpid()) + "/exe " + size_text).c_str(),
                           "r");
  if (!child) return -1;
  long kib = -1;
  if (std::fscanf(child, "%ld", &kib) != 1) kib = -1;
  return pclose(child) == 0 ? kib : -1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 6) {
    const auto number = [&](int i) { return std::strtoll(argv[i], nullptr, 10); };
    const long kib = measure({number(1), number(2), number(3), number(4)},
                             static_cast<int>(number(5)));
    std::printf("%ld\n", kib);
    return kib < 0;
  }
  const int all = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  // Long and short ones of two kinds: blocks of rows, and one row of several heads.
  const std::vector<std::vector<size>> kinds = {
      {{512, 512, 4, 4}, {2048, 2048, 4, 4}, {8192, 8192, 4, 4}, {48, 262144, 2, 2}},
      {{1, 1024, 8, 2}, {1, 262144, 8, 2}}};
  // Of a kind, sizes differ in how many threads find work, and in pages of code and stack
  // that one happens to touch and another does not. A row of scores of the longest would take
  // 1024 KiB in one thread.
  const long allowed_growth_kib = 512;
  bool good = true;
  std::printf(
      "| threads | queries | keys | heads | inputs and outputs, KiB | beyond them, KiB "
      "|\n|---|---|---|---|---|---|\n");
  for (const int threads : all > 1 ? std::vector{1, all} : std::vector{1}) {
    for (const auto& sizes : kinds) {
      long least = -1, most = -1;
      for (const size& s : sizes) {
        const std::string text = std::to_string(s.queries) + " " + std::to_string(s.keys) + " " +
                                 std::to_string(s.heads) + " " + std::to_string(s.heads_kv) + " " +
                                 std::to_string(threads);
        const long kib = measure_apart(text);
        good = good && kib >= 0;
        least = least < 0 ? kib : std::min(least, kib);
        most = std::max(most, kib);
        const long tensors = (s.queries * s.heads + s.keys * s.heads_kv) * 64 * 2 * 2 / 1024;
        std::printf("| %d | %ld | %ld | %ld/%ld | %ld | %ld |\n", threads, long(s.queries),
                    long(s.keys), long(s.heads), long(s.heads_kv), tensors, kib);
      }
      good = good && most - least <= allowed_growth_kib * threads;
    }
  }
  std::puts(good ? "constant: independent of the sequence" : "NOT constant");
  return good ? 0 : 1;
}
