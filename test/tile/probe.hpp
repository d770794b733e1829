// Small kernels, "probes": each uses some verbs of tile/verbs.hpp on a machine and writes what came
// of them. Tiles are opaque, so a score is seen in an output, by a product with a known V, and what
// is known of a row by store_row.
//
// All numbers are integers or few binary digits behind the point: sums are exact in any order, and
// what a probe writes is compared bit by bit with plain loops (checks.hpp).
#pragma once

#include <fa/kernel/forward.hpp>

#include <type_traits>

namespace test {

/// What a probe reads and writes: see ForwardProblem of kernel/forward.hpp.
template <class T, class To, fa::BoundMask Mask>
struct tile_problem {
  using element = T;
  using output = To;
  int block;                      ///< number of the block among the rows
  fa::query_rows<const T> q;      // Q [rows, D]
  fa::strided_rows<const T> k;    // K [keys, D]
  fa::strided_rows<const T> v;    // V [keys, DV]
  fa::packed_rows<To> o;          // O [rows, DV]
  fa::packed_rows<float> row[4];  // [rows] each, or absent
  const float* of_token;          // [tokens]
  const float* of_key;            // [keys]
  float level;                    ///< a number that the probe knows what for
  Mask mask;

  template <class M, int BM>
  FA_FN auto rows() const {
    return M::template rows_of<BM>(block, q.rows, q.heads);
  }
  template <class M, int BM, int BN, class Position>
  FA_FN auto walk(const Position& at) const {
    return M::template walk_of<BM, BN>(mask, at, k.rows);
  }
};

/// s(i, j) = 0 where it is -infinity: a product with it is then one with 0.
template <class S, class Position>
FA_FN void dropped_to_zero(S& s, const Position& at, int key0) {
  fa::map_at(s, at, key0, [](float x, int, int) FA_LAMBDA { return x == -fa::infinity ? 0.f : x; });
}

/// Which steps a wave is asked to weigh: O = S V of the keys that it sees. Rows: the first key of
/// the first step, that of the last, the number of steps, and of those with an edge.
struct step_probe {
  template <class M, int BM>
  struct on {
    float first = -1, last = -1, steps = 0, edges = 0;

    template <class Problem>
    FA_FN explicit on(const Problem&) {}

    template <class Problem, class S, class O, class Position>
    FA_FN void weigh(const Problem& a, S& s, O&, const Position& at, int key0, bool edge) {
      if (steps == 0) first = static_cast<float>(key0);
      last = static_cast<float>(key0);
      steps += 1;
      if (edge) {
        edges += 1;
        fa::keep_only(s, at, key0, a.mask);
        dropped_to_zero(s, at, key0);
      }
    }

    template <class Problem, class Position>
    FA_FN void finish(const Problem& a, const Position& at) {
      note(a.row[0], first, at);
      note(a.row[1], last, at);
      note(a.row[2], steps, at);
      note(a.row[3], edges, at);
    }

   private:
    template <class Position>
    FA_FN static void note(const fa::packed_rows<float>& rows, float x, const Position& at) {
      typename M::template row<BM> row;
      fa::fill(row, x);
      fa::store_row(rows, row, at);
    }
  };
};

/// Positions, and how P is rounded: O = P V, P(i, j) = S(i, j) + of_token[i] + of_key[j] +
/// (i + 3 j) mod 64 of the keys that are seen. Rows: `level`; and the same to a row that is absent.
struct position_probe {
  template <class M, int BM>
  struct on {
    float level;

    template <class Problem>
    FA_FN explicit on(const Problem& a) : level(fa::uniform<M>(a.level)) {}

    template <class Problem, class S, class O, class Position>
    FA_FN void weigh(const Problem& a, S& s, O&, const Position& at, int key0, bool edge) {
      fa::map_at(s, at, key0,
                 [&](float x, int i, int j) FA_LAMBDA { return x + a.of_token[i] + a.of_key[j]; });
      // Of as many scores as the machine packs.
      fa::map_at(s, at, key0,
                 [](auto x, auto i, auto j)
                     FA_LAMBDA -> decltype(x + fa::to_float((i + 3 * j) & 63)) {
                       return x + fa::to_float((i + 3 * j) & 63);
                     });
      if (edge) {
        fa::keep_only(s, at, key0, a.mask);
        dropped_to_zero(s, at, key0);
      }
    }

    template <class Problem, class Position>
    FA_FN void finish(const Problem& a, const Position& at) {
      typename M::template row<BM> row;
      fa::fill(row, level);
      fa::store_row(a.row[0], row, at);
      fa::store_row(a.row[1], row, at);  // absent
    }
  };
};

/// A softmax of integers, in which 1 + [the maximum has risen] is in the place of exp. Rows: the
/// maximum m, from -100 on; the sum l of P; l - 2 m.
///   m = max(m, rowmax S); f = 1 + [m has risen]; O = f O; l = f l; P = f (128 + S - m), 0 where
///   dropped; l += rowsum P; O += P V
struct row_probe {
  template <class M, int BM>
  struct on {
    typename M::template row<BM> m;
    typename M::template row_part<BM> l;

    template <class Problem>
    FA_FN explicit on(const Problem&) {
      fa::fill(m, -100.f);
      fa::fill(l, 0.f);
    }

    template <class Problem, class S, class O, class Position>
    FA_FN void weigh(const Problem& a, S& s, O& o, const Position& at, int key0, bool edge) {
      if (edge) fa::keep_only(s, at, key0, a.mask);
      const auto part = fa::max_cols_part(s);
      const auto top = fa::max_across(part);
      const auto before = m;
      m = fa::map(top, before, [](auto t, auto b) FA_LAMBDA { return fa::larger(t, b); });
      const auto f = fa::map(before, m, [](auto b, auto now) FA_LAMBDA {
        return 1.f - fa::larger(b - now, now - now - 1.f);
      });
      fa::scale_rows(o, f);
      fa::scale_rows(l, f);
      fa::map_rows(s, m, [](auto x, auto now) FA_LAMBDA { return x - now; });
      fa::map_rows_add(s, f, l, [](auto x, auto scale) FA_LAMBDA {
        const auto low = scale - scale - 128.f;
        return ((x > low ? x : low) + 128.f) * scale;
      });
    }

    template <class Problem, class Position>
    FA_FN void finish(const Problem& a, const Position& at) {
      const auto sum = fa::sum_across(l);
      fa::store_row(a.row[0], m, at);
      fa::store_row(a.row[1], sum, at);
      fa::store_row(a.row[2], fa::map(sum, m, [](auto x, auto y) FA_LAMBDA { return x - (y + y); }),
                    at);
    }
  };
};

/// Maxima of S(i, j) + of_key[j], where some of_key are NaN, and comparisons with `level`. O = P V,
/// P as S + of_key, 0 where that is NaN or dropped. Rows: the maximum; in how many steps it was
/// above `level` in a row of those that run together.
struct above_probe {
  template <class M, int BM>
  struct on {
    typename M::template row<BM> most, limit;
    float above = 0;

    template <class Problem>
    FA_FN explicit on(const Problem& a) {
      fa::fill(most, -fa::infinity);
      fa::fill(limit, a.level);
    }

    template <class Problem, class S, class O, class Position>
    FA_FN void weigh(const Problem& a, S& s, O&, const Position& at, int key0, bool edge) {
      fa::map_at(s, at, key0, [&](float x, int, int j) FA_LAMBDA { return x + a.of_key[j]; });
      if (edge) fa::keep_only(s, at, key0, a.mask);
      const auto part = fa::max_cols_part(s);
      if (fa::any_above(part, limit)) above += 1;
      const auto top = fa::max_across(part);
      most = fa::map(top, most, [](auto t, auto b) FA_LAMBDA { return fa::larger(t, b); });
      fa::map_at(s, at, key0, [](float x, int, int) FA_LAMBDA {
        return x == x && x != -fa::infinity ? x : 0.f;
      });
    }

    template <class Problem, class Position>
    FA_FN void finish(const Problem& a, const Position& at) {
      fa::store_row(a.row[0], most, at);
      fa::fill(limit, above);
      fa::store_row(a.row[1], limit, at);
    }
  };
};

/// Runs a probe for a block of rows. The order of verbs is that of kernel/forward.hpp.
template <class M, fa::forward_config cfg, class Probe, class Problem>
FA_FN void run_probe(const Problem& a) {
  using T = typename Problem::element;
  constexpr int BM = cfg.q_rows, BN = cfg.kv_rows, D = cfg.head_dim, DV = cfg.value_dim;
  static_assert(fa::Machine<M, T, BM, BN, D, DV, std::remove_cvref_t<decltype(a.q)>,
                            std::remove_cvref_t<decltype(a.k)>>);
  const auto at = a.template rows<M, BM>();
  const auto q = fa::load_rows<M, BM, D>(a.q, at);  // Q [BM, D]
  auto o = fa::zeros<M, T, BM, DV>();               // O [BM, DV] f32
  typename Probe::template on<M, BM> probe(a);
  auto kv = fa::stream<M, BM, BN, fa::abt_then_ab<T, D, DV>>(at, a.k,
                                                             a.v);  // K [BN, D], V [BN, DV]
  kv.visit(
      a.template walk<M, BM, BN>(at),
      [&](const auto& k) FA_LAMBDA { return fa::mma_abt(q, k); },  // S [BM, BN] f32
      [&](auto& s, int key0, bool edge) FA_LAMBDA -> decltype(auto) {
        probe.weigh(a, s, o, at, key0, edge);
        return fa::as_operand<T>(s);  // P [BM, BN]
      },
      [&](const auto& p, const auto& v) FA_LAMBDA { fa::mma_ab(o, p, v); });  // O += P V
  probe.finish(a, at);
  fa::store_rows(a.o, o, at);
}

/// Sees every third key from its own place on, and says nothing of where: for machines' way with
/// masks that only know `keep`.
struct every_third {
  FA_FN constexpr bool keep(int i, int j) const { return (i + j) % 3 == 0; }
  FA_FN constexpr fa::key_span span(fa::row_range, int key_count) const {
    return fa::every_key(key_count);
  }
};
static_assert(fa::BoundMask<every_third> && !fa::IntervalMask<every_third>);

}  // namespace test
