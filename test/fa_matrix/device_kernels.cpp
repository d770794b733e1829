// One share of the kernels for a GPU, in place of kernels.cpp: the same list, each call with its tensors copied to the device and
// the outputs back. Copies keep the alignment that tensors have on the host.
#include "call.hpp"
#include "head_sizes.hpp"

#include "../device/runtime.hpp"

#include <fa/attention.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

namespace fa_matrix {
namespace {

using in_type = fa::FA_MATRIX_ELEMENT;

template <class T>
constexpr element element_of = std::is_same_v<T, float> ? element::f32 : std::is_same_v<T, fa::f16> ? element::f16 : element::bf16;

/// Bytes that a tensor's elements cover, from the pointer on; a negative stride has some before it.
struct byte_range {
  std::int64_t begin = 0, end = 0;
  byte_range(std::int64_t first, std::int64_t last) : begin(first), end(last) {}
  byte_range(const tensor_shape& s, std::size_t size) {
    if (s.batch <= 0 || s.seqlen <= 0 || s.heads <= 0 || s.dim <= 0) return;
    const auto reach = [&](std::int64_t count, std::int64_t stride) { (stride < 0 ? begin : end) += (count - 1) * stride; };
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
      : host_(static_cast<const char*>(host)), begin_(range.begin),
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
  T* get() const { return reinterpret_cast<T*>(data_ != nullptr ? data_ - begin_ : const_cast<char*>(host_)); }

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

template <class T>
fa::tensor<T> view(T* data, const tensor_shape& s) {
  return {data, s.batch, s.seqlen, s.heads, s.dim, s.batch_stride, s.token_stride, s.head_stride, 1};
}

template <class Attention>
outcome run(const call& c) {
  using out_type = std::remove_pointer_t<decltype(Attention::forward_args::o.data)>;
  const auto bytes = [](std::int64_t count) { return byte_range(0, count * 4); };
  constexpr auto size = sizeof(in_type);
  const device_copy q(c.q, {c.q_shape, size}), k(c.k, {c.k_shape, size}), v(c.v, {c.v_shape, size});
  const device_copy o(c.o, {c.o_shape, sizeof(out_type)}), lse(c.lse, bytes(c.q_shape.batch * c.q_shape.heads * c.q_shape.seqlen));
  const device_copy cu_q(c.cu_q, bytes(c.batch + 1)), cu_k(c.cu_k, bytes(c.batch + 1));
  const device_copy used_q(c.used_q, bytes(c.batch)), used_k(c.used_k, bytes(c.batch));
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
  gpu::synchronize();
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
  const auto each = [&]<std::size_t... I>(std::index_sequence<I...>) { (call(std::integral_constant<std::size_t, I>{}), ...); };
  each(std::make_index_sequence<N>{});
}

// Templates, so that a share that this compilation does not build costs nothing.
template <class = void>
void add_extra(std::vector<entry>& all) {
  for_each_index<extra_head_sizes.size()>([&]<std::size_t N>(std::integral_constant<std::size_t, N>) {
    constexpr int d = extra_head_sizes[N].d, dv = extra_head_sizes[N].dv;
    add<in_type, fa::no_mask, d, dv>(all, mask_kind::no_mask);
    add<in_type, fa::causal, d, dv>(all, mask_kind::causal);
    add<in_type, fa::causal_top_left, d, dv>(all, mask_kind::causal_top_left);
    if constexpr (!std::is_same_v<in_type, float>) add<float, fa::window, d, dv>(all, mask_kind::window);
  });
}

template <class = void>
void build_common(std::vector<entry>& all) {
  for_each_index<common_head_sizes.size()>([&]<std::size_t N>(std::integral_constant<std::size_t, N>) {
    add<in_type, fa::window, common_head_sizes[N].d, common_head_sizes[N].dv>(all, mask_kind::window);
  });
  add_extra(all);
}

template <class = void>
void build_core(std::vector<entry>& all) {
  for_each_index<core_head_sizes.size()>([&]<std::size_t N>(std::integral_constant<std::size_t, N>) {
    add<in_type, fa::window, core_head_sizes[N].d, core_head_sizes[N].dv>(all, mask_kind::window);
  });
  add_extra(all);
}

template <class = void>
void build_rare(std::vector<entry>& all) {
  for_each_index<rare_head_sizes.size()>([&]<std::size_t N>(std::integral_constant<std::size_t, N>) {
    add<in_type, fa::window, rare_head_sizes[N].d, rare_head_sizes[N].dv>(all, mask_kind::window);
  });
}

template <class = void>
void build_half(std::vector<entry>& all) {
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
