// A score that the library does not have: ALiBi, a penalty that grows with the distance of query
// and key, at a slope for each head (Press et al. 2022). Decoding one token on a history, 8 query
// heads on 2 key heads.
#include <cmath>
#include <cstdio>
#include <vector>

#include <fa/attention.hpp>

#include "naive.hpp"

// [own score]
struct alibi {
  const float* slopes = nullptr;  // [heads]
  float slope = 0;
  int shift = 0;  // keys - queries: positions are aligned to the end
  alibi bind(const fa::sequence& s) const {
    return {slopes, slopes[s.query_head], s.key_count - s.query_count};
  }

  // of one product, or of as many as the machine holds together
  auto operator()(auto s, auto i, auto j) const {
    return s - slope * fa::absolute(fa::to_float(i + shift - j));
  }
  float derivative(float, int, int) const { return 1; }  // by s
};
// [own score]

using attn = fa::attention<float, fa::head_dim<64>, fa::causal, alibi>;

int main() {
  constexpr int heads = 8, heads_kv = 2, keys = 300, dim = 64;
  const auto q = example::random_elements<float>(heads * dim, 1);
  const auto k = example::random_elements<float>(keys * heads_kv * dim, 2);
  const auto v = example::random_elements<float>(keys * heads_kv * dim, 3);
  std::vector<float> o(q.size()), slopes(heads);
  for (int h = 0; h < heads; ++h)
    slopes[static_cast<std::size_t>(h)] = std::exp2(-static_cast<float>(h + 1));

  attn::forward_args a;
  a.q = fa::bshd(q.data(), 1, 1, heads, dim);
  a.k = fa::bshd(k.data(), 1, keys, heads_kv, dim);
  a.v = fa::bshd(v.data(), 1, keys, heads_kv, dim);
  a.o = fa::bshd(o.data(), 1, 1, heads, dim);
  a.score = {slopes.data()};
  if (const fa::status s = attn::forward(fa::host{.threads = 1}, a); !s) {
    std::fprintf(stderr, "%s\n", s.message());
    return 1;
  }

  const alibi bound = a.score.bind({1, keys, 0, 3});
  for (const float s : {-3.f, 0.f, 1.5f}) {  // the derivative against a difference
    const double slope = bound(s + 0.5f, 0, 7) - bound(s - 0.5f, 0, 7);
    if (std::abs(slope - bound.derivative(s, 0, 7)) > 1e-5) return 1;
  }

  double worst = 0;
  for (int h = 0; h < heads; ++h) {
    const auto at = [&](int j, int d) {
      return static_cast<std::size_t>((j * heads_kv + h / (heads / heads_kv)) * dim + d);
    };
    std::vector<double> p(keys), expected(dim);
    double sum = 0;
    for (int j = 0; j < keys; ++j) {
      double s = 0;
      for (int d = 0; d < dim; ++d)
        s += static_cast<double>(q[static_cast<std::size_t>(h * dim + d)]) * k[at(j, d)];
      s = s / std::sqrt(dim) -
          static_cast<double>(slopes[static_cast<std::size_t>(h)]) * (keys - 1 - j);
      sum += p[static_cast<std::size_t>(j)] = std::exp(s);
    }
    for (int j = 0; j < keys; ++j) {
      for (int d = 0; d < dim; ++d)
        expected[static_cast<std::size_t>(d)] += p[static_cast<std::size_t>(j)] / sum * v[at(j, d)];
    }
    worst = std::fmax(worst, example::distance(&o[static_cast<std::size_t>(h * dim)], expected));
  }
  std::printf("ALiBi, one token on %d keys, largest difference from naive attention: %.2g\n", keys,
              worst);
  return worst < 1e-5 ? 0 : 1;
}
