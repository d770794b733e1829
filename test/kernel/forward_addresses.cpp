// Strides: padded, zero, negative, huge. Every element offset is 64 bits wide.
#include "catch.hpp"
#include "fixture.hpp"
#include "mapped.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

using test::dense_problem;
using test::element;
using test::i64;
using test::packed_problem;
using test::packed_shape;
using test::shape;

namespace {

/// Copies a tensor's elements to other strides.
template <class To, class From>
void copy_elements(const fa::tensor<To>& to, const fa::tensor<From>& from) {
  for (i64 b = 0; b < to.batch; ++b)
    for (i64 t = 0; t < to.seqlen; ++t)
      for (i64 h = 0; h < to.heads; ++h)
        for (i64 c = 0; c < to.dim; ++c) element(to, b, t, h, c) = element(from, b, t, h, c);
}

template <class T>
bool same_elements(const fa::tensor<T>& a, const fa::tensor<T>& b) {
  bool same = true;
  for (i64 n = 0; n < a.batch; ++n)
    for (i64 t = 0; t < a.seqlen; ++t)
      for (i64 h = 0; h < a.heads; ++h)
        for (i64 c = 0; c < a.dim; ++c)
          same = same &&
                 test::value_of(element(a, n, t, h, c)) == test::value_of(element(b, n, t, h, c));
  return same;
}

/// A tensor of the same shape at given strides in sparse memory.
template <class T>
struct sparse {
  test::mapped memory;
  fa::tensor<T> t;

  sparse(const fa::tensor<const T>& shape, i64 batch_stride, i64 token_stride, i64 head_stride)
      : memory(bytes(shape, batch_stride, token_stride, head_stride)) {
    t = {memory.template as<T>(),
         shape.batch,
         shape.seqlen,
         shape.heads,
         shape.dim,
         batch_stride,
         token_stride,
         head_stride,
         1};
  }
  static std::size_t bytes(const fa::tensor<const T>& s, i64 b, i64 t, i64 h) {
    return static_cast<std::size_t>((s.batch - 1) * b + (s.seqlen - 1) * t + (s.heads - 1) * h +
                                    s.dim) *
           sizeof(T);
  }
};

/// The problem with Q, K, V and O moved to strides beyond 32 bits equals the contiguous one.
template <class T>
void huge_strides(i64 batch_stride, i64 token_stride, i64 head_stride, i64 sq) {
  INFO("strides " << batch_stride << ' ' << token_stride << ' ' << head_stride << " sq " << sq);
  const shape s{2, 2, 2, sq, 5};
  dense_problem<T, 16, 16, fa::causal> plain(s), p(s);
  REQUIRE(plain.run());
  sparse<T> q(p.a.q, batch_stride, token_stride, head_stride),
      k(p.a.k, batch_stride, token_stride, head_stride);
  sparse<T> v(p.a.v, batch_stride, token_stride, head_stride),
      o(p.a.o, batch_stride, token_stride, head_stride);
  if (!q.t.data || !k.t.data || !v.t.data || !o.t.data) {
    WARN("not enough address space: skipped");
    return;
  }
  copy_elements(q.t, p.a.q);
  copy_elements(k.t, p.a.k);
  copy_elements(v.t, p.a.v);
  p.a.q = q.t;
  p.a.k = k.t;
  p.a.v = v.t;
  p.a.o = o.t;
  const fa::status status = p.run();
  INFO(status.message());
  REQUIRE(status);
  CHECK(same_elements(p.a.o, plain.a.o));
  CHECK(p.lse == plain.lse);
}

constexpr i64 two_to_31 = i64{1} << 31, two_to_32 = i64{1} << 32;

}  // namespace

TEST_CASE("offsets beyond 2^31 elements and 4 GiB") {
  for (const i64 sq : {i64{1}, i64{4}, i64{9}}) {
    huge_strides<float>(two_to_31 + 48, 32, 16, sq);  // batch
    huge_strides<fa::bf16>(two_to_32 + 48, 32, 16, sq);
    huge_strides<float>(16, (two_to_32 + 160) / 4, 32,
                        sq);  // tokens: 4 * 2^30 elements apart at the end
    huge_strides<fa::bf16>(16, (two_to_32 + 160) / 2, 32, sq);
    huge_strides<float>(16, 32, two_to_32 + 320, sq);  // heads
  }
}

TEST_CASE("packed tokens beyond 2^31 elements") {
  // 70 000 tokens, 40 000 elements apart: the last sequence starts at element 2.8e9.
  const i64 tokens = 70000, stride = 40000, used = 9;
  test::mapped q_memory(static_cast<std::size_t>(tokens * stride) * 2),
      k_memory(static_cast<std::size_t>(tokens * stride) * 2);
  test::mapped v_memory(static_cast<std::size_t>(tokens * stride) * 2),
      o_memory(static_cast<std::size_t>(tokens * stride) * 2);
  if (!q_memory.as<fa::bf16>() || !k_memory.as<fa::bf16>() || !v_memory.as<fa::bf16>() ||
      !o_memory.as<fa::bf16>()) {
    WARN("not enough address space: skipped");
    return;
  }
  packed_problem<fa::bf16, 16, 16, fa::causal> plain(
      packed_shape{1, 1, {used, used}, {used, used}});
  REQUIRE(plain.run());
  packed_problem<fa::bf16, 16, 16, fa::causal> p(packed_shape{1, 1, {used, used}, {used, used}});
  const std::vector<std::int32_t> cu = {0, static_cast<std::int32_t>(tokens - used),
                                        static_cast<std::int32_t>(tokens)};
  const std::vector<std::int32_t> in_use = {used, used};
  const auto spread = [&](auto* data, const auto& from) {
    auto t = from;
    t.data = data;
    t.seqlen = tokens;
    t.token_stride = stride;
    return t;
  };
  const auto fill = [&](fa::bf16* data, const test::buffer<fa::bf16>& from) {
    for (i64 t = 0; t < 2 * used; ++t) {
      const i64 place = t < used ? t : tokens - 2 * used + t;
      for (i64 c = 0; c < 16; ++c) data[place * stride + c] = from[t * 16 + c];
    }
  };
  fill(q_memory.as<fa::bf16>(), p.q);
  fill(k_memory.as<fa::bf16>(), p.k);
  fill(v_memory.as<fa::bf16>(), p.v);
  p.a.q = spread(q_memory.as<const fa::bf16>(), p.a.q);
  p.a.k = spread(k_memory.as<const fa::bf16>(), p.a.k);
  p.a.v = spread(v_memory.as<const fa::bf16>(), p.a.v);
  p.a.o = spread(o_memory.as<fa::bf16>(), p.a.o);
  p.a.lse = {};
  p.a.cu_seqlens_q = p.a.cu_seqlens_k = cu.data();
  p.a.seqused_q = p.a.seqused_k = in_use.data();
  REQUIRE(p.run());
  for (i64 t = 0; t < used; ++t) {
    for (i64 c = 0; c < 16; ++c) {
      REQUIRE(o_memory.as<fa::bf16>()[t * stride + c].bits == plain.o[t * 16 + c].bits);
      REQUIRE(o_memory.as<fa::bf16>()[(tokens - used + t) * stride + c].bits ==
              plain.o[(used + t) * 16 + c].bits);
    }
  }
}

TEST_CASE("a stride of zero shares K and V between batches or heads") {
  for (const i64 sq : {i64{1}, i64{3}, i64{60}}) {
    const shape s{3, 4, 4, sq, 50};
    dense_problem<float, 16, 16, fa::causal> by_batch(s), by_head(s), by_token(s);
    by_batch.a.k.batch_stride = by_batch.a.v.batch_stride = 0;
    CHECK(test::run_fault(by_batch, fa::causal{}) == "");
    by_head.a.k.head_stride = by_head.a.v.head_stride = 0;
    CHECK(test::run_fault(by_head, fa::causal{}) == "");
    by_token.a.v.token_stride = 0;  // one V row for all keys: O is that row
    CHECK(test::run_fault(by_token, fa::causal{}) == "");
    dense_problem<float, 16, 16, fa::causal> one_query(s);
    one_query.a.q.token_stride = one_query.a.q.batch_stride = 0;
    CHECK(test::run_fault(one_query, fa::causal{}) == "");
  }
}

TEST_CASE("negative strides walk backwards") {
  for (const i64 sq : {i64{1}, i64{3}, i64{60}}) {
    const shape s{2, 4, 2, sq, 50};
    for (int which = 0; which < 3; ++which) {
      INFO("sq " << sq << " dimension " << which);
      dense_problem<float, 16, 16, fa::causal> p(s);
      const auto turn = [&](auto& t) {
        i64& stride = which == 0 ? t.batch_stride : which == 1 ? t.token_stride : t.head_stride;
        const i64 size = which == 0 ? t.batch : which == 1 ? t.seqlen : t.heads;
        t.data += (size - 1) * stride;
        stride = -stride;
      };
      turn(p.a.q);
      turn(p.a.k);
      turn(p.a.v);
      turn(p.a.o);
      CHECK(test::run_fault(p, fa::causal{}) == "");
    }
  }
}

TEST_CASE("padding between rows, heads and batches is neither read nor written") {
  for (const i64 sq : {i64{1}, i64{7}, i64{70}}) {
    const shape s{2, 4, 2, sq, 45};
    dense_problem<fa::f16, 16, 16, fa::causal> plain(s), p(s);
    REQUIRE(plain.run());
    const i64 row = 16 + 5, token_q = 4 * row + 3, token_k = 2 * row + 3;
    test::buffer<fa::f16> q(2 * (sq * token_q + 7)), k(2 * (45 * token_k + 7)),
        v(2 * (45 * token_k + 7)), o(2 * (sq * token_q + 7));
    const auto padded = [&](auto* data, i64 tokens, i64 heads, i64 token_stride) {
      return fa::tensor<std::remove_pointer_t<decltype(data)>>{
          data, 2, tokens, heads, 16, tokens * token_stride + 7, token_stride, row, 1};
    };
    copy_elements(padded(q.data(), sq, 4, token_q), p.a.q);
    copy_elements(padded(k.data(), 45, 2, token_k), p.a.k);
    copy_elements(padded(v.data(), 45, 2, token_k), p.a.v);
    p.a.q = padded(q.data(), sq, 4, token_q);
    p.a.k = padded(k.data(), 45, 2, token_k);
    p.a.v = padded(v.data(), 45, 2, token_k);
    p.a.o = padded(o.data(), sq, 4, token_q);
    REQUIRE(p.run());
    CHECK(same_elements(p.a.o, plain.a.o));
    i64 written = 0;
    for (i64 i = 0; i < o.size(); ++i) written += test::is_poison(o[i]) ? 0 : 1;
    CHECK(written == 2 * sq * 4 * 16);
    CHECK(o.guards_untouched());
  }
}

TEST_CASE("pointers aligned to one element only") {
  for (const i64 sq : {i64{1}, i64{8}, i64{60}}) {
    const shape s{1, 2, 1, sq, 77};
    dense_problem<fa::bf16, 16, 16, fa::causal> plain(s), p(s);
    REQUIRE(plain.run());
    test::buffer<fa::bf16> q(p.q.size() + 1), k(p.k.size() + 1), v(p.v.size() + 1),
        o(p.o.size() + 1);
    std::copy_n(p.q.data(), p.q.size(), q.data() + 1);
    std::copy_n(p.k.data(), p.k.size(), k.data() + 1);
    std::copy_n(p.v.data(), p.v.size(), v.data() + 1);
    p.a.q.data = q.data() + 1;
    p.a.k.data = k.data() + 1;
    p.a.v.data = v.data() + 1;
    p.a.o.data = o.data() + 1;
    REQUIRE(p.run());
    CHECK(same_elements(p.a.o, plain.a.o));
  }
}
