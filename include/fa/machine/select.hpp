// Which machine a translation unit is compiled for. The one file that asks the compiler about the
// architecture.
#pragma once

/// Bytes of a SIMD register of the host, whether products of bf16 use its dot product of pairs, and
/// a name of both. The name becomes an inline namespace, so that translation units built for
/// different processors can be linked into one program. AMD's processors do a dot product of pairs
/// at the rate of a multiply-add, twice the work; Intel's with AMX at a quarter of that (measured:
/// 88 against 179 GFLOP/s), so there bf16 is widened.
#if defined(__AVX512F__) && defined(__AVX512BF16__) && !defined(__AMX_TILE__)
#define FA_HOST_VECTOR_BYTES 64
#define FA_HOST_BF16_DOT 1
#define FA_HOST_ISA avx512_bf16
#elif defined(__AVX512F__)
#define FA_HOST_VECTOR_BYTES 64
#define FA_HOST_BF16_DOT 0
#define FA_HOST_ISA avx512
#elif defined(__AVX2__) && defined(__FMA__)
#define FA_HOST_VECTOR_BYTES 32
#define FA_HOST_BF16_DOT 0
#define FA_HOST_ISA avx2
#elif defined(__AVX__)
#define FA_HOST_VECTOR_BYTES 32
#define FA_HOST_BF16_DOT 0
#define FA_HOST_ISA avx
#else
#define FA_HOST_VECTOR_BYTES 16
#define FA_HOST_BF16_DOT 0
#define FA_HOST_ISA vector128
#endif

/// Whether the host converts f16 to f32 by an instruction.
#if defined(__F16C__) || defined(__AVX512F__)
#define FA_HOST_F16_CONVERT 1
#else
#define FA_HOST_F16_CONVERT 0
#endif

/// The active machine: AMD GPUs where a HIP compiler compiles, NVIDIA GPUs where nvcc does, else
/// the host. nvcc knows no SIMD registers of the host in functions that kernels share, so a
/// translation unit has one machine.
#if defined(__HIP__)
#define FA_AMD 1
#define FA_NV 0
#elif defined(__CUDACC__)
#define FA_AMD 0
#define FA_NV 1
#else
#define FA_AMD 0
#define FA_NV 0
#endif

/// FA_AMD_DEVICE: this is the pass of a HIP compiler that makes the code of an AMD chip.
/// FA_AMD_CHIP: which one, an enumerator of fa::amd_chip.
#if defined(__HIP_DEVICE_COMPILE__)
#define FA_AMD_DEVICE 1
#if defined(__gfx90a__)
#define FA_AMD_CHIP gfx90a
#elif defined(__gfx942__)
#define FA_AMD_CHIP gfx942
#elif defined(__gfx950__)
#define FA_AMD_CHIP gfx950
#elif defined(__GFX11__)
#define FA_AMD_CHIP gfx11
#elif defined(__gfx1200__) || defined(__gfx1201__)
#define FA_AMD_CHIP gfx12
#else
#define FA_AMD_CHIP unsupported
#endif
#else
#define FA_AMD_DEVICE 0
#define FA_AMD_CHIP unsupported
#endif

/// FA_NV_DEVICE: this is a pass of nvcc that makes the code of a GPU.
#if defined(__CUDA_ARCH__)
#define FA_NV_DEVICE 1
#else
#define FA_NV_DEVICE 0
#endif

/// Whether this pass of nvcc may use the instructions of Hopper alone: it is one for sm_90a.
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
#define FA_NV_HOPPER 1
#else
#define FA_NV_HOPPER 0
#endif
