// How tests, benchmarks and C interfaces make the arguments of a forward call: a call is
// described without types, and becomes the arguments of a variant. What a variant's arguments
// do not have is left out.
#pragma once

#include <fa/attention.hpp>

#include <cstdint>
#include <type_traits>

namespace test {

using i64 = std::int64_t;

/// Sizes of a problem. Packed tokens: batch is the number of sequences, sq and sk count all tokens.
struct shape {
  i64 batch = 1, hq = 1, hk = 1, sq = 1, sk = 1;
};

/// The order in which a tensor's dimensions lie in memory.
enum class order { bshd, bhsd, sbhd };

/// A contiguous tensor [batch, seqlen, heads, dim] in an order.
template <class T>
fa::tensor<T> arranged(order how, T* data, i64 batch, i64 seqlen, i64 heads, i64 dim) {
  if (how == order::bhsd) return fa::bhsd(data, batch, heads, seqlen, dim);
  if (how == order::sbhd) return fa::sbhd(data, seqlen, batch, heads, dim);
  return fa::bshd(data, batch, seqlen, heads, dim);
}

/// Shape and strides of one tensor, in elements; the last dimension is dense.
struct tensor_shape {
  i64 batch = 0, seqlen = 0, heads = 0, dim = 0, batch_stride = 0, token_stride = 0,
      head_stride = 0;
};

template <class T>
tensor_shape shape_of(const fa::tensor<T>& t) {
  return {t.batch, t.seqlen, t.heads, t.dim, t.batch_stride, t.token_stride, t.head_stride};
}

template <class T>
fa::tensor<T> view(T* data, const tensor_shape& s) {
  return {data,           s.batch,        s.seqlen,      s.heads, s.dim,
          s.batch_stride, s.token_stride, s.head_stride, 1};
}

/// A forward call without types. LSE is contiguous: [batch, heads, queries], packed:
/// [heads, tokens].
struct plain_call {
  const void* q = nullptr;
  const void* k = nullptr;
  const void* v = nullptr;
  void* o = nullptr;
  float* lse = nullptr;  ///< null: not wanted
  tensor_shape q_shape, k_shape, v_shape, o_shape;
  fa::optional_float scale;
  i64 left = -1, right = -1;  ///< of a window
  i64 batch = 0;              ///< the rest: packed tokens only
  const std::int32_t* cu_q = nullptr;
  const std::int32_t* cu_k = nullptr;
  const std::int32_t* used_q = nullptr;
  const std::int32_t* used_k = nullptr;
  i64 longest_q = 0;

  /// Puts the tensors at these addresses.
  template <class T, class To>
  plain_call& at(const T* q_data, const T* k_data, const T* v_data, To* o_data,
                 float* lse_data = nullptr) {
    q = q_data, k = k_data, v = v_data, o = o_data, lse = lse_data;
    return *this;
  }
};

/// A call of contiguous tensors, all in the same order.
inline plain_call dense_call(const shape& s, i64 head_dim, i64 value_dim, order how = order::bshd) {
  const auto place = [&](i64 tokens, i64 heads, i64 dim) {
    return shape_of(arranged<const char>(how, nullptr, s.batch, tokens, heads, dim));
  };
  plain_call c;
  c.q_shape = place(s.sq, s.hq, head_dim);
  c.k_shape = place(s.sk, s.hk, head_dim);
  c.v_shape = place(s.sk, s.hk, value_dim);
  c.o_shape = place(s.sq, s.hq, value_dim);
  return c;
}

/// A call of packed tokens; where sequences start is still to be said.
inline plain_call packed_call(const shape& s, i64 head_dim, i64 value_dim) {
  plain_call c = dense_call({1, s.hq, s.hk, s.sq, s.sk}, head_dim, value_dim);
  c.batch = s.batch;
  return c;
}

/// The call as the arguments of a variant. Values of masks and scores other than a window are the
/// caller's to set.
template <class Attention>
typename Attention::forward_args arguments(const plain_call& c) {
  using in = typename Attention::variant::element;
  using out = typename Attention::variant::out;
  typename Attention::forward_args a;
  a.q = view(static_cast<const in*>(c.q), c.q_shape);
  a.k = view(static_cast<const in*>(c.k), c.k_shape);
  a.v = view(static_cast<const in*>(c.v), c.v_shape);
  a.o = view(static_cast<out*>(c.o), c.o_shape);
  a.softmax_scale = c.scale;
  if constexpr (std::is_same_v<typename Attention::variant::mask, fa::window>)
    a.mask = {.left = c.left, .right = c.right};
  if constexpr (Attention::variant::packed) {
    if (c.lse != nullptr) a.lse = fa::ht(c.lse, c.q_shape.heads, c.q_shape.seqlen);
    a.batch = c.batch;
    a.cu_seqlens_q = c.cu_q;
    a.cu_seqlens_k = c.cu_k;
    a.seqused_q = c.used_q;
    a.seqused_k = c.used_k;
    a.max_seqlen_q = c.longest_q;
  } else if (c.lse != nullptr) {
    a.lse = fa::bhs(c.lse, c.q_shape.batch, c.q_shape.heads, c.q_shape.seqlen);
  }
  return a;
}

}  // namespace test
