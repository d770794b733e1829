// A mask that the library does not have: documents in one sequence, told apart by where they start.
// A query sees the keys of its own document up to itself.
#include <algorithm>
#include <cstdio>
#include <vector>

#include "naive.hpp"

// [own mask]
#include <fa/attention.hpp>

struct documents {
  // [seqlen] where the document of a position starts, and where it ends (one past its last)
  const int *start_of = nullptr, *end_of = nullptr;

  documents bind(const fa::sequence&) const { return *this; }
  bool keep(int i, int j) const { return j >= start_of[i] && j <= i; }

  // keys that some row sees, and inside them those that every row sees
  fa::key_span span(fa::row_range rows, int) const {
    const int begin = start_of[rows.first], end = rows.first + rows.count,
              last_start = start_of[end - 1];
    if (last_start > rows.first) return {begin, end, end, end};
    return {begin, last_start, rows.first + 1, end};
  }

  // What a mask may say besides.
  static constexpr bool same_for_all_heads = true;
  bool rows_grow() const { return false; }  // later rows see as many keys as earlier ones
  fa::key_range keys_of(int i) const { return {start_of[i], i + 1}; }
  fa::query_span queries_of(fa::key_range keys, int) const {  // some keys, and inside all of them
    const int last = keys.end - 1, full_end = fa::max_of(last, end_of[keys.begin]);
    return {keys.begin, last, full_end, end_of[last]};
  }
};

using attn = fa::attention<float, fa::head_dim<64>, documents>;
// [own mask]

int main() {
  constexpr int seqlen = 500, dim = 64;
  const std::vector<int> starts = {0, 130, 131, 300};
  std::vector<int> start_of(seqlen), end_of(seqlen);
  for (int i = 0, document = 0; i < seqlen; ++i) {
    if (document + 1 < static_cast<int>(starts.size()) &&
        starts[static_cast<std::size_t>(document) + 1] == i)
      ++document;
    start_of[static_cast<std::size_t>(i)] = starts[static_cast<std::size_t>(document)];
    end_of[static_cast<std::size_t>(i)] = document + 1 < static_cast<int>(starts.size())
                                              ? starts[static_cast<std::size_t>(document) + 1]
                                              : seqlen;
  }
  const auto q = example::random_elements<float>(seqlen * dim, 1);
  const auto k = example::random_elements<float>(seqlen * dim, 2);
  const auto v = example::random_elements<float>(seqlen * dim, 3);
  std::vector<float> o(q.size());

  attn::forward_args a;
  a.q = fa::bshd(q.data(), 1, seqlen, 1, dim);
  a.k = fa::bshd(k.data(), 1, seqlen, 1, dim);
  a.v = fa::bshd(v.data(), 1, seqlen, 1, dim);
  a.o = fa::bshd(o.data(), 1, seqlen, 1, dim);
  a.mask = {start_of.data(), end_of.data()};
  if (const fa::status s = attn::forward(fa::host{}, a); !s) {
    std::fprintf(stderr, "%s\n", s.message());
    return 1;
  }

  // queries_of against keep, for a few ranges of keys
  for (int begin = 120; begin < 140; ++begin) {
    for (int end = begin + 1; end < 140; ++end) {
      const fa::query_span span = fa::queries_of(a.mask, {begin, end}, seqlen);
      for (int i = 0; i < seqlen; ++i) {
        int seen = 0;
        for (int j = begin; j < end; ++j) seen += a.mask.keep(i, j) ? 1 : 0;
        const bool inside = span.begin <= i && i < span.end,
                   full = span.full_begin <= i && i < span.full_end;
        if ((seen > 0 && !inside) || (full && seen < end - begin)) {
          std::fprintf(stderr, "query %d and keys %d to %d: queries_of is wrong\n", i, begin, end);
          return 1;
        }
      }
    }
  }

  double worst = 0;
  for (int i = 0; i < seqlen; ++i) {
    const int first = start_of[static_cast<std::size_t>(i)];
    const auto expected = example::naive_row(
        &q[static_cast<std::size_t>(i * dim)], &k[static_cast<std::size_t>(first * dim)],
        &v[static_cast<std::size_t>(first * dim)], i - first + 1, dim, dim);
    worst = std::fmax(worst, example::distance(&o[static_cast<std::size_t>(i * dim)], expected));
  }
  std::printf("%zu documents in one sequence, largest difference from naive attention: %.2g\n",
              starts.size(), worst);
  return worst < 1e-5 ? 0 : 1;
}
