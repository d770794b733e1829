// The memory of one case: where sequences lie, what is in the tensors, and what must stay as it is.
#pragma once

#include "../buffer.hpp"
#include "../reference.hpp"
#include "call.hpp"
#include "case.hpp"

#include <fa/attention.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

namespace fa_matrix {

using i64 = std::int64_t;

/// The visibility rule as the specification words it, in 64 bits and without a look at the
/// library's masks: p = i + (keys - queries) (aligned bottom-right) or p = i; p - left <= j <= p +
/// right, a negative bound being none.
struct rule_mask {
  i64 left = -1, right = -1;
  bool top_left = false;

  struct bound {
    i64 left, right, shift;
    bool keep(int i, int j) const {
      const i64 p = i + shift;
      return (left < 0 || j >= p - left) && (right < 0 || j <= p + right);
    }
  };
  bound bind(const fa::sequence& s) const {
    return {left, right,
            top_left ? 0 : static_cast<i64>(s.key_count) - static_cast<i64>(s.query_count)};
  }
};

/// Bytes that a case needs, roughly.
inline double memory_bytes(const test_case& c) {
  const double size = c.in == element::f32 ? 4 : 2,
               tokens_q = static_cast<double>(c.batch) * static_cast<double>(c.sq);
  const double tokens_k = static_cast<double>(c.batch) * static_cast<double>(c.sk);
  const double q_side = tokens_q * static_cast<double>(c.hq) * static_cast<double>(c.d + c.dv);
  const double kv_side = tokens_k * static_cast<double>(c.hk) * static_cast<double>(c.d + c.dv);
  // Inputs, a copy, outputs, two references in double.
  return 2 * size * (q_side + kv_side) +
         24 * tokens_q * static_cast<double>(c.hq) * static_cast<double>(c.dv);
}

/// Tensors of one case. T: inputs, O: output.
template <class T, class O>
struct problem {
  test_case c;
  std::vector<test::sequence_place> places;
  std::vector<std::int32_t> cu_q, cu_k, used_q,
      used_k;                            ///< packed tokens only; used_*: empty where all are used
  test::buffer<T> first, second, third;  ///< Q, K, V; packed layouts share one
  test::buffer<O> o;
  test::buffer<float> lse;
  fa::tensor<const T> q, k, v;
  fa::tensor<O> out;
  i64 lse_batch_stride = 0, lse_head_stride = 0;

  explicit problem(const test_case& wanted) : c(wanted) {
    place_sequences();
    lay_out();
    fill();
  }

  bool packed() const { return c.kind != length_kind::dense; }
  rule_mask mask() const { return {c.left, c.right, c.top_left}; }
  double scale() const {
    return c.scale ? static_cast<double>(static_cast<float>(*c.scale))
                   : 1 / std::sqrt(static_cast<double>(c.d));
  }

  i64 lse_index(i64 b, i64 h, i64 i) const {
    const auto& s = places[static_cast<std::size_t>(b)];
    return s.slot * lse_batch_stride + h * lse_head_stride + s.q_token + i;
  }

  /// The arguments, LSE included if the case has it.
  call arguments() const {
    call a;
    a.q = q.data;
    a.k = k.data;
    a.v = v.data;
    a.q_shape = test::shape_of(q);
    a.k_shape = test::shape_of(k);
    a.v_shape = test::shape_of(v);
    a.o_shape = test::shape_of(out);
    a.left = c.left;
    a.right = c.right;
    if (c.scale) a.scale = static_cast<float>(*c.scale);
    a.batch = c.batch;
    if (packed()) {
      a.cu_q = cu_q.data();
      a.cu_k = cu_k.data();
      if (!used_q.empty()) a.used_q = used_q.data();
      if (!used_k.empty()) a.used_k = used_k.data();
    }
    return a;
  }

  /// K and V of another problem of the same shape, or Q of zeros: see the probes in run.cpp.
  void clear_queries() {
    for (std::size_t b = 0; b < places.size(); ++b) {
      const auto& s = places[b];
      for (i64 i = 0; i < s.q_count; ++i) {
        for (i64 h = 0; h < c.hq; ++h) {
          for (i64 x = 0; x < c.d; ++x) at(q, s.slot, s.q_token + i, h, x) = T(0.0f);
        }
      }
    }
  }

 private:
  static T& at(const fa::tensor<const T>& t, i64 slot, i64 token, i64 head, i64 x) {
    // the buffers are this object's own
    return const_cast<T&>(test::element(t, slot, token, head, x));
  }

  void place_sequences() {
    const i64 n = std::max<i64>(c.batch, 0), sq = std::max<i64>(c.sq, 0),
              sk = std::max<i64>(c.sk, 0);
    auto len_q = lengths(c.lens, n, sq, false), len_k = lengths(c.lens, n, sk, true);
    if (c.layout == memory_layout::qkvpacked && c.kind == length_kind::cu) {
      // One token holds its query and its key: both have the length of the shorter.
      for (std::size_t b = 0; b < len_q.size(); ++b)
        len_q[b] = len_k[b] = std::min(len_q[b], len_k[b]);
    }
    if (!packed()) {
      for (i64 b = 0; b < n; ++b) places.push_back({b, 0, 0, sq, sk});
      return;
    }
    cu_q.assign(1, 0);
    cu_k.assign(1, 0);
    for (i64 b = 0; b < n; ++b) {
      const auto u = static_cast<std::size_t>(b);
      i64 room_q = len_q[u], room_k = len_k[u];
      if (c.kind == length_kind::seqused_k || c.kind == length_kind::seqused_qk) room_k = sk;
      if (c.kind == length_kind::seqused_qk) room_q = sq;
      if (c.kind == length_kind::padded) room_q += (5 * b + 3) % 9, room_k += (7 * b + 4) % 11;
      if (c.layout == memory_layout::qkvpacked) room_q = room_k = std::max(room_q, room_k);
      places.push_back({0, cu_q.back(), cu_k.back(), len_q[u], len_k[u]});
      cu_q.push_back(static_cast<std::int32_t>(cu_q.back() + room_q));
      cu_k.push_back(static_cast<std::int32_t>(cu_k.back() + room_k));
      used_q.push_back(static_cast<std::int32_t>(len_q[u]));
      used_k.push_back(static_cast<std::int32_t>(len_k[u]));
    }
    const auto all_used = [&](const std::vector<std::int32_t>& cu,
                              const std::vector<std::int32_t>& used) {
      for (std::size_t b = 0; b < used.size(); ++b) {
        if (cu[b + 1] - cu[b] != used[b]) return false;
      }
      return true;
    };
    if (c.kind == length_kind::cu || all_used(cu_q, used_q)) used_q.clear();
    if (c.kind == length_kind::cu) used_k.clear();
  }

  /// One tensor in one of the three plain layouts; `pad` elements follow each head's row.
  template <class E>
  fa::tensor<E> plain(E* data, i64 slots, i64 tokens, i64 heads, i64 dim, i64 pad = 0) const {
    fa::tensor<E> t{};
    t.data = data;
    t.batch = slots;
    t.seqlen = tokens;
    t.heads = heads;
    t.dim = dim;
    t.dim_stride = 1;
    const i64 row = dim + pad;
    if (c.layout == memory_layout::bhsd) {
      t.token_stride = row, t.head_stride = row * tokens, t.batch_stride = row * tokens * heads;
    } else if (c.layout == memory_layout::sbhd) {
      t.head_stride = row, t.batch_stride = row * heads, t.token_stride = row * heads * slots;
    } else {
      t.head_stride = row, t.token_stride = row * heads, t.batch_stride = row * heads * tokens;
    }
    return t;
  }

  /// Heads first, first + 1 ... of tokens that hold `per_token` heads.
  fa::tensor<const T> slice(const test::buffer<T>& from, i64 slots, i64 tokens, i64 per_token,
                            i64 first_head, i64 heads) const {
    fa::tensor<const T> t{};
    t.data = from.data() + first_head * c.d;
    t.batch = slots;
    t.seqlen = tokens;
    t.heads = heads;
    t.dim = c.d;
    t.head_stride = c.d;
    t.token_stride = per_token * c.d;
    t.batch_stride = tokens * per_token * c.d;
    t.dim_stride = 1;
    return t;
  }

  void lay_out() {
    const auto size = [](i64 a, i64 b, i64 d, i64 e) {
      return std::max<i64>(a, 0) * std::max<i64>(b, 0) * std::max<i64>(d, 0) * std::max<i64>(e, 0);
    };
    // The sizes that the library is told; a case that must be refused may have senseless ones.
    const i64 slots = packed() ? 1 : c.batch, tokens_q = packed() ? cu_q.back() : c.sq,
              tokens_k = packed() ? cu_k.back() : c.sk;
    const i64 pad = c.compare_contiguous
                        ? 8
                        : 0;  // makes the tensors of that comparison non-contiguous for certain
    const bool qkv = c.layout == memory_layout::qkvpacked, kv = c.layout == memory_layout::kvpacked;
    if (qkv) {
      const i64 per_token = c.hq + 2 * c.hk;
      first = test::buffer<T>(size(slots, tokens_q, per_token, c.d));
      q = slice(first, slots, tokens_q, per_token, 0, c.hq);
      k = slice(first, slots, tokens_k, per_token, c.hq, c.hk);
      v = slice(first, slots, tokens_k, per_token, c.hq + c.hk, c.hk);
    } else {
      first = test::buffer<T>(size(slots, tokens_q, c.hq, c.d + pad));
      q = plain<const T>(first.data(), slots, tokens_q, c.hq, c.d, pad);
    }
    if (kv) {
      second = test::buffer<T>(size(slots, tokens_k, 2 * c.hk, c.d));
      k = slice(second, slots, tokens_k, 2 * c.hk, 0, c.hk);
      v = slice(second, slots, tokens_k, 2 * c.hk, c.hk, c.hk);
    } else if (!qkv) {
      second = test::buffer<T>(size(slots, tokens_k, c.hk, c.d + pad));
      third = test::buffer<T>(size(slots, tokens_k, c.hk, c.dv + pad));
      k = plain<const T>(second.data(), slots, tokens_k, c.hk, c.d, pad);
      v = plain<const T>(third.data(), slots, tokens_k, c.hk, c.dv, pad);
    }
    o = test::buffer<O>(size(slots, tokens_q, c.hq, c.dv));
    out = plain<O>(o.data(), slots, tokens_q, c.hq, c.dv);
    lse = test::buffer<float>(size(slots, tokens_q, c.hq, 1));
    lse_head_stride = tokens_q;
    lse_batch_stride = c.hq * tokens_q;
  }

  void fill() {
    // Unused slots first, then the numbers in use.
    if (!std::isnan(c.poison)) {
      for (auto* b : {&first, &second, &third}) b->fill(c.poison);
    }
    if (!c.invalid.empty()) return;
    const std::uint64_t seed = c.seed * 1000003 + static_cast<std::uint64_t>(c.number);
    test::random_numbers r(seed);
    const filling& f = c.init;
    const auto draw = [&](double factor, double sign) {
      switch (f.what) {
        case filling::kind::normal: return factor * r.normal();
        case filling::kind::uniform: return f.low + (f.high - f.low) * r.uniform();
        case filling::kind::negative_logits:
          return sign == 0 ? r.normal() : sign * 30 * (0.5 + r.uniform());
      }
      return 0.0;
    };
    const auto each = [&](const fa::tensor<const T>& t, bool keys, const auto& number) {
      for (const auto& s : places) {
        const i64 count = keys ? s.k_count : s.q_count, start = keys ? s.k_token : s.q_token;
        for (i64 i = 0; i < count; ++i) {
          for (i64 h = 0; h < t.heads; ++h) {
            for (i64 x = 0; x < t.dim; ++x)
              at(t, s.slot, start + i, h, x) = T(static_cast<float>(number()));
          }
        }
      }
    };
    each(q, false, [&] { return draw(f.q, 1); });
    each(k, true, [&] { return draw(f.k, -1); });
    each(v, true, [&] { return f.v_constant ? *f.v_constant : draw(f.v, 0); });
  }
};

}  // namespace fa_matrix
