// Packed tokens of sequences of different lengths: varlen.
#pragma once

#include <concepts>
#include <cstdint>

#include <fa/launch/option/option.hpp>
#include <fa/launch/rules.hpp>

namespace fa {

/// Packed tokens: all sequences of the batch one after the other, told apart by cu_seqlens.
struct varlen {};

namespace detail {

struct varlen_option : option {
  template <class X>
  static constexpr bool is = std::same_as<X, varlen>;

  template <class Chosen>
  struct names {
    static constexpr bool packed = is<typename Chosen::template of<varlen_option>>;
  };

  template <class Pass, class V>
    requires(V::packed)
  struct members {
    i64 batch = -1;  ///< number of sequences; must be set
    /// [batch + 1] ascending: where the queries, and the keys and values, of each sequence start.
    const std::int32_t *cu_seqlens_q = nullptr, *cu_seqlens_k = nullptr;
    /// [batch] optional: queries, and keys, in use, from each start on.
    const std::int32_t *seqused_q = nullptr, *seqused_k = nullptr;
    i64 max_seqlen_q = 0, max_seqlen_k = 0;  ///< optional bounds of the lengths; 0: not given
  };

  template <class Rules, class Pass, class V>
  static constexpr void check_values(Rules& r, const arguments<Pass, V>& a) {
    if constexpr (V::packed) {
      r.require(a.q.batch == 1, status_code::bad_value, "q.batch",
                "must be 1 for packed tokens (see thd)", a.q.batch);
      r.require(a.batch >= 0, status_code::bad_value, "batch",
                "must be set to the number of sequences", a.batch);
      r.require(a.max_seqlen_q >= 0, status_code::bad_value, "max_seqlen_q", "must not be negative",
                a.max_seqlen_q);
      r.require(a.max_seqlen_k >= 0, status_code::bad_value, "max_seqlen_k", "must not be negative",
                a.max_seqlen_k);
      r.require(a.batch <= 0 || a.cu_seqlens_q != nullptr, status_code::null_pointer,
                "cu_seqlens_q", "must not be null", 0, "null");
      r.require(a.batch <= 0 || a.cu_seqlens_k != nullptr, status_code::null_pointer,
                "cu_seqlens_k", "must not be null", 0, "null");
    }
  }

  template <class Rules, class Pass, class V>
  static void check_arrays(Rules& r, const arguments<Pass, V>& a) {
    if constexpr (V::packed) {
      check_offsets(r, a.cu_seqlens_q, a.seqused_q, a.batch, a.q.seqlen, a.max_seqlen_q,
                    "cu_seqlens_q", "seqused_q", "max_seqlen_q");
      check_offsets(r, a.cu_seqlens_k, a.seqused_k, a.batch, a.k.seqlen, a.max_seqlen_k,
                    "cu_seqlens_k", "seqused_k", "max_seqlen_k");
    }
  }

 private:
  /// Sequence offsets: starts ascend, lengths in use fit between them, bounds hold.
  template <class Rules>
  static void check_offsets(Rules& r, const std::int32_t* starts, const std::int32_t* used,
                            i64 batch, i64 tokens, i64 longest, const char* starts_name,
                            const char* used_name, const char* longest_name) {
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
};

/// How many sequences a call has.
template <class Pass, class V>
constexpr i64 sequence_count(const arguments<Pass, V>& a) {
  if constexpr (V::packed) return a.batch;
  else return a.q.batch;
}

}  // namespace detail

}  // namespace fa
