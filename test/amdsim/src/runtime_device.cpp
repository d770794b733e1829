// The HIP stand-in: the device and error names.
#include <algorithm>
#include <cstdio>

#include "runtime.hpp"

using namespace amdsim;
using namespace amdsim::runtime;

namespace {

struct error_row {
  hipError_t e;
  const char *name, *text;
};
constexpr error_row error_rows[] = {
    {hipSuccess, "hipSuccess", "no error"},
    {hipErrorInvalidValue, "hipErrorInvalidValue", "invalid argument"},
    {hipErrorOutOfMemory, "hipErrorOutOfMemory", "out of memory"},
    {hipErrorNotInitialized, "hipErrorNotInitialized", "initialization error"},
    {hipErrorInvalidConfiguration, "hipErrorInvalidConfiguration",
     "invalid configuration argument"},
    {hipErrorInvalidPitchValue, "hipErrorInvalidPitchValue", "invalid pitch argument"},
    {hipErrorInvalidSymbol, "hipErrorInvalidSymbol", "invalid device symbol"},
    {hipErrorInvalidMemcpyDirection, "hipErrorInvalidMemcpyDirection",
     "invalid copy direction for memcpy"},
    {hipErrorInvalidDeviceFunction, "hipErrorInvalidDeviceFunction", "invalid device function"},
    {hipErrorNoDevice, "hipErrorNoDevice", "no ROCm-capable device is detected"},
    {hipErrorInvalidDevice, "hipErrorInvalidDevice", "invalid device ordinal"},
    {hipErrorInvalidImage, "hipErrorInvalidImage", "device kernel image is invalid"},
    {hipErrorNoBinaryForGpu, "hipErrorNoBinaryForGpu",
     "no kernel image is available for execution on the device"},
    {hipErrorFileNotFound, "hipErrorFileNotFound", "file not found"},
    {hipErrorInvalidHandle, "hipErrorInvalidHandle", "invalid resource handle"},
    {hipErrorNotFound, "hipErrorNotFound", "named symbol not found"},
    {hipErrorNotReady, "hipErrorNotReady", "device not ready"},
    {hipErrorHostMemoryAlreadyRegistered, "hipErrorHostMemoryAlreadyRegistered",
     "part or all of the requested memory range is already mapped"},
    {hipErrorHostMemoryNotRegistered, "hipErrorHostMemoryNotRegistered",
     "pointer does not correspond to a registered memory region"},
    {hipErrorLaunchFailure, "hipErrorLaunchFailure", "unspecified launch failure"},
    {hipErrorCooperativeLaunchTooLarge, "hipErrorCooperativeLaunchTooLarge",
     "too many blocks in cooperative launch"},
    {hipErrorNotSupported, "hipErrorNotSupported", "operation not supported"},
    {hipErrorIllegalState, "hipErrorIllegalState",
     "the operation cannot be performed in the present state"},
    {hipErrorStreamCaptureUnsupported, "hipErrorStreamCaptureUnsupported",
     "operation not permitted when stream is capturing"},
    {hipErrorStreamCaptureInvalidated, "hipErrorStreamCaptureInvalidated",
     "operation failed due to a previous error during capture"},
    {hipErrorStreamCaptureMerge, "hipErrorStreamCaptureMerge",
     "operation would result in a merge of separate capture sequences"},
    {hipErrorStreamCaptureUnmatched, "hipErrorStreamCaptureUnmatched",
     "capture was not ended in the same stream as it began"},
    {hipErrorStreamCaptureUnjoined, "hipErrorStreamCaptureUnjoined",
     "capturing stream has unjoined work"},
    {hipErrorStreamCaptureIsolation, "hipErrorStreamCaptureIsolation",
     "dependency created on uncaptured work in another stream"},
    {hipErrorStreamCaptureImplicit, "hipErrorStreamCaptureImplicit",
     "operation would make the default stream depend on a capturing stream"},
    {hipErrorCapturedEvent, "hipErrorCapturedEvent",
     "operation not permitted on an event last recorded in a capturing stream"},
    {hipErrorStreamCaptureWrongThread, "hipErrorStreamCaptureWrongThread",
     "capture was ended in another thread than the one that began it"},
    {hipErrorGraphExecUpdateFailure, "hipErrorGraphExecUpdateFailure",
     "the graph does not fit the executable graph that it should update"},
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

AMDSIM_API hipError_t hipDrvGetErrorName(hipError_t e, const char** name) {
  if (!name) return hipErrorInvalidValue;
  *name = hipGetErrorName(e);
  return hipSuccess;
}
AMDSIM_API hipError_t hipDrvGetErrorString(hipError_t e, const char** text) {
  if (!text) return hipErrorInvalidValue;
  *text = hipGetErrorString(e);
  return hipSuccess;
}

// ---- devices

namespace {
const chip& target() { return *process_settings().target; }
}  // namespace

AMDSIM_API hipError_t hipInit(unsigned flags) {
  return flags ? fail(hipErrorInvalidValue) : hipSuccess;
}
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
AMDSIM_API hipError_t hipSetDevice(int d) {
  return d == 0 ? hipSuccess : fail(hipErrorInvalidDevice);
}
AMDSIM_API hipError_t hipDeviceGet(hipDevice_t* d, int n) {
  if (!d) return fail(hipErrorInvalidValue);
  if (n) return fail(hipErrorInvalidDevice);
  *d = 0;
  return hipSuccess;
}
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
  *major = target().major();
  *minor = target().minor();
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
    case hipDeviceAttributeMaxSharedMemoryPerMultiprocessor:
      *v = static_cast<int>(target().lds_per_unit());
      break;
    case hipDeviceAttributeMaxThreadsPerBlock:
    case hipDeviceAttributeMaxBlockDimX:
    case hipDeviceAttributeMaxBlockDimY:
    case hipDeviceAttributeMaxBlockDimZ: *v = 1024; break;
    case hipDeviceAttributeMaxGridDimX: *v = 2147483647; break;
    case hipDeviceAttributeMaxGridDimY:
    case hipDeviceAttributeMaxGridDimZ: *v = 65536; break;
    case hipDeviceAttributeMaxRegistersPerBlock: *v = 65536; break;
    case hipDeviceAttributeClockRate: *v = static_cast<int>(c.clock_khz); break;
    case hipDeviceAttributeMaxThreadsPerMultiProcessor: *v = c.threads_per_unit(); break;
    case hipDeviceAttributeComputeCapabilityMajor: *v = c.major(); break;
    case hipDeviceAttributeComputeCapabilityMinor: *v = c.minor(); break;
    case hipDeviceAttributeL2CacheSize: *v = c.l2_bytes(); break;
    case hipDeviceAttributeConcurrentKernels:
    case hipDeviceAttributeCooperativeLaunch:
    case hipDeviceAttributeCanMapHostMemory:
    case hipDeviceAttributeManagedMemory: *v = 1; break;
    case hipDeviceAttributeIntegrated:
    case hipDeviceAttributeEccEnabled:
    case hipDeviceAttributeCooperativeMultiDeviceLaunch:
    case hipDeviceAttributePageableMemoryAccess: *v = 0; break;
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
