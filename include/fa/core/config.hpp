// The macros of the library. Everything else is a type, a function or a template.
#pragma once

#if defined(__FAST_MATH__) || (defined(__FINITE_MATH_ONLY__) && __FINITE_MATH_ONLY__)
#error "fa: kernels rely on infinities, NaN and the order of additions: leave out -ffast-math"
#endif

/// A function that runs on the host and on GPUs.
#if defined(__HIP__)
#define FA_HOST_DEVICE __attribute__((host)) __attribute__((device))
#elif defined(__CUDACC__)
#define FA_HOST_DEVICE __host__ __device__
#else
#define FA_HOST_DEVICE
#endif

/// A small function of a GPU machine: runs there only, always inlined.
#if defined(__HIP__)
#define FA_DEVICE __attribute__((device)) __attribute__((always_inline)) inline
#elif defined(__CUDACC__)
#define FA_DEVICE __device__ [[gnu::always_inline]] inline
#endif

/// A small function of the kernel text: runs wherever the kernel runs, always inlined.
#define FA_FN FA_HOST_DEVICE __attribute__((always_inline)) inline

/// The same for a lambda: `[&](auto x) FA_LAMBDA { ... }`.
#define FA_LAMBDA __attribute__((always_inline))

/// A loop over registers: must be unrolled completely, or the array behind it falls out of
/// registers.
#if defined(__HIP__) || defined(__CUDACC__)
#define FA_UNROLL _Pragma("unroll")
#else
#define FA_UNROLL _Pragma("GCC unroll 64")
#endif

/// A loop that must not be unrolled: its body already fills the registers.
#if defined(__HIP__) || defined(__CUDACC__)
#define FA_NO_UNROLL _Pragma("unroll 1")
#else
#define FA_NO_UNROLL _Pragma("GCC unroll 1")
#endif
