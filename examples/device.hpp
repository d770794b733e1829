// Where an example runs: on the CPU, or on the GPU for which hipcc or nvcc compiles the file.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <vector>

#include <fa/attention.hpp>

#if defined(__HIP__)
#include <hip/hip_runtime.h>
#define EXAMPLE_GPU(name) hip##name
#elif defined(__CUDACC__)
#include <cuda_runtime.h>
#define EXAMPLE_GPU(name) cuda##name
#endif

namespace example {

#if defined(EXAMPLE_GPU)

/// Ends the program at an error of the GPU's runtime.
inline void must(EXAMPLE_GPU(Error_t) error) {
  if (error == EXAMPLE_GPU(Success)) return;
  std::fprintf(stderr, "GPU: %s\n", EXAMPLE_GPU(GetErrorString)(error));
  std::exit(1);
}

/// A copy of `elements` in the GPU's memory, for as long as this lives.
template <class T>
class array {
 public:
  explicit array(const std::vector<T>& elements) : bytes_(elements.size() * sizeof(T)) {
    must(EXAMPLE_GPU(Malloc)(&data_, bytes_));
    must(EXAMPLE_GPU(Memcpy)(data_, elements.data(), bytes_, EXAMPLE_GPU(MemcpyHostToDevice)));
  }
  array(const array&) = delete;
  array& operator=(const array&) = delete;
  ~array() { static_cast<void>(EXAMPLE_GPU(Free)(data_)); }

  T* data() { return static_cast<T*>(data_); }

  /// What is in it now; waits for the calls before.
  std::vector<T> elements() const {
    std::vector<T> copy(bytes_ / sizeof(T));
    must(EXAMPLE_GPU(Memcpy)(copy.data(), data_, bytes_, EXAMPLE_GPU(MemcpyDeviceToHost)));
    return copy;
  }

 private:
  void* data_ = nullptr;
  std::size_t bytes_;
};

/// The first argument of a call: the default stream of the current GPU.
inline auto here() { return fa::on(nullptr); }

/// Waits until the calls before are done.
inline void wait() { must(EXAMPLE_GPU(DeviceSynchronize)()); }

inline void print_place() {
#if defined(__HIP__)
  hipDeviceProp_t properties{};
#else
  cudaDeviceProp properties{};
#endif
  must(EXAMPLE_GPU(GetDeviceProperties)(&properties, 0));
  std::printf("ran on the GPU (%s)", properties.name);
}

#else

/// `elements` where the kernels of the CPU read and write them.
template <class T>
class array {
 public:
  explicit array(const std::vector<T>& elements) : elements_(elements) {}
  T* data() { return elements_.data(); }
  const std::vector<T>& elements() const { return elements_; }

 private:
  std::vector<T> elements_;
};

/// The first argument of a call: all processors.
inline fa::host here() { return {}; }

/// A call on the CPU returns when it is done.
inline void wait() {}

inline void print_place() {
  std::printf("ran on the CPU (%d-bit vectors)", 8 * fa::host_machine::vector_bytes);
}

#endif

}  // namespace example
