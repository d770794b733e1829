// A batch as servers see it: prompts of different lengths packed without padding, 8 query
// heads on 2 key heads, one sequence that only adds a token to a long history, and one
// that has nothing to do.
#include <cstdint>
#include <cstdio>
#include <vector>

#include <fa/attention.hpp>

#include "naive.hpp"

using attn = fa::attention<float, fa::head_dim<64>, fa::causal, fa::varlen>;

int main() {
  constexpr int heads = 8, heads_kv = 2, dim = 64;
  const std::vector<std::int32_t> cu_q = {0, 100, 100, 101, 333};    // 100, 0, 1 and 232 queries
  const std::vector<std::int32_t> cu_k = {0, 100, 150, 1000, 1232};  // on 100, 50, 850 and 232 keys
  const int tokens_q = cu_q.back(), tokens_k = cu_k.back();
  const auto q = example::random_elements<float>(tokens_q * heads * dim, 1);
  const auto k = example::random_elements<float>(tokens_k * heads_kv * dim, 2);
  const auto v = example::random_elements<float>(tokens_k * heads_kv * dim, 3);
  std::vector<float> o(q.size());

  attn::forward_args a;
  a.q = fa::thd(q.data(), tokens_q, heads, dim);
  a.k = fa::thd(k.data(), tokens_k, heads_kv, dim);
  a.v = fa::thd(v.data(), tokens_k, heads_kv, dim);
  a.o = fa::thd(o.data(), tokens_q, heads, dim);
  a.batch = static_cast<std::int64_t>(cu_q.size()) - 1;
  a.cu_seqlens_q = cu_q.data();
  a.cu_seqlens_k = cu_k.data();
  if (const fa::status s = attn::forward(fa::host{}, a); !s) {
    std::fprintf(stderr, "%s\n", s.message());
    return 1;
  }

  double worst = 0;
  for (std::size_t b = 0; b + 1 < cu_q.size(); ++b) {
    const int queries = cu_q[b + 1] - cu_q[b], keys = cu_k[b + 1] - cu_k[b];
    for (int i = 0; i < queries; ++i) {
      for (int h = 0; h < heads; ++h) {
        const int row = ((cu_q[b] + i) * heads + h) * dim,
                  first = (cu_k[b] * heads_kv + h / (heads / heads_kv)) * dim;
        const auto expected = example::naive_row(
            &q[static_cast<std::size_t>(row)], &k[static_cast<std::size_t>(first)],
            &v[static_cast<std::size_t>(first)], keys - queries + i + 1, heads_kv * dim, dim);
        worst = std::fmax(worst, example::distance(&o[static_cast<std::size_t>(row)], expected));
      }
    }
    std::printf("sequence %zu: %3d queries, %3d keys\n", b, queries, keys);
  }
  std::printf("largest difference from naive attention in double: %.2g\n", worst);
  return worst < 1e-5 ? 0 : 1;
}
