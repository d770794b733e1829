// Attention as it is defined, for the examples to compare with: one row at a time, in double.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <random>
#include <vector>

namespace example {

/// `count` normally distributed elements; the same ones in every run.
template <class T>
std::vector<T> random_elements(std::int64_t count, unsigned seed) {
  std::mt19937 generator(seed);
  std::normal_distribution<float> normal;
  std::vector<T> elements(static_cast<std::size_t>(count));
  for (T& x : elements) x = T(normal(generator));
  return elements;
}

/// softmax(scale q k^T) v for one query that sees `keys` keys, of `stride` elements from
/// one key to the next.
template <class T>
std::vector<double> naive_row(const T* q, const T* k, const T* v, std::int64_t keys,
                              std::int64_t stride, int head_dim) {
  std::vector<double> p(static_cast<std::size_t>(keys)), o(static_cast<std::size_t>(head_dim));
  double largest = -INFINITY, sum = 0;
  for (std::int64_t j = 0; j < keys; ++j) {
    double s = 0;
    for (int d = 0; d < head_dim; ++d)
      s += static_cast<double>(static_cast<float>(q[d])) * static_cast<float>(k[j * stride + d]);
    p[static_cast<std::size_t>(j)] = s / std::sqrt(head_dim);
    largest = std::fmax(largest, p[static_cast<std::size_t>(j)]);
  }
  for (double& x : p) sum += x = std::exp(x - largest);
  for (std::int64_t j = 0; j < keys; ++j) {
    for (int d = 0; d < head_dim; ++d) {
      o[static_cast<std::size_t>(d)] += p[static_cast<std::size_t>(j)] / sum *
                                        static_cast<float>(v[j * stride + d]);
    }
  }
  return o;
}

/// The largest distance of a row of outputs from what it should be; infinite if one is NaN.
template <class T>
double distance(const T* o, const std::vector<double>& expected) {
  double worst = 0;
  for (std::size_t d = 0; d < expected.size(); ++d) {
    const double error = std::fabs(static_cast<float>(o[d]) - expected[d]);
    worst = std::fmax(worst, std::isnan(error) ? INFINITY : error);
  }
  return worst;
}

}  // namespace example
