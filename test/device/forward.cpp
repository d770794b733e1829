// Forward attention on the GPU, beyond what fa_matrix says: policies of users, addresses,
// repetition, graphs, statuses.
//   device_forward           all checks
//   device_forward small     without those that need gigabytes or many runs: for compute-sanitizer
//   and simulators
#include "device.hpp"

#include <climits>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <type_traits>

namespace {

using namespace test;

/// A user's mask: every third key, and always the first, so that no row is empty.
struct every_third {
  struct bound {
    int keys;
    FA_FN constexpr bool keep(int i, int j) const { return (i + j) % 3 == 0 || j == 0; }
    FA_FN constexpr fa::key_span span(fa::row_range, int key_count) const {
      return fa::every_key(key_count);
    }
  };
  FA_FN constexpr bound bind(const fa::sequence& s) const { return {s.key_count}; }
};

/// A user's mask that tells of rows, with no bound on the left: what `causal_top_left` is.
struct up_to_own {
  struct bound {
    FA_FN constexpr bool keep(int i, int j) const { return j <= i; }
    FA_FN constexpr fa::key_range keys_of(int i) const { return {INT_MIN, i + 1}; }
    FA_FN constexpr fa::key_span span(fa::row_range, int key_count) const {
      return fa::every_key(key_count);
    }
  };
  FA_FN constexpr bound bind(const fa::sequence&) const { return {}; }
};

/// A user's score: a bias [query, key] in memory, and a slope by head.
struct biased {
  const float* bias = nullptr;
  struct bound {
    const float* bias;
    int keys;
    float slope;
    FA_FN float operator()(float x, int i, int j) const {
      return x + bias[i * keys + j] + slope * static_cast<float>(i - j);
    }
  };
  FA_FN bound bind(const fa::sequence& s) const {
    return {bias, s.key_count, 0.01f * static_cast<float>(s.query_head)};
  }
};

/// A user's score for as many products as the machine holds together; Single: one at a time. It
/// looks into memory at the position of the query alone.
template <bool Single>
struct capped_by_distance {
  const float* slopes = nullptr;  // [queries]
  struct bound {
    const float* slopes;
    template <class X, class I, class J>
      requires(!Single || std::is_same_v<X, float>)
    FA_FN X operator()(X x, I i, J j) const {
      return 2.f * fa::tanh(x / 2.f) - slopes[i] * fa::absolute(fa::to_float(i - j));
    }
  };
  FA_FN bound bind(const fa::sequence&) const { return {slopes}; }
};

/// For the reference, in the functions of the standard library.
struct capped_by_distance_on_host {
  const float* slopes;
  struct bound {
    const float* slopes;
    float operator()(float x, int i, int j) const {
      return 2 * std::tanh(x / 2) - slopes[i] * static_cast<float>(std::abs(i - j));
    }
  };
  bound bind(const fa::sequence&) const { return {slopes}; }
};

template <class T, int D>
void packed_scores(checks& check) {
  auto slopes = numbers<float>(70, 9);
  for (float& x : slopes) x *= 0.02f;
  const device_array<float> on_device(slopes);
  device_problem<T, D, D, fa::window, capped_by_distance<false>> p(2, 4, 2, 70, 133);
  device_problem<T, D, D, fa::window, capped_by_distance<true>> single(2, 4, 2, 70, 133);
  p.a.mask = single.a.mask = {30, 90};
  p.a.score.slopes = single.a.score.slopes = on_device.data();
  check(static_cast<bool>(p.run()) && static_cast<bool>(single.run()), "packed scores: status");
  const capped_by_distance_on_host reference{slopes.data()};
  const std::string fault = p.fault(p.a.mask, reference);
  check(fault == "", "packed scores: " + fault);
  check(single.fault(p.a.mask, reference) == "", "packed scores, one at a time: values");
}

template <class T, int D, int DV>
void policies(checks& check) {
  device_problem<T, D, DV, every_third, biased> p(2, 4, 2, 70, 133);
  const auto bias = numbers<float>(70 * 133, 7);
  const device_array<float> on_device(bias);
  p.a.score.bias = on_device.data();
  for (const float scale : {0.25f, -0.5f, 0.f}) {
    p.a.softmax_scale = scale;
    p.clear();
    check(static_cast<bool>(p.run()), "policies: status");
    const std::string fault = p.fault(every_third{}, biased{bias.data()});
    check(fault == "", "policies: scale " + std::to_string(scale) + " " + fault);
  }
}

/// A mask that tells of rows gives the bits of the built-in one.
template <class T, int D>
void masks_by_rows(checks& check) {
  device_problem<T, D, D, up_to_own> p(1, 4, 2, 200, 333);
  device_problem<T, D, D, fa::causal_top_left> same(1, 4, 2, 200, 333);
  check(static_cast<bool>(p.run()) && static_cast<bool>(same.run()), "masks by rows: status");
  check(p.fault(up_to_own{}, fa::no_score{}) == "", "masks by rows: values");
  check(same_bits(p.o.get(), same.o.get()), "masks by rows: other bits");
}

/// Pointers off by any number of elements, and so every width of access.
template <class T, int D, int DV>
void alignment(checks& check) {
  for (i64 shift = 0; shift < 9; ++shift) {
    device_problem<T, D, DV, fa::window> p(1, 3, 3, 37, 150, shift);
    p.a.mask = {40, 60};
    check(static_cast<bool>(p.run()), "alignment: status");
    check(p.fault(p.a.mask, fa::no_score{}) == "",
          "alignment: shift " + std::to_string(shift) + " D " + std::to_string(D));
  }
}

/// Not a bit differs between runs, on streams that run beside each other, and through a graph.
template <class T, int D>
void repetition(checks& check, bool small) {
  const int runs = small ? 1 : 500;
  device_problem<T, D, D, fa::causal> p(2, small ? 4 : 8, 2, small ? 290 : 700, small ? 410 : 900);
  check(static_cast<bool>(p.run()), "repetition: status");
  check(p.fault(fa::causal{}, fa::no_score{}) == "", "repetition: values");
  const auto o = p.o.get();
  const auto lse = p.lse.get();
  bool same = true;
  for (int i = 0; i < runs && same; ++i) {
    p.clear();
    same = static_cast<bool>(p.run()) && same_bits(p.o.get(), o) && same_bits(p.lse.get(), lse);
  }
  check(same, "repetition: other bits, D " + std::to_string(D));

  const gpu::stream stream;
  const gpu::graph recorded(stream, [&](gpu::stream_handle handle) {
    check(static_cast<bool>(p.run(handle)), "graph: status");
  });
  for (int i = 0; i < 2; ++i) {
    p.clear();
    gpu::synchronize();
    recorded.launch(stream);
    stream.synchronize();
    check(same_bits(p.o.get(), o) && same_bits(p.lse.get(), lse), "graph: other bits");
  }
}

/// A sequence gives the same bits alone and beside others.
template <class T, int D>
void neighbours(checks& check) {
  const std::vector<std::int32_t> cu_q = {0, 300, 301, 301, 440}, cu_k = {0, 500, 900, 901, 1200};
  const auto q = numbers<T>(440 * 4 * D, 1), k = numbers<T>(1200 * 2 * D, 2),
             v = numbers<T>(1200 * 2 * D, 3);
  const device_array<T> dq(q), dk(k), dv(v);
  using attn = fa::attention<T, fa::head_dim<D>, fa::causal, fa::varlen>;
  const auto run = [&](i64 first, i64 count, i64 longest) {
    const device_array<std::int32_t> sq(cu_q), sk(cu_k);
    device_array<T> o(440 * 4 * D);
    o.fill(0);
    plain_call call = packed_call({count, 4, 2, 440, 1200}, D, D);
    call.at(dq.data(), dk.data(), dv.data(), o.data());
    call.cu_q = sq.data() + first, call.cu_k = sk.data() + first;
    call.longest_q = longest;
    check(static_cast<bool>(attn::forward(fa::on(nullptr), arguments<attn>(call))),
          "neighbours: status");
    return o.get();
  };
  const auto all = run(0, 4, 300), bounded_by_tokens = run(0, 4, 0);
  check(same_bits(all, bounded_by_tokens), "neighbours: the bound of lengths changes bits");
  for (i64 b = 0; b < 4; ++b) {
    const auto alone = run(
        b, 1, cu_q[static_cast<std::size_t>(b + 1)] - cu_q[static_cast<std::size_t>(b)]);
    bool same = true;
    for (i64 i = i64{cu_q[static_cast<std::size_t>(b)]} * 4 * D;
         i < i64{cu_q[static_cast<std::size_t>(b + 1)]} * 4 * D; ++i) {
      same = same &&
             alone[static_cast<std::size_t>(i)].bits == all[static_cast<std::size_t>(i)].bits;
    }
    check(same, "neighbours: sequence " + std::to_string(b) + " alone has other bits");
  }
}

/// Keys and values that all heads share by a stride of 0, and whose tokens lie backwards, give the
/// bits that their copies give.
template <class T, int D>
void strides(checks& check) {
  constexpr i64 batch = 2, heads = 3, sq = 130, sk = 333;
  device_problem<T, D, D, fa::causal> p(batch, heads, heads, sq, sk);
  const auto copies = [&](const std::vector<T>& x, bool shared) {
    std::vector<T> y(x.size());
    for (i64 i = 0; i < static_cast<i64>(x.size()); ++i) {
      const i64 row = i / D, b = row / heads / sk, j = row / heads % sk, h = row % heads;
      const i64 from = shared ? (b * sk + j) * heads : (b * sk + sk - 1 - j) * heads + h;
      y[static_cast<std::size_t>(i)] = x[static_cast<std::size_t>(from * D + i % D)];
    }
    return y;
  };
  const fa::tensor<const T> k = p.a.k, v = p.a.v;
  for (const bool shared : {true, false}) {
    p.clear();
    for (auto* t : {&p.a.k, &p.a.v}) {
      if (shared) {
        t->head_stride = 0;
      } else {
        t->data += (sk - 1) * t->token_stride;
        t->token_stride = -t->token_stride;
      }
    }
    check(static_cast<bool>(p.run()), "strides: status");
    const auto o = p.o.get();
    p.a.k = k;
    p.a.v = v;
    const device_array<T> dk(copies(p.k, shared)), dv(copies(p.v, shared));
    p.a.k.data = dk.data();
    p.a.v.data = dv.data();
    p.clear();
    check(static_cast<bool>(p.run()), "strides: status of copies");
    check(same_bits(p.o.get(), o),
          std::string("strides: other bits, ") + (shared ? "shared" : "backwards"));
    p.a.k = k;
    p.a.v = v;
  }
}

/// A stride that no two rows are apart means nothing: a single key is where its tensor begins.
template <class T, int D>
void strides_of_one_key(checks& check) {
  device_problem<T, D, D> p(1, 4, 2, 70, 1);
  for (const i64 stride :
       {i64{0}, i64{-1}, i64{1} << 31, -(i64{1} << 40), i64{INT64_MAX}, i64{INT64_MIN}}) {
    p.a.k.token_stride = p.a.v.token_stride = stride;
    p.a.k.batch_stride = p.a.v.batch_stride = stride;
    p.clear();
    check(static_cast<bool>(p.run()), "strides of one key: status");
    check(p.fault(fa::no_mask{}, fa::no_score{}) == "",
          "strides of one key: stride " + std::to_string(stride));
  }
}

/// Keys and values at the end of more than 4 GiB, and a batch stride of more than 2^31 elements.
void large_offsets(checks& check) {
  using T = fa::bf16;
  constexpr int D = 64;
  constexpr i64 sk = 200, sq = 50, stride = (i64{1} << 31) + 64;
  device_problem<T, D, D> small(2, 1, 1, sq, sk);
  check(static_cast<bool>(small.run()), "large offsets: status");
  check(small.fault(fa::no_mask{}, fa::no_score{}) == "", "large offsets: values");
  device_array<T> k(stride + sk * D), v(stride + sk * D), q(stride + sq * D);
  for (i64 b = 0; b < 2; ++b) {
    gpu::on_device(k.data() + b * stride, small.dk.data() + b * sk * D, sk * D * sizeof(T));
    gpu::on_device(v.data() + b * stride, small.dv.data() + b * sk * D, sk * D * sizeof(T));
    gpu::on_device(q.data() + b * stride, small.dq.data() + b * sq * D, sq * D * sizeof(T));
  }
  const auto o = small.o.get();
  small.clear();
  small.a.q.data = q.data();
  small.a.k.data = k.data();
  small.a.v.data = v.data();
  small.a.q.batch_stride = small.a.k.batch_stride = small.a.v.batch_stride = stride;
  check(static_cast<bool>(small.run()), "large offsets: status with strides");
  gpu::synchronize();
  check(same_bits(small.o.get(), o), "large offsets: other bits");

  // The same by the token stride: token 199 lies 4.2 GiB behind token 0.
  constexpr i64 token_stride = 11 << 20;
  device_array<T> far(199 * token_stride + D);
  device_problem<T, D, D> one(1, 1, 1, sq, sk);
  check(static_cast<bool>(one.run()), "large offsets: status");
  const auto near_o = one.o.get();
  for (i64 j = 0; j < sk; ++j)
    gpu::on_device(far.data() + j * token_stride, one.dk.data() + j * D, D * sizeof(T));
  one.a.k.data = far.data();
  one.a.k.token_stride = token_stride;
  one.clear();
  check(static_cast<bool>(one.run()), "large offsets: status of tokens far apart");
  gpu::synchronize();
  check(same_bits(one.o.get(), near_o), "large offsets: tokens far apart, other bits");
}

/// Errors are told before anything runs; empty problems succeed.
void statuses(checks& check) {
  device_problem<fa::bf16, 64, 64> p(1, 2, 2, 8, 8);
  p.a.k.heads = 3;
  check(p.run().code() == fa::status_code::shape_mismatch, "statuses: heads");
  p.a.k.heads = 2;
  p.a.q.data = nullptr;
  check(p.run().code() == fa::status_code::null_pointer, "statuses: null");
  p.a.q.data = p.dq.data();
  p.a.q.seqlen = p.a.o.seqlen = p.a.lse.seqlen = 0;
  check(static_cast<bool>(p.run()), "statuses: empty");
  device_problem<fa::bf16, 64, 64> blind(1, 2, 2, 8, 0);
  check(static_cast<bool>(blind.run()), "statuses: no keys");
  check(blind.fault(fa::no_mask{}, fa::no_score{}) == "",
        "statuses: no keys, O = 0 and LSE = -inf");
  gpu::synchronize();
}

}  // namespace

int main(int argc, char* argv[]) {
  const bool small = argc > 1 && std::string_view(argv[1]) == "small";
  checks check;
  policies<fa::bf16, 64, 64>(check);
  policies<fa::f16, 40, 24>(check);
  policies<float, 36, 20>(check);
  packed_scores<fa::bf16, 64>(check);
  packed_scores<float, 36>(check);
  alignment<fa::bf16, 64, 64>(check);
  alignment<fa::f16, 33, 47>(check);
  alignment<float, 30, 64>(check);
  statuses(check);
  neighbours<fa::bf16, 64>(check);
  masks_by_rows<fa::bf16, 64>(check);
  masks_by_rows<fa::f16, 128>(check);
  strides<fa::bf16, 64>(check);
  strides<fa::f16, 128>(check);
  strides_of_one_key<fa::bf16, 64>(check);
  strides_of_one_key<fa::f16, 128>(check);
  repetition<fa::bf16, 64>(check, small);
  repetition<fa::f16, 128>(check, small);
  repetition<fa::bf16, 256>(check, small);
  if (!small) large_offsets(check);
  return check.result();
}
