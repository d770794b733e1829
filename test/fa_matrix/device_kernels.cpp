// One share of the kernels for a GPU, in place of kernels.cpp: the same list, each call
// with its tensors copied to the device and the outputs back. Copies keep the alignment that
// tensors have on the host.
#include "kernel_list.hpp"

#include "../device/runtime.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace fa_matrix {
namespace {

/// Bytes that a tensor's elements cover, from the pointer on; a negative stride has some before it.
struct byte_range {
  std::int64_t begin = 0, end = 0;
  byte_range(std::int64_t first, std::int64_t last) : begin(first), end(last) {}
  byte_range(const test::tensor_shape& s, std::size_t size) {
    if (s.batch <= 0 || s.seqlen <= 0 || s.heads <= 0 || s.dim <= 0) return;
    const auto reach = [&](std::int64_t count, std::int64_t stride) {
      (stride < 0 ? begin : end) += (count - 1) * stride;
    };
    reach(s.batch, s.batch_stride);
    reach(s.seqlen, s.token_stride);
    reach(s.heads, s.head_stride);
    end += s.dim;
    begin *= static_cast<std::int64_t>(size);
    end *= static_cast<std::int64_t>(size);
  }
};

/// A copy of host memory on the device; null for null.
class device_copy {
 public:
  device_copy(const void* host, const byte_range& range)
      : host_(static_cast<const char*>(host)),
        begin_(range.begin),
        bytes_(static_cast<std::size_t>(std::max<std::int64_t>(range.end - range.begin, 0))) {
    if (host == nullptr || bytes_ == 0) return;
    const std::size_t shift = reinterpret_cast<std::uintptr_t>(host_ + begin_) % 256;
    memory_ = gpu::allocate(shift + bytes_);
    data_ = static_cast<char*>(memory_) + shift;
    gpu::to_device(data_, host_ + begin_, bytes_);
  }
  ~device_copy() { gpu::release(memory_); }
  device_copy(const device_copy&) = delete;

  /// The device's address; where nothing was copied the host's, which is not read.
  template <class T>
  T* get() const {
    return reinterpret_cast<T*>(data_ != nullptr ? data_ - begin_ : const_cast<char*>(host_));
  }

  void copy_back(void* host) const {
    if (data_ != nullptr) gpu::to_host(static_cast<char*>(host) + begin_, data_, bytes_);
  }

 private:
  const char* host_;
  std::int64_t begin_;
  std::size_t bytes_;
  void* memory_ = nullptr;
  char* data_ = nullptr;
};

template <class Attention>
outcome run(const call& c) {
  using out_type = typename Attention::variant::out;
  const auto bytes = [](std::int64_t count) { return byte_range(0, count * 4); };
  constexpr auto size = sizeof(in_type);
  const device_copy q(c.q, {c.q_shape, size}), k(c.k, {c.k_shape, size}), v(c.v, {c.v_shape, size});
  const device_copy o(c.o, {c.o_shape, sizeof(out_type)}),
      lse(c.lse, bytes(c.q_shape.batch * c.q_shape.heads * c.q_shape.seqlen));
  const device_copy cu_q(c.cu_q, bytes(c.batch + 1)), cu_k(c.cu_k, bytes(c.batch + 1));
  const device_copy used_q(c.used_q, bytes(c.batch)), used_k(c.used_k, bytes(c.batch));
  test::plain_call there = c;
  there.at(q.get<const in_type>(), k.get<const in_type>(), v.get<const in_type>(),
           o.get<out_type>(), lse.get<float>());
  there.cu_q = cu_q.get<const std::int32_t>();
  there.cu_k = cu_k.get<const std::int32_t>();
  there.used_q = used_q.get<const std::int32_t>();
  there.used_k = used_k.get<const std::int32_t>();
  const fa::status s = Attention::forward(fa::on(nullptr), test::arguments<Attention>(there));
  gpu::synchronize();
  o.copy_back(c.o);
  lse.copy_back(c.lse);
  return {static_cast<bool>(s), s ? "" : s.message()};
}

}  // namespace
}  // namespace fa_matrix
