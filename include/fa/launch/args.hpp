// The arguments of a call: only the members that a variant needs.
#pragma once

#include <cstdint>
#include <type_traits>

#include <fa/core/tensor.hpp>
#include <fa/launch/options.hpp>

namespace fa {

/// A list of options, taken apart.
template <class... Options>
struct variant {
  static_assert(detail::checked_options<Options...>::ok);
  using element = detail::find_t<detail::role::element, void, Options...>;
  using query_element = element;
  using kv_element = element;
  using dims = detail::find_t<detail::role::head_dim, void, Options...>;
  using out = typename detail::find_t<detail::role::output, output<element>, Options...>::type;
  using mask = detail::find_t<detail::role::mask, no_mask, Options...>;
  using score = detail::find_t<detail::role::score, no_score, Options...>;
  using shape =
      detail::find_t<detail::role::tile, void, Options...>;  // void: chosen by the machine
  static constexpr weight_rounding rounding =
      detail::find_t<detail::role::rounding, round_weights<weight_rounding::nearest_even>,
                     Options...>::value;
  static constexpr bool packed = detail::count_of<detail::role::varlen, Options...>() > 0;
};

namespace detail {

struct no_mask_argument {};
template <class M>
struct mask_argument {
  M mask{};  ///< run-time values of the mask
};

struct no_score_argument {};
template <class S>
struct score_argument {
  S score{};  ///< run-time values of the score
};

struct no_sequence_arguments {};
struct sequence_arguments {
  i64 batch = -1;  ///< number of sequences; must be set
  const std::int32_t* cu_seqlens_q =
      nullptr;  ///< [batch + 1] ascending: where the queries of each sequence start
  const std::int32_t* cu_seqlens_k = nullptr;  ///< [batch + 1] the same for keys and values
  const std::int32_t* seqused_q =
      nullptr;  ///< [batch] optional: queries in use, from each start on
  const std::int32_t* seqused_k = nullptr;  ///< [batch] optional: keys in use, from each start on
  i64 max_seqlen_q = 0;                     ///< optional bound of the lengths; 0: not given
  i64 max_seqlen_k = 0;                     ///< optional bound of the lengths; 0: not given
};

}  // namespace detail

/// Arguments of a forward call. Layouts are strides: see bshd, bhsd, sbhd, thd, bhs and ht.
template <class V>
struct forward_arguments
    : std::conditional_t<std::is_empty_v<typename V::mask>, detail::no_mask_argument,
                         detail::mask_argument<typename V::mask>>,
      std::conditional_t<std::is_empty_v<typename V::score>, detail::no_score_argument,
                         detail::score_argument<typename V::score>>,
      std::conditional_t<V::packed, detail::sequence_arguments, detail::no_sequence_arguments> {
  tensor<const typename V::query_element>
      q;  ///< [batch, seqlen_q, heads, D]; varlen: [1, tokens, heads, D]
  tensor<const typename V::kv_element>
      k;  ///< [batch, seqlen_k, heads_kv, D]; heads_kv divides heads
  tensor<const typename V::kv_element> v;  ///< [batch, seqlen_k, heads_kv, DV]
  tensor<typename V::out> o;               ///< [batch, seqlen_q, heads, DV]
  row_tensor lse;  ///< [batch, heads, seqlen_q], optional: ln of the softmax denominator
  optional_float softmax_scale;  ///< factor of q k^T; not set: 1 / sqrt(D)
};

namespace detail {

template <class V>
typename V::mask mask_of(const forward_arguments<V>& a) {
  if constexpr (std::is_empty_v<typename V::mask>) return {};
  else return a.mask;
}

template <class V>
typename V::score score_of(const forward_arguments<V>& a) {
  if constexpr (std::is_empty_v<typename V::score>) return {};
  else return a.score;
}

}  // namespace detail

}  // namespace fa
