// One share of the kernels for a GPU, in place of kernels.cpp: the same list, each call with its tensors copied to the device and
// the outputs back. Copies keep the alignment that tensors have on the host.
#include "call.hpp"
#include "head_sizes.hpp"

#include <fa/attention.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstdio>
#include <type_traits>
#include <utility>
#include <vector>

namespace fa_matrix {
namespace {

using in_type = fa::FA_MATRIX_ELEMENT;

template <class T>
constexpr element element_of = std::is_same_v<T, float> ? element::f32 : std::is_same_v<T, fa::f16> ? element::f16 : element::bf16;

/// Ends the program at an error; with 77, the code of a skipped test, where there is no GPU.
void must(cudaError_t error) {
  if (error == cudaSuccess) return;
  if (error == cudaErrorNoDevice || error == cudaErrorInsufficientDriver) std::exit(77);
  std::fprintf(stderr, "fa_matrix: CUDA: %s\n", cudaGetErrorString(error));
  std::exit(3);
}

/// A copy of host memory on the device; null for null.
class device_copy {
 public:
  device_copy(const void* host, std::int64_t bytes) : host_(host), bytes_(static_cast<std::size_t>(bytes > 0 ? bytes : 0)) {
    if (host == nullptr || bytes_ == 0) return;
    const std::size_t shift = reinterpret_cast<std::uintptr_t>(host) % 256;
    must(cudaMalloc(&memory_, shift + bytes_));
    data_ = static_cast<char*>(memory_) + shift;
    must(cudaMemcpy(data_, host, bytes_, cudaMemcpyHostToDevice));
  }
  ~device_copy() { cudaFree(memory_); }
  device_copy(const device_copy&) = delete;

  /// The device's address; where nothing was copied the host's, which is not read.
  template <class T>
  T* get() const { return static_cast<T*>(data_ != nullptr ? data_ : const_cast<void*>(host_)); }

  void copy_back(void* host) const {
    if (data_ != nullptr) must(cudaMemcpy(host, data_, bytes_, cudaMemcpyDeviceToHost));
  }

 private:
  const void* host_;
  std::size_t bytes_;
  void* memory_ = nullptr;
  void* data_ = nullptr;
};

/// Bytes from the first to the last element.
std::int64_t extent(const tensor_shape& s, std::size_t size) {
  if (s.batch <= 0 || s.seqlen <= 0 || s.heads <= 0 || s.dim <= 0) return 0;
  return ((s.batch - 1) * s.batch_stride + (s.seqlen - 1) * s.token_stride + (s.heads - 1) * s.head_stride + s.dim) *
         static_cast<std::int64_t>(size);
}

template <class T>
fa::tensor<T> view(T* data, const tensor_shape& s) {
  return {data, s.batch, s.seqlen, s.heads, s.dim, s.batch_stride, s.token_stride, s.head_stride, 1};
}

template <class Attention>
outcome run(const call& c) {
  using out_type = std::remove_pointer_t<decltype(Attention::forward_args::o.data)>;
  const device_copy q(c.q, extent(c.q_shape, sizeof(in_type))), k(c.k, extent(c.k_shape, sizeof(in_type)));
  const device_copy v(c.v, extent(c.v_shape, sizeof(in_type))), o(c.o, extent(c.o_shape, sizeof(out_type)));
  const std::int64_t rows = c.q_shape.batch * c.q_shape.heads * c.q_shape.seqlen;
  const device_copy lse(c.lse, rows * 4), cu_q(c.cu_q, (c.batch + 1) * 4), cu_k(c.cu_k, (c.batch + 1) * 4);
  const device_copy used_q(c.used_q, c.batch * 4), used_k(c.used_k, c.batch * 4);
  typename Attention::forward_args a;
  a.q = view(q.get<const in_type>(), c.q_shape);
  a.k = view(k.get<const in_type>(), c.k_shape);
  a.v = view(v.get<const in_type>(), c.v_shape);
  a.o = view(o.get<out_type>(), c.o_shape);
  if constexpr (requires { a.mask.left; }) {
    a.mask.left = static_cast<decltype(a.mask.left)>(c.left);
    a.mask.right = static_cast<decltype(a.mask.right)>(c.right);
  }
  if (c.scale) a.softmax_scale = *c.scale;
  if constexpr (requires { a.cu_seqlens_q; }) {
    if (c.lse) a.lse = fa::ht(lse.get<float>(), c.q_shape.heads, c.q_shape.seqlen);
    a.batch = c.batch;
    a.cu_seqlens_q = cu_q.get<const std::int32_t>();
    a.cu_seqlens_k = cu_k.get<const std::int32_t>();
    a.seqused_q = used_q.get<const std::int32_t>();
    a.seqused_k = used_k.get<const std::int32_t>();
  } else {
    if (c.lse) a.lse = fa::bhs(lse.get<float>(), c.q_shape.batch, c.q_shape.heads, c.q_shape.seqlen);
  }
  const fa::status s = Attention::forward(fa::on(nullptr), a);
  must(cudaDeviceSynchronize());
  o.copy_back(c.o);
  lse.copy_back(c.lse);
  return {static_cast<bool>(s), s ? "" : s.message()};
}

template <class Out, class Mask, int D, int DV>
void add(std::vector<entry>& all, mask_kind mask) {
  const kernel_id id{element_of<in_type>, element_of<Out>, D, DV, mask, false};
  using dense = fa::attention<in_type, fa::head_dim<D, DV>, Mask, fa::output<Out>>;
  all.push_back({id, run<dense>});
  using packed = fa::attention<in_type, fa::head_dim<D, DV>, Mask, fa::output<Out>, fa::varlen>;
  all.push_back({{id.in, id.out, D, DV, mask, true}, run<packed>});
}

#ifndef FA_MATRIX_PARTS
#define FA_MATRIX_PARTS 1
#define FA_MATRIX_PART 0
#endif

/// Calls f(constant of i) for the 0 <= i < N of this part.
template <std::size_t N, class F>
void for_each_index(const F& f) {
  const auto call = [&]<std::size_t I>(std::integral_constant<std::size_t, I> i) {
    if constexpr (I % FA_MATRIX_PARTS == FA_MATRIX_PART) f(i);
  };
  [&]<std::size_t... I>(std::index_sequence<I...>) { (call(std::integral_constant<std::size_t, I>{}), ...); }(std::make_index_sequence<N>{});
}

[[maybe_unused]] void build_common(std::vector<entry>& all) {
  for_each_index<common_head_sizes.size()>([&]<std::size_t N>(std::integral_constant<std::size_t, N>) {
    add<in_type, fa::window, common_head_sizes[N].d, common_head_sizes[N].dv>(all, mask_kind::window);
  });
  for_each_index<extra_head_sizes.size()>([&]<std::size_t N>(std::integral_constant<std::size_t, N>) {
    constexpr int d = extra_head_sizes[N].d, dv = extra_head_sizes[N].dv;
    add<in_type, fa::no_mask, d, dv>(all, mask_kind::no_mask);
    add<in_type, fa::causal, d, dv>(all, mask_kind::causal);
    add<in_type, fa::causal_top_left, d, dv>(all, mask_kind::causal_top_left);
    if constexpr (!std::is_same_v<in_type, float>) add<float, fa::window, d, dv>(all, mask_kind::window);
  });
}

[[maybe_unused]] void build_rare(std::vector<entry>& all) {
  for_each_index<rare_head_sizes.size()>([&]<std::size_t N>(std::integral_constant<std::size_t, N>) {
    add<in_type, fa::window, rare_head_sizes[N].d, rare_head_sizes[N].dv>(all, mask_kind::window);
  });
}

[[maybe_unused]] void build_half(std::vector<entry>& all) {
  for_each_index<half_head_sizes.size()>([&]<std::size_t N>(std::integral_constant<std::size_t, N>) {
    add<in_type, fa::window, half_head_sizes[N].d, half_head_sizes[N].dv>(all, mask_kind::window);
  });
}

}  // namespace

#define FA_MATRIX_JOIN(a, b, c, d) a##b##c##d
#define FA_MATRIX_NAME(prefix, element, share) FA_MATRIX_JOIN(prefix, element, _, share)
#define FA_MATRIX_BUILD(share) FA_MATRIX_JOIN(build_, share, , )
#ifndef FA_MATRIX_FUNCTION
#define FA_MATRIX_FUNCTION FA_MATRIX_NAME(kernels_, FA_MATRIX_ELEMENT, FA_MATRIX_SHARE)
#endif

std::vector<entry> FA_MATRIX_FUNCTION() {
  std::vector<entry> all;
  FA_MATRIX_BUILD(FA_MATRIX_SHARE)(all);
  return all;
}

}  // namespace fa_matrix
