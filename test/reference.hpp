// Naive attention in double on the already rounded inputs: the judge of every kernel. Of the
// policies it uses only `keep` and `operator()`, of the library only its argument structs; a key
// that a row does not see is never read.
#pragma once

#include "number.hpp"

#include <fa/attention.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <thread>
#include <type_traits>
#include <vector>

namespace test {

using i64 = std::int64_t;

inline constexpr double infinity = std::numeric_limits<double>::infinity();

/// Calls body(i) for 0 <= i < count, on all cores.
template <class Body>
void parallel(i64 count, const Body& body) {
  const i64 workers = std::min<i64>(count, std::max(1u, std::thread::hardware_concurrency()));
  std::vector<std::thread> pool;
  for (i64 w = 1; w < workers; ++w) {
    pool.emplace_back([&, w] {
      for (i64 i = w; i < count; i += workers) body(i);
    });
  }
  for (i64 i = 0; i < count; i += std::max<i64>(workers, 1)) body(i);
  for (auto& t : pool) t.join();
}

/// Where one sequence of a call lies: its slot in the batch dimension, its first tokens, and how
/// many tokens are in use.
struct sequence_place {
  i64 slot = 0, q_token = 0, k_token = 0, q_count = 0, k_count = 0;
};

/// Element [slot, token, head, c] of a tensor.
template <class T>
T& element(const fa::tensor<T>& t, i64 slot, i64 token, i64 head, i64 c) {
  return t.data[slot * t.batch_stride + token * t.token_stride + head * t.head_stride +
                c * t.dim_stride];
}

/// The sequences that a call's arguments describe, dense or packed.
template <class Args>
std::vector<sequence_place> sequences_of(const Args& a) {
  std::vector<sequence_place> all;
  if constexpr (requires { a.cu_seqlens_q; }) {
    for (i64 b = 0; b < a.batch; ++b) {
      sequence_place s{0, a.cu_seqlens_q[b], a.cu_seqlens_k[b], 0, 0};
      s.q_count = a.seqused_q ? a.seqused_q[b] : a.cu_seqlens_q[b + 1] - a.cu_seqlens_q[b];
      s.k_count = a.seqused_k ? a.seqused_k[b] : a.cu_seqlens_k[b + 1] - a.cu_seqlens_k[b];
      all.push_back(s);
    }
  } else {
    for (i64 b = 0; b < a.q.batch; ++b) all.push_back({b, 0, 0, a.q.seqlen, a.k.seqlen});
  }
  return all;
}

/// The right answer: O and LSE of every query row in use.
struct expected {
  i64 heads = 0, dim = 0;
  std::vector<sequence_place> sequences;
  std::vector<i64> first_row;  ///< of each sequence; rows run [sequence][head][query]
  std::vector<double> o;       ///< [rows, dim]
  std::vector<double> lse;     ///< [rows], natural logarithm
  std::vector<char> known;     ///< [rows]: false where the row was left out of a sample

  i64 row(std::size_t b, i64 h, i64 i) const { return first_row[b] + h * sequences[b].q_count + i; }
  double o_at(std::size_t b, i64 h, i64 i, i64 c) const {
    return o[static_cast<std::size_t>(row(b, h, i) * dim + c)];
  }
  double lse_at(std::size_t b, i64 h, i64 i) const {
    return lse[static_cast<std::size_t>(row(b, h, i))];
  }
  bool known_at(std::size_t b, i64 h, i64 i) const {
    return known[static_cast<std::size_t>(row(b, h, i))] != 0;
  }

  expected(i64 head_count, i64 width, std::vector<sequence_place> places)
      : heads(head_count), dim(width), sequences(std::move(places)) {
    i64 rows = 0;
    for (const auto& s : sequences) {
      first_row.push_back(rows);
      rows += heads * s.q_count;
    }
    o.assign(static_cast<std::size_t>(rows * dim), 0.0);
    lse.assign(static_cast<std::size_t>(rows), -infinity);
    known.assign(static_cast<std::size_t>(rows), 0);
  }
};

namespace detail {

/// sum of a[c] * b[c], in eight chains that a compiler may run side by side.
template <class Real>
Real dot(const Real* a, const Real* b, std::size_t n) {
  Real part[8] = {};
  std::size_t c = 0;
  for (; c + 8 <= n; c += 8) {
    for (std::size_t u = 0; u < 8; ++u) part[u] += a[c + u] * b[c + u];
  }
  for (; c < n; ++c) part[0] += a[c] * b[c];
  return ((part[0] + part[4]) + (part[1] + part[5])) + ((part[2] + part[6]) + (part[3] + part[7]));
}

/// The rows of one head of one sequence that are computed: all, or every `step`th, the first and
/// the last always.
inline bool sampled(i64 i, i64 count, i64 step) {
  return step <= 1 || i % step == 0 || i == count - 1;
}

template <class Policy>
auto bound(const Policy& policy, const sequence_place& s, i64 b, i64 h) {
  fa::sequence seq{};
  seq.query_count = static_cast<decltype(seq.query_count)>(s.q_count);
  seq.key_count = static_cast<decltype(seq.key_count)>(s.k_count);
  seq.batch = static_cast<decltype(seq.batch)>(b);
  seq.query_head = static_cast<decltype(seq.query_head)>(h);
  return policy.bind(seq);
}

/// Both judges walk alike: over sequences and key heads, K and V of a head once in `Real`, then a
/// row of queries at a time. key_value(x) is what becomes of an element of K; row_body(expected&,
/// row number, i, q row, K rows, V rows, visible keys, bound score) writes O and LSE of the row.
template <class Real, class T, class Mask, class Score, class KeyValue, class RowBody>
expected for_each_row(const fa::tensor<const T>& q, const fa::tensor<const T>& k,
                      const fa::tensor<const T>& v, const std::vector<sequence_place>& sequences,
                      const Mask& mask, const Score& score, i64 row_step, const KeyValue& key_value,
                      const RowBody& row_body) {
  expected e(q.heads, v.dim, sequences);
  const i64 group = k.heads > 0 ? q.heads / k.heads : 1;
  const auto d = static_cast<std::size_t>(q.dim), dv = static_cast<std::size_t>(v.dim);
  parallel(static_cast<i64>(sequences.size()) * k.heads, [&](i64 item) {
    const auto b = static_cast<std::size_t>(item / k.heads);
    const i64 kv_head = item % k.heads;
    const sequence_place& s = sequences[b];
    std::vector<char> seen(static_cast<std::size_t>(s.k_count), 0);
    std::vector<Real> k_rows(static_cast<std::size_t>(s.k_count) * d),
        v_rows(static_cast<std::size_t>(s.k_count) * dv);
    std::vector<Real> q_row(d);
    std::vector<int> visible;
    for (i64 h = kv_head * group; h < (kv_head + 1) * group; ++h) {
      const auto keep = bound(mask, s, static_cast<i64>(b), h);
      const auto weigh = bound(score, s, static_cast<i64>(b), h);
      for (i64 i = 0; i < s.q_count; ++i) {
        if (!sampled(i, s.q_count, row_step)) continue;
        visible.clear();
        for (i64 j = 0; j < s.k_count; ++j) {
          if (!keep.keep(static_cast<int>(i), static_cast<int>(j))) continue;
          visible.push_back(static_cast<int>(j));
          const auto at = static_cast<std::size_t>(j);
          if (seen[at]) continue;  // a key is read when a row first sees it, never otherwise
          seen[at] = 1;
          for (std::size_t c = 0; c < d; ++c) {
            k_rows[at * d + c] = key_value(static_cast<float>(
                element(k, s.slot, s.k_token + j, kv_head, static_cast<i64>(c))));
          }
          for (std::size_t c = 0; c < dv; ++c) {
            v_rows[at * dv + c] = static_cast<Real>(static_cast<float>(
                element(v, s.slot, s.k_token + j, kv_head, static_cast<i64>(c))));
          }
        }
        for (std::size_t c = 0; c < d; ++c) {
          q_row[c] = static_cast<Real>(
              static_cast<float>(element(q, s.slot, s.q_token + i, h, static_cast<i64>(c))));
        }
        const auto row = static_cast<std::size_t>(e.row(b, h, i));
        e.known[row] = 1;
        row_body(e, row, static_cast<int>(i), q_row, k_rows, v_rows, visible, weigh);
      }
    }
  });
  return e;
}

}  // namespace detail

/// Attention by definition. Rows that see nothing keep O = 0 and LSE = -infinity.
template <class T, class Mask, class Score>
expected naive(const fa::tensor<const T>& q, const fa::tensor<const T>& k,
               const fa::tensor<const T>& v, const std::vector<sequence_place>& sequences,
               double scale, const Mask& mask, const Score& score, i64 row_step = 1) {
  const auto row_body = [&](expected& e, std::size_t row, int i, const std::vector<double>& q_row,
                            const std::vector<double>& k_rows, const std::vector<double>& v_rows,
                            const std::vector<int>& visible, const auto& weigh) {
    const std::size_t d = q_row.size(), dv = static_cast<std::size_t>(e.dim);
    std::vector<double> s(visible.size());
    double m = -infinity;
    bool nan = false;
    for (std::size_t n = 0; n < visible.size(); ++n) {
      const int j = visible[n];
      s[n] = scale * detail::dot(q_row.data(), k_rows.data() + static_cast<std::size_t>(j) * d, d);
      if constexpr (!std::is_same_v<Score, fa::no_score>) {
        // a score is a function of floats
        s[n] = static_cast<double>(weigh(static_cast<float>(s[n]), i, j));
      }
      nan = nan || std::isnan(s[n]);
      m = std::max(m, s[n]);
    }
    double* o = e.o.data() + row * dv;
    if (nan) {
      std::fill(o, o + dv, std::numeric_limits<double>::quiet_NaN());
      e.lse[row] = std::numeric_limits<double>::quiet_NaN();
      return;
    }
    if (m == -infinity) return;
    double l = 0;
    for (std::size_t n = 0; n < visible.size(); ++n) {
      const double p = std::exp(s[n] - m);
      const double* v_row = v_rows.data() + static_cast<std::size_t>(visible[n]) * dv;
      l += p;
      for (std::size_t c = 0; c < dv; ++c) o[c] += p * v_row[c];
    }
    for (std::size_t c = 0; c < dv; ++c) o[c] /= l;
    e.lse[row] = m + std::log(l);
  };
  const auto key_value = [](float x) { return static_cast<double>(x); };
  return detail::for_each_row<double>(q, k, v, sequences, mask, score, row_step, key_value,
                                      row_body);
}

/// The same mathematics as an ordinary framework would do it in the input's type: the scale goes
/// into K, and K, the logits, the probabilities and O are each rounded to T. Its error is the
/// yardstick of the tolerances that are multiples of "pt". LSE is not computed.
template <class T, class Mask, class Score>
expected in_input_type(const fa::tensor<const T>& q, const fa::tensor<const T>& k,
                       const fa::tensor<const T>& v, const std::vector<sequence_place>& sequences,
                       double scale, const Mask& mask, const Score& score, i64 row_step = 1) {
  const auto round = [](float x) { return static_cast<float>(rounded<T>(static_cast<double>(x))); };
  const auto row_body = [&](expected& e, std::size_t row, int i, const std::vector<float>& q_row,
                            const std::vector<float>& k_rows, const std::vector<float>& v_rows,
                            const std::vector<int>& visible, const auto& weigh) {
    const std::size_t d = q_row.size(), dv = static_cast<std::size_t>(e.dim);
    std::vector<float> s(visible.size()), sum(dv, 0.0f);
    float m = -std::numeric_limits<float>::infinity();
    for (std::size_t n = 0; n < visible.size(); ++n) {
      const int j = visible[n];
      s[n] = round(detail::dot(q_row.data(), k_rows.data() + static_cast<std::size_t>(j) * d, d));
      if constexpr (!std::is_same_v<Score, fa::no_score>) s[n] = round(weigh(s[n], i, j));
      m = std::max(m, s[n]);
    }
    if (m == -std::numeric_limits<float>::infinity()) return;
    float l = 0;
    for (float& x : s) l += x = std::exp(x - m);
    for (std::size_t n = 0; n < visible.size(); ++n) {
      const float p = round(s[n] / l);
      const float* v_row = v_rows.data() + static_cast<std::size_t>(visible[n]) * dv;
      for (std::size_t c = 0; c < dv; ++c) sum[c] += p * v_row[c];
    }
    for (std::size_t c = 0; c < dv; ++c) e.o[row * dv + c] = static_cast<double>(round(sum[c]));
  };
  const auto key_value = [&](float x) { return round(x * static_cast<float>(scale)); };
  return detail::for_each_row<float>(q, k, v, sequences, mask, score, row_step, key_value,
                                     row_body);
}

/// The scale that a call uses: the given one, or 1/sqrt(D).
template <class Args>
double scale_of(const Args& a) {
  return a.softmax_scale.has_value() ? static_cast<double>(a.softmax_scale.value_or(0))
                                     : 1.0 / std::sqrt(static_cast<double>(a.q.dim));
}

}  // namespace test
