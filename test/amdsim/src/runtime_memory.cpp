// The HIP stand-in: memory. Device memory is host memory; every block ends at a page that nobody may touch.
#include <sys/mman.h>

#include <cstdlib>
#include <deque>

#include "memory.hpp"
#include "runtime.hpp"

using namespace amdsim;
using namespace amdsim::runtime;

namespace {

struct block {
  void* mapping;
  u64 mapped, bytes;
  allocation::kind kind;
  unsigned flags;
};
std::map<u64, block> blocks;     // by first address
std::map<u64, u64> registered;   // host memory made known by hipHostRegister

constexpr u64 page = 4096, alignment = 256;

/// Freed blocks whose addresses are not given out again yet, so that whoever still uses one is found.
std::deque<std::pair<void*, u64>> freed;
constexpr std::size_t freed_kept = 1024;

void retire(void* mapping, u64 bytes) {
  // A new mapping in its place drops the pages and keeps the addresses.
  if (mmap(mapping, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0) == MAP_FAILED) return;
  freed.emplace_back(mapping, bytes);
  if (freed.size() <= freed_kept) return;
  munmap(freed.front().first, freed.front().second);
  freed.pop_front();
}

hipError_t allocate(void** p, u64 n, allocation::kind k, unsigned flags = 0) {
  std::lock_guard g(lock());
  if (!p) return fail(hipErrorInvalidValue);
  *p = nullptr;
  if (n == 0) return hipSuccess;
  if (n > process_settings().target->memory_bytes) return fail(hipErrorOutOfMemory);
  const u64 body = (n + alignment - 1) / alignment * alignment, pages = (body + page - 1) / page * page;
  void* m = mmap(nullptr, pages + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (m == MAP_FAILED) return fail(hipErrorOutOfMemory);
  mprotect(static_cast<u8*>(m) + pages, page, PROT_NONE);
  const u64 first = reinterpret_cast<u64>(m) + (pages - body);
  blocks[first] = {m, pages + page, n, k, flags};
  memory::add(first, n, k);
  *p = reinterpret_cast<void*>(first);
  return hipSuccess;
}

hipError_t release(void* p, bool host) {
  std::lock_guard g(lock());
  if (!p) return hipSuccess;
  const auto it = blocks.find(reinterpret_cast<u64>(p));
  if (it == blocks.end() || (it->second.kind == allocation::kind::host) != host) return fail(hipErrorInvalidValue);
  memory::remove(it->first);
  retire(it->second.mapping, it->second.mapped);
  blocks.erase(it);
  return hipSuccess;
}

/// The block that holds an address; null if none does.
const block* holder(const void* p, u64* first = nullptr) {
  const u64 at = reinterpret_cast<u64>(p);
  auto it = blocks.upper_bound(at);
  if (it == blocks.begin()) return nullptr;
  --it;
  if (at - it->first >= it->second.bytes) return nullptr;
  if (first) *first = it->first;
  return &it->second;
}

/// Whether `n` bytes at `p` lie in one device block (or a variable of a loaded image).
bool on_device(const void* p, u64 n) {
  allocation a;
  const u64 at = reinterpret_cast<u64>(p);
  return memory::find(at, a) && a.bytes - (at - a.first) >= n;
}

hipError_t copy(void* to, const void* from, u64 n, hipMemcpyKind k) {
  std::lock_guard g(lock());
  if (n == 0) return hipSuccess;
  if (!to || !from) return fail(hipErrorInvalidValue);
  if (k < hipMemcpyHostToHost || k > hipMemcpyDefault) return fail(hipErrorInvalidMemcpyDirection);
  if ((k == hipMemcpyHostToDevice || k == hipMemcpyDeviceToDevice) && !on_device(to, n)) return fail(hipErrorInvalidValue);
  if ((k == hipMemcpyDeviceToHost || k == hipMemcpyDeviceToDevice) && !on_device(from, n)) return fail(hipErrorInvalidValue);
  // Whatever the kind, a copy may not leave a block that it begins in.
  for (const void* p : {static_cast<const void*>(to), from})
    if (holder(p) && !on_device(p, n)) return fail(hipErrorInvalidValue);
  std::memmove(to, from, n);
  return hipSuccess;
}

template <class T>
hipError_t set(void* to, T value, u64 n) {
  std::lock_guard g(lock());
  if (n == 0) return hipSuccess;
  if (!to || !on_device(to, n * sizeof(T))) return fail(hipErrorInvalidValue);
  T* p = static_cast<T*>(to);
  for (u64 i = 0; i < n; ++i) p[i] = value;
  return hipSuccess;
}

hipError_t copy_rows(void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width, size_t height, hipMemcpyKind k) {
  if (width > to_pitch || width > from_pitch) return fail(hipErrorInvalidPitchValue);
  for (size_t y = 0; y < height; ++y)
    if (const hipError_t e = copy(static_cast<u8*>(to) + y * to_pitch, static_cast<const u8*>(from) + y * from_pitch, width, k); e != hipSuccess) return e;
  return hipSuccess;
}

}  // namespace

AMDSIM_API hipError_t hipMalloc(void** p, size_t n) { return allocate(p, n, allocation::kind::device); }
AMDSIM_API hipError_t hipExtMallocWithFlags(void** p, size_t n, unsigned f) { return allocate(p, n, allocation::kind::device, f); }
AMDSIM_API hipError_t hipMallocAsync(void** p, size_t n, hipStream_t) { return allocate(p, n, allocation::kind::device); }
AMDSIM_API hipError_t hipMallocManaged(void** p, size_t n, unsigned f) { return allocate(p, n, allocation::kind::device, f); }
AMDSIM_API hipError_t hipMallocPitch(void** p, size_t* pitch, size_t width, size_t height) {
  if (!pitch) return fail(hipErrorInvalidValue);
  *pitch = (width + 255) / 256 * 256;
  return allocate(p, *pitch * height, allocation::kind::device);
}
AMDSIM_API hipError_t hipFree(void* p) { return release(p, false); }
AMDSIM_API hipError_t hipFreeAsync(void* p, hipStream_t) { return p ? release(p, false) : fail(hipErrorInvalidValue); }
AMDSIM_API hipError_t hipHostMalloc(void** p, size_t n, unsigned f) { return allocate(p, n, allocation::kind::host, f); }
AMDSIM_API hipError_t hipHostAlloc(void** p, size_t n, unsigned f) { return allocate(p, n, allocation::kind::host, f); }
AMDSIM_API hipError_t hipMallocHost(void** p, size_t n) { return allocate(p, n, allocation::kind::host); }
AMDSIM_API hipError_t hipMemAllocHost(void** p, size_t n) { return allocate(p, n, allocation::kind::host); }
AMDSIM_API hipError_t hipHostFree(void* p) { return release(p, true); }
AMDSIM_API hipError_t hipFreeHost(void* p) { return release(p, true); }
AMDSIM_API hipError_t hipHostGetDevicePointer(void** d, void* h, unsigned) {
  std::lock_guard g(lock());
  if (!d || !h) return fail(hipErrorInvalidValue);
  if (!on_device(h, 1)) return fail(hipErrorInvalidValue);
  *d = h;
  return hipSuccess;
}
AMDSIM_API hipError_t hipHostGetFlags(unsigned* f, void* p) {
  std::lock_guard g(lock());
  const block* b = holder(p);
  if (!f || !b || b->kind != allocation::kind::host) return fail(hipErrorInvalidValue);
  *f = b->flags;
  return hipSuccess;
}
AMDSIM_API hipError_t hipHostRegister(void* p, size_t n, unsigned) {
  std::lock_guard g(lock());
  if (!p || !n) return fail(hipErrorInvalidValue);
  if (registered.count(reinterpret_cast<u64>(p))) return fail(hipErrorHostMemoryAlreadyRegistered);
  registered[reinterpret_cast<u64>(p)] = n;
  memory::add(reinterpret_cast<u64>(p), n, allocation::kind::host);
  return hipSuccess;
}
AMDSIM_API hipError_t hipHostUnregister(void* p) {
  std::lock_guard g(lock());
  if (!p) return fail(hipErrorInvalidValue);
  if (!registered.erase(reinterpret_cast<u64>(p))) return fail(hipErrorHostMemoryNotRegistered);
  memory::remove(reinterpret_cast<u64>(p));
  return hipSuccess;
}

AMDSIM_API hipError_t hipMemcpy(void* d, const void* s, size_t n, hipMemcpyKind k) { return copy(d, s, n, k); }
AMDSIM_API hipError_t hipMemcpy_spt(void* d, const void* s, size_t n, hipMemcpyKind k) { return copy(d, s, n, k); }
AMDSIM_API hipError_t hipMemcpyAsync(void* d, const void* s, size_t n, hipMemcpyKind k, hipStream_t) { return copy(d, s, n, k); }
AMDSIM_API hipError_t hipMemcpyWithStream(void* d, const void* s, size_t n, hipMemcpyKind k, hipStream_t) { return copy(d, s, n, k); }
AMDSIM_API hipError_t hipMemcpyHtoD(hipDeviceptr_t d, void* s, size_t n) { return copy(d, s, n, hipMemcpyHostToDevice); }
AMDSIM_API hipError_t hipMemcpyDtoH(void* d, hipDeviceptr_t s, size_t n) { return copy(d, s, n, hipMemcpyDeviceToHost); }
AMDSIM_API hipError_t hipMemcpyDtoD(hipDeviceptr_t d, hipDeviceptr_t s, size_t n) { return copy(d, s, n, hipMemcpyDeviceToDevice); }
AMDSIM_API hipError_t hipMemcpyHtoDAsync(hipDeviceptr_t d, void* s, size_t n, hipStream_t) { return copy(d, s, n, hipMemcpyHostToDevice); }
AMDSIM_API hipError_t hipMemcpyDtoHAsync(void* d, hipDeviceptr_t s, size_t n, hipStream_t) { return copy(d, s, n, hipMemcpyDeviceToHost); }
AMDSIM_API hipError_t hipMemcpyDtoDAsync(hipDeviceptr_t d, hipDeviceptr_t s, size_t n, hipStream_t) { return copy(d, s, n, hipMemcpyDeviceToDevice); }
AMDSIM_API hipError_t hipMemcpyPeer(void* d, int dd, const void* s, int sd, size_t n) { return dd || sd ? fail(hipErrorInvalidDevice) : copy(d, s, n, hipMemcpyDeviceToDevice); }
AMDSIM_API hipError_t hipMemcpy2D(void* d, size_t dp, const void* s, size_t sp, size_t w, size_t h, hipMemcpyKind k) { return copy_rows(d, dp, s, sp, w, h, k); }
AMDSIM_API hipError_t hipMemcpy2DAsync(void* d, size_t dp, const void* s, size_t sp, size_t w, size_t h, hipMemcpyKind k, hipStream_t) { return copy_rows(d, dp, s, sp, w, h, k); }

AMDSIM_API hipError_t hipMemset(void* d, int v, size_t n) { return set<u8>(d, static_cast<u8>(v), n); }
AMDSIM_API hipError_t hipMemset_spt(void* d, int v, size_t n) { return set<u8>(d, static_cast<u8>(v), n); }
AMDSIM_API hipError_t hipMemsetAsync(void* d, int v, size_t n, hipStream_t) { return set<u8>(d, static_cast<u8>(v), n); }
AMDSIM_API hipError_t hipMemsetD8(hipDeviceptr_t d, unsigned char v, size_t n) { return set<u8>(d, v, n); }
AMDSIM_API hipError_t hipMemsetD8Async(hipDeviceptr_t d, unsigned char v, size_t n, hipStream_t) { return set<u8>(d, v, n); }
AMDSIM_API hipError_t hipMemsetD16(hipDeviceptr_t d, unsigned short v, size_t n) { return set<u16>(d, v, n); }
AMDSIM_API hipError_t hipMemsetD16Async(hipDeviceptr_t d, unsigned short v, size_t n, hipStream_t) { return set<u16>(d, v, n); }
AMDSIM_API hipError_t hipMemsetD32(hipDeviceptr_t d, int v, size_t n) { return set<u32>(d, static_cast<u32>(v), n); }
AMDSIM_API hipError_t hipMemsetD32Async(hipDeviceptr_t d, int v, size_t n, hipStream_t) { return set<u32>(d, static_cast<u32>(v), n); }
AMDSIM_API hipError_t hipMemset2D(void* d, size_t pitch, int v, size_t w, size_t h) {
  for (size_t y = 0; y < h; ++y)
    if (const hipError_t e = set<u8>(static_cast<u8*>(d) + y * pitch, static_cast<u8>(v), w); e != hipSuccess) return e;
  return hipSuccess;
}
AMDSIM_API hipError_t hipMemset2DAsync(void* d, size_t pitch, int v, size_t w, size_t h, hipStream_t) { return hipMemset2D(d, pitch, v, w, h); }

AMDSIM_API hipError_t hipMemGetInfo(size_t* free_bytes, size_t* total) {
  std::lock_guard g(lock());
  u64 used = 0;
  for (const auto& [first, b] : blocks)
    if (b.kind == allocation::kind::device) used += b.bytes;
  const u64 all = process_settings().target->memory_bytes;
  if (free_bytes) *free_bytes = all > used ? all - used : 0;
  if (total) *total = all;
  return hipSuccess;
}
AMDSIM_API hipError_t hipPointerGetAttributes(hipPointerAttribute_t* a, const void* p) {
  std::lock_guard g(lock());
  if (!a) return fail(hipErrorInvalidValue);
  const block* b = holder(p);
  if (!b) return fail(hipErrorInvalidValue);
  std::memset(a, 0, sizeof *a);
  const bool host = b->kind == allocation::kind::host;
  a->memoryType = host ? hipMemoryTypeHost : hipMemoryTypeDevice;
  a->devicePointer = const_cast<void*>(p);
  a->hostPointer = host ? const_cast<void*>(p) : nullptr;
  a->allocationFlags = b->flags;
  return hipSuccess;
}
AMDSIM_API hipError_t hipMemGetAddressRange(hipDeviceptr_t* base, size_t* bytes, hipDeviceptr_t p) {
  std::lock_guard g(lock());
  u64 first = 0;
  const block* b = holder(p, &first);
  if (!b) return fail(hipErrorNotFound);
  if (base) *base = reinterpret_cast<hipDeviceptr_t>(first);
  if (bytes) *bytes = b->bytes;
  return hipSuccess;
}
AMDSIM_API hipError_t hipMemPtrGetInfo(void* p, size_t* bytes) {
  std::lock_guard g(lock());
  const auto it = blocks.find(reinterpret_cast<u64>(p));
  if (!bytes || it == blocks.end()) return fail(hipErrorInvalidValue);
  *bytes = it->second.bytes;
  return hipSuccess;
}
AMDSIM_API hipError_t hipMemPrefetchAsync(const void* p, size_t n, int device, hipStream_t) { return device > 0 || !on_device(p, n) ? fail(hipErrorInvalidValue) : hipSuccess; }
AMDSIM_API hipError_t hipMemAdvise(const void* p, size_t n, hipMemoryAdvise, int) { return on_device(p, n) ? hipSuccess : fail(hipErrorInvalidValue); }
