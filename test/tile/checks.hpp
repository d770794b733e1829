// What each verb of tile/verbs.hpp gives on a machine, beside plain loops. One text for all
// machines: a program names a `Place` that runs probes (probe.hpp) there.
//
//   struct Place {
//     template <class T> class array;              // memory of the machine: array(vector), data(),
//     get() template <class T, int D, int DV> static constexpr fa::forward_config config();
//     template <class T> static constexpr bool rounds_weights;  // P to T; else it stays f32
//     static constexpr bool keeps_values_apart;    // no V that a row does not see matters to it
//     static constexpr bool aligned;               // rows must begin at multiples of 16 bytes
//     template <class Probe, int D, int DV, class Problem>
//     static void run(const Problem&, int blocks);              // run_probe for each block
//   };
#pragma once

#include "../buffer.hpp"
#include "../number.hpp"
#include "probe.hpp"

#include <fa/policy/mask.hpp>

#include <cmath>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

namespace test {

inline std::size_t place(fa::i64 x) { return static_cast<std::size_t>(x); }

/// Rows in memory, in the order [token][head][column] with gaps after each head and each token.
/// What lies in gaps, before the first and behind the last row, belongs to nobody. All distances
/// are multiples of `unit` elements.
struct row_layout {
  int tokens, heads, columns, unit, gap, before_at_least;
  fa::i64 before() const { return fa::round_up(before_at_least, unit); }
  fa::i64 head_stride() const { return fa::round_up(columns + gap, unit); }
  fa::i64 token_stride() const { return heads * head_stride() + fa::round_up(gap, unit); }
  fa::i64 elements() const { return at(rows() - 1, columns); }  ///< up to the last row's end
  int rows() const { return tokens * heads; }
  fa::i64 at(int row, int column) const {
    return before() + row / heads * token_stride() + row % heads * head_stride() + column;
  }
};

/// A matrix in double, and the same as elements in a layout; poison everywhere else.
template <class T>
struct matrix {
  row_layout layout;
  std::vector<double> x;

  explicit matrix(const row_layout& l) : layout(l), x(place(fa::i64{l.rows()} * l.columns)) {}
  double& operator()(int row, int column) {
    return x[place(fa::i64{row} * layout.columns + column)];
  }
  double operator()(int row, int column) const {
    return x[place(fa::i64{row} * layout.columns + column)];
  }
  std::vector<T> elements() const {
    std::vector<T> e(place(layout.elements()), poison<T>());
    for (int r = 0; r < layout.rows(); ++r) {
      for (int c = 0; c < layout.columns; ++c)
        e[place(layout.at(r, c))] = T(static_cast<float>((*this)(r, c)));
    }
    return e;
  }
};

/// Sizes of a problem, and how its rows lie: at any addresses; at multiples of 16 bytes; at
/// multiples of 2048, which caches do not like.
enum class row_places { any, aligned, crowded };
struct tile_sizes {
  int tokens, group, keys;
  row_places places;
};

/// The checks of one machine, element type and pair of head sizes. Report(bool good, string what).
template <class Place, class T, int D, int DV, class Report>
class tile_checks {
 public:
  static constexpr fa::forward_config cfg = Place::template config<T, D, DV>();
  static constexpr int BM = cfg.q_rows, BN = cfg.kv_rows;

  tile_checks(Report& report, const std::string& name)
      : report_(report), name_(name + " D " + std::to_string(D) + "/" + std::to_string(DV) + " ") {}

  /// Sizes around those of the machine's tiles, masks of each kind.
  void all() {
    using enum row_places;
    const tile_sizes sizes[] = {{1, 1, 1, any},
                                {BM, 1, BN, aligned},
                                {BM + 5, 1, 3 * BN + 7, any},
                                {2 * BM - 1, 1, BN, any},
                                {BM + 9, 1, BN / 2, crowded},
                                {5, 3, 2 * BN - 1, aligned},
                                {BM / 4 + 3, 4, BN + 1, any},
                                // under a causal mask the first row misses the last key of step 2
                                {BM / 2 + 1, 1, BM / 2 + 1 + 2 * BN - 2, any}};
    const fa::window masks[] = {{-1, -1}, {-1, 0}, {BN + 3, 2}};
    for (const tile_sizes& size : sizes) {
      for (const fa::window& mask : masks) {
        const auto bound = mask.bind({size.tokens, size.keys, 0, 0});
        const std::string at = std::to_string(size.tokens) + " x " + std::to_string(size.group) +
                               " x " + std::to_string(size.keys) + " keys, window " +
                               std::to_string(mask.left) + " " + std::to_string(mask.right) + ": ";
        const problem p(size);
        steps(p, bound, 1.f, at);
        positions(p, bound, at);
        rows(p, bound, at);
        above(p, bound, at);
      }
    }
    const tile_sizes size{BM + 5, 1, 2 * BN + 7, row_places::any};
    const problem p(size);
    const auto bound = fa::window{}.bind({size.tokens, size.keys, 0, 0});
    steps(p, bound, -1.f, "factor -1: ");
    steps(p, bound, 0.f, "factor 0: ");
    steps(p, every_third{}, 1.f, "a mask that only knows keep: ");
    if constexpr (Place::keeps_values_apart) nonfinite_values();
    nonfinite_queries();
  }

 private:
  /// Q, K and V: S = Q K^T lies in [-60, 60], sums of its products with V are exact in f32.
  struct problem {
    tile_sizes size;
    matrix<T> q, k, v;

    explicit problem(const tile_sizes& s)
        : size(s),
          q({s.tokens, s.group, D, unit(), 3, 1}),
          k({s.keys, 1, D, unit(), 5, 2}),
          v({s.keys, 1, DV, unit(), 1, 3}) {
      random_numbers random(place(s.tokens * 1000 + s.group * 100 + s.keys));
      for (double& x : q.x) x = static_cast<double>(random.between(-1, 1));
      for (double& x : k.x) x = static_cast<double>(random.between(-1, 1));
      for (double& x : v.x) x = static_cast<double>(random.between(-16, 16)) / 4;
    }
    /// Key j is one in column j, so that outputs are P.
    void make_values_show_weights() {
      for (int j = 0; j < size.keys; ++j) {
        for (int c = 0; c < DV; ++c) v(j, c) = c == j % DV ? 1 : 0;
      }
    }
    /// Elements that all distances are a multiple of.
    int unit() const {
      if (size.places == row_places::crowded) return 2048 / static_cast<int>(sizeof(T));
      const bool aligned = Place::aligned || size.places == row_places::aligned;
      return aligned ? 16 / static_cast<int>(sizeof(T)) : 1;
    }
    double score(int row, int key) const {
      double sum = 0;
      for (int c = 0; c < D; ++c) sum += q(row, c) * k(key, c);
      return sum;
    }
  };

  /// What a probe wrote.
  template <class To>
  struct result {
    row_layout layout;
    std::vector<To> o;
    std::vector<float> row[4];
    float row_of(int which, int r) const { return row[which][place(row_at(layout, r))]; }
  };

  /// LSE and its like: [head][token], with a gap.
  static fa::i64 row_at(const row_layout& l, int r) {
    return 1 + r % l.heads * (fa::i64{l.tokens} + 2) + r / l.heads;
  }

  /// Runs a probe on all blocks, and checks that it wrote nothing but rows that exist. `rows`: so
  /// many row outputs are present.
  template <class Probe, class To, class Mask>
  result<To> run(const problem& p, const Mask& mask, int rows, float factor, float level,
                 const std::vector<float>& of_token, const std::vector<float>& of_key,
                 const std::string& at) {
    memory<T> q(p.q.elements()), k(p.k.elements()), v(p.v.elements());
    const row_layout l{p.size.tokens, p.size.group, DV, p.unit(), 3, 5};
    const memory<To> o(std::vector<To>(place(l.elements()), poison<To>()));
    const std::vector<float> empty(place(row_at(l, 0) + l.heads * (fa::i64{l.tokens} + 2)),
                                   poison<float>());
    const memory<float> row[4] = {memory<float>(empty), memory<float>(empty), memory<float>(empty),
                                  memory<float>(empty)};
    const memory<float> tokens(of_token), keys(of_key);
    tile_problem<T, To, Mask> a{};
    const row_layout& lq = p.q.layout;
    a.q = {{q.data() + lq.before(), lq.token_stride(), lq.head_stride(), lq.rows(), lq.heads},
           factor};
    a.k = {k.data() + p.k.layout.before(), p.k.layout.token_stride(), p.size.keys};
    a.v = {v.data() + p.v.layout.before(), p.v.layout.token_stride(), p.size.keys};
    a.o = {o.data() + l.before(), l.token_stride(), l.head_stride(), l.rows(), l.heads};
    for (int n = 0; n < 4; ++n) {
      a.row[n] = {n < rows ? row[n].data() + 1 : nullptr, 1, fa::i64{l.tokens} + 2, l.rows(),
                  l.heads};
    }
    a.of_token = tokens.data();
    a.of_key = keys.data();
    a.level = level;
    a.mask = mask;
    Place::template run<Probe, D, DV>(a, fa::ceil_div(l.rows(), BM));
    result<To> r{l, o.get(), {row[0].get(), row[1].get(), row[2].get(), row[3].get()}};

    std::vector<bool> written(r.o.size()), row_written(empty.size());
    for (int i = 0; i < l.rows(); ++i) {
      for (int c = 0; c < DV; ++c) written[place(l.at(i, c))] = true;
      row_written[place(row_at(l, i))] = true;
    }
    int stray = 0;
    for (std::size_t i = 0; i < r.o.size(); ++i) stray += !written[i] && !is_poison(r.o[i]);
    report_(stray == 0, name_ + at + "store_rows wrote where no row is");
    stray = 0;
    for (int n = 0; n < 4; ++n) {
      for (std::size_t i = 0; i < empty.size(); ++i)
        stray += !(n < rows && row_written[i]) && !is_poison(r.row[n][i]);
    }
    report_(stray == 0, name_ + at + "store_row wrote where no row is");
    return r;
  }
  template <class X>
  using memory = typename Place::template array<X>;

  /// O of a probe against `want(row, column)`, rounded to its type; a NaN is as good as another.
  template <class To, class Want>
  void compare(const result<To>& got, const std::string& what, const Want& want) {
    int wrong = 0;
    std::string first;
    for (int r = 0; r < got.layout.rows(); ++r) {
      for (int c = 0; c < DV; ++c) {
        const double x = rounded<To>(want(r, c)), y = value_of(got.o[place(got.layout.at(r, c))]);
        if (x == y || (std::isnan(x) && std::isnan(y))) continue;
        if (++wrong == 1) {
          first = "(" + std::to_string(r) + ", " + std::to_string(c) + ") is " + std::to_string(y) +
                  " for " + std::to_string(x);
        }
      }
    }
    report_(wrong == 0, name_ + what + ": " + std::to_string(wrong) +
                            " elements of O are off, the first " + first);
  }

  /// A row output against want(row).
  template <class To, class Want>
  void compare_row(const result<To>& got, int which, const std::string& what, const Want& want) {
    int wrong = 0;
    std::string first;
    for (int r = 0; r < got.layout.rows(); ++r) {
      const double x = want(r), y = static_cast<double>(got.row_of(which, r));
      if (x == y) continue;
      if (++wrong == 1) {
        first = "row " + std::to_string(r) + " is " + std::to_string(y) + " for " +
                std::to_string(x);
      }
    }
    report_(wrong == 0,
            name_ + what + ": " + std::to_string(wrong) + " rows are off, the first " + first);
  }

  /// O = P V by plain loops, P(row, key) of those keys that `mask` keeps.
  template <class Mask, class P>
  matrix<float> product(const problem& p, const Mask& mask, const P& weight) const {
    matrix<float> o({p.size.tokens, p.size.group, DV, 1, 0, 0});
    for (int r = 0; r < o.layout.rows(); ++r) {
      for (int j = 0; j < p.size.keys; ++j) {
        if (!mask.keep(r / p.size.group, j)) continue;
        const double w = weight(r, j);
        for (int c = 0; c < DV; ++c) o(r, c) += w * p.v(j, c);
      }
    }
    return o;
  }

  /// The keys that the rows of row r's block see.
  template <class Mask>
  fa::key_span span_of_block(const problem& p, const Mask& mask, int r) const {
    const int all = p.size.tokens * p.size.group, first = r / BM * BM,
              last = fa::min_of(first + BM, all) - 1;
    const int token = first / p.size.group;
    return fa::within(mask.span({token, last / p.size.group - token + 1}, p.size.keys),
                      p.size.keys);
  }

  /// load_rows, mma_abt, keep_only, mma_ab, zeros, store_rows; and which steps `visit` visits.
  template <class Mask>
  void steps(const problem& p, const Mask& mask, float factor, const std::string& at) {
    const auto r = run<step_probe, T>(p, mask, 4, factor, 0.f, {0.f}, {0.f}, at);
    const auto o = product(
        p, mask, [&](int i, int j) { return static_cast<double>(factor) * p.score(i, j); });
    compare(r, at + "O = S V", [&](int i, int c) { return o(i, c); });

    int off_grid = 0, missed = 0, beyond = 0, edges = 0;
    for (int i = 0; i < r.layout.rows(); ++i) {
      const fa::key_span span = span_of_block(p, mask, i);
      const int first = static_cast<int>(r.row_of(0, i)), last = static_cast<int>(r.row_of(1, i)),
                count = static_cast<int>(r.row_of(2, i)), edge = static_cast<int>(r.row_of(3, i));
      int seen_first = p.size.keys, seen_last = -1;
      for (int j = 0; j < p.size.keys; ++j) {
        if (!mask.keep(i / p.size.group, j)) continue;
        seen_first = fa::min_of(seen_first, j);
        seen_last = j;
      }
      if (seen_last >= 0) missed += !(count > 0 && first <= seen_first && last + BN > seen_last);
      if (count > 0) {
        off_grid += (first - span.begin) % BN != 0 || last != first + (count - 1) * BN;
        beyond += first < span.begin || last >= span.end;
      }
      // Where every row of the block sees all of each step, there is no edge.
      if (span.begin == span.full_begin && span.full_end == span.end &&
          (span.end - span.begin) % BN == 0)
        edges += edge != 0;
    }
    report_(missed == 0, name_ + at + "visit misses a key of " + std::to_string(missed) + " rows");
    report_(off_grid == 0, name_ + at + "visit takes no steps of BN keys");
    report_(beyond == 0, name_ + at + "visit takes steps that no row of the block sees");
    report_(edges == 0, name_ + at + "visit finds edges where the mask drops nothing");
  }

  /// map_at, keep_only, as_operand, uniform, fill, store_row of absent rows.
  template <class Mask>
  void positions(problem p, const Mask& mask, const std::string& at) {
    p.make_values_show_weights();
    random_numbers random(7);
    std::vector<float> of_token, of_key;
    for (int i = 0; i < p.size.tokens; ++i)
      of_token.push_back(static_cast<float>(random.between(0, 64)));
    for (int j = 0; j < p.size.keys; ++j)
      of_key.push_back(static_cast<float>(random.between(0, 512)) / 64.f);
    const auto r = run<position_probe, float>(p, mask, 1, 1.f, 3.5f, of_token, of_key, at);
    const auto o = product(p, mask, [&](int i, int j) {
      const double x = p.score(i, j) + static_cast<double>(of_token[place(i / p.size.group)]) +
                       static_cast<double>(of_key[place(j)]) + (i / p.size.group + 3 * j) % 64;
      return Place::template rounds_weights<T> ? rounded<T>(x) : x;
    });
    compare(r, at + "P of positions", [&](int i, int c) { return o(i, c); });
    compare_row(r, 0, at + "uniform", [](int) { return 3.5; });
  }

  /// max_cols_part, max_across, map, scale_rows of a tile and of a row, map_rows,
  /// map_rows_add, sum_across.
  template <class Mask>
  void rows(problem p, const Mask& mask, const std::string& at) {
    p.make_values_show_weights();
    const auto r = run<row_probe, float>(p, mask, 3, 1.f, 0.f, {0.f}, {0.f}, at);
    const int all = r.layout.rows();
    matrix<float> o(row_layout{p.size.tokens, p.size.group, DV, 1, 0, 0});
    std::vector<double> m(place(all), -100.), l(place(all), 0.);
    for (int i = 0; i < all; ++i) {
      const fa::key_span span = span_of_block(p, mask, i);
      double &most = m[place(i)], &sum = l[place(i)];
      for (int first = span.begin; first < span.end; first += BN) {
        const int end = fa::min_of(first + BN, span.end);
        const auto sees = [&](int j) { return mask.keep(i / p.size.group, j); };
        double top = most;
        for (int j = first; j < end; ++j) {
          if (sees(j)) top = std::fmax(top, p.score(i, j));
        }
        const double f = top > most ? 2 : 1;
        most = top;
        sum *= f;
        for (int c = 0; c < DV; ++c) o(i, c) *= f;
        for (int j = first; j < end; ++j) {
          if (!sees(j)) continue;
          const double weight = f * (128 + p.score(i, j) - most);
          sum += weight;
          for (int c = 0; c < DV; ++c) o(i, c) += weight * p.v(j, c);
        }
      }
    }
    compare(r, at + "P of rows", [&](int i, int c) { return o(i, c); });
    compare_row(r, 0, at + "maximum", [&](int i) { return m[place(i)]; });
    compare_row(r, 1, at + "sum", [&](int i) { return l[place(i)]; });
    compare_row(r, 2, at + "map", [&](int i) { return l[place(i)] - 2 * m[place(i)]; });
  }

  /// any_above, and maxima where some scores are NaN. Every second key's are, never a step's first.
  template <class Mask>
  void above(problem p, const Mask& mask, const std::string& at) {
    p.make_values_show_weights();
    std::vector<float> of_key;
    for (int j = 0; j < p.size.keys; ++j) {
      const int odd = (j - fa::within(mask.span({0, 1}, p.size.keys), p.size.keys).begin) % 2;
      of_key.push_back(odd != 0 ? std::numeric_limits<float>::quiet_NaN()
                                : static_cast<float>(j % 5));
    }
    const double nothing = -std::numeric_limits<double>::infinity();
    const auto value = [&](int i, int j) {
      return p.score(i, j) + static_cast<double>(of_key[place(j)]);
    };
    // A level that no row is above, but some are at. Rows that do not exist may have scores of 0.
    double highest = 4;
    for (int i = 0; i < p.q.layout.rows(); ++i) {
      for (int j = 0; j < p.size.keys; ++j) {
        if (mask.keep(i / p.size.group, j)) highest = std::fmax(highest, value(i, j));
      }
    }
    for (const float level :
         {9.f, static_cast<float>(highest), std::numeric_limits<float>::quiet_NaN()}) {
      const auto r = run<above_probe, float>(p, mask, 2, 1.f, level, {0.f}, of_key, at);
      const auto o = product(p, mask, [&](int i, int j) {
        const double x = value(i, j);
        return std::isnan(x) ? 0. : x;
      });
      compare(r, at + "P of comparisons", [&](int i, int c) { return o(i, c); });
      int least_wrong = 0, most_wrong = 0;
      const int all = r.layout.rows();
      std::vector<double> most(place(all), nothing);
      std::vector<int> own(place(all), 0);  // steps in which this row is above the level
      for (int i = 0; i < all; ++i) {
        const fa::key_span span = span_of_block(p, mask, i);
        for (int first = span.begin; first < span.end; first += BN) {
          bool is_above = false;
          for (int j = first; j < fa::min_of(first + BN, span.end); ++j) {
            if (!mask.keep(i / p.size.group, j) || std::isnan(of_key[place(j)])) continue;
            most[place(i)] = std::fmax(most[place(i)], value(i, j));
            is_above = is_above || value(i, j) > static_cast<double>(level);
          }
          own[place(i)] += is_above;
        }
      }
      for (int i = 0; i < all; ++i) {
        bool any = false;  // of the block
        for (int n = i / BM * BM; n < fa::min_of(i / BM * BM + BM, all); ++n)
          any = any || own[place(n)] > 0;
        const int count = static_cast<int>(r.row_of(1, i));
        least_wrong += count < own[place(i)];
        most_wrong += !any && count > 0;
      }
      compare_row(r, 0, at + "maximum beside NaN", [&](int i) { return most[place(i)]; });
      report_(least_wrong == 0, name_ + at + "any_above misses a row that is above");
      report_(most_wrong == 0, name_ + at + "any_above where no row is above");
    }
  }

  /// Infinite or NaN values at places that a row does not see are nothing to it.
  void nonfinite_values() {
    const tile_sizes size{BM, 1, 2 * BN, row_places::any};
    problem p(size);
    const double infinite = std::numeric_limits<double>::infinity();
    const auto mask = fa::window{-1, 0}.bind({size.tokens, size.keys, 0, 0});
    p.v(size.keys - 1, 0) = std::numeric_limits<double>::quiet_NaN();
    p.v(size.keys - 1, DV - 1) = infinite;
    p.v(size.keys - 3, DV / 2) = -infinite;
    const auto r = run<step_probe, T>(p, mask, 4, 1.f, 0.f, {0.f}, {0.f}, "values ");
    const auto o = product(p, mask, [&](int i, int j) { return p.score(i, j); });
    compare(r, "infinite and NaN V", [&](int i, int c) { return o(i, c); });
  }

  /// A NaN in Q is one in all of its row's outputs, and in no other row's.
  void nonfinite_queries() {
    const tile_sizes size{BM, 1, BN, row_places::any};
    problem p(size);
    const auto mask = fa::window{}.bind({size.tokens, size.keys, 0, 0});
    p.q(BM / 2 + 1 < BM ? BM / 2 + 1 : 0, D - 1) = std::numeric_limits<double>::quiet_NaN();
    const auto r = run<step_probe, T>(p, mask, 4, 1.f, 0.f, {0.f}, {0.f}, "queries ");
    const auto o = product(p, mask, [&](int i, int j) { return p.score(i, j); });
    compare(r, "NaN in Q", [&](int i, int c) { return o(i, c); });
  }

  Report& report_;
  std::string name_;
};

}  // namespace test
