// fa_bench: how fast attention on the host is, beside what the machine can do at that moment. See
// README.md here.
#include <benchmark/benchmark.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <fa/core/version.hpp>

#include "measure.hpp"
#include "roof.hpp"

void add_f32_cases();
void add_f16_cases();
void add_bf16_cases();

namespace {

constexpr const char* usage =
    "fa_bench [--quick] [--clock=cpu] [--threads=N] [Google Benchmark options]\n"
    "  --quick       the cases that the README quotes, one thread (under a minute)\n"
    "  --clock=cpu   time one-thread cases by the thread's CPU time: for machines where others are "
    "at work\n"
    "  --threads=N   what \"all threads\" means; default: the machine's\n"
    "Names: "
    "forward/<f32|f16|bf16>/d<64|128|256>/s<512..8192>/<full|causal>/<bhsd|bshd>/threads:<1|N>\n"
    "       decode/<type>/d128/h32kv8/k<1024..32768>/<bhsd|bshd>/threads:<1|N>\n"
    "       scaling/<type>/d128/s<1024|4096>/<full|causal>/threads:<2|N>      "
    "roof/<fma|bf16_dot|read>/threads:<1|N>\n"
    "--benchmark_filter takes a regular expression over them. Files: --benchmark_out=FILE "
    "(JSON).\n\n";

/// The cases of --quick.
constexpr const char* quick =
    "^(forward/.*/d128/s4096/.*/bhsd/threads:1|forward/f32/d(64|256)/s4096/full/bhsd/"
    "threads:1|forward/.*/d128/s512/causal/bhsd/threads:1|"
    "forward/.*/d128/s4096/full/bshd/threads:1|decode/(f32|bf16)/.*/k8192/bhsd/threads:1|scaling/"
    "f32/d128/s4096/full/threads:2)$";

/// The processor's name as the system gives it.
std::string processor() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);)
    if (line.rfind("model name", 0) == 0)
      if (const auto colon = line.find(": "); colon != std::string::npos)
        return line.substr(colon + 2);
  return "unknown";
}

std::string compiler() {
#if defined(__clang__)
  return "clang " __clang_version__;
#else
  return "g++ " __VERSION__;
#endif
}

/// The value of `--name=value`, or null.
const char* value_of(std::string_view argument, std::string_view name) {
  if (argument.substr(0, name.size()) != name || argument.size() <= name.size() ||
      argument[name.size()] != '=')
    return nullptr;
  return argument.data() + name.size() + 1;
}

/// Roofs as cases of their own, for those who want the bare numbers.
void add_roof_cases(int threads) {
  const auto constant = [=](const char* name, const char* unit, auto roof) {
    bench::add_case("roof/" + std::string(name) + "/threads:" + std::to_string(threads),
                    [=](benchmark::State& state) {
                      bench::samples s;
                      s.add(roof());  // pages and clocks warm up
                      for (auto _ : state) s.add(roof());
                      state.counters[unit] = s.best() * 1e-9;
                    });
  };
  constant("fma", "GFLOPS", [=] { return bench::fma_roof(threads); });
  if (bench::has_bf16_dot())
    constant("bf16_dot", "GFLOPS", [=] { return bench::bf16_dot_roof(threads); });
  constant("read", "GBps", [=] {
    bool fresh = false;
    const std::size_t bytes = bench::beyond_caches();
    void* const data = bench::arena(bytes, "zeros", fresh);
    if (!data) return 0.0;
    if (!fresh) __builtin_memset(data, 0, bytes);
    return bench::read_roof(data, bytes, threads);
  });
}

}  // namespace

int main(int argc, char** argv) {
  auto& options = bench::options();
  options.all_threads = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  std::vector<char*> rest{argv[0]};
  std::string tabular = "--benchmark_counters_tabular=true",
              filter = std::string("--benchmark_filter=") + quick;
  rest.push_back(tabular.data());
  for (int i = 1; i < argc; i++) {
    const std::string_view a = argv[i];
    if (a == "--quick") {
      rest.push_back(filter.data());
    } else if (const char* clock = value_of(a, "--clock")) {
      options.cpu_clock = std::string_view(clock) == "cpu";
    } else if (const char* threads = value_of(a, "--threads")) {
      options.all_threads = std::max(1, std::atoi(threads));
    } else {
      if (const char* seconds = value_of(a, "--benchmark_min_time"))
        options.min_seconds = std::max(1e-3, std::atof(seconds));
      if (a == "--help") std::fputs(usage, stdout);
      rest.push_back(argv[i]);
    }
  }
  for (const int threads :
       options.all_threads > 1 ? std::vector{1, options.all_threads} : std::vector{1})
    add_roof_cases(threads);
  add_f32_cases();
  add_f16_cases();
  add_bf16_cases();

  int count = static_cast<int>(rest.size());
  benchmark::Initialize(&count, rest.data());
  if (benchmark::ReportUnrecognizedArguments(count, rest.data())) return 1;
  benchmark::AddCustomContext("fa_version", std::to_string(FA_VERSION));
  benchmark::AddCustomContext("processor", processor());
  benchmark::AddCustomContext("compiler", compiler());
  benchmark::AddCustomContext("instruction_set", bench::instruction_set());
#ifdef FA_BENCH_FLAGS
  benchmark::AddCustomContext("flags", FA_BENCH_FLAGS);
#endif
#ifdef _OPENMP
  benchmark::AddCustomContext("threading", "OpenMP");
#else
  benchmark::AddCustomContext("threading", "std::thread");
#endif
  benchmark::AddCustomContext("all_threads", std::to_string(options.all_threads));
  benchmark::AddCustomContext(
      "clock", options.cpu_clock ? "thread CPU time for one thread, wall for several" : "wall");
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
}
