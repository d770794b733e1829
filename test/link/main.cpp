// Calls every part; all must be right whatever the linker made of their common symbols.
#include <cstdio>

double first();
double second();

int main() {
#ifdef FA_PART_NEEDS_AVX2
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma")) return 77;
#endif
  const double a = first(), b = second();
  std::printf("errors %.2e and %.2e\n", a, b);
  return !(a < 5e-5 && b < 5e-5);
}
