// Which kernels a share has, for whatever runs them: the file that includes this defines
// run<Attention>. A share is compiled once for each element type (FA_MATRIX_ELEMENT) and each list
// of head sizes (FA_MATRIX_SHARE: common, core, rare or half), so that no compilation is long or
// large, and may be split further (FA_MATRIX_PART of FA_MATRIX_PARTS).
#pragma once

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

/// Runs a call, its memory being the host's.
template <class Attention>
outcome run(const call& c);

template <class T>
constexpr element element_of = std::is_same_v<T, float>     ? element::f32
                               : std::is_same_v<T, fa::f16> ? element::f16
                                                            : element::bf16;

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
  const auto each = [&]<std::size_t... I>(std::index_sequence<I...>) {
    (call(std::integral_constant<std::size_t, I>{}), ...);
  };
  each(std::make_index_sequence<N>{});
}

// Templates, so that a share that this compilation does not build costs nothing.
template <class = void>
void add_extra(std::vector<entry>& all) {
  for_each_index<extra_head_sizes.size()>(
      [&]<std::size_t N>(std::integral_constant<std::size_t, N>) {
        constexpr int d = extra_head_sizes[N].d, dv = extra_head_sizes[N].dv;
        add<in_type, fa::no_mask, d, dv>(all, mask_kind::no_mask);
        add<in_type, fa::causal, d, dv>(all, mask_kind::causal);
        add<in_type, fa::causal_top_left, d, dv>(all, mask_kind::causal_top_left);
        if constexpr (!std::is_same_v<in_type, float>)
          add<float, fa::window, d, dv>(all, mask_kind::window);
      });
}

template <class = void>
void build_common(std::vector<entry>& all) {
  for_each_index<common_head_sizes.size()>(
      [&]<std::size_t N>(std::integral_constant<std::size_t, N>) {
        add<in_type, fa::window, common_head_sizes[N].d, common_head_sizes[N].dv>(
            all, mask_kind::window);
      });
  add_extra(all);
}

template <class = void>
void build_core(std::vector<entry>& all) {
  for_each_index<core_head_sizes.size()>([&]<std::size_t N>(
                                             std::integral_constant<std::size_t, N>) {
    add<in_type, fa::window, core_head_sizes[N].d, core_head_sizes[N].dv>(all, mask_kind::window);
  });
  add_extra(all);
}

template <class = void>
void build_rare(std::vector<entry>& all) {
  for_each_index<rare_head_sizes.size()>([&]<std::size_t N>(
                                             std::integral_constant<std::size_t, N>) {
    add<in_type, fa::window, rare_head_sizes[N].d, rare_head_sizes[N].dv>(all, mask_kind::window);
  });
}

template <class = void>
void build_half(std::vector<entry>& all) {
  for_each_index<half_head_sizes.size()>([&]<std::size_t N>(
                                             std::integral_constant<std::size_t, N>) {
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
