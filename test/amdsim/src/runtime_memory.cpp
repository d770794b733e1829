// The HIP stand-in: memory. Device memory is host memory; every block ends at a page
// that nobody may touch.
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
std::map<u64, block> blocks;    // by first address
std::map<u64, u64> registered;  // host memory made known by hipHostRegister

constexpr u64 page = 4096, alignment = 256;

/// Freed blocks whose addresses are not given out again yet, so that whoever still
/// uses one is found.
std::deque<std::pair<void*, u64>> freed;
constexpr std::size_t freed_kept = 1024;

void retire(void* mapping, u64 bytes) {
  // A new mapping in its place drops the pages and keeps the addresses.
  if (mmap(mapping, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1,
           0) == MAP_FAILED)
    return;
  freed.emplace_back(mapping, bytes);
  if (freed.size() <= freed_kept) return;
  munmap(freed.front().first, freed.front().second);
  freed.pop_front();
}

hipError_t allocate(void** p, u64 n, allocation::kind k, unsigned flags = 0) {
  std::lock_guard g(lock());
  if (!p) return fail(hipErrorInvalidValue);
  if (const hipError_t e = not_while_capturing(); e != hipSuccess) return fail(e);
  *p = nullptr;
  if (n == 0) return hipSuccess;
  if (n > process_settings().target->memory_bytes) return fail(hipErrorOutOfMemory);
  const u64 body = (n + alignment - 1) / alignment * alignment,
            pages = (body + page - 1) / page * page;
  void* m = mmap(nullptr, pages + page, PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
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
  if (it == blocks.end() || (it->second.kind == allocation::kind::host) != host)
    return fail(hipErrorInvalidValue);
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

/// A copy of rows; one row is the plain copy.
struct copy_request {
  void* to;
  size_t to_pitch;
  const void* from;
  size_t from_pitch, width, height;
  hipMemcpyKind kind;
};
hipError_t copy_rows(const copy_request& c) {
  if (c.width == 0 || c.height == 0) return hipSuccess;
  if (!c.to || !c.from) return hipErrorInvalidValue;
  if (c.kind < hipMemcpyHostToHost || c.kind > hipMemcpyDefault)
    return hipErrorInvalidMemcpyDirection;
  if (c.height > 1 && (c.width > c.to_pitch || c.width > c.from_pitch))
    return hipErrorInvalidPitchValue;
  const bool to_device = c.kind == hipMemcpyHostToDevice || c.kind == hipMemcpyDeviceToDevice;
  const bool from_device = c.kind == hipMemcpyDeviceToHost || c.kind == hipMemcpyDeviceToDevice;
  // Whatever the kind, a copy may not leave a block that it begins in.
  const u64 to_bytes = (c.height - 1) * c.to_pitch + c.width,
            from_bytes = (c.height - 1) * c.from_pitch + c.width;
  if ((to_device || holder(c.to)) && !on_device(c.to, to_bytes)) return hipErrorInvalidValue;
  if ((from_device || holder(c.from)) && !on_device(c.from, from_bytes))
    return hipErrorInvalidValue;
  for (size_t y = 0; y < c.height; ++y)
    std::memmove(static_cast<u8*>(c.to) + y * c.to_pitch,
                 static_cast<const u8*>(c.from) + y * c.from_pitch, c.width);
  return hipSuccess;
}
work copy_work(const copy_request& c) {
  return {hipGraphNodeTypeMemcpy, [c] { return copy_rows(c); }, nullptr};
}
copy_request plain(void* to, const void* from, size_t n, hipMemcpyKind k) {
  return {to, n, from, n, n, 1, k};
}

/// `width` elements of `bytes` bytes in each of `height` rows.
struct set_request {
  void* to;
  size_t pitch;
  u32 value, bytes;
  size_t width, height;
};
hipError_t set_rows(const set_request& r) {
  if (r.width == 0 || r.height == 0) return hipSuccess;
  if (r.bytes != 1 && r.bytes != 2 && r.bytes != 4) return hipErrorInvalidValue;
  if (r.height > 1 && r.width * r.bytes > r.pitch) return hipErrorInvalidPitchValue;
  if (!r.to || !on_device(r.to, (r.height - 1) * r.pitch + r.width * r.bytes))
    return hipErrorInvalidValue;
  for (size_t y = 0; y < r.height; ++y) {
    u8* row = static_cast<u8*>(r.to) + y * r.pitch;
    for (size_t x = 0; x < r.width; ++x) std::memcpy(row + x * r.bytes, &r.value, r.bytes);
  }
  return hipSuccess;
}
work set_work(const set_request& r) {
  return {hipGraphNodeTypeMemset, [r] { return set_rows(r); }, nullptr};
}
set_request plain_set(void* to, u32 value, u32 bytes, size_t n) {
  return {to, 0, value, bytes, n, 1};
}

/// A call that waits for its end, as those without a stream do.
hipError_t now(const work& w) {
  std::lock_guard g(lock());
  if (const hipError_t e = not_while_capturing(); e != hipSuccess) return fail(e);
  return fail(w.run());
}

}  // namespace

AMDSIM_API hipError_t hipMalloc(void** p, size_t n) {
  return allocate(p, n, allocation::kind::device);
}
AMDSIM_API hipError_t hipExtMallocWithFlags(void** p, size_t n, unsigned f) {
  return allocate(p, n, allocation::kind::device, f);
}
/// Allocations that are part of a graph are not there.
AMDSIM_API hipError_t hipMallocAsync(void** p, size_t n, hipStream_t s) {
  if (capturing(s)) missing("hipMallocAsync on a stream that is being captured");
  return allocate(p, n, allocation::kind::device);
}
AMDSIM_API hipError_t hipMallocManaged(void** p, size_t n, unsigned f) {
  return allocate(p, n, allocation::kind::device, f);
}
AMDSIM_API hipError_t hipMallocPitch(void** p, size_t* pitch, size_t width, size_t height) {
  if (!pitch) return fail(hipErrorInvalidValue);
  *pitch = (width + 255) / 256 * 256;
  return allocate(p, *pitch * height, allocation::kind::device);
}
AMDSIM_API hipError_t hipFree(void* p) { return release(p, false); }
AMDSIM_API hipError_t hipFreeAsync(void* p, hipStream_t s) {
  if (capturing(s)) missing("hipFreeAsync on a stream that is being captured");
  return p ? release(p, false) : fail(hipErrorInvalidValue);
}
AMDSIM_API hipError_t hipHostMalloc(void** p, size_t n, unsigned f) {
  return allocate(p, n, allocation::kind::host, f);
}
AMDSIM_API hipError_t hipExtHostAlloc(void** p, size_t n, unsigned f) {
  return allocate(p, n, allocation::kind::host, f);
}
AMDSIM_API hipError_t hipHostAlloc(void** p, size_t n, unsigned f) {
  return allocate(p, n, allocation::kind::host, f);
}
AMDSIM_API hipError_t hipMallocHost(void** p, size_t n) {
  return allocate(p, n, allocation::kind::host);
}
AMDSIM_API hipError_t hipMemAllocHost(void** p, size_t n) {
  return allocate(p, n, allocation::kind::host);
}
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

AMDSIM_API hipError_t hipMemcpy(void* d, const void* s, size_t n, hipMemcpyKind k) {
  return now(copy_work(plain(d, s, n, k)));
}
AMDSIM_API hipError_t hipMemcpy_spt(void* d, const void* s, size_t n, hipMemcpyKind k) {
  return now(copy_work(plain(d, s, n, k)));
}
AMDSIM_API hipError_t hipMemcpyAsync(void* d, const void* s, size_t n, hipMemcpyKind k,
                                     hipStream_t q) {
  return submit(q, copy_work(plain(d, s, n, k)));
}
AMDSIM_API hipError_t hipMemcpyAsync_spt(void* d, const void* s, size_t n, hipMemcpyKind k,
                                         hipStream_t q) {
  return submit(q ? q : hipStreamPerThread, copy_work(plain(d, s, n, k)));
}
AMDSIM_API hipError_t hipMemcpyWithStream(void* d, const void* s, size_t n, hipMemcpyKind k,
                                          hipStream_t q) {
  return submit(q, copy_work(plain(d, s, n, k)));
}
AMDSIM_API hipError_t hipMemcpyHtoD(hipDeviceptr_t d, void* s, size_t n) {
  return now(copy_work(plain(d, s, n, hipMemcpyHostToDevice)));
}
AMDSIM_API hipError_t hipMemcpyHtoDAsync(hipDeviceptr_t d, void* s, size_t n, hipStream_t q) {
  return submit(q, copy_work(plain(d, s, n, hipMemcpyHostToDevice)));
}
AMDSIM_API hipError_t hipMemcpyDtoH(void* d, hipDeviceptr_t s, size_t n) {
  return now(copy_work(plain(d, s, n, hipMemcpyDeviceToHost)));
}
AMDSIM_API hipError_t hipMemcpyDtoHAsync(void* d, hipDeviceptr_t s, size_t n, hipStream_t q) {
  return submit(q, copy_work(plain(d, s, n, hipMemcpyDeviceToHost)));
}
AMDSIM_API hipError_t hipMemcpyDtoD(hipDeviceptr_t d, hipDeviceptr_t s, size_t n) {
  return now(copy_work(plain(d, s, n, hipMemcpyDeviceToDevice)));
}
AMDSIM_API hipError_t hipMemcpyDtoDAsync(hipDeviceptr_t d, hipDeviceptr_t s, size_t n,
                                         hipStream_t q) {
  return submit(q, copy_work(plain(d, s, n, hipMemcpyDeviceToDevice)));
}
AMDSIM_API hipError_t hipMemcpyPeer(void* d, int to, const void* s, int from, size_t n) {
  return to || from ? fail(hipErrorInvalidDevice)
                    : now(copy_work(plain(d, s, n, hipMemcpyDeviceToDevice)));
}
AMDSIM_API hipError_t hipMemcpy2D(void* d, size_t dp, const void* s, size_t sp, size_t w, size_t h,
                                  hipMemcpyKind k) {
  if (w > dp || w > sp) return fail(hipErrorInvalidPitchValue);
  return now(copy_work({d, dp, s, sp, w, h, k}));
}
AMDSIM_API hipError_t hipMemcpy2D_spt(void* d, size_t dp, const void* s, size_t sp, size_t w,
                                      size_t h, hipMemcpyKind k) {
  return hipMemcpy2D(d, dp, s, sp, w, h, k);
}
AMDSIM_API hipError_t hipMemcpy2DAsync(void* d, size_t dp, const void* s, size_t sp, size_t w,
                                       size_t h, hipMemcpyKind k, hipStream_t q) {
  if (w > dp || w > sp) return fail(hipErrorInvalidPitchValue);
  return submit(q, copy_work({d, dp, s, sp, w, h, k}));
}
AMDSIM_API hipError_t hipMemcpy2DAsync_spt(void* d, size_t dp, const void* s, size_t sp, size_t w,
                                           size_t h, hipMemcpyKind k, hipStream_t q) {
  return hipMemcpy2DAsync(d, dp, s, sp, w, h, k, q ? q : hipStreamPerThread);
}

AMDSIM_API hipError_t hipMemset(void* d, int v, size_t n) {
  return now(set_work(plain_set(d, static_cast<u8>(v), 1, n)));
}
AMDSIM_API hipError_t hipMemset_spt(void* d, int v, size_t n) { return hipMemset(d, v, n); }
AMDSIM_API hipError_t hipMemsetAsync(void* d, int v, size_t n, hipStream_t q) {
  return submit(q, set_work(plain_set(d, static_cast<u8>(v), 1, n)));
}
AMDSIM_API hipError_t hipMemsetAsync_spt(void* d, int v, size_t n, hipStream_t q) {
  return hipMemsetAsync(d, v, n, q ? q : hipStreamPerThread);
}
AMDSIM_API hipError_t hipMemsetD8(hipDeviceptr_t d, unsigned char v, size_t n) {
  return now(set_work(plain_set(d, v, 1, n)));
}
AMDSIM_API hipError_t hipMemsetD8Async(hipDeviceptr_t d, unsigned char v, size_t n, hipStream_t q) {
  return submit(q, set_work(plain_set(d, v, 1, n)));
}
AMDSIM_API hipError_t hipMemsetD16(hipDeviceptr_t d, unsigned short v, size_t n) {
  return now(set_work(plain_set(d, v, 2, n)));
}
AMDSIM_API hipError_t hipMemsetD16Async(hipDeviceptr_t d, unsigned short v, size_t n,
                                        hipStream_t q) {
  return submit(q, set_work(plain_set(d, v, 2, n)));
}
AMDSIM_API hipError_t hipMemsetD32(hipDeviceptr_t d, int v, size_t n) {
  return now(set_work(plain_set(d, static_cast<u32>(v), 4, n)));
}
AMDSIM_API hipError_t hipMemsetD32Async(hipDeviceptr_t d, int v, size_t n, hipStream_t q) {
  return submit(q, set_work(plain_set(d, static_cast<u32>(v), 4, n)));
}
AMDSIM_API hipError_t hipMemset2D(void* d, size_t pitch, int v, size_t w, size_t h) {
  return now(set_work({d, pitch, static_cast<u8>(v), 1, w, h}));
}
AMDSIM_API hipError_t hipMemset2D_spt(void* d, size_t pitch, int v, size_t w, size_t h) {
  return hipMemset2D(d, pitch, v, w, h);
}
AMDSIM_API hipError_t hipMemset2DAsync(void* d, size_t pitch, int v, size_t w, size_t h,
                                       hipStream_t q) {
  return submit(q, set_work({d, pitch, static_cast<u8>(v), 1, w, h}));
}
AMDSIM_API hipError_t hipMemset2DAsync_spt(void* d, size_t pitch, int v, size_t w, size_t h,
                                           hipStream_t q) {
  return hipMemset2DAsync(d, pitch, v, w, h, q ? q : hipStreamPerThread);
}

namespace amdsim::runtime {
work memcpy_work(void* to, const void* from, size_t n, hipMemcpyKind k) {
  return copy_work(plain(to, from, n, k));
}
work memset_work(const hipMemsetParams& p) {
  return set_work({p.dst, p.pitch, p.value, p.elementSize, p.width, p.height});
}
}  // namespace amdsim::runtime

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
  // HIP 5 counts from host = 0, later ones from unregistered = 0.
  const int type = (host ? 0 : 1) + (program_version() >= 6 ? 1 : 0);
  std::memcpy(&a->memoryType, &type, sizeof type);
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
AMDSIM_API hipError_t hipMemPrefetchAsync(const void* p, size_t n, int device, hipStream_t) {
  return device > 0 || !on_device(p, n) ? fail(hipErrorInvalidValue) : hipSuccess;
}
AMDSIM_API hipError_t hipMemAdvise(const void* p, size_t n, hipMemoryAdvise, int) {
  return on_device(p, n) ? hipSuccess : fail(hipErrorInvalidValue);
}
