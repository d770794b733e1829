// The HIP stand-in: the device, streams, events and error names.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <set>

#include "runtime.hpp"

using namespace amdsim;
using namespace amdsim::runtime;

namespace {

const chip& target() { return *process_settings().target; }
int lds_per_unit() { return target().gen == family::gfx9 ? static_cast<int>(target().lds_bytes) : 65536; }
int major_of(const chip& c) { return c.gen == family::gfx9 ? 9 : c.gen == family::gfx11 ? 11 : 12; }
int minor_of(const chip& c) { return c.is("gfx942") ? 4 : c.is("gfx950") ? 5 : c.is("gfx1151") ? 5 : 0; }

struct stream {
  unsigned flags;
  int priority;
};
struct event {
  bool recorded = false, timed = true;
  std::chrono::steady_clock::time_point at;
};
std::set<void*> streams, events;

bool valid(hipStream_t s) { return !s || s == hipStreamPerThread || streams.count(s); }
bool valid(hipEvent_t e) { return e && events.count(e); }

hipError_t make_stream(hipStream_t* s, unsigned flags, int priority) {
  std::lock_guard g(lock());
  if (!s || flags > hipStreamNonBlocking) return fail(hipErrorInvalidValue);
  auto* x = new stream{flags, priority};
  streams.insert(x);
  *s = reinterpret_cast<hipStream_t>(x);
  return hipSuccess;
}
/// All work is done by the time that a call returns, so there is nothing to wait for; handles are checked.
hipError_t check_stream(hipStream_t s) {
  std::lock_guard g(lock());
  return valid(s) ? hipSuccess : fail(hipErrorInvalidHandle);
}

struct error_row {
  hipError_t e;
  const char *name, *text;
};
constexpr error_row error_rows[] = {
    {hipSuccess, "hipSuccess", "no error"},
    {hipErrorInvalidValue, "hipErrorInvalidValue", "invalid argument"},
    {hipErrorOutOfMemory, "hipErrorOutOfMemory", "out of memory"},
    {hipErrorNotInitialized, "hipErrorNotInitialized", "initialization error"},
    {hipErrorInvalidConfiguration, "hipErrorInvalidConfiguration", "invalid configuration argument"},
    {hipErrorInvalidPitchValue, "hipErrorInvalidPitchValue", "invalid pitch argument"},
    {hipErrorInvalidSymbol, "hipErrorInvalidSymbol", "invalid device symbol"},
    {hipErrorInvalidMemcpyDirection, "hipErrorInvalidMemcpyDirection", "invalid copy direction for memcpy"},
    {hipErrorInvalidDeviceFunction, "hipErrorInvalidDeviceFunction", "invalid device function"},
    {hipErrorNoDevice, "hipErrorNoDevice", "no ROCm-capable device is detected"},
    {hipErrorInvalidDevice, "hipErrorInvalidDevice", "invalid device ordinal"},
    {hipErrorInvalidImage, "hipErrorInvalidImage", "device kernel image is invalid"},
    {hipErrorNoBinaryForGpu, "hipErrorNoBinaryForGpu", "no kernel image is available for execution on the device"},
    {hipErrorFileNotFound, "hipErrorFileNotFound", "file not found"},
    {hipErrorInvalidHandle, "hipErrorInvalidHandle", "invalid resource handle"},
    {hipErrorNotFound, "hipErrorNotFound", "named symbol not found"},
    {hipErrorNotReady, "hipErrorNotReady", "device not ready"},
    {hipErrorHostMemoryAlreadyRegistered, "hipErrorHostMemoryAlreadyRegistered", "part or all of the requested memory range is already mapped"},
    {hipErrorHostMemoryNotRegistered, "hipErrorHostMemoryNotRegistered", "pointer does not correspond to a registered memory region"},
    {hipErrorLaunchFailure, "hipErrorLaunchFailure", "unspecified launch failure"},
    {hipErrorCooperativeLaunchTooLarge, "hipErrorCooperativeLaunchTooLarge", "too many blocks in cooperative launch"},
    {hipErrorNotSupported, "hipErrorNotSupported", "operation not supported"},
    {hipErrorUnknown, "hipErrorUnknown", "unknown error"},
};

}  // namespace

AMDSIM_API const char* hipGetErrorName(hipError_t e) {
  for (const error_row& r : error_rows)
    if (r.e == e) return r.name;
  return "hipErrorUnknown";
}
AMDSIM_API const char* hipGetErrorString(hipError_t e) {
  for (const error_row& r : error_rows)
    if (r.e == e) return r.text;
  return "unknown error";
}

// ---- devices

AMDSIM_API hipError_t hipInit(unsigned flags) { return flags ? fail(hipErrorInvalidValue) : hipSuccess; }
AMDSIM_API hipError_t hipGetDeviceCount(int* n) {
  if (!n) return fail(hipErrorInvalidValue);
  *n = 1;
  return hipSuccess;
}
AMDSIM_API hipError_t hipGetDevice(int* d) {
  if (!d) return fail(hipErrorInvalidValue);
  *d = 0;
  return hipSuccess;
}
AMDSIM_API hipError_t hipSetDevice(int d) { return d == 0 ? hipSuccess : fail(hipErrorInvalidDevice); }
AMDSIM_API hipError_t hipDeviceGet(hipDevice_t* d, int n) {
  if (!d) return fail(hipErrorInvalidValue);
  if (n) return fail(hipErrorInvalidDevice);
  *d = 0;
  return hipSuccess;
}
AMDSIM_API hipError_t hipDeviceSynchronize() { return hipSuccess; }
AMDSIM_API hipError_t hipRuntimeGetVersion(int* v) {
  if (!v) return fail(hipErrorInvalidValue);
  *v = HIP_VERSION;
  return hipSuccess;
}
AMDSIM_API hipError_t hipDriverGetVersion(int* v) { return hipRuntimeGetVersion(v); }
AMDSIM_API hipError_t hipDeviceGetName(char* s, int n, hipDevice_t d) {
  if (!s || n <= 0) return fail(hipErrorInvalidValue);
  if (d) return fail(hipErrorInvalidDevice);
  std::snprintf(s, static_cast<size_t>(n), "%s", target().product);
  return hipSuccess;
}
AMDSIM_API hipError_t hipDeviceTotalMem(size_t* n, hipDevice_t d) {
  if (!n) return fail(hipErrorInvalidValue);
  if (d) return fail(hipErrorInvalidDevice);
  *n = target().memory_bytes;
  return hipSuccess;
}
AMDSIM_API hipError_t hipDeviceComputeCapability(int* major, int* minor, hipDevice_t d) {
  if (!major || !minor) return fail(hipErrorInvalidValue);
  if (d) return fail(hipErrorInvalidDevice);
  *major = major_of(target());
  *minor = minor_of(target());
  return hipSuccess;
}
AMDSIM_API hipError_t hipGetDeviceProperties(hipDeviceProp_t* p, int d) {
  if (!p) return fail(hipErrorInvalidValue);
  if (d) return fail(hipErrorInvalidDevice);
  const chip& c = target();
  std::memset(p, 0, sizeof *p);
  std::snprintf(p->name, sizeof p->name, "%s", c.product);
  std::snprintf(p->gcnArchName, sizeof p->gcnArchName, "%s%s", c.name, c.features);
  p->totalGlobalMem = c.memory_bytes;
  p->sharedMemPerBlock = c.lds_bytes;
  p->maxSharedMemoryPerMultiProcessor = static_cast<size_t>(lds_per_unit());
  p->regsPerBlock = 65536;
  p->warpSize = static_cast<int>(c.wave_size());
  p->maxThreadsPerBlock = 1024;
  p->maxThreadsDim[0] = p->maxThreadsDim[1] = p->maxThreadsDim[2] = 1024;
  p->maxGridSize[0] = 2147483647;
  p->maxGridSize[1] = p->maxGridSize[2] = 65536;
  p->clockRate = static_cast<int>(c.clock_khz);
  p->multiProcessorCount = static_cast<int>(c.compute_units);
  p->maxThreadsPerMultiProcessor = c.gen == family::gfx9 ? 2048 : 1024;
  p->l2CacheSize = c.gen == family::gfx9 ? 4 << 20 : 6 << 20;
  p->major = major_of(c);
  p->minor = minor_of(c);
  p->gcnArch = c.gen == family::gfx9 ? 910 : 1100;
  p->concurrentKernels = 1;
  p->canMapHostMemory = 1;
  p->cooperativeLaunch = 1;
  p->managedMemory = 1;
  p->concurrentManagedAccess = 1;
  p->pciBusID = 1;
  p->memPitch = 2147483647;
  p->textureAlignment = 256;
  p->arch.hasGlobalInt32Atomics = p->arch.hasGlobalFloatAtomicExch = p->arch.hasSharedInt32Atomics = p->arch.hasSharedFloatAtomicExch = p->arch.hasFloatAtomicAdd = 1;
  p->arch.hasGlobalInt64Atomics = p->arch.hasSharedInt64Atomics = p->arch.hasDoubles = p->arch.hasWarpVote = p->arch.hasWarpBallot = p->arch.hasWarpShuffle = 1;
  p->arch.hasThreadFenceSystem = p->arch.has3dGrid = 1;
  return hipSuccess;
}
AMDSIM_API hipError_t hipDeviceGetAttribute(int* v, hipDeviceAttribute_t a, int d) {
  if (!v) return fail(hipErrorInvalidValue);
  if (d) return fail(hipErrorInvalidDevice);
  const chip& c = target();
  switch (a) {
    case hipDeviceAttributeMultiprocessorCount: *v = static_cast<int>(c.compute_units); break;
    case hipDeviceAttributeWarpSize: *v = static_cast<int>(c.wave_size()); break;
    case hipDeviceAttributeMaxSharedMemoryPerBlock: *v = static_cast<int>(c.lds_bytes); break;
    case hipDeviceAttributeMaxSharedMemoryPerMultiprocessor: *v = lds_per_unit(); break;
    case hipDeviceAttributeMaxThreadsPerBlock: case hipDeviceAttributeMaxBlockDimX: case hipDeviceAttributeMaxBlockDimY: case hipDeviceAttributeMaxBlockDimZ: *v = 1024; break;
    case hipDeviceAttributeMaxGridDimX: *v = 2147483647; break;
    case hipDeviceAttributeMaxGridDimY: case hipDeviceAttributeMaxGridDimZ: *v = 65536; break;
    case hipDeviceAttributeMaxRegistersPerBlock: *v = 65536; break;
    case hipDeviceAttributeClockRate: *v = static_cast<int>(c.clock_khz); break;
    case hipDeviceAttributeMaxThreadsPerMultiProcessor: *v = c.gen == family::gfx9 ? 2048 : 1024; break;
    case hipDeviceAttributeComputeCapabilityMajor: *v = major_of(c); break;
    case hipDeviceAttributeComputeCapabilityMinor: *v = minor_of(c); break;
    case hipDeviceAttributeL2CacheSize: *v = c.gen == family::gfx9 ? 4 << 20 : 6 << 20; break;
    case hipDeviceAttributeConcurrentKernels: case hipDeviceAttributeCooperativeLaunch: case hipDeviceAttributeCanMapHostMemory: case hipDeviceAttributeManagedMemory: *v = 1; break;
    case hipDeviceAttributeIntegrated: case hipDeviceAttributeEccEnabled: case hipDeviceAttributeCooperativeMultiDeviceLaunch: case hipDeviceAttributePageableMemoryAccess: *v = 0; break;
    default: {
      static char name[48];
      std::snprintf(name, sizeof name, "hipDeviceGetAttribute(%d)", static_cast<int>(a));
      missing(name);
    }
  }
  return hipSuccess;
}
AMDSIM_API hipError_t hipDeviceCanAccessPeer(int* can, int a, int b) {
  if (!can) return fail(hipErrorInvalidValue);
  if (a || b) return fail(hipErrorInvalidDevice);
  *can = 0;
  return hipSuccess;
}
AMDSIM_API hipError_t hipDeviceGetStreamPriorityRange(int* least, int* greatest) {
  if (least) *least = 1;
  if (greatest) *greatest = -1;
  return hipSuccess;
}
AMDSIM_API hipError_t hipDeviceSetCacheConfig(hipFuncCache_t) { return hipSuccess; }
AMDSIM_API hipError_t hipSetDeviceFlags(unsigned) { return hipSuccess; }

// ---- streams

AMDSIM_API hipError_t hipStreamCreate(hipStream_t* s) { return make_stream(s, 0, 0); }
AMDSIM_API hipError_t hipStreamCreateWithFlags(hipStream_t* s, unsigned f) { return make_stream(s, f, 0); }
AMDSIM_API hipError_t hipStreamCreateWithPriority(hipStream_t* s, unsigned f, int p) { return make_stream(s, f, std::clamp(p, -1, 1)); }
AMDSIM_API hipError_t hipStreamDestroy(hipStream_t s) {
  std::lock_guard g(lock());
  if (!s || !streams.erase(s)) return fail(hipErrorInvalidHandle);
  delete reinterpret_cast<stream*>(s);
  return hipSuccess;
}
AMDSIM_API hipError_t hipStreamSynchronize(hipStream_t s) { return check_stream(s); }
AMDSIM_API hipError_t hipStreamQuery(hipStream_t s) { return check_stream(s); }
AMDSIM_API hipError_t hipStreamGetFlags(hipStream_t s, unsigned* f) {
  if (const hipError_t e = check_stream(s); e != hipSuccess) return e;
  if (!f) return fail(hipErrorInvalidValue);
  *f = s && streams.count(s) ? reinterpret_cast<stream*>(s)->flags : 0;
  return hipSuccess;
}
AMDSIM_API hipError_t hipStreamGetPriority(hipStream_t s, int* p) {
  if (const hipError_t e = check_stream(s); e != hipSuccess) return e;
  if (!p) return fail(hipErrorInvalidValue);
  *p = s && streams.count(s) ? reinterpret_cast<stream*>(s)->priority : 0;
  return hipSuccess;
}
AMDSIM_API hipError_t hipStreamWaitEvent(hipStream_t s, hipEvent_t e, unsigned) {
  std::lock_guard g(lock());
  return valid(s) && valid(e) ? hipSuccess : fail(hipErrorInvalidHandle);
}
AMDSIM_API hipError_t hipStreamAddCallback(hipStream_t s, hipStreamCallback_t f, void* data, unsigned) {
  if (const hipError_t e = check_stream(s); e != hipSuccess) return e;
  if (!f) return fail(hipErrorInvalidValue);
  f(s, hipSuccess, data);
  return hipSuccess;
}
AMDSIM_API hipError_t hipStreamIsCapturing(hipStream_t s, hipStreamCaptureStatus* status) {
  if (const hipError_t e = check_stream(s); e != hipSuccess) return e;
  if (!status) return fail(hipErrorInvalidValue);
  *status = hipStreamCaptureStatusNone;
  return hipSuccess;
}

// ---- events

AMDSIM_API hipError_t hipEventCreateWithFlags(hipEvent_t* e, unsigned flags) {
  std::lock_guard g(lock());
  if (!e) return fail(hipErrorInvalidValue);
  auto* x = new event;
  x->timed = !(flags & hipEventDisableTiming);
  events.insert(x);
  *e = reinterpret_cast<hipEvent_t>(x);
  return hipSuccess;
}
AMDSIM_API hipError_t hipEventCreate(hipEvent_t* e) { return hipEventCreateWithFlags(e, 0); }
AMDSIM_API hipError_t hipEventDestroy(hipEvent_t e) {
  std::lock_guard g(lock());
  if (!valid(e)) return fail(hipErrorInvalidHandle);
  events.erase(e);
  delete reinterpret_cast<event*>(e);
  return hipSuccess;
}
AMDSIM_API hipError_t hipEventRecord(hipEvent_t e, hipStream_t s) {
  std::lock_guard g(lock());
  if (!valid(e) || !valid(s)) return fail(hipErrorInvalidHandle);
  auto* x = reinterpret_cast<event*>(e);
  x->recorded = true;
  x->at = std::chrono::steady_clock::now();
  return hipSuccess;
}
AMDSIM_API hipError_t hipEventSynchronize(hipEvent_t e) {
  std::lock_guard g(lock());
  return valid(e) ? hipSuccess : fail(hipErrorInvalidHandle);
}
AMDSIM_API hipError_t hipEventQuery(hipEvent_t e) { return hipEventSynchronize(e); }
AMDSIM_API hipError_t hipEventElapsedTime(float* ms, hipEvent_t a, hipEvent_t b) {
  std::lock_guard g(lock());
  if (!ms) return fail(hipErrorInvalidValue);
  if (!valid(a) || !valid(b)) return fail(hipErrorInvalidHandle);
  const auto *x = reinterpret_cast<const event*>(a), *y = reinterpret_cast<const event*>(b);
  if (!x->recorded || !y->recorded || !x->timed || !y->timed) return fail(hipErrorInvalidHandle);
  *ms = std::chrono::duration<float, std::milli>(y->at - x->at).count();
  return hipSuccess;
}
