// Checks of the runtime's test programs: each failure is printed with its text and counted.
#pragma once
#include <hip/hip_runtime.h>

#include <cstdio>

inline int failures = 0;
inline void check(bool ok, const char* what) {
  if (!ok) std::printf("FAIL %s\n", what);
  failures += !ok;
}
inline void is(hipError_t got, hipError_t expected, const char* what) {
  if (got != expected) std::printf("FAIL %s, but was %s\n", what, hipGetErrorName(got));
  failures += got != expected;
}
#define CHECK(X) check((X), #X)
#define IS(X, E) is((X), (E), #X " gives " #E)
