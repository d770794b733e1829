// The cases of one element type: forward over square problems, and one query row over a long cache.
#pragma once

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <string>
#include <type_traits>
#include <typeinfo>
#include <utility>
#include <vector>

#include <fa/attention.hpp>

#include "../test/arguments.hpp"
#include "measure.hpp"
#include "roof.hpp"

namespace bench {

/// How heads lie in memory: each head's tokens in one piece, or the heads of a token side by side.
using layout = test::order;

inline const char* name_of(layout l) { return l == layout::bhsd ? "bhsd" : "bshd"; }

/// Numbers that look like activations (mean 0, variance 1, near enough normal),
/// the same in every run.
class random_numbers {
 public:
  float next() {
    float sum = 0;
    for (int i = 0; i < 4; i++) {
      state_ ^= state_ << 13;
      state_ ^= state_ >> 7;
      state_ ^= state_ << 17;
      sum += static_cast<float>(state_ >> 40) * 0x1p-24f - 0.5f;
    }
    return sum * 1.7320508f;
  }

 private:
  std::uint64_t state_ = 0x9e3779b97f4a7c15;
};

/// A page-aligned array. Nothing is written at first, so pages that no view covers cost nothing.
template <class T>
class array {
 public:
  explicit array(std::int64_t n)
      : data_(static_cast<T*>(std::aligned_alloc(
                  4096, (static_cast<std::size_t>(n) * sizeof(T) + 8191) / 4096 * 4096)),
              &std::free) {
    if (!data_) throw std::bad_alloc();
  }
  T* data() const { return data_.get(); }

 private:
  std::unique_ptr<T, decltype(&std::free)> data_;
};

template <class T>
void fill(const fa::tensor<T>& t, random_numbers& r) {
  for (std::int64_t h = 0; h < t.heads; h++)
    for (std::int64_t i = 0; i < t.seqlen; i++)
      for (std::int64_t d = 0; d < t.dim; d++)
        t.data[h * t.head_stride + i * t.token_stride + d] = static_cast<T>(r.next());
}

/// The roof of products of this type: f32 multiply-adds, or for bf16 the dot products of this build
/// where they are faster (they are not on every processor that has them).
template <class T>
double product_roof(int threads) {
  if constexpr (std::is_same_v<T, fa::bf16>) {
    static const bool dot_is_faster = bf16_dot_pays();
    if (dot_is_faster) return bf16_dot_roof(threads);
  }
  return fma_roof(threads);
}

/// One square self-attention problem, `heads` heads of `seqlen` tokens.
template <class T, int D, class Mask>
struct forward_problem {
  using attention = fa::attention<T, fa::head_dim<D>, Mask>;
  static constexpr bool causal = std::is_same_v<Mask, fa::causal>;
  static constexpr std::int64_t interleaved_heads = 32;  // of a token, when heads lie side by side

  std::int64_t seqlen, heads;
  layout where;
  array<T> q, k, v, o;
  typename attention::forward_args args;

  forward_problem(std::int64_t s, std::int64_t h, layout l)
      : seqlen(s), heads(h), where(l), q(room()), k(room()), v(room()), o(room()) {
    random_numbers r;
    fill(view(q), r);
    fill(view(k), r);
    fill(view(v), r);
    test::plain_call call;
    call.q_shape = call.k_shape = call.v_shape = call.o_shape = test::shape_of(view(q));
    args = test::arguments<attention>(call.at(q.data(), k.data(), v.data(), o.data()));
  }
  fa::status run(int threads) const {
    return attention::forward(fa::host{.threads = threads}, args);
  }

  std::int64_t token_heads() const {
    return where == layout::bhsd ? 1 : std::max(heads, interleaved_heads);
  }
  std::int64_t room() const { return seqlen * std::max(heads, token_heads()) * D; }
  fa::tensor<T> view(const array<T>& a) const {
    auto t = test::arranged(where, a.data(), 1, seqlen, std::max(heads, token_heads()), D);
    // of a token's 32 heads the first few are computed; all of them are stepped over
    t.heads = heads;
    return t;
  }

  /// Multiply-adds of the two products, two operations each. Causal: exactly half of them, although
  /// the diagonal makes it a little more.
  double flops() const {
    const double pairs = static_cast<double>(seqlen) * static_cast<double>(seqlen) *
                         (causal ? 0.5 : 1.0);
    return 4.0 * pairs * D * static_cast<double>(heads);
  }

  /// The largest error of a few output rows against attention in double, relative to
  /// the largest output.
  double error() const {
    double worst = 0;
    const auto tq = view(q), tk = view(k), tv = view(v), to = view(o);
    const std::int64_t h = heads - 1;
    const auto at = [&](const fa::tensor<T>& t, std::int64_t i) {
      return t.data + h * t.head_stride + i * t.token_stride;
    };
    for (const std::int64_t i : {std::int64_t{0}, seqlen / 3, seqlen - 1}) {
      const std::int64_t keys = causal ? i + 1 : seqlen;
      std::vector<double> p(static_cast<std::size_t>(keys)), row(D);
      double sum = 0, largest = 0;
      for (std::int64_t j = 0; j < keys; j++) {
        double s = 0;
        for (int d = 0; d < D; d++)
          s += double{static_cast<float>(at(tq, i)[d])} * double{static_cast<float>(at(tk, j)[d])};
        sum += p[static_cast<std::size_t>(j)] = std::exp(s / std::sqrt(double{D}));
      }
      for (std::size_t d = 0; d < D; d++) {
        for (std::int64_t j = 0; j < keys; j++)
          row[d] += p[static_cast<std::size_t>(j)] / sum * double{static_cast<float>(at(tv, j)[d])};
        largest = std::max(largest, std::abs(row[d]));
      }
      for (std::size_t d = 0; d < D; d++) {
        const double e = std::abs(double{static_cast<float>(at(to, i)[d])} - row[d]) / largest;
        worst = e <= worst ? worst : e;  // keeps NaN
      }
    }
    return worst;
  }
};

/// Enough heads for every thread to have a dozen blocks of rows; one head for one thread.
inline std::int64_t heads_for(std::int64_t seqlen, int threads) {
  return threads == 1 ? 1 : std::max<std::int64_t>(1, (12 * 48 * threads + seqlen - 1) / seqlen);
}

/// The error up to which a result counts as right: a fast wrong kernel must not make a figure.
template <class T>
constexpr double tolerance = sizeof(T) == 4                ? 1e-4
                             : std::is_same_v<T, fa::bf16> ? 3e-2
                                                           : 5e-3;

template <class T, int D, class Mask>
void forward_case(benchmark::State& state, std::int64_t seqlen, layout where, int threads) {
  forward_problem<T, D, Mask> problem(seqlen, heads_for(seqlen, threads), where);
  const auto run = [&] { return problem.run(threads); };
  if (const fa::status s = run(); !s) return state.SkipWithError(s.message());
  if (!(problem.error() < tolerance<T>)) return state.SkipWithError("wrong result");
  measure(state, "GFLOPS", problem.flops(), threads, run, [=] { return product_roof<T>(threads); });
}

/// Rounds on one thread and on several in turn: how much faster several are.
template <class T, int D, class Mask>
void scaling_case(benchmark::State& state, std::int64_t seqlen, int threads) {
  forward_problem<T, D, Mask> problem(seqlen, heads_for(seqlen, threads), layout::bhsd);
  const auto run = [&](int n) {
    const stopwatch watch(false);
    (void)problem.run(n);
    benchmark::ClobberMemory();
    return watch.seconds();
  };
  if (const fa::status s = problem.run(threads); !s) return state.SkipWithError(s.message());
  samples one, all, roof_one, roof_all;
  const auto rounds = static_cast<benchmark::IterationCount>(
      std::max(6.0, std::ceil(2 * options().min_seconds / run(1))));
  while (state.KeepRunningBatch(rounds))
    for (benchmark::IterationCount i = 0; i < rounds; i++) {
      one.add(problem.flops() / run(1));
      roof_one.add(fma_roof(1));
      all.add(problem.flops() / run(threads));
      roof_all.add(fma_roof(threads));
    }
  state.counters["GFLOPS"] = all.best() * 1e-9;
  state.counters["speedup"] = all.best() / one.best();
  state.counters["roof_speedup"] = roof_all.best() / roof_one.best();
}

/// One query row per head over a long cache: 32 query heads, 8 heads of keys. The caches of several
/// layers take turns, so that each comes from memory when it is used, as in a model.
template <class T, int D>
void decode_case(benchmark::State& state, std::int64_t keys, layout where, int threads) {
  using attention = fa::attention<T, fa::head_dim<D>>;
  constexpr std::int64_t heads = 32, heads_kv = 8;
  const std::int64_t each = keys * heads_kv * D;
  const auto bytes_each = static_cast<std::size_t>(2 * each) * sizeof(T);
  const auto layers = static_cast<std::int64_t>((beyond_caches() + bytes_each - 1) / bytes_each);
  const auto bytes = static_cast<std::size_t>(layers) * bytes_each;

  bool fresh = false;
  auto* const cache = static_cast<T*>(
      arena(bytes, typeid(T).name() + std::to_string(bytes), fresh));
  if (!cache) return state.SkipWithError("no memory");
  random_numbers r;
  if (!fresh) {  // a few million numbers, then copies of them
    const std::int64_t total = 2 * each * layers, block = std::min<std::int64_t>(total, 1 << 21);
    for (std::int64_t i = 0; i < block; i++) cache[i] = static_cast<T>(r.next());
    for (std::int64_t i = block; i < total; i += block)
      std::memcpy(cache + i, cache,
                  static_cast<std::size_t>(std::min(block, total - i)) * sizeof(T));
  }
  array<T> q(heads * D), o(heads * D);
  for (std::int64_t i = 0; i < heads * D; i++) q.data()[i] = static_cast<T>(r.next());

  test::plain_call call = test::dense_call({1, heads, heads_kv, 1, keys}, D, D, where);
  const auto run = [&] {
    fa::status s;
    for (std::int64_t i = 0; i < layers; i++) {
      T* const k = cache + 2 * each * i;
      call.at(q.data(), k, k + each, o.data());
      s = attention::forward(fa::host{.threads = threads}, test::arguments<attention>(call));
    }
    return s;
  };
  if (const fa::status s = run(); !s) return state.SkipWithError(s.message());
  measure(state, "GBps", static_cast<double>(bytes), threads, run,
          [=] { return read_roof(cache, bytes, threads); });
}

/// Names and adds all cases of one element type.
template <class T>
class catalogue {
 public:
  explicit catalogue(std::string type) : type_(std::move(type)) {}

  void add() const {
    const int all = options().all_threads;
    for (const int threads : all > 1 ? std::vector{1, all} : std::vector{1}) {
      for (const layout where : {layout::bhsd, layout::bshd}) {
        forward<64>(where, threads);
        forward<128>(where, threads);
        forward<256>(where, threads);
      }
      for (const layout where : {layout::bhsd, layout::bshd})
        for (const std::int64_t keys : {1024, 2048, 4096, 8192, 16384, 32768})
          add_case("decode/" + type_ + "/d128/h32kv8/k" + std::to_string(keys) + "/" +
                       name_of(where) + suffix(threads),
                   [=](benchmark::State& s) { decode_case<T, 128>(s, keys, where, threads); });
    }
    for (const int threads : all > 2 ? std::vector{2, all} : std::vector{2})
      if (threads <= all)
        for (const std::int64_t seqlen : {1024, 4096}) {
          add_case(
              "scaling/" + type_ + "/d128/s" + std::to_string(seqlen) + "/full" + suffix(threads),
              [=](benchmark::State& s) { scaling_case<T, 128, fa::no_mask>(s, seqlen, threads); });
          add_case(
              "scaling/" + type_ + "/d128/s" + std::to_string(seqlen) + "/causal" + suffix(threads),
              [=](benchmark::State& s) { scaling_case<T, 128, fa::causal>(s, seqlen, threads); });
        }
  }

 private:
  static std::string suffix(int threads) { return "/threads:" + std::to_string(threads); }

  template <int D>
  void forward(layout where, int threads) const {
    for (const std::int64_t seqlen : {512, 1024, 2048, 4096, 8192}) {
      const auto name = [&](const char* mask) {
        return "forward/" + type_ + "/d" + std::to_string(D) + "/s" + std::to_string(seqlen) + "/" +
               mask + "/" + name_of(where) + suffix(threads);
      };
      add_case(name("full"), [=](benchmark::State& s) {
        forward_case<T, D, fa::no_mask>(s, seqlen, where, threads);
      });
      add_case(name("causal"), [=](benchmark::State& s) {
        forward_case<T, D, fa::causal>(s, seqlen, where, threads);
      });
    }
  }
  std::string type_;
};

}  // namespace bench
