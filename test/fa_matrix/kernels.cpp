// One share of the kernels: compiled once for each element type (FA_MATRIX_ELEMENT) and each list of head sizes
// (FA_MATRIX_SHARE: common, rare or half), so that no compilation is long or large.
#include "call.hpp"
#include "head_sizes.hpp"

#include <fa/attention.hpp>

#include <cstddef>
#include <type_traits>
#include <utility>
#include <vector>

namespace fa_matrix {
namespace {

using in_type = fa::FA_MATRIX_ELEMENT;

[[maybe_unused]] constexpr element element_of(float) { return element::f32; }
[[maybe_unused]] constexpr element element_of(fa::f16) { return element::f16; }
[[maybe_unused]] constexpr element element_of(fa::bf16) { return element::bf16; }

template <class T>
fa::tensor<T> view(T* data, const tensor_shape& s) {
  fa::tensor<T> t{};
  t.data = data;
  t.batch = s.batch;
  t.seqlen = s.seqlen;
  t.heads = s.heads;
  t.dim = s.dim;
  t.batch_stride = s.batch_stride;
  t.token_stride = s.token_stride;
  t.head_stride = s.head_stride;
  t.dim_stride = 1;
  return t;
}

template <class Attention>
outcome run(const call& c) {
  using out_type = std::remove_pointer_t<decltype(Attention::forward_args::o.data)>;
  typename Attention::forward_args a;
  a.q = view(static_cast<const in_type*>(c.q), c.q_shape);
  a.k = view(static_cast<const in_type*>(c.k), c.k_shape);
  a.v = view(static_cast<const in_type*>(c.v), c.v_shape);
  a.o = view(static_cast<out_type*>(c.o), c.o_shape);
  if constexpr (requires { a.mask.left; }) {
    a.mask.left = static_cast<decltype(a.mask.left)>(c.left);
    a.mask.right = static_cast<decltype(a.mask.right)>(c.right);
  }
  if (c.scale) a.softmax_scale = *c.scale;
  if constexpr (requires { a.cu_seqlens_q; }) {
    if (c.lse) a.lse = fa::ht(c.lse, c.q_shape.heads, c.q_shape.seqlen);
    a.batch = c.batch;
    a.cu_seqlens_q = c.cu_q;
    a.cu_seqlens_k = c.cu_k;
    a.seqused_q = c.used_q;
    a.seqused_k = c.used_k;
  } else {
    if (c.lse) a.lse = fa::bhs(c.lse, c.q_shape.batch, c.q_shape.heads, c.q_shape.seqlen);
  }
  fa::host machine{};
  machine.threads = c.threads;
  const fa::status s = Attention::forward(machine, a);
  return {static_cast<bool>(s), s ? "" : s.message()};
}

template <class Out, class Mask, int D, int DV>
void add(std::vector<entry>& all, mask_kind mask) {
  const kernel_id id{element_of(in_type{}), element_of(Out{}), D, DV, mask, false};
  using dense = fa::attention<in_type, fa::head_dim<D, DV>, Mask, fa::output<Out>>;
  all.push_back({id, run<dense>});
  using packed = fa::attention<in_type, fa::head_dim<D, DV>, Mask, fa::output<Out>, fa::varlen>;
  all.push_back({{id.in, id.out, D, DV, mask, true}, run<packed>});
}

constexpr bool is_half = !std::is_same_v<in_type, float>;

/// Calls f(constant of i) for 0 <= i < N.
template <std::size_t N, class F>
void for_each_index(const F& f) {
  [&]<std::size_t... I>(std::index_sequence<I...>) { (f(std::integral_constant<std::size_t, I>{}), ...); }(std::make_index_sequence<N>{});
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
    if constexpr (is_half) add<float, fa::window, d, dv>(all, mask_kind::window);
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

std::vector<entry> FA_MATRIX_NAME(kernels_, FA_MATRIX_ELEMENT, FA_MATRIX_SHARE)() {
  std::vector<entry> all;
  FA_MATRIX_BUILD(FA_MATRIX_SHARE)(all);
  return all;
}

}  // namespace fa_matrix
