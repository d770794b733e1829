// What options need to check arguments: the first rule that is broken, and the rules of tensors.
#pragma once

#include <cstdint>

#include <fa/core/status.hpp>
#include <fa/core/tensor.hpp>
#include <fa/machine/select.hpp>

namespace fa::detail {

/// Names of a tensor's members, for messages.
struct tensor_names {
  const char *self, *batch, *seqlen, *heads, *dim, *batch_stride, *token_stride, *head_stride,
      *dim_stride;
};
#define FA_TENSOR_NAMES(t) \
  {t,                      \
   t ".batch",             \
   t ".seqlen",            \
   t ".heads",             \
   t ".dim",               \
   t ".batch_stride",      \
   t ".token_stride",      \
   t ".head_stride",       \
   t ".dim_stride"}
inline constexpr tensor_names q_names FA_TENSOR_NAMES("q"), k_names FA_TENSOR_NAMES("k"),
    v_names FA_TENSOR_NAMES("v"), o_names FA_TENSOR_NAMES("o");
#undef FA_TENSOR_NAMES

inline namespace FA_HOST_ISA {  // code of one processor: see machine/select.hpp

/// Collects the first rule that is broken.
class rules {
 public:
  /// `holds`, or the status becomes this error.
  constexpr void require(bool holds, status_code code, const char* argument, const char* rule,
                         i64 value, const char* shown = nullptr) {
    if (first_ && !holds) first_ = status(code, argument, rule, value, shown);
  }

  /// The same for a rule that speaks of `other`, whose value is `other_value`.
  constexpr void require(bool holds, status_code code, const char* argument, const char* rule,
                         i64 value, const char* other, i64 other_value) {
    if (first_ && !holds) first_ = status(code, argument, rule, value, other, other_value);
  }

  /// `value` must equal `other_value`, the value of `other`.
  constexpr void require_equal(i64 value, i64 other_value, const char* argument, const char* rule,
                               const char* other) {
    require(value == other_value, status_code::shape_mismatch, argument, rule, value, other,
            other_value);
  }
  constexpr bool ok() const { return static_cast<bool>(first_); }
  constexpr const status& result() const { return first_; }

 private:
  status first_;
};

/// Sums of two positions are ints in kernels.
inline constexpr i64 longest_sequence = (i64{1} << 30) - 1;

/// |x|, or the largest number where that has none.
constexpr i64 magnitude(i64 x) { return x < 0 ? (x == INT64_MIN ? INT64_MAX : -x) : x; }

/// True if the offsets of all elements stay below 2^61, so that no sum of products overflows.
constexpr bool extent_fits(i64 size0, i64 stride0, i64 size1, i64 stride1, i64 size2, i64 stride2) {
  const i64 sizes[] = {size0, size1, size2}, strides[] = {stride0, stride1, stride2};
  i64 extent = 0;
  for (int i = 0; i < 3; ++i) {
    i64 length = 0;
    if (__builtin_mul_overflow(max_of<i64>(sizes[i] - 1, 0), magnitude(strides[i]), &length))
      return false;
    if (__builtin_add_overflow(extent, length, &extent) || extent >= i64{1} << 61) return false;
  }
  return true;
}

/// Sizes of one tensor.
template <class T>
constexpr void check_shape(rules& r, const tensor<T>& t, const tensor_names& name, i64 dim) {
  r.require(t.batch >= 0, status_code::bad_value, name.batch, "must not be negative", t.batch);
  r.require(t.seqlen >= 0 && t.seqlen <= longest_sequence, status_code::bad_value, name.seqlen,
            "must be from 0 to 2^30 - 1", t.seqlen);
  r.require(t.heads >= 0, status_code::bad_value, name.heads, "must not be negative", t.heads);
  r.require_equal(t.dim, dim, name.dim, "must equal the size given by head_dim", "head_dim");
}

/// Pointer and strides of one tensor; asked only where there are elements.
template <class T>
void check_tensor_memory(rules& r, const tensor<T>& t, const tensor_names& name) {
  if (!r.ok() || t.empty()) return;
  const auto address = reinterpret_cast<std::uintptr_t>(t.data);
  r.require(t.data != nullptr, status_code::null_pointer, name.self,
            "must not be null where there are elements", 0, "null");
  r.require(address % alignof(T) == 0, status_code::misaligned, name.self,
            "must be aligned to its element type", static_cast<i64>(address));
  r.require(t.dim_stride == 1 || t.dim == 1, status_code::bad_stride, name.dim_stride,
            "must be 1: heads are read as contiguous rows", t.dim_stride);
  r.require(extent_fits(t.batch, t.batch_stride, t.seqlen, t.token_stride, t.heads, t.head_stride),
            status_code::bad_stride, name.self, "strides times sizes must stay below 2^61 elements",
            t.batch_stride);
}

/// Which of three dimensions makes rows of `length` elements overlap (its stride does not span what
/// lies within it), or -1.
constexpr int overlapping_dimension(i64 length, const i64 (&size)[3], const i64 (&stride)[3]) {
  bool seen[3] = {size[0] <= 1, size[1] <= 1, size[2] <= 1};
  i64 extent = length;
  for (int round = 0; round < 3; ++round) {
    int least = -1;  // of the dimensions not yet seen
    for (int i = 0; i < 3; ++i) {
      if (!seen[i] && (least < 0 || magnitude(stride[i]) < magnitude(stride[least]))) least = i;
    }
    if (least < 0) break;
    if (magnitude(stride[least]) < extent) return least;
    extent += (size[least] - 1) * magnitude(stride[least]);
    seen[least] = true;
  }
  return -1;
}

/// Rows of an output must not overlap.
constexpr void check_apart(rules& r, i64 length, const i64 (&size)[3], const i64 (&stride)[3],
                           const char* const (&names)[3]) {
  if (!r.ok()) return;
  const int bad = overlapping_dimension(length, size, stride);
  r.require(bad < 0, status_code::bad_stride, names[bad < 0 ? 0 : bad],
            "must span the smaller strides: output rows would overlap", stride[bad < 0 ? 0 : bad]);
}

/// Outputs of different rows must not overlap.
template <class T>
void check_distinct(rules& r, const tensor<T>& t, const tensor_names& name) {
  if (t.empty()) return;
  check_apart(r, t.dim, {t.batch, t.seqlen, t.heads},
              {t.batch_stride, t.token_stride, t.head_stride},
              {name.batch_stride, name.token_stride, name.head_stride});
}

}  // namespace FA_HOST_ISA
}  // namespace fa::detail
