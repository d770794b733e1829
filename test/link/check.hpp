// A small attention problem against naive attention in double: no test framework, so that it
// compiles under any flags.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include <fa/attention.hpp>

namespace check {
namespace {  // each translation unit its own: they are compiled under different flags

template <class T>
std::vector<T> numbers(std::size_t count, std::uint32_t seed) {
  std::vector<T> out(count);
  for (T& x : out) {
    seed = seed * 1664525u + 1013904223u;
    x = static_cast<T>(static_cast<float>(seed >> 8) * (2.f / 16777216.f) - 1.f);
  }
  return out;
}

struct problem {
  int batch, queries, keys, heads, heads_kv;
  int left, right;  // of the mask, bottom-right; -1: unbounded
};

/// The largest error of O and LSE over the problem, or infinity where the call fails.
template <class T, int D, class Mask>
double error_of(const problem& p, Mask mask) {
  using attention = fa::attention<T, fa::head_dim<D>, Mask>;
  const auto size = [&](int rows, int heads) {
    return static_cast<std::size_t>(p.batch) * static_cast<std::size_t>(rows * heads * D);
  };
  const auto q = numbers<T>(size(p.queries, p.heads), 1);
  const auto k = numbers<T>(size(p.keys, p.heads_kv), 2);
  const auto v = numbers<T>(size(p.keys, p.heads_kv), 3);
  std::vector<T> o(q.size());
  std::vector<float> lse(q.size() / D);

  typename attention::forward_args a;
  a.q = fa::bshd(q.data(), p.batch, p.queries, p.heads, D);
  a.k = fa::bshd(k.data(), p.batch, p.keys, p.heads_kv, D);
  a.v = fa::bshd(v.data(), p.batch, p.keys, p.heads_kv, D);
  a.o = fa::bshd(o.data(), p.batch, p.queries, p.heads, D);
  a.lse = fa::bhs(lse.data(), p.batch, p.heads, p.queries);
  if constexpr (requires { a.mask = mask; }) a.mask = mask;
  if (!attention::forward(fa::host{}, a)) return std::numeric_limits<double>::infinity();

  double worst = 0;
  const auto at = [&](const auto& x, int b, int row, int rows, int head, int heads) {
    return x.data() + ((static_cast<std::ptrdiff_t>(b) * rows + row) * heads + head) * D;
  };
  const auto differ = [&](double got, double want) {
    if (got == want) return;
    const double error = std::fabs(got - want);
    worst = error <= worst   ? worst
            : error == error ? error
                             : std::numeric_limits<double>::infinity();
  };
  for (int b = 0; b < p.batch; ++b)
    for (int h = 0; h < p.heads; ++h)
      for (int i = 0; i < p.queries; ++i) {
        const int hk = h / (p.heads / p.heads_kv), shift = p.keys - p.queries;
        double sum = 0, out[D] = {};
        for (int j = 0; j < p.keys; ++j) {
          if (p.right >= 0 && j > i + shift + p.right) continue;
          if (p.left >= 0 && j < i + shift - p.left) continue;
          double s = 0;
          for (int d = 0; d < D; ++d)
            s += static_cast<double>(static_cast<float>(at(q, b, i, p.queries, h, p.heads)[d])) *
                 static_cast<double>(static_cast<float>(at(k, b, j, p.keys, hk, p.heads_kv)[d]));
          const double weight = std::exp(s / std::sqrt(static_cast<double>(D)));
          sum += weight;
          for (int d = 0; d < D; ++d)
            out[d] += weight * static_cast<double>(
                                   static_cast<float>(at(v, b, j, p.keys, hk, p.heads_kv)[d]));
        }
        for (int d = 0; d < D; ++d)
          differ(static_cast<double>(static_cast<float>(at(o, b, i, p.queries, h, p.heads)[d])),
                 sum > 0 ? out[d] / sum : 0);
        differ(
            static_cast<double>(lse[static_cast<std::size_t>((b * p.heads + h) * p.queries + i)]),
            std::log(sum));
      }
  return worst;
}

}  // namespace
}  // namespace check
