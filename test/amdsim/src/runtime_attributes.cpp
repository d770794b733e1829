// The HIP stand-in: function attributes and occupancy.
#include <algorithm>

#include "runtime.hpp"

namespace amdsim::runtime {

u32 occupancy(const chip& c, const kernel_info& k, u32 threads, u64 dynamic_lds) {
  const bool gfx9 = c.gen == family::gfx9;
  const u32 wave = k.wave_size, waves = (threads + wave - 1) / wave, simds = gfx9 ? 4 : 2,
            most = gfx9 ? 8 : 16;
  const u32 granule = gfx9                       ? 8
                      : wave == 32               ? (c.vgprs_per_simd == 1536 ? 24 : 16)
                      : c.vgprs_per_simd == 1536 ? 12
                                                 : 8;
  const u32 file = wave == 64 && !gfx9 ? c.vgprs_per_simd / 2 : c.vgprs_per_simd;
  const u32 used = std::max(
      1u, gfx9 ? (k.vgprs + 7) / 8 * 8 : (k.vgprs + granule - 1) / granule * granule);
  const u32 per_simd = std::min(most, file / used);
  u32 groups = waves ? per_simd * simds / waves : 0;
  const u64 lds = k.lds_bytes + dynamic_lds;
  const u64 have = gfx9 ? c.lds_bytes : 65536;
  if (lds) groups = static_cast<u32>(std::min<u64>(groups, have / lds));
  return groups;
}

}  // namespace amdsim::runtime

using namespace amdsim;
using namespace amdsim::runtime;

namespace {
const kernel_info* kernel_of(hipFunction_t f) {
  const function* fn = find_function(f);
  return fn && load(*fn->from) == hipSuccess ? find_kernel(*fn->from, fn->name) : nullptr;
}
}  // namespace

AMDSIM_API hipError_t hipFuncGetAttributes(hipFuncAttributes* out, const void* f) {
  std::lock_guard g(lock());
  if (!out) return fail(hipErrorInvalidValue);
  hipError_t e;
  const kernel_info* k = kernel_behind(f, e);
  if (!k) return fail(e);
  const chip& c = *process_settings().target;
  std::memset(out, 0, sizeof *out);
  out->numRegs = static_cast<int>(k->vgprs);
  out->sharedSizeBytes = k->lds_bytes;
  out->localSizeBytes = k->scratch_bytes;
  out->maxThreadsPerBlock = static_cast<int>(k->max_threads);
  out->maxDynamicSharedSizeBytes = static_cast<int>(c.lds_bytes - k->lds_bytes);
  out->binaryVersion = out->ptxVersion = 10 * (c.gen == family::gfx9    ? 9
                                               : c.gen == family::gfx11 ? 11
                                                                        : 12);
  return hipSuccess;
}
AMDSIM_API hipError_t hipFuncGetAttribute(int* value, hipFunction_attribute a, hipFunction_t f) {
  std::lock_guard g(lock());
  if (!value) return fail(hipErrorInvalidValue);
  const kernel_info* k = kernel_of(f);
  if (!k) return fail(hipErrorInvalidDeviceFunction);
  switch (a) {
    case HIP_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK: *value = static_cast<int>(k->max_threads); break;
    case HIP_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES: *value = static_cast<int>(k->lds_bytes); break;
    case HIP_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES: *value = static_cast<int>(k->scratch_bytes); break;
    case HIP_FUNC_ATTRIBUTE_NUM_REGS: *value = static_cast<int>(k->vgprs); break;
    case HIP_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
      *value = static_cast<int>(process_settings().target->lds_bytes - k->lds_bytes);
      break;
    case HIP_FUNC_ATTRIBUTE_CONST_SIZE_BYTES: *value = 0; break;
    default: return fail(hipErrorInvalidValue);
  }
  return hipSuccess;
}
AMDSIM_API hipError_t hipFuncSetAttribute(const void* f, hipFuncAttribute a, int value) {
  std::lock_guard g(lock());
  hipError_t e;
  const kernel_info* k = kernel_behind(f, e);
  if (!k) return fail(e);
  // LDS needs no leave on these chips; what could not be had anyway is refused.
  if (a == hipFuncAttributeMaxDynamicSharedMemorySize)
    return value < 0 ||
                   k->lds_bytes + static_cast<u64>(value) > process_settings().target->lds_bytes
               ? fail(hipErrorInvalidValue)
               : hipSuccess;
  return a == hipFuncAttributePreferredSharedMemoryCarveout ? hipSuccess
                                                            : fail(hipErrorInvalidValue);
}
AMDSIM_API hipError_t hipFuncSetCacheConfig(const void* f, hipFuncCache_t) {
  hipError_t e;
  std::lock_guard g(lock());
  (void)kernel_behind(f, e);
  return fail(e);
}
AMDSIM_API hipError_t hipOccupancyMaxActiveBlocksPerMultiprocessor(int* n, const void* f,
                                                                   int threads, size_t shared) {
  std::lock_guard g(lock());
  hipError_t e;
  const kernel_info* k = kernel_behind(f, e);
  if (!k) return fail(e);
  if (!n || threads <= 0) return fail(hipErrorInvalidValue);
  *n = static_cast<int>(
      occupancy(*process_settings().target, *k, static_cast<u32>(threads), shared));
  return hipSuccess;
}
AMDSIM_API hipError_t hipOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* n, const void* f,
                                                                            int threads,
                                                                            size_t shared,
                                                                            unsigned) {
  return hipOccupancyMaxActiveBlocksPerMultiprocessor(n, f, threads, shared);
}
AMDSIM_API hipError_t hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(int* n, hipFunction_t f,
                                                                         int threads,
                                                                         size_t shared) {
  std::lock_guard g(lock());
  const kernel_info* k = kernel_of(f);
  if (!n || !k || threads <= 0) return fail(hipErrorInvalidValue);
  *n = static_cast<int>(
      occupancy(*process_settings().target, *k, static_cast<u32>(threads), shared));
  return hipSuccess;
}
AMDSIM_API hipError_t hipOccupancyMaxPotentialBlockSize(int* grid, int* block, const void* f,
                                                        size_t shared, int limit) {
  std::lock_guard g(lock());
  hipError_t e;
  const kernel_info* k = kernel_behind(f, e);
  if (!k) return fail(e);
  if (!grid || !block) return fail(hipErrorInvalidValue);
  const chip& c = *process_settings().target;
  u32 best = 0, best_threads = 0;
  for (u32 t = k->wave_size; t <= k->max_threads && (limit <= 0 || t <= static_cast<u32>(limit));
       t += k->wave_size) {
    const u32 threads = occupancy(c, *k, t, shared) * t;
    if (threads >= best_threads) {
      best_threads = threads;
      best = t;
    }
  }
  *block = static_cast<int>(best);
  *grid = static_cast<int>(best ? best_threads / best * c.compute_units : 0);
  return hipSuccess;
}
