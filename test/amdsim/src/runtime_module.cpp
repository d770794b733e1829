// The HIP stand-in: fat binaries and modules, and the kernels and variables in them.
#include <algorithm>
#include <cstdio>

#include "memory.hpp"
#include "runtime.hpp"

namespace amdsim::runtime {
namespace {

struct variable {
  std::shared_ptr<binary> from;
  std::string name;
  u64 bytes;
};
std::map<const void*, function> functions;
std::map<const void*, variable> variables;
std::map<const void*, std::shared_ptr<binary>> binaries;  // by their handles
std::map<const void*, std::unique_ptr<function>> module_functions;

/// The handle of a binary that lives on until the program ends or unloads it.
void* keep(std::shared_ptr<binary> b) {
  void* handle = b.get();
  binaries[handle] = std::move(b);
  return handle;
}
std::shared_ptr<binary> find_binary(const void* handle) {
  const auto it = binaries.find(handle);
  return it == binaries.end() ? nullptr : it->second;
}

}  // namespace

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

function* find_function(hipFunction_t handle) {
  const auto it = module_functions.find(handle);
  if (it != module_functions.end()) return it->second.get();
  for (auto& [stub, f] : functions)
    if (reinterpret_cast<hipFunction_t>(&f) == handle) return &f;
  return nullptr;
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
  auto b = std::make_shared<binary>();
  b->data = static_cast<const u8*>(static_cast<const wrapper*>(data)->binary);
  return static_cast<void**>(keep(std::move(b)));
}
AMDSIM_API void __hipUnregisterFatBinary(void**) {}
AMDSIM_API void __hipRegisterFunction(void** handle, const void* stub, char*, const char* name,
                                      unsigned, void*, void*, dim3*, dim3*, int*) {
  std::lock_guard g(lock());
  functions[stub] = {find_binary(handle), name};
}
AMDSIM_API void __hipRegisterVar(void** handle, void* var, char*, char* name, int, size_t size, int,
                                 int) {
  std::lock_guard g(lock());
  variables[var] = {find_binary(handle), name, size};
}
AMDSIM_API void __hipRegisterManagedVar(void*, void**, void*, const char* name, size_t, unsigned) {
  missing(name, "is a __managed__ variable, which is not implemented");
}
AMDSIM_API void __hipRegisterSurface(void*, void*, char*, char* name, int, int) {
  missing(name, "is a surface, which is not implemented");
}
AMDSIM_API void __hipRegisterTexture(void*, void*, char*, char* name, int, int, int) {
  missing(name, "is a texture, which is not implemented");
}

// ---- modules

AMDSIM_API hipError_t hipModuleLoadData(hipModule_t* m, const void* image) {
  std::lock_guard g(lock());
  if (!m || !image) return fail(hipErrorInvalidValue);
  auto b = std::make_shared<binary>();
  b->data = static_cast<const u8*>(image);
  if (const hipError_t e = load(*b); e != hipSuccess) return fail(e);
  *m = static_cast<hipModule_t>(keep(std::move(b)));
  return hipSuccess;
}
AMDSIM_API hipError_t hipModuleLoadDataEx(hipModule_t* m, const void* image, unsigned,
                                          hipJitOption*, void**) {
  return hipModuleLoadData(m, image);
}
AMDSIM_API hipError_t hipModuleLoad(hipModule_t* m, const char* file) {
  if (!m || !file) return fail(hipErrorInvalidValue);
  std::FILE* f = std::fopen(file, "rb");
  if (!f) return fail(hipErrorFileNotFound);
  std::vector<u8> bytes;
  u8 part[65536];
  for (std::size_t n; (n = std::fread(part, 1, sizeof part, f)) > 0;)
    bytes.insert(bytes.end(), part, part + n);
  std::fclose(f);
  if (bytes.size() < 64) return fail(hipErrorInvalidImage);
  std::lock_guard g(lock());
  auto b = std::make_shared<binary>();
  b->owned = std::move(bytes);
  b->data = b->owned.data();
  if (const hipError_t e = load(*b); e != hipSuccess) return fail(e);
  *m = static_cast<hipModule_t>(keep(std::move(b)));
  return hipSuccess;
}
AMDSIM_API hipError_t hipModuleUnload(hipModule_t m) {
  std::lock_guard g(lock());
  const std::shared_ptr<binary> b = find_binary(m);
  if (!b) return fail(hipErrorInvalidResourceHandle);
  if (b->object) memory::remove(b->object->base);
  for (auto it = module_functions.begin(); it != module_functions.end();)
    it = it->second->from == b ? module_functions.erase(it) : std::next(it);
  binaries.erase(m);
  return hipSuccess;
}
AMDSIM_API hipError_t hipModuleGetFunction(hipFunction_t* f, hipModule_t m, const char* name) {
  std::lock_guard g(lock());
  if (!f || !name) return fail(hipErrorInvalidValue);
  const std::shared_ptr<binary> b = find_binary(m);
  if (!b) return fail(hipErrorInvalidResourceHandle);
  if (!find_kernel(*b, name)) return fail(hipErrorNotFound);
  auto x = std::make_unique<function>(function{b, name});
  *f = reinterpret_cast<hipFunction_t>(x.get());
  module_functions[*f] = std::move(x);
  return hipSuccess;
}
/// The handle of a kernel of the program itself.
AMDSIM_API hipError_t hipGetFuncBySymbol(hipFunction_t* f, const void* stub) {
  std::lock_guard g(lock());
  if (!f) return fail(hipErrorInvalidValue);
  hipError_t e;
  if (!kernel_behind(stub, e)) return fail(e);
  *f = reinterpret_cast<hipFunction_t>(find_function(stub));
  return hipSuccess;
}
AMDSIM_API hipError_t hipModuleGetGlobal(hipDeviceptr_t* p, size_t* bytes, hipModule_t m,
                                         const char* name) {
  std::lock_guard g(lock());
  if (!name) return fail(hipErrorInvalidValue);
  const std::shared_ptr<binary> b = find_binary(m);
  if (!b) return fail(hipErrorInvalidResourceHandle);
  const auto s = b->object->symbols.find(name);
  if (s == b->object->symbols.end()) return fail(hipErrorNotFound);
  if (p) *p = reinterpret_cast<hipDeviceptr_t>(s->second.address);
  if (bytes) *bytes = s->second.size;
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

namespace {
/// A copy between memory and a variable of the program.
hipError_t copy_symbol(const void* variable, u64 offset, void* to, const void* from, u64 n) {
  symbol y;
  if (!find_symbol(variable, y)) return hipErrorInvalidSymbol;
  if ((!to && !from) || offset > y.size || n > y.size - offset) return hipErrorInvalidValue;
  u8* const at = reinterpret_cast<u8*>(y.address) + offset;
  std::memcpy(to ? to : at, from ? from : at, n);
  return hipSuccess;
}
hipError_t copy_symbol_now(const void* variable, u64 offset, void* to, const void* from, u64 n) {
  std::lock_guard g(lock());
  if (const hipError_t e = not_while_capturing(); e != hipSuccess) return fail(e);
  return fail(copy_symbol(variable, offset, to, from, n));
}
hipError_t copy_symbol_on(hipStream_t s, const void* variable, u64 offset, void* to,
                          const void* from, u64 n) {
  return submit(s, {hipGraphNodeTypeMemcpy,
                    [=] { return copy_symbol(variable, offset, to, from, n); }, nullptr});
}
}  // namespace

AMDSIM_API hipError_t hipMemcpyToSymbol(const void* s, const void* from, size_t n, size_t offset,
                                        hipMemcpyKind) {
  return copy_symbol_now(s, offset, nullptr, from, n);
}
AMDSIM_API hipError_t hipMemcpyFromSymbol(void* to, const void* s, size_t n, size_t offset,
                                          hipMemcpyKind) {
  return copy_symbol_now(s, offset, to, nullptr, n);
}
AMDSIM_API hipError_t hipMemcpyToSymbolAsync(const void* s, const void* from, size_t n,
                                             size_t offset, hipMemcpyKind, hipStream_t stream) {
  return copy_symbol_on(stream, s, offset, nullptr, from, n);
}
AMDSIM_API hipError_t hipMemcpyFromSymbolAsync(void* to, const void* s, size_t n, size_t offset,
                                               hipMemcpyKind, hipStream_t stream) {
  return copy_symbol_on(stream, s, offset, to, nullptr, n);
}
