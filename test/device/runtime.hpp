// What the tests use of a GPU's runtime, under one name for CUDA and HIP. For sources that a GPU
// compiler compiles.
#pragma once

#if defined(__HIP__)
#include <hip/hip_runtime.h>
#define FA_GPU(name) hip##name
#else
#include <cuda_runtime.h>
#define FA_GPU(name) cuda##name
#endif

#include <cstddef>
#include <cstdio>
#include <cstdlib>

namespace gpu {

using stream_handle = FA_GPU(Stream_t);

/// Ends the program at an error; with 77, the code of a skipped test, where there is no GPU.
inline void must(FA_GPU(Error_t) error) {
  if (error == FA_GPU(Success)) return;
  if (error == FA_GPU(ErrorNoDevice) || error == FA_GPU(ErrorInsufficientDriver)) std::exit(77);
  std::fprintf(stderr, "GPU: %s\n", FA_GPU(GetErrorString)(error));
  std::exit(3);
}

inline void* allocate(std::size_t bytes) {
  void* data = nullptr;
  must(FA_GPU(Malloc)(&data, bytes));
  return data;
}
inline void release(void* data) { static_cast<void>(FA_GPU(Free)(data)); }

inline void to_device(void* to, const void* from, std::size_t bytes) {
  must(FA_GPU(Memcpy)(to, from, bytes, FA_GPU(MemcpyHostToDevice)));
}
inline void to_host(void* to, const void* from, std::size_t bytes) {
  must(FA_GPU(Memcpy)(to, from, bytes, FA_GPU(MemcpyDeviceToHost)));
}
inline void on_device(void* to, const void* from, std::size_t bytes) {
  must(FA_GPU(Memcpy)(to, from, bytes, FA_GPU(MemcpyDeviceToDevice)));
}

/// Sets every byte.
inline void fill(void* data, int byte, std::size_t bytes) {
  must(FA_GPU(Memset)(data, byte, bytes));
}

/// Waits for everything that was enqueued.
inline void synchronize() { must(FA_GPU(DeviceSynchronize)()); }

/// True if no error is pending; clears it.
inline bool no_error_stays() { return FA_GPU(GetLastError)() == FA_GPU(Success); }

/// A stream of its own.
class stream {
 public:
  stream() { must(FA_GPU(StreamCreate)(&handle_)); }
  ~stream() { static_cast<void>(FA_GPU(StreamDestroy)(handle_)); }
  stream(const stream&) = delete;

  stream_handle handle() const { return handle_; }
  void synchronize() const { must(FA_GPU(StreamSynchronize)(handle_)); }

 private:
  stream_handle handle_{};
};

/// What `enqueue(handle)` enqueues, recorded once, to be launched any number of times.
class graph {
 public:
  template <class Enqueue>
  graph(const stream& s, const Enqueue& enqueue) {
    must(FA_GPU(StreamBeginCapture)(s.handle(), FA_GPU(StreamCaptureModeGlobal)));
    enqueue(s.handle());
    must(FA_GPU(StreamEndCapture)(s.handle(), &graph_));
    must(FA_GPU(GraphInstantiateWithFlags)(&runnable_, graph_, 0));
  }
  ~graph() {
    static_cast<void>(FA_GPU(GraphExecDestroy)(runnable_));
    static_cast<void>(FA_GPU(GraphDestroy)(graph_));
  }
  graph(const graph&) = delete;

  void launch(const stream& s) const { must(FA_GPU(GraphLaunch)(runnable_, s.handle())); }

 private:
  FA_GPU(Graph_t) graph_ {};
  FA_GPU(GraphExec_t) runnable_ {};
};

}  // namespace gpu
