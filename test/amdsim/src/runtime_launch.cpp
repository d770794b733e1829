// The HIP stand-in: kernel launches of every form.
#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "decode.hpp"
#include "memory.hpp"
#include "runtime.hpp"

namespace amdsim::runtime {
namespace {

struct pending {
  dim3 grid, block;
  size_t shared;
  hipStream_t stream;
};
thread_local std::vector<pending> configurations;
thread_local hipError_t last = hipSuccess;

void put(std::vector<u8>& to, u32 offset, u32 size, u64 value) {
  for (u32 i = 0; i < size && offset + i < to.size(); ++i)
    to[offset + i] = static_cast<u8>(i < 8 ? value >> (8 * i) : 0);
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
  // Offsets and remainders are zero; buffers for printf, the host, heaps and queues do not exist,
  // and their null pointers are found out when used.
  known = kind.find("hidden_global_offset") == 0 || kind.find("hidden_remainder") == 0 ||
          kind == "hidden_none" || kind.find("buffer") != std::string::npos ||
          kind.find("heap") != std::string::npos || kind.find("queue") != std::string::npos ||
          kind == "hidden_multigrid_sync_arg" || kind == "hidden_completion_action";
  return 0;
}

/// The argument segment: explicit arguments as given, the hidden ones filled in.
hipError_t fill_segment(const kernel_info& k, const launch_request& r, std::vector<u8>& segment) {
  segment.assign(std::max<u64>(k.kernarg_bytes, r.packed_bytes) + 64, 0);
  if (r.packed) std::memcpy(segment.data(), r.packed, r.packed_bytes);
  u32 at = 0;
  for (const auto& a : k.arguments) {
    if (u64{a.offset} + a.size > segment.size()) return hipErrorInvalidValue;
    if (a.hidden()) {
      bool known;
      const u64 v = hidden_value(a.kind, r.grid, r.block, r.dynamic_lds, known);
      if (!known) missing(a.kind.c_str(), "is a hidden kernel argument that is not implemented");
      put(segment, a.offset, a.size, v);
    } else if (!r.packed) {
      if (!r.arguments) return hipErrorInvalidValue;
      std::memcpy(segment.data() + a.offset, r.arguments[at++], a.size);
    }
  }
  return hipSuccess;
}

hipError_t launch_on(function& f, const launch_request& r, hipStream_t s) {
  prepared_launch p;
  if (const hipError_t e = prepare(f, r, p); e != hipSuccess) return fail(e);
  return submit(s, work_of(std::move(p)));
}

hipError_t launch_stub(const void* f, dim3 g, dim3 b, void** args, size_t shared, hipStream_t s,
                       bool cooperative = false) {
  std::lock_guard guard(lock());
  function* fn = find_function(f);
  if (!fn) return fail(hipErrorInvalidDeviceFunction);
  return launch_on(*fn, {g, b, shared, args, nullptr, 0, cooperative}, s);
}

hipError_t launch_module(hipFunction_t f, dim3 g, dim3 b, size_t shared, hipStream_t s,
                         void** params, void** extra, bool cooperative = false) {
  std::lock_guard guard(lock());
  function* fn = find_function(f);
  if (!fn) return fail(hipErrorInvalidResourceHandle);
  launch_request r{g, b, shared, params, nullptr, 0, cooperative};
  if (const hipError_t e = unpack(extra, r); e != hipSuccess) return fail(e);
  return launch_on(*fn, r, s);
}

/// Events around a launch, as the extended forms take them.
template <class Launch>
hipError_t between(hipEvent_t start, hipEvent_t end, hipStream_t s, Launch launch) {
  if (start)
    if (const hipError_t e = hipEventRecord(start, s); e != hipSuccess) return e;
  const hipError_t e = launch();
  if (end && e == hipSuccess) return hipEventRecord(end, s);
  return e;
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

hipError_t unpack(void** extra, launch_request& r) {
  if (!extra) return hipSuccess;
  if (r.arguments) return hipErrorInvalidValue;
  for (int i = 0; extra[i] != HIP_LAUNCH_PARAM_END; i += 2) {
    if (extra[i] == HIP_LAUNCH_PARAM_BUFFER_POINTER) r.packed = extra[i + 1];
    else if (extra[i] == HIP_LAUNCH_PARAM_BUFFER_SIZE)
      r.packed_bytes = *static_cast<const size_t*>(extra[i + 1]);
    else return hipErrorInvalidValue;
  }
  return hipSuccess;
}

hipError_t prepare(function& f, const launch_request& r, prepared_launch& out) {
  const chip& c = *process_settings().target;
  if (const hipError_t e = load(*f.from); e != hipSuccess) return e;
  kernel_info* k = find_kernel(*f.from, f.name);
  if (!k) return hipErrorNotFound;
  const dim3 &g = r.grid, &b = r.block;
  if (!g.x || !g.y || !g.z || !b.x || !b.y || !b.z) return hipErrorInvalidConfiguration;
  constexpr u64 most = 0xffffffff;  // threads of a grid in one direction
  if (u64{g.x} * b.x > most || u64{g.y} * b.y > most || u64{g.z} * b.z > most)
    return hipErrorInvalidConfiguration;
  if (r.dynamic_lds > c.lds_bytes) return hipErrorInvalidValue;
  const u64 threads = u64{b.x} * b.y * b.z, lds = k->lds_bytes + r.dynamic_lds;
  if (threads > 1024) return hipErrorInvalidConfiguration;
  if (threads > k->max_threads) {
    std::fprintf(stderr, "amdsim: %s: %llu threads, but the kernel was compiled for at most %u\n",
                 f.name.c_str(), static_cast<unsigned long long>(threads), k->max_threads);
    return hipErrorLaunchFailure;
  }
  if (lds > c.lds_bytes) {
    std::fprintf(stderr, "amdsim: %s: %llu bytes of LDS, but %s has %u for a workgroup\n",
                 f.name.c_str(), static_cast<unsigned long long>(lds), c.name, c.lds_bytes);
    return hipErrorInvalidValue;
  }
  if (r.cooperative) {
    const u64 room = u64{occupancy(c, *k, static_cast<u32>(threads), r.dynamic_lds)} *
                     c.compute_units;
    if (u64{g.x} * g.y * g.z > room) return hipErrorCooperativeLaunchTooLarge;
  }
  out = {f.from, k, g, b, r.dynamic_lds, {}};
  return fill_segment(*k, r, out.segment);
}

hipError_t execute(const prepared_launch& r) {
  const settings& set = process_settings();
  const kernel_info& k = *r.kernel;
  program& p = k.wave_size == 64 ? r.from->wave64 : r.from->wave32;
  if (!p.object) {
    p.object = r.from->object.get();
    p.target = set.target;
    p.wave64 = k.wave_size == 64;
  }
  decode_kernel(p, k);

  std::vector<u8> segment = r.segment;
  const u32 lds = static_cast<u32>(k.lds_bytes + r.dynamic_lds);
  std::vector<u64> packet(8, 0);
  const u16 sizes[] = {
      0, 0, static_cast<u16>(r.block.x), static_cast<u16>(r.block.y), static_cast<u16>(r.block.z),
      0};
  const u32 more[] = {r.grid.x * r.block.x, r.grid.y * r.block.y, r.grid.z * r.block.z,
                      k.scratch_bytes, lds};
  std::memcpy(packet.data(), sizes, sizeof sizes);
  std::memcpy(reinterpret_cast<u8*>(packet.data()) + 12, more, sizeof more);

  launch l;
  l.set = &set;
  l.prog = &p;
  l.kernel = &k;
  l.grid[0] = r.grid.x;
  l.grid[1] = r.grid.y;
  l.grid[2] = r.grid.z;
  l.block[0] = r.block.x;
  l.block[1] = r.block.y;
  l.block[2] = r.block.z;
  l.lds_bytes = lds;
  l.kernarg = reinterpret_cast<u64>(segment.data());
  l.dispatch_packet = reinterpret_cast<u64>(packet.data());
  memory::add(l.kernarg, segment.size(), allocation::kind::arguments);
  memory::add(l.dispatch_packet, 64, allocation::kind::arguments);
  if (set.trace)
    std::fprintf(stderr, "amdsim: %s %s grid %u %u %u block %u %u %u lds %u\n", set.target->name,
                 k.name.c_str(), r.grid.x, r.grid.y, r.grid.z, r.block.x, r.block.y, r.block.z,
                 lds);
  const bool good = run_launch(l);
  memory::remove(l.kernarg);
  memory::remove(l.dispatch_packet);
  return good ? hipSuccess : hipErrorLaunchFailure;
}

work work_of(prepared_launch l) {
  auto kept = std::make_shared<prepared_launch>(std::move(l));
  return {hipGraphNodeTypeKernel, [kept] { return execute(*kept); }, kept};
}

}  // namespace amdsim::runtime

using namespace amdsim;
using namespace amdsim::runtime;

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
AMDSIM_API hipError_t hipConfigureCall(dim3 g, dim3 b, size_t s, hipStream_t st) {
  return __hipPushCallConfiguration(g, b, s, st);
}

AMDSIM_API hipError_t hipLaunchKernel(const void* f, dim3 g, dim3 b, void** args, size_t shared,
                                      hipStream_t s) {
  return launch_stub(f, g, b, args, shared, s);
}
AMDSIM_API hipError_t hipLaunchKernel_spt(const void* f, dim3 g, dim3 b, void** args, size_t shared,
                                          hipStream_t s) {
  return launch_stub(f, g, b, args, shared, s ? s : hipStreamPerThread);
}
AMDSIM_API hipError_t hipLaunchCooperativeKernel(const void* f, dim3 g, dim3 b, void** args,
                                                 unsigned shared, hipStream_t s) {
  return launch_stub(f, g, b, args, shared, s, true);
}
AMDSIM_API hipError_t hipLaunchCooperativeKernel_spt(const void* f, dim3 g, dim3 b, void** args,
                                                     uint32_t shared, hipStream_t s) {
  return launch_stub(f, g, b, args, shared, s ? s : hipStreamPerThread, true);
}
AMDSIM_API hipError_t hipExtLaunchKernel(const void* f, dim3 g, dim3 b, void** args, size_t shared,
                                         hipStream_t s, hipEvent_t start, hipEvent_t end, int) {
  return between(start, end, s, [&] { return launch_stub(f, g, b, args, shared, s); });
}
AMDSIM_API hipError_t hipModuleLaunchKernel(hipFunction_t f, unsigned gx, unsigned gy, unsigned gz,
                                            unsigned bx, unsigned by, unsigned bz, unsigned shared,
                                            hipStream_t s, void** params, void** extra) {
  return launch_module(f, dim3(gx, gy, gz), dim3(bx, by, bz), shared, s, params, extra);
}
AMDSIM_API hipError_t hipModuleLaunchCooperativeKernel(hipFunction_t f, unsigned gx, unsigned gy,
                                                       unsigned gz, unsigned bx, unsigned by,
                                                       unsigned bz, unsigned shared, hipStream_t s,
                                                       void** params) {
  return launch_module(f, dim3(gx, gy, gz), dim3(bx, by, bz), shared, s, params, nullptr, true);
}
namespace {
/// Takes the grid in threads.
hipError_t ext_module_launch(hipFunction_t f, dim3 threads, dim3 block, size_t shared,
                             hipStream_t s, void** params, void** extra, hipEvent_t start,
                             hipEvent_t end) {
  if (!block.x || !block.y || !block.z) return fail(hipErrorInvalidConfiguration);
  if (threads.x % block.x || threads.y % block.y || threads.z % block.z)
    return fail(hipErrorInvalidConfiguration);
  const dim3 grid(threads.x / block.x, threads.y / block.y, threads.z / block.z);
  return between(start, end, s,
                 [&] { return launch_module(f, grid, block, shared, s, params, extra); });
}
}  // namespace
/// A C++ function in HIP 5, a C function in later ones.
__attribute__((visibility("default"))) hipError_t hipExtModuleLaunchKernel(
    hipFunction_t f, u32 tx, u32 ty, u32 tz, u32 bx, u32 by, u32 bz, size_t shared, hipStream_t s,
    void** params, void** extra, hipEvent_t start, hipEvent_t end, u32) {
  return ext_module_launch(f, dim3(tx, ty, tz), dim3(bx, by, bz), shared, s, params, extra, start,
                           end);
}
AMDSIM_API hipError_t ext_module_launch_6(hipFunction_t f, u32 tx, u32 ty, u32 tz, u32 bx, u32 by,
                                          u32 bz, size_t shared, hipStream_t s, void** params,
                                          void** extra, hipEvent_t start, hipEvent_t end,
                                          u32) __asm__("hipExtModuleLaunchKernel");
AMDSIM_API hipError_t ext_module_launch_6(hipFunction_t f, u32 tx, u32 ty, u32 tz, u32 bx, u32 by,
                                          u32 bz, size_t shared, hipStream_t s, void** params,
                                          void** extra, hipEvent_t start, hipEvent_t end, u32) {
  return ext_module_launch(f, dim3(tx, ty, tz), dim3(bx, by, bz), shared, s, params, extra, start,
                           end);
}

namespace {
/// The extensible launch of HIP 6.5 and later.
struct launch_attribute {
  int id;
  char padding[4];
  union {
    char bytes[64];
    int cooperative;
  };
};
struct launch_config {
  dim3 grid, block;
  size_t dynamic_lds;
  hipStream_t stream;
  launch_attribute* attributes;
  unsigned attribute_count;
};
}  // namespace

AMDSIM_API hipError_t hipLaunchKernelExC(const launch_config* c, const void* f, void** args) {
  if (!c) return fail(hipErrorInvalidConfiguration);
  bool cooperative = false;
  for (unsigned i = 0; i < c->attribute_count; ++i) {
    constexpr int is_cooperative = 2, is_priority = 8;
    if (c->attributes[i].id == is_cooperative) cooperative = c->attributes[i].cooperative != 0;
    else if (c->attributes[i].id != is_priority)
      missing("hipLaunchKernelExC", "has a launch attribute that is not implemented");
  }
  return launch_stub(f, c->grid, c->block, args, c->dynamic_lds, c->stream, cooperative);
}

// ---- errors

AMDSIM_API hipError_t hipGetLastError() {
  const hipError_t e = last;
  last = hipSuccess;
  return e;
}
AMDSIM_API hipError_t hipExtGetLastError() { return hipGetLastError(); }
AMDSIM_API hipError_t hipPeekAtLastError() { return last; }
