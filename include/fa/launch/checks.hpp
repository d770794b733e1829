// Every rule that arguments must satisfy, checked before anything is written.
#pragma once

#include <cstdint>

#include <fa/core/status.hpp>
#include <fa/launch/args.hpp>
#include <fa/machine/select.hpp>

namespace fa::detail {
inline namespace FA_HOST_ISA {  // code of one processor: see machine/select.hpp

/// Collects the first rule that is broken.
class rules {
 public:
  /// `holds`, or the status becomes this error.
  constexpr void require(bool holds, status_code code, const char* argument, const char* rule,
                         i64 value, const char* shown = nullptr) {
    if (first_ && !holds) first_ = status(code, argument, rule, value, shown);
  }

  /// `value` must equal `other_value`, the value of `other`.
  constexpr void require_equal(i64 value, i64 other_value, const char* argument, const char* rule,
                               const char* other) {
    if (first_ && value != other_value)
      first_ = status(status_code::shape_mismatch, argument, rule, value, other, other_value);
  }
  constexpr bool ok() const { return static_cast<bool>(first_); }
  constexpr const status& result() const { return first_; }

 private:
  status first_;
};

/// Names of a tensor's members, for messages.
struct tensor_names {
  const char *self, *batch, *seqlen, *heads, *dim, *batch_stride, *token_stride, *head_stride,
      *dim_stride;
};
inline constexpr tensor_names q_names{
    "q",           "q.batch",        "q.seqlen",       "q.heads",
    "q.dim",       "q.batch_stride", "q.token_stride", "q.head_stride",
    "q.dim_stride"};
inline constexpr tensor_names k_names{
    "k",           "k.batch",        "k.seqlen",       "k.heads",
    "k.dim",       "k.batch_stride", "k.token_stride", "k.head_stride",
    "k.dim_stride"};
inline constexpr tensor_names v_names{
    "v",           "v.batch",        "v.seqlen",       "v.heads",
    "v.dim",       "v.batch_stride", "v.token_stride", "v.head_stride",
    "v.dim_stride"};
inline constexpr tensor_names o_names{
    "o",           "o.batch",        "o.seqlen",       "o.heads",
    "o.dim",       "o.batch_stride", "o.token_stride", "o.head_stride",
    "o.dim_stride"};

inline constexpr i64 longest_sequence = (i64{1} << 30) -
                                        1;  ///< sums of two positions are ints in kernels

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

/// Sizes and the innermost stride of one tensor.
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
void check_memory(rules& r, const tensor<T>& t, const tensor_names& name) {
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

/// LSE, where it is wanted.
template <class T>
void check_lse(rules& r, const row_tensor& lse, const tensor<T>& q) {
  if (!r.ok() || lse.data == nullptr) return;
  const auto address = reinterpret_cast<std::uintptr_t>(lse.data);
  r.require_equal(lse.batch, q.batch, "lse.batch", "must equal q.batch", "q.batch");
  r.require_equal(lse.heads, q.heads, "lse.heads", "must equal q.heads", "q.heads");
  r.require_equal(lse.seqlen, q.seqlen, "lse.seqlen", "must equal q.seqlen", "q.seqlen");
  r.require(address % alignof(float) == 0, status_code::misaligned, "lse",
            "must be aligned to float", static_cast<i64>(address));
  if (lse.batch <= 0 || lse.heads <= 0 || lse.seqlen <= 0) return;
  r.require(extent_fits(lse.batch, lse.batch_stride, lse.heads, lse.head_stride, lse.seqlen,
                        lse.token_stride),
            status_code::bad_stride, "lse", "strides times sizes must stay below 2^61 elements",
            lse.batch_stride);
  check_apart(r, 1, {lse.batch, lse.heads, lse.seqlen},
              {lse.batch_stride, lse.head_stride, lse.token_stride},
              {"lse.batch_stride", "lse.head_stride", "lse.token_stride"});
}

/// The rules that need no look into arrays.
template <class V>
status check_forward(const forward_arguments<V>& a) {
  rules r;
  check_shape(r, a.q, q_names, V::dims::query);
  check_shape(r, a.k, k_names, V::dims::query);
  check_shape(r, a.v, v_names, V::dims::value);
  check_shape(r, a.o, o_names, V::dims::value);
  r.require_equal(a.k.batch, a.q.batch, "k.batch", "must equal q.batch", "q.batch");
  r.require_equal(a.v.batch, a.q.batch, "v.batch", "must equal q.batch", "q.batch");
  r.require_equal(a.o.batch, a.q.batch, "o.batch", "must equal q.batch", "q.batch");
  r.require_equal(a.v.seqlen, a.k.seqlen, "v.seqlen", "must equal k.seqlen", "k.seqlen");
  r.require_equal(a.o.seqlen, a.q.seqlen, "o.seqlen", "must equal q.seqlen", "q.seqlen");
  r.require_equal(a.o.heads, a.q.heads, "o.heads", "must equal q.heads", "q.heads");
  r.require_equal(a.v.heads, a.k.heads, "v.heads", "must equal k.heads", "k.heads");
  if (r.ok() && a.q.heads != 0 && (a.k.heads <= 0 || a.q.heads % a.k.heads != 0)) {
    return status(status_code::shape_mismatch, "k.heads", "must divide q.heads", a.k.heads,
                  "q.heads", a.q.heads);
  }
  r.require(a.k.heads == 0 || a.q.heads / max_of<i64>(a.k.heads, 1) <= 1 << 20,
            status_code::bad_value, "q.heads", "must be at most 2^20 times k.heads", a.q.heads);
  if constexpr (V::packed) {
    r.require(a.q.batch == 1, status_code::bad_value, "q.batch",
              "must be 1 for packed tokens (see thd)", a.q.batch);
    r.require(a.batch >= 0, status_code::bad_value, "batch",
              "must be set to the number of sequences", a.batch);
    r.require(a.max_seqlen_q >= 0, status_code::bad_value, "max_seqlen_q", "must not be negative",
              a.max_seqlen_q);
    r.require(a.max_seqlen_k >= 0, status_code::bad_value, "max_seqlen_k", "must not be negative",
              a.max_seqlen_k);
    r.require(a.batch <= 0 || a.cu_seqlens_q != nullptr, status_code::null_pointer, "cu_seqlens_q",
              "must not be null", 0, "null");
    r.require(a.batch <= 0 || a.cu_seqlens_k != nullptr, status_code::null_pointer, "cu_seqlens_k",
              "must not be null", 0, "null");
  }
  const float scale = a.softmax_scale.value_or(1.f);
  r.require(is_finite(scale), status_code::bad_value, "softmax_scale", "must be finite", 0,
            scale > 0.f   ? "infinity"
            : scale < 0.f ? "-infinity"
                          : "NaN");
  r.require(scale <= 0x1p126f && scale >= -0x1p126f, status_code::bad_value, "softmax_scale",
            "must be from -2^126 to 2^126", 0, scale > 0.f ? "larger" : "smaller");
  check_memory(r, a.q, q_names);
  check_memory(r, a.o, o_names);
  if (!a.q.empty()) {  // without queries nothing is read
    check_memory(r, a.k, k_names);
    check_memory(r, a.v, v_names);
  }
  check_distinct(r, a.o, o_names);
  check_lse(r, a.lse, a.q);
  i64 sequences = a.q.batch, rows = 0;
  if constexpr (V::packed) sequences = a.batch;
  r.require(!__builtin_mul_overflow(sequences, a.q.heads, &rows) &&
                !__builtin_mul_overflow(rows, max_of<i64>(a.q.seqlen, 1), &rows),
            status_code::bad_value, V::packed ? "batch" : "q",
            "batch * heads * seqlen must fit in 63 bits", sequences);
  return r.result();
}

/// Sequence offsets in host memory: starts ascend, lengths in use fit between them, bounds hold.
inline void check_offsets(rules& r, const std::int32_t* starts, const std::int32_t* used, i64 batch,
                          i64 tokens, i64 longest, const char* starts_name, const char* used_name,
                          const char* longest_name) {
  if (!r.ok() || batch == 0) return;
  r.require(starts[0] >= 0, status_code::bad_offsets, starts_name, "must not start below 0",
            starts[0]);
  for (i64 b = 0; b < batch && r.ok(); ++b) {
    const i64 between = i64{starts[b + 1]} - starts[b];
    r.require(between >= 0, status_code::bad_offsets, starts_name, "must ascend", starts[b + 1]);
    if (used != nullptr) {
      r.require(used[b] >= 0 && used[b] <= between, status_code::bad_offsets, used_name,
                "must be from 0 to the distance to the next start", used[b]);
    }
    r.require(longest == 0 || (used != nullptr ? used[b] : between) <= longest,
              status_code::bad_offsets, longest_name, "must not be below the longest sequence",
              longest);
  }
  if (!r.ok()) return;
  r.require(starts[batch] <= tokens, status_code::bad_offsets, starts_name,
            "must not end behind the tokens", starts[batch]);
}

/// The rules about arrays of offsets, for machines that can read them.
template <class V>
status check_sequences(const forward_arguments<V>& a) {
  rules r;
  if constexpr (V::packed) {
    check_offsets(r, a.cu_seqlens_q, a.seqused_q, a.batch, a.q.seqlen, a.max_seqlen_q,
                  "cu_seqlens_q", "seqused_q", "max_seqlen_q");
    check_offsets(r, a.cu_seqlens_k, a.seqused_k, a.batch, a.k.seqlen, a.max_seqlen_k,
                  "cu_seqlens_k", "seqused_k", "max_seqlen_k");
  }
  return r.result();
}

}  // namespace FA_HOST_ISA
}  // namespace fa::detail
