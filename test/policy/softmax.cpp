// The running softmax against one in double, on both orientations of the host, and the monoid of
// partial states: every way of splitting and merging keys gives what one pass over them gives.
#include "catch.hpp"
#include "buffer.hpp"

#include <fa/machine/host/line/machine.hpp>
#include <fa/machine/host/strip/machine.hpp>
#include <fa/policy/softmax.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace hm = fa::host_machine;

namespace {

constexpr double lowest = -std::numeric_limits<double>::infinity();
constexpr float float_infinity = std::numeric_limits<float>::infinity();
constexpr float not_a_number = std::numeric_limits<float>::quiet_NaN();
constexpr int step_keys = 5, value_dim = 3;

std::size_t at(int i) { return static_cast<std::size_t>(i); }

/// Tiles of two strips.
struct in_strips {
  using machine = hm::strips;
  static constexpr int rows = 2 * hm::strip_rows;
  using scores = hm::score_tile<rows, step_keys>;
  using output = hm::strip_tile<rows, value_dim>;
  static float& score(scores& s, int i, int j) {
    return s.values[i / hm::strip_rows][j][i % hm::strip_rows];
  }
  static float& element(output& o, int i, int c) {
    return o.values[i / hm::strip_rows][c][i % hm::strip_rows];
  }
  static float of_row(const hm::strip_row<rows>& x, int i) {
    return x.v[i / hm::lanes][i % hm::lanes];
  }
  static void prepare(scores& s) {
    for (auto& strip : s.wanted.ends) std::fill(std::begin(strip), std::end(strip), step_keys);
  }
};

/// Tiles of a few rows.
struct in_lines {
  using machine = hm::lines;
  static constexpr int rows = 4;
  using scores = hm::line_scores<rows, step_keys>;
  using output = hm::line_tile<float, rows, value_dim>;
  static float& score(scores& s, int i, int j) { return s.values[j * rows + i]; }
  static float& element(output& o, int i, int c) {
    return o.values[i][c / hm::lanes][c % hm::lanes];
  }
  static float of_row(const hm::line_row<rows>& x, int i) { return x.v[i]; }
  static void prepare(scores& s) {
    std::fill(std::begin(s.values), std::end(s.values), -float_infinity);
  }
};

/// Scores and values of some keys. S [rows, keys], V [keys, value_dim].
struct keys {
  int rows, count;
  std::vector<float> s, v;

  keys(int row_count, int key_count, std::uint64_t seed)
      : rows(row_count),
        count(key_count),
        s(at(row_count * key_count)),
        v(at(key_count * value_dim)) {
    test::random_numbers r(seed);
    for (float& x : s) x = static_cast<float>(3 * r.normal());
    for (float& x : v) x = static_cast<float>(r.normal());
  }
  float& score(int i, int j) { return s[at(i * count + j)]; }
  float score(int i, int j) const { return s[at(i * count + j)]; }
  float value(int j, int c) const { return v[at(j * value_dim + c)]; }
  void hide(int i, int begin, int end) {
    for (int j = begin; j < end; ++j) score(i, j) = -float_infinity;
  }
};

/// A block that has gone through some keys.
template <class Block>
struct pass {
  using state = fa::softmax_state<typename Block::machine, Block::rows>;
  state ml;
  typename Block::output o = Block::machine::template zeros<float, Block::rows, value_dim>();

  explicit pass(float scale) : ml(scale) {}

  /// Keys [begin, end), in steps of step_keys of which the last may be filled up with hidden ones.
  void advance(const keys& k, int begin, int end) {
    for (int first = begin; first < end; first += step_keys) {
      typename Block::scores s;
      Block::prepare(s);
      for (int i = 0; i < Block::rows; ++i) {
        for (int j = 0; j < step_keys; ++j)
          Block::score(s, i, j) = first + j < end ? k.score(i, first + j) : -float_infinity;
      }
      ml.advance(s, o);
      for (int i = 0; i < Block::rows; ++i) {
        for (int j = 0; j < step_keys && first + j < end; ++j) {
          for (int c = 0; c < value_dim; ++c)
            Block::element(o, i, c) += Block::score(s, i, j) * k.value(first + j, c);
        }
      }
    }
  }
};

/// A partial state with its output.
template <class Block>
struct part {
  fa::softmax_partial<typename pass<Block>::state::row> rows;
  typename Block::output o;
};

template <class Block>
part<Block> part_of(const keys& k, int begin, int end, float scale) {
  pass<Block> p(scale);
  p.advance(k, begin, end);
  const auto rows = p.ml.partial(p.o);
  return {rows, p.o};
}

template <class Block>
part<Block> merged(const part<Block>& first, const part<Block>& second, float scale) {
  part<Block> a = first, b = second;
  const auto both = fa::merge(a.rows, b.rows, scale);
  fa::scale_rows(a.o, both.first_factor);
  fa::scale_rows(b.o, both.second_factor);
  for (int i = 0; i < Block::rows; ++i) {
    for (int c = 0; c < value_dim; ++c) Block::element(a.o, i, c) += Block::element(b.o, i, c);
  }
  return {both.rows, a.o};
}

/// O and LSE as a kernel would give them.
template <class Block>
struct outcome {
  typename Block::output o;
  std::vector<float> lse;

  template <class Row>
  outcome(const typename Block::output& tile, const Row& row) : o(tile), lse(at(Block::rows)) {
    for (int i = 0; i < Block::rows; ++i) lse[at(i)] = Block::of_row(row, i);
  }
};

template <class Block>
outcome<Block> finished(const pass<Block>& seen) {
  pass<Block> p = seen;
  const auto lse = p.ml.finish(p.o);
  return {p.o, lse};
}

template <class Block>
outcome<Block> finished(const part<Block>& seen, float scale) {
  part<Block> p = seen;
  const auto lse = fa::finish(p.rows, p.o, scale);
  return {p.o, lse};
}

template <class Block>
outcome<Block> whole(const keys& k, float scale) {
  pass<Block> p(scale);
  p.advance(k, 0, k.count);
  return finished<Block>(p);
}

/// Rows that are wrong. Exponents c S may be off by what rounding a number of size `size` does,
/// twice in each state that a sum went through, sums by a rounding an addition; 8: those of exp2.
template <class Block>
int wrong_rows(const outcome<Block>& from, const keys& k, float scale, double size,
               int states = 1) {
  outcome<Block> got = from;
  int wrong = 0;
  for (int i = 0; i < Block::rows; ++i) {
    double top = lowest, sum = 0;
    bool spoilt = false;
    for (int j = 0; j < k.count; ++j) {
      const double x = k.score(i, j);
      spoilt |= std::isnan(x) || x == std::numeric_limits<double>::infinity();
      top = std::max(top, x);
    }
    const float lse = got.lse[at(i)];
    bool good = true;
    if (spoilt) {
      good = std::isnan(lse);
      for (int c = 0; c < value_dim; ++c) good &= std::isnan(Block::element(got.o, i, c));
    } else if (top == lowest) {
      good = lse == -float_infinity;
      for (int c = 0; c < value_dim; ++c) good &= Block::element(got.o, i, c) == 0.f;
    } else {
      const double unit = 0x1p-24;
      const double relative = unit * (k.count + 8 * states + 2 * states * size);
      for (int j = 0; j < k.count; ++j) sum += std::exp2((k.score(i, j) - top) * scale);
      const double expected = top * scale * std::log(2.) + std::log(sum);
      good = std::abs(lse - expected) <= 2 * relative + 4 * unit * std::abs(expected) + 4 * unit;
      for (int c = 0; c < value_dim; ++c) {
        double x = 0, magnitude = 0;
        for (int j = 0; j < k.count; ++j) {
          const double p = std::exp2((k.score(i, j) - top) * scale) / sum;
          x += p * k.value(j, c);
          magnitude += std::abs(p * k.value(j, c));
        }
        good &= std::abs(Block::element(got.o, i, c) - x) <= 2 * relative * magnitude;
      }
    }
    wrong += good ? 0 : 1;
  }
  return wrong;
}

/// The largest |c S| of finite scores.
double largest_exponent(const keys& k, float scale) {
  double most = 0;
  for (const float x : k.s) {
    if (std::isfinite(x)) most = std::max(most, std::abs(static_cast<double>(x) * scale));
  }
  return most;
}

/// The same keys seen at once, in parts merged from the left, from the right, and with parts that
/// saw nothing in between. `size`: see wrong_rows.
template <class Block>
void check_all_ways(const keys& k, float scale, double size) {
  CHECK(wrong_rows(whole<Block>(k, scale), k, scale, size) == 0);
  const auto one = part_of<Block>(k, 0, k.count, scale);
  CHECK(wrong_rows(finished(one, scale), k, scale, size, 2) == 0);
  const part<Block> nothing = part_of<Block>(k, 0, 0, scale);
  for (const int first : {1, 7, k.count / 2}) {
    for (const int second : {first, first + 1, k.count - 1}) {
      INFO("split at " << first << " and " << second << " of " << k.count);
      const auto a = part_of<Block>(k, 0, first, scale),
                 b = part_of<Block>(k, first, second, scale),
                 c = part_of<Block>(k, second, k.count, scale);
      const auto left = merged(merged(a, b, scale), c, scale);
      const auto right = merged(a, merged(b, c, scale), scale);
      const auto other_order = merged(c, merged(nothing, merged(b, a, scale), scale), scale);
      CHECK(wrong_rows(finished(left, scale), k, scale, size, 4) == 0);
      CHECK(wrong_rows(finished(right, scale), k, scale, size, 4) == 0);
      CHECK(wrong_rows(finished(other_order, scale), k, scale, size, 4) == 0);
    }
  }
}

/// Logits of which |c S| is about 2^25, some units in the last place apart, which are powers of 2
/// or 4 of the weights.
void make_wide(keys& k, float scale, float sign, std::uint64_t seed) {
  test::random_numbers r(seed);
  const float far = sign * 0x1p25f / scale, unit = std::abs(std::nextafter(far, 0.f) - far);
  for (float& x : k.s) x = far + unit * static_cast<float>(std::floor(6 * r.uniform()));
}

}  // namespace

TEMPLATE_TEST_CASE("softmax in steps and in parts", "", in_strips, in_lines) {
  for (const float scale : {fa::log2_e, 0.05f, 11.f}) {
    for (const int count : {10, 33}) {
      INFO("scale " << scale << " keys " << count);
      const keys k(TestType::rows, count, 1);
      check_all_ways<TestType>(k, scale, largest_exponent(k, scale));
    }
  }
}

TEMPLATE_TEST_CASE("softmax of rows that see nothing, at first or at all", "", in_strips,
                   in_lines) {
  keys k(TestType::rows, 30, 2);
  for (int i = 0; i < k.rows; ++i) {
    if (i % 4 == 1) k.hide(i, 0, k.count);
    if (i % 4 == 2) k.hide(i, 0, 17);
    if (i % 4 == 3) k.hide(i, 9, k.count);
  }
  check_all_ways<TestType>(k, fa::log2_e, largest_exponent(k, fa::log2_e));
  const keys none(TestType::rows, 0, 2);
  CHECK(wrong_rows(whole<TestType>(none, 1.f), none, 1.f, 0) == 0);
}

TEMPLATE_TEST_CASE("softmax whose maximum rises late", "", in_strips, in_lines) {
  keys k(TestType::rows, 40, 3);
  for (int i = 0; i < k.rows; ++i) {
    for (int j = 0; j < k.count; ++j) {
      const int growth = i % 4;  // the maximum stays, or rises in the end, or with each key
      k.score(i, j) += growth == 1 && j >= 35 ? 60.f
                       : growth == 2          ? 2.5f * static_cast<float>(j)
                                              : 0.f;
    }
  }
  check_all_ways<TestType>(k, fa::log2_e, largest_exponent(k, fa::log2_e));
}

TEMPLATE_TEST_CASE("softmax's maximum lags within its slack", "", in_strips, in_lines) {
  using state = typename pass<TestType>::state;
  keys k(TestType::rows, 3 * step_keys, 4);
  for (int i = 0; i < k.rows; ++i) {
    for (int j = 0; j < k.count; ++j) {  // steps of 0, then less than the slack, then row 1 more
      const float top = j < step_keys                     ? 0.f
                        : j < 2 * step_keys || i % 4 != 1 ? state::slack - 0.5f
                                                          : state::slack + 0.5f;
      k.score(i, j) = top;
    }
  }
  pass<TestType> p(1.f);
  p.advance(k, 0, step_keys);
  for (int i = 0; i < k.rows; ++i) CHECK(TestType::of_row(p.ml.neg_scaled_max, i) == 0.f);
  p.advance(k, step_keys, 2 * step_keys);
  for (int i = 0; i < k.rows; ++i) CHECK(TestType::of_row(p.ml.neg_scaled_max, i) == 0.f);
  p.advance(k, 2 * step_keys, 3 * step_keys);
  for (int i = 0; i < k.rows; ++i) {
    const float expected = i % 4 == 1 ? -(state::slack + 0.5f) : 0.f;
    CHECK(TestType::of_row(p.ml.neg_scaled_max, i) == expected);
  }
  CHECK(!p.ml.wide_range);
  CHECK(wrong_rows(finished<TestType>(p), k, 1.f, largest_exponent(k, 1.f)) == 0);
  check_all_ways<TestType>(k, 1.f, largest_exponent(k, 1.f));
}

TEMPLATE_TEST_CASE("softmax in wide range is as exact as elsewhere", "", in_strips, in_lines) {
  for (const float scale : {fa::log2_e, 0x1p20f, 0x1p-60f}) {
    for (const float sign : {1.f, -1.f}) {
      INFO("scale " << scale << " sign " << sign);
      keys k(TestType::rows, 30, 5);
      make_wide(k, scale, sign, 6);
      for (int i = 0; i < k.rows; ++i) {
        if (i % 4 == 1) k.hide(i, 0, k.count);
        if (i % 4 == 2) k.hide(i, 0, 17);
      }
      pass<TestType> p(scale);
      p.advance(k, 0, k.count);
      CHECK(p.ml.wide_range);
      check_all_ways<TestType>(k, scale, 24);  // c (S - m), not c S
    }
  }
}

TEMPLATE_TEST_CASE("softmax that comes into wide range late, in some rows", "", in_strips,
                   in_lines) {
  keys k(TestType::rows, 40, 7), far(TestType::rows, 40, 7);
  make_wide(far, fa::log2_e, 1.f, 8);
  for (int i = 0; i < k.rows; i += 4) {
    for (int j = 22; j < k.count; ++j) k.score(i, j) = far.score(i, j);
  }
  k.hide(1, 0, k.count);
  check_all_ways<TestType>(k, fa::log2_e, 40);
}

TEMPLATE_TEST_CASE("softmax of NaN and infinities stays in its row", "", in_strips, in_lines) {
  for (const float odd : {not_a_number, float_infinity}) {
    for (const int where : {0, 8, 29}) {
      INFO("score " << odd << " at key " << where);
      keys k(TestType::rows, 30, 9);
      k.score(2, where) = odd;
      k.hide(3, 0, k.count);
      check_all_ways<TestType>(k, fa::log2_e, largest_exponent(k, fa::log2_e));
    }
  }
  keys k(TestType::rows, 10, 9);
  for (int j = 0; j < k.count; ++j) k.score(1, j) = not_a_number;
  check_all_ways<TestType>(k, fa::log2_e, largest_exponent(k, fa::log2_e));
}

TEMPLATE_TEST_CASE("merging with nothing changes no bit", "", in_strips, in_lines) {
  for (const float scale : {fa::log2_e, 0x1p20f}) {
    keys k(TestType::rows, 20, 10);
    if (scale > 2) make_wide(k, scale, -1.f, 11);
    k.hide(1, 0, k.count);
    auto some = part_of<TestType>(k, 0, k.count, scale);
    using row = typename pass<TestType>::state::row;
    part<TestType> identity{fa::softmax_partial<row>::nothing(),
                            TestType::machine::template zeros<float, TestType::rows, value_dim>()};
    auto after = merged(some, identity, scale), before = merged(identity, some, scale),
         twice = merged(identity, identity, scale);
    for (int i = 0; i < k.rows; ++i) {
      for (auto* result : {&after, &before}) {
        CHECK(TestType::of_row(result->rows.m, i) == TestType::of_row(some.rows.m, i));
        CHECK(TestType::of_row(result->rows.l, i) == TestType::of_row(some.rows.l, i));
        for (int c = 0; c < value_dim; ++c)
          CHECK(TestType::element(result->o, i, c) == TestType::element(some.o, i, c));
      }
      CHECK(TestType::of_row(twice.rows.m, i) == -fa::largest_float);
      CHECK(TestType::of_row(twice.rows.l, i) == 0.f);
    }
  }
}
