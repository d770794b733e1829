// The same few problems under whatever flags this file is compiled with: baseline and AVX2
// processors, no OpenMP, no exceptions. Exits with 77 (skipped) where the processor cannot run it.
#include "check.hpp"

#include <cstdio>

namespace {

int failed = 0;

void expect(const char* what, double error, double tolerance) {
  const bool good = error <= tolerance;
  std::printf("%-28s %.2e (at most %.0e)%s\n", what, error, tolerance, good ? "" : "  FAILED");
  failed += !good;
}

bool runs_here() {
#if defined(__x86_64__) && defined(__AVX512F__)
  return __builtin_cpu_supports("avx512f") != 0;
#elif defined(__x86_64__) && defined(__AVX2__)
  return __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0;
#else
  return true;
#endif
}

}  // namespace

int main() {
  if (!runs_here()) return 77;
  using check::error_of;
  expect("f32 D 64", error_of<float, 64>({2, 50, 70, 2, 2, -1, -1}, fa::no_mask{}), 2e-5);
  expect("f32 D 36 causal GQA", error_of<float, 36>({1, 97, 130, 6, 2, -1, 0}, fa::causal{}), 2e-5);
  expect("f32 D 36 causal, more queries",
         error_of<float, 36>({1, 40, 9, 2, 1, -1, 0}, fa::causal{}), 2e-5);
  expect("f32 D 36 window",
         error_of<float, 36>({1, 200, 200, 1, 1, 17, 3}, fa::window{.left = 17, .right = 3}), 2e-5);
  expect("f32 D 64 one query", error_of<float, 64>({2, 1, 300, 4, 2, -1, -1}, fa::no_mask{}), 2e-5);
  expect("bf16 D 64 causal", error_of<fa::bf16, 64>({1, 100, 100, 2, 1, -1, 0}, fa::causal{}),
         1e-2);
  expect("bf16 D 64 one query", error_of<fa::bf16, 64>({2, 1, 300, 4, 2, -1, 0}, fa::causal{}),
         1e-2);
  expect("f16 D 64", error_of<fa::f16, 64>({1, 60, 100, 2, 1, -1, -1}, fa::no_mask{}), 2e-3);
  std::printf("%d failed\n", failed);
  return failed != 0;
}
