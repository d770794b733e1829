// The HIP stand-in: fat binaries, modules, kernel launches, function attributes.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <thread>

#include "memory.hpp"
#include "decode.hpp"
#include "runtime.hpp"

namespace amdsim::runtime {
namespace {

struct variable {
  binary* from;
  std::string name;
  u64 bytes;
  void** managed = nullptr;
};
std::map<const void*, function> functions;
std::map<const void*, variable> variables;
std::vector<std::unique_ptr<binary>> binaries;
std::vector<std::unique_ptr<function>> module_functions;

struct pending {
  dim3 grid, block;
  size_t shared;
  hipStream_t stream;
};
thread_local std::vector<pending> configurations;
thread_local hipError_t last = hipSuccess;

/// The argument segment: explicit arguments as given, the hidden ones filled in.
struct arguments {
  std::vector<u8> bytes;
  std::vector<u64> packet;
};

void put(std::vector<u8>& to, u32 offset, u32 size, u64 value) {
  for (u32 i = 0; i < size && offset + i < to.size(); ++i) to[offset + i] = static_cast<u8>(i < 8 ? value >> (8 * i) : 0);
}

u64 hidden_value(const std::string& kind, const dim3& g, const dim3& b, u64 shared, bool& known) {
  known = true;
  if (kind == "hidden_block_count_x") return g.x;
  if (kind == "hidden_block_count_y") return g.y;
  if (kind == "hidden_block_count_z") return g.z;
  if (kind == "hidden_group_size_x") return b.x;
  if (kind == "hidden_group_size_y") return b.y;
  if (kind == "hidden_group_size_z") return b.z;
  if (kind == "hidden_grid_dims") return g.z > 1 || b.z > 1 ? 3 : g.y > 1 || b.y > 1 ? 2 : 1;
  if (kind == "hidden_dynamic_lds_size") return shared;
  if (kind == "hidden_private_base") return high32(private_aperture);
  if (kind == "hidden_shared_base") return high32(shared_aperture);
  // Offsets and remainders are zero; buffers for printf, the host, heaps and queues do not exist, and their null pointers are found out when used.
  known = kind.find("hidden_global_offset") == 0 || kind.find("hidden_remainder") == 0 || kind == "hidden_none" || kind.find("buffer") != std::string::npos || kind.find("heap") != std::string::npos ||
          kind.find("queue") != std::string::npos || kind == "hidden_multigrid_sync_arg" || kind == "hidden_completion_action";
  return 0;
}

hipError_t run(binary& b, const std::string& name, dim3 grid, dim3 block, void** args, const void* packed, u64 packed_bytes, u64 shared, bool cooperative) {
  const settings& set = process_settings();
  if (const hipError_t e = load(b); e != hipSuccess) return e;
  kernel_info* k = find_kernel(b, name);
  if (!k) return hipErrorNotFound;
  if (!grid.x || !grid.y || !grid.z || !block.x || !block.y || !block.z) return hipErrorInvalidConfiguration;
  if (u64{grid.x} * block.x > 0xffffffffu || u64{grid.y} * block.y > 0xffffffffu || u64{grid.z} * block.z > 0xffffffffu) return hipErrorInvalidConfiguration;
  if (shared > set.target->lds_bytes) return hipErrorInvalidValue;
  const u64 threads = u64{block.x} * block.y * block.z;
  if (threads > 1024) return hipErrorInvalidConfiguration;
  if (!k->arguments.empty() && !args && !packed) {
    for (const auto& a : k->arguments)
      if (!a.hidden()) return hipErrorInvalidValue;
  }
  if (threads > k->max_threads) {
    std::fprintf(stderr, "amdsim: %s: %llu threads, but the kernel was compiled for at most %u\n", name.c_str(), static_cast<unsigned long long>(threads), k->max_threads);
    return hipErrorLaunchFailure;
  }
  if (k->lds_bytes + shared > set.target->lds_bytes) {
    std::fprintf(stderr, "amdsim: %s: %llu bytes of LDS, but %s has %u for a workgroup\n", name.c_str(), static_cast<unsigned long long>(k->lds_bytes + shared), set.target->name, set.target->lds_bytes);
    return hipErrorInvalidValue;
  }
  if (cooperative && u64{grid.x} * grid.y * grid.z > u64{occupancy(*set.target, *k, static_cast<u32>(threads), shared)} * set.target->compute_units) return hipErrorCooperativeLaunchTooLarge;

  program& p = k->wave_size == 64 ? b.wave64 : b.wave32;
  if (!p.object) {
    p.object = b.object.get();
    p.target = set.target;
    p.wave64 = k->wave_size == 64;
  }
  p.global_atomics = p.global_atomics || false;
  decode_kernel(p, *k);

  std::vector<u8> segment(std::max<u64>(k->kernarg_bytes, packed_bytes) + 64, 0);
  if (packed) std::memcpy(segment.data(), packed, packed_bytes);
  u32 at = 0;
  for (const auto& a : k->arguments) {
    if (u64{a.offset} + a.size > segment.size()) return hipErrorInvalidValue;
    if (a.hidden()) {
      bool known;
      const u64 v = hidden_value(a.kind, grid, block, shared, known);
      if (!known) missing(a.kind.c_str(), "is a hidden kernel argument that is not implemented");
      put(segment, a.offset, a.size, v);
    } else if (!packed) {
      std::memcpy(segment.data() + a.offset, args[at++], a.size);
    }
  }
  std::vector<u64> packet(8, 0);
  const u16 sizes[] = {0, 0, static_cast<u16>(block.x), static_cast<u16>(block.y), static_cast<u16>(block.z), 0};
  const u32 more[] = {grid.x * block.x, grid.y * block.y, grid.z * block.z, k->scratch_bytes, static_cast<u32>(k->lds_bytes + shared)};
  std::memcpy(packet.data(), sizes, sizeof sizes);
  std::memcpy(reinterpret_cast<u8*>(packet.data()) + 12, more, sizeof more);

  launch l;
  l.set = &set;
  l.prog = &p;
  l.kernel = k;
  l.grid[0] = grid.x;
  l.grid[1] = grid.y;
  l.grid[2] = grid.z;
  l.block[0] = block.x;
  l.block[1] = block.y;
  l.block[2] = block.z;
  l.lds_bytes = static_cast<u32>(k->lds_bytes + shared);
  l.kernarg = reinterpret_cast<u64>(segment.data());
  l.dispatch_packet = reinterpret_cast<u64>(packet.data());
  memory::add(l.kernarg, segment.size(), allocation::kind::arguments);
  memory::add(l.dispatch_packet, 64, allocation::kind::arguments);
  if (set.trace)
    std::fprintf(stderr, "amdsim: %s %s grid %u %u %u block %u %u %u lds %u\n", set.target->name, name.c_str(), grid.x, grid.y, grid.z, block.x, block.y, block.z, l.lds_bytes);
  const bool good = run_launch(l);
  memory::remove(l.kernarg);
  memory::remove(l.dispatch_packet);
  return good ? hipSuccess : hipErrorLaunchFailure;
}

hipError_t launch_stub(const void* f, dim3 g, dim3 b, void** args, size_t shared, bool cooperative = false) {
  std::lock_guard guard(lock());
  function* fn = find_function(f);
  if (!fn) return fail(hipErrorInvalidDeviceFunction);
  return fail(run(*fn->from, fn->name, g, b, args, nullptr, 0, shared, cooperative));
}

hipError_t launch_module(hipFunction_t f, dim3 g, dim3 b, size_t shared, void** params, void** extra, bool cooperative = false) {
  std::lock_guard guard(lock());
  if (!f) return fail(hipErrorInvalidResourceHandle);
  auto* fn = reinterpret_cast<function*>(f);
  const void* packed = nullptr;
  u64 bytes = 0;
  if (extra) {
    if (params) return fail(hipErrorInvalidValue);
    for (int i = 0; extra[i] != HIP_LAUNCH_PARAM_END; i += 2) {
      if (extra[i] == HIP_LAUNCH_PARAM_BUFFER_POINTER)
        packed = extra[i + 1];
      else if (extra[i] == HIP_LAUNCH_PARAM_BUFFER_SIZE)
        bytes = *static_cast<const size_t*>(extra[i + 1]);
      else
        return fail(hipErrorInvalidValue);
    }
  }
  return fail(run(*fn->from, fn->name, g, b, params, packed, bytes, shared, cooperative));
}

}  // namespace

std::recursive_mutex& lock() {
  static std::recursive_mutex m;
  return m;
}

hipError_t fail(hipError_t e) {
  if (e != hipSuccess) last = e;
  return e;
}

void missing(const char* name, const char* what) {
  std::fflush(stdout);
  std::fprintf(stderr, "amdsim: %s %s\n", name, what);
  std::fflush(stderr);
  std::_Exit(4);
}

hipError_t load(binary& b) {
  if (b.object) return hipSuccess;
  if (b.error != hipSuccess) return b.error;
  const settings& set = process_settings();
  try {
    const std::vector<u8> image = image_for(b.data, image_bytes(b.data), *set.target);
    b.object = std::make_unique<code_object>(image.data(), image.size(), *set.target);
    memory::add(b.object->base, b.object->bytes, allocation::kind::code);
  } catch (const no_image& e) {
    std::fprintf(stderr, "amdsim: %s\n", e.what());
    b.error = hipErrorNoBinaryForGpu;
  } catch (const bad_image& e) {
    std::fprintf(stderr, "amdsim: %s\n", e.what());
    b.error = hipErrorInvalidImage;
  }
  return b.error;
}

kernel_info* find_kernel(binary& b, const std::string& name) {
  const auto it = b.object->kernels.find(name);
  return it == b.object->kernels.end() ? nullptr : &it->second;
}

function* find_function(const void* stub) {
  const auto it = functions.find(stub);
  return it == functions.end() ? nullptr : &it->second;
}

bool find_symbol(const void* host, symbol& out) {
  const auto it = variables.find(host);
  if (it == variables.end()) return false;
  binary& b = *it->second.from;
  if (load(b) != hipSuccess) return false;
  const auto s = b.object->symbols.find(it->second.name);
  if (s == b.object->symbols.end()) return false;
  out = s->second;
  return true;
}

u32 occupancy(const chip& c, const kernel_info& k, u32 threads, u64 dynamic_lds) {
  const bool gfx9 = c.gen == family::gfx9;
  const u32 wave = k.wave_size, waves = (threads + wave - 1) / wave, simds = gfx9 ? 4 : 2, most = gfx9 ? 8 : 16;
  const u32 granule = gfx9 ? 8 : wave == 32 ? (c.vgprs_per_simd == 1536 ? 24 : 16) : c.vgprs_per_simd == 1536 ? 12 : 8;
  const u32 file = wave == 64 && !gfx9 ? c.vgprs_per_simd / 2 : c.vgprs_per_simd;
  const u32 used = std::max(1u, gfx9 ? (k.vgprs + 7) / 8 * 8 : (k.vgprs + granule - 1) / granule * granule);
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

// ---- registration, as compilers emit it

AMDSIM_API void** __hipRegisterFatBinary(const void* data) {
  struct wrapper {
    u32 magic, version;
    const void* binary;
    void* unused;
  };
  std::lock_guard g(lock());
  auto b = std::make_unique<binary>();
  b->data = static_cast<const u8*>(static_cast<const wrapper*>(data)->binary);
  binaries.push_back(std::move(b));
  return reinterpret_cast<void**>(binaries.back().get());
}
AMDSIM_API void __hipUnregisterFatBinary(void**) {}
AMDSIM_API void __hipRegisterFunction(void** handle, const void* stub, char*, const char* name, unsigned, void*, void*, dim3*, dim3*, int*) {
  std::lock_guard g(lock());
  functions[stub] = {reinterpret_cast<binary*>(handle), name};
}
AMDSIM_API void __hipRegisterVar(void** handle, void* var, char*, char* name, int, size_t size, int, int) {
  std::lock_guard g(lock());
  variables[var] = {reinterpret_cast<binary*>(handle), name, size};
}
AMDSIM_API void __hipRegisterManagedVar(void*, void**, void*, const char* name, size_t, unsigned) { missing(name, "is a __managed__ variable, which is not implemented"); }
AMDSIM_API void __hipRegisterSurface(void*, void*, char*, char* name, int, int) { missing(name, "is a surface, which is not implemented"); }
AMDSIM_API void __hipRegisterTexture(void*, void*, char*, char* name, int, int, int) { missing(name, "is a texture, which is not implemented"); }
AMDSIM_API hipError_t __hipPushCallConfiguration(dim3 g, dim3 b, size_t s, hipStream_t st) {
  configurations.push_back({g, b, s, st});
  return hipSuccess;
}
AMDSIM_API hipError_t __hipPopCallConfiguration(dim3* g, dim3* b, size_t* s, hipStream_t* st) {
  if (configurations.empty()) return fail(hipErrorInvalidConfiguration);
  const pending c = configurations.back();
  configurations.pop_back();
  *g = c.grid;
  *b = c.block;
  *s = c.shared;
  *st = c.stream;
  return hipSuccess;
}
AMDSIM_API hipError_t hipConfigureCall(dim3 g, dim3 b, size_t s, hipStream_t st) { return __hipPushCallConfiguration(g, b, s, st); }

// ---- launches

AMDSIM_API hipError_t hipLaunchKernel(const void* f, dim3 g, dim3 b, void** args, size_t shared, hipStream_t) { return launch_stub(f, g, b, args, shared); }
AMDSIM_API hipError_t hipLaunchKernel_spt(const void* f, dim3 g, dim3 b, void** args, size_t shared, hipStream_t) { return launch_stub(f, g, b, args, shared); }
AMDSIM_API hipError_t hipExtLaunchKernel(const void* f, dim3 g, dim3 b, void** args, size_t shared, hipStream_t s, hipEvent_t start, hipEvent_t end, int) {
  if (start) (void)hipEventRecord(start, s);
  const hipError_t e = launch_stub(f, g, b, args, shared);
  if (end) (void)hipEventRecord(end, s);
  return e;
}
AMDSIM_API hipError_t hipLaunchCooperativeKernel(const void* f, dim3 g, dim3 b, void** args, unsigned shared, hipStream_t) { return launch_stub(f, g, b, args, shared, true); }
AMDSIM_API hipError_t hipModuleLaunchKernel(hipFunction_t f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz, unsigned shared, hipStream_t, void** params, void** extra) {
  return launch_module(f, dim3(gx, gy, gz), dim3(bx, by, bz), shared, params, extra);
}
/// Takes the grid in threads.
__attribute__((visibility("default"))) hipError_t hipExtModuleLaunchKernel(hipFunction_t f, u32 tx, u32 ty, u32 tz, u32 bx, u32 by, u32 bz, size_t shared, hipStream_t s, void** params, void** extra, hipEvent_t start,
                                                                          hipEvent_t end, u32) {
  if (!bx || !by || !bz || tx % bx || ty % by || tz % bz) return fail(hipErrorInvalidConfiguration);
  if (start) (void)hipEventRecord(start, s);
  const hipError_t e = launch_module(f, dim3(tx / bx, ty / by, tz / bz), dim3(bx, by, bz), shared, params, extra);
  if (end) (void)hipEventRecord(end, s);
  return e;
}

// ---- modules

AMDSIM_API hipError_t hipModuleLoadData(hipModule_t* m, const void* image) {
  std::lock_guard g(lock());
  if (!m || !image) return fail(hipErrorInvalidValue);
  auto b = std::make_unique<binary>();
  b->data = static_cast<const u8*>(image);
  if (const hipError_t e = load(*b); e != hipSuccess) return fail(e);
  binaries.push_back(std::move(b));
  *m = reinterpret_cast<hipModule_t>(binaries.back().get());
  return hipSuccess;
}
AMDSIM_API hipError_t hipModuleLoadDataEx(hipModule_t* m, const void* image, unsigned, hipJitOption*, void**) { return hipModuleLoadData(m, image); }
AMDSIM_API hipError_t hipModuleLoad(hipModule_t* m, const char* file) {
  if (!m || !file) return fail(hipErrorInvalidValue);
  std::FILE* f = std::fopen(file, "rb");
  if (!f) return fail(hipErrorFileNotFound);
  std::vector<u8> bytes;
  u8 part[65536];
  for (std::size_t n; (n = std::fread(part, 1, sizeof part, f)) > 0;) bytes.insert(bytes.end(), part, part + n);
  std::fclose(f);
  if (bytes.size() < 64) return fail(hipErrorInvalidImage);
  std::lock_guard g(lock());
  auto b = std::make_unique<binary>();
  b->owned = std::move(bytes);
  b->data = b->owned.data();
  if (const hipError_t e = load(*b); e != hipSuccess) return fail(e);
  binaries.push_back(std::move(b));
  *m = reinterpret_cast<hipModule_t>(binaries.back().get());
  return hipSuccess;
}
AMDSIM_API hipError_t hipModuleUnload(hipModule_t m) {
  std::lock_guard g(lock());
  for (auto it = binaries.begin(); it != binaries.end(); ++it)
    if (reinterpret_cast<hipModule_t>(it->get()) == m) {
      if ((*it)->object) memory::remove((*it)->object->base);
      binaries.erase(it);
      return hipSuccess;
    }
  return fail(hipErrorInvalidResourceHandle);
}
AMDSIM_API hipError_t hipModuleGetFunction(hipFunction_t* f, hipModule_t m, const char* name) {
  std::lock_guard g(lock());
  if (!f || !name) return fail(hipErrorInvalidValue);
  if (!m) return fail(hipErrorInvalidResourceHandle);
  auto* b = reinterpret_cast<binary*>(m);
  if (!find_kernel(*b, name)) return fail(hipErrorNotFound);
  module_functions.push_back(std::make_unique<function>(function{b, name}));
  *f = reinterpret_cast<hipFunction_t>(module_functions.back().get());
  return hipSuccess;
}
AMDSIM_API hipError_t hipModuleGetGlobal(hipDeviceptr_t* p, size_t* bytes, hipModule_t m, const char* name) {
  std::lock_guard g(lock());
  if (!m || !name) return fail(hipErrorInvalidValue);
  auto* b = reinterpret_cast<binary*>(m);
  const auto s = b->object->symbols.find(name);
  if (s == b->object->symbols.end()) return fail(hipErrorNotFound);
  if (p) *p = reinterpret_cast<hipDeviceptr_t>(s->second.address);
  if (bytes) *bytes = s->second.size;
  return hipSuccess;
}

// ---- attributes and occupancy

namespace {
kernel_info* kernel_behind(const void* f, hipError_t& e) {
  function* fn = find_function(f);
  e = hipErrorInvalidDeviceFunction;
  if (!fn) return nullptr;
  e = load(*fn->from);
  if (e != hipSuccess) return nullptr;
  kernel_info* k = find_kernel(*fn->from, fn->name);
  e = k ? hipSuccess : hipErrorInvalidDeviceFunction;
  return k;
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
  out->binaryVersion = out->ptxVersion = 10 * (c.gen == family::gfx9 ? 9 : c.gen == family::gfx11 ? 11 : 12);
  return hipSuccess;
}
AMDSIM_API hipError_t hipFuncGetAttribute(int* value, hipFunction_attribute a, hipFunction_t f) {
  std::lock_guard g(lock());
  if (!value || !f) return fail(hipErrorInvalidValue);
  auto* fn = reinterpret_cast<function*>(f);
  const kernel_info* k = find_kernel(*fn->from, fn->name);
  if (!k) return fail(hipErrorInvalidDeviceFunction);
  switch (a) {
    case HIP_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK: *value = static_cast<int>(k->max_threads); break;
    case HIP_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES: *value = static_cast<int>(k->lds_bytes); break;
    case HIP_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES: *value = static_cast<int>(k->scratch_bytes); break;
    case HIP_FUNC_ATTRIBUTE_NUM_REGS: *value = static_cast<int>(k->vgprs); break;
    case HIP_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES: *value = static_cast<int>(process_settings().target->lds_bytes - k->lds_bytes); break;
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
  if (a == hipFuncAttributeMaxDynamicSharedMemorySize) return value < 0 || k->lds_bytes + static_cast<u64>(value) > process_settings().target->lds_bytes ? fail(hipErrorInvalidValue) : hipSuccess;
  return a == hipFuncAttributePreferredSharedMemoryCarveout ? hipSuccess : fail(hipErrorInvalidValue);
}
AMDSIM_API hipError_t hipFuncSetCacheConfig(const void* f, hipFuncCache_t) {
  hipError_t e;
  std::lock_guard g(lock());
  (void)kernel_behind(f, e);
  return fail(e);
}
AMDSIM_API hipError_t hipOccupancyMaxActiveBlocksPerMultiprocessor(int* n, const void* f, int threads, size_t shared) {
  std::lock_guard g(lock());
  hipError_t e;
  const kernel_info* k = kernel_behind(f, e);
  if (!k) return fail(e);
  if (!n || threads <= 0) return fail(hipErrorInvalidValue);
  *n = static_cast<int>(occupancy(*process_settings().target, *k, static_cast<u32>(threads), shared));
  return hipSuccess;
}
AMDSIM_API hipError_t hipOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* n, const void* f, int threads, size_t shared, unsigned) { return hipOccupancyMaxActiveBlocksPerMultiprocessor(n, f, threads, shared); }
AMDSIM_API hipError_t hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(int* n, hipFunction_t f, int threads, size_t shared) {
  std::lock_guard g(lock());
  if (!n || !f || threads <= 0) return fail(hipErrorInvalidValue);
  auto* fn = reinterpret_cast<function*>(f);
  *n = static_cast<int>(occupancy(*process_settings().target, *find_kernel(*fn->from, fn->name), static_cast<u32>(threads), shared));
  return hipSuccess;
}
AMDSIM_API hipError_t hipOccupancyMaxPotentialBlockSize(int* grid, int* block, const void* f, size_t shared, int limit) {
  std::lock_guard g(lock());
  hipError_t e;
  const kernel_info* k = kernel_behind(f, e);
  if (!k) return fail(e);
  if (!grid || !block) return fail(hipErrorInvalidValue);
  const chip& c = *process_settings().target;
  u32 best = 0, best_threads = 0;
  for (u32 t = k->wave_size; t <= k->max_threads && (limit <= 0 || t <= static_cast<u32>(limit)); t += k->wave_size) {
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

// ---- variables

AMDSIM_API hipError_t hipGetSymbolAddress(void** p, const void* s) {
  std::lock_guard g(lock());
  symbol y;
  if (!p) return fail(hipErrorInvalidValue);
  if (!find_symbol(s, y)) return fail(hipErrorInvalidSymbol);
  *p = reinterpret_cast<void*>(y.address);
  return hipSuccess;
}
AMDSIM_API hipError_t hipGetSymbolSize(size_t* n, const void* s) {
  std::lock_guard g(lock());
  symbol y;
  if (!n) return fail(hipErrorInvalidValue);
  if (!find_symbol(s, y)) return fail(hipErrorInvalidSymbol);
  *n = y.size;
  return hipSuccess;
}
AMDSIM_API hipError_t hipMemcpyToSymbol(const void* s, const void* from, size_t n, size_t offset, hipMemcpyKind) {
  std::lock_guard g(lock());
  symbol y;
  if (!find_symbol(s, y)) return fail(hipErrorInvalidSymbol);
  if (!from || offset > y.size || n > y.size - offset) return fail(hipErrorInvalidValue);
  std::memcpy(reinterpret_cast<u8*>(y.address) + offset, from, n);
  return hipSuccess;
}
AMDSIM_API hipError_t hipMemcpyFromSymbol(void* to, const void* s, size_t n, size_t offset, hipMemcpyKind) {
  std::lock_guard g(lock());
  symbol y;
  if (!find_symbol(s, y)) return fail(hipErrorInvalidSymbol);
  if (!to || offset > y.size || n > y.size - offset) return fail(hipErrorInvalidValue);
  std::memcpy(to, reinterpret_cast<u8*>(y.address) + offset, n);
  return hipSuccess;
}
AMDSIM_API hipError_t hipMemcpyToSymbolAsync(const void* s, const void* from, size_t n, size_t offset, hipMemcpyKind k, hipStream_t) { return hipMemcpyToSymbol(s, from, n, offset, k); }
AMDSIM_API hipError_t hipMemcpyFromSymbolAsync(void* to, const void* s, size_t n, size_t offset, hipMemcpyKind k, hipStream_t) { return hipMemcpyFromSymbol(to, s, n, offset, k); }

// ---- errors

AMDSIM_API hipError_t hipGetLastError() {
  const hipError_t e = last;
  last = hipSuccess;
  return e;
}
AMDSIM_API hipError_t hipPeekAtLastError() { return last; }
