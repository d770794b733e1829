// What users hand over: a pointer with a shape and strides. All sizes and strides count elements,
// in 64 bits.
#pragma once

#include <type_traits>

#include <fa/core/numeric.hpp>

namespace fa {

/// Queries, keys, values or outputs: [batch, seqlen, heads, dim] at any strides, the last of which
/// must be 1. Packed tokens of many sequences (see `thd`) have batch = 1 and seqlen = all tokens.
template <class T>
struct tensor {
  T* data = nullptr;
  i64 batch = 0;
  i64 seqlen = 0;
  i64 heads = 0;
  i64 dim = 0;
  i64 batch_stride = 0;
  i64 token_stride = 0;
  i64 head_stride = 0;
  i64 dim_stride = 1;

  /// No element in it.
  constexpr bool empty() const { return batch == 0 || seqlen == 0 || heads == 0 || dim == 0; }

  template <class U>
    requires(std::is_same_v<U, const T> && !std::is_const_v<T>)
  constexpr operator tensor<U>() const {
    return {data, batch, seqlen, heads, dim, batch_stride, token_stride, head_stride, dim_stride};
  }
};

/// Contiguous [batch, seqlen, heads, dim].
template <class T>
constexpr tensor<T> bshd(T* data, i64 batch, i64 seqlen, i64 heads, i64 dim) {
  return {data, batch, seqlen, heads, dim, seqlen * heads * dim, heads * dim, dim, 1};
}

/// Contiguous [batch, heads, seqlen, dim].
template <class T>
constexpr tensor<T> bhsd(T* data, i64 batch, i64 heads, i64 seqlen, i64 dim) {
  return {data, batch, seqlen, heads, dim, heads * seqlen * dim, dim, seqlen * dim, 1};
}

/// Contiguous [seqlen, batch, heads, dim].
template <class T>
constexpr tensor<T> sbhd(T* data, i64 seqlen, i64 batch, i64 heads, i64 dim) {
  return {data, batch, seqlen, heads, dim, heads * dim, batch * heads * dim, dim, 1};
}

/// Packed tokens [tokens, heads, dim] of all sequences, one after the other.
template <class T>
constexpr tensor<T> thd(T* data, i64 tokens, i64 heads, i64 dim) {
  return {data, 1, tokens, heads, dim, tokens * heads * dim, heads * dim, dim, 1};
}

/// One float for each query row: [batch, heads, seqlen] at any strides.
struct row_tensor {
  float* data = nullptr;  ///< null: not wanted
  i64 batch = 0;
  i64 heads = 0;
  i64 seqlen = 0;
  i64 batch_stride = 0;
  i64 head_stride = 0;
  i64 token_stride = 0;
};

/// Contiguous [batch, heads, seqlen].
constexpr row_tensor bhs(float* data, i64 batch, i64 heads, i64 seqlen) {
  return {data, batch, heads, seqlen, heads * seqlen, seqlen, 1};
}

/// Contiguous [heads, tokens], for packed tokens.
constexpr row_tensor ht(float* data, i64 heads, i64 tokens) {
  return {data, 1, heads, tokens, heads * tokens, tokens, 1};
}

/// A float that may be left unset.
class optional_float {
 public:
  constexpr optional_float() = default;
  constexpr optional_float(float value) : value_(value), set_(true) {}
  FA_FN constexpr bool has_value() const { return set_; }
  FA_FN constexpr float value_or(float other) const { return set_ ? value_ : other; }

 private:
  float value_ = 0.f;
  bool set_ = false;
};

}  // namespace fa
