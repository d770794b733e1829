// The walk from a mask's spans to steps, against the mask asked key by key.
#include <catch.hpp>

#include <fa/machine/block_rows.hpp>
#include <fa/machine/walk.hpp>
#include <fa/policy/mask.hpp>

#include <vector>

namespace {

/// What a step of `step` keys from `first` on is to rows of a block, asked key by key.
struct asked {
  bool seen = false;  ///< some row sees some key
  bool full = true;   ///< every row sees every key
};

template <class Mask>
asked ask(const Mask& mask, const fa::block_rows& at, int row, int rows, int first, int step,
          int keys) {
  asked result;
  for (int r = row; r < row + rows; ++r) {
    for (int j = first; j < first + step; ++j) {
      const bool kept = j < keys && mask.keep(at.token(r), j);
      result.seen = result.seen || kept;
      result.full = result.full && kept;
    }
  }
  return result;
}

/// All walks of blocks of Rows rows in parts of Own rows, in steps of Step keys.
template <int Step, int Rows, int Own, class Mask>
void check_walks(const Mask& mask, int queries, int keys, int heads) {
  const int rows = queries * heads;
  for (int block = 0; block * Rows < rows; ++block) {
    const fa::block_rows whole = fa::whole_block<Rows>(block, rows, heads);
    std::vector<bool> covered(static_cast<std::size_t>(keys) + 1, false);
    for (int own_row = 0; own_row < Rows; own_row += Own) {
      fa::block_rows at = whole;
      at.own_row = own_row;
      at.own_rows = fa::min_of(Own, whole.row_count - own_row);
      const auto padded = fa::walk_of<void, Step, fa::last_step::padded>(mask, at, keys);
      const auto shortened = fa::walk_of<void, Step, fa::last_step::shortened>(mask, at, keys);
      REQUIRE(padded.first >= 0);
      REQUIRE(padded.end <= keys);
      REQUIRE(padded.first == shortened.first);
      REQUIRE(padded.end == shortened.end);
      int steps = 0;
      for (int first = padded.first; first < padded.end; first += Step, ++steps) {
        INFO("block " << block << ", own rows from " << own_row << ", step " << first << " of ["
                      << padded.first << ", " << padded.end << ")");
        const int own_rows = fa::max_of(at.own_rows, 0);
        const asked whole_step = ask(mask, at, own_row, own_rows, first, Step, keys);
        const int count = padded.keys_in(first);
        const asked short_step = ask(mask, at, own_row, own_rows, first, count, keys);
        REQUIRE(count == fa::min_of(Step, padded.end - first));
        if (whole_step.seen) REQUIRE(padded.own.needs(first));
        if (own_rows == 0) REQUIRE(!padded.own.needs(first));
        REQUIRE(padded.own.needs(first) == shortened.own.needs(first));
        const fa::compact_row_steps compact(padded.own);
        REQUIRE(compact.needs(first) == padded.own.needs(first));
        REQUIRE(compact.edge(first) == padded.own.edge(first));
        if (padded.own.needs(first)) {
          if (!padded.own.edge(first)) REQUIRE(whole_step.full);
          if (!shortened.own.edge(first)) REQUIRE(short_step.full);
        }
        for (int j = first; j < first + count; ++j) covered[static_cast<std::size_t>(j)] = true;
      }
      REQUIRE(steps == padded.count());
      // Steps that are needed follow one another.
      for (int first = padded.first; first < padded.end; first += Step) {
        const bool inside = first >= padded.own.begin && first < padded.own.end;
        REQUIRE(padded.own.needs(first) == inside);
      }
    }
    for (int j = 0; j < keys; ++j) {
      if (ask(mask, whole, 0, whole.row_count, j, 1, keys).seen) {
        REQUIRE(covered[static_cast<std::size_t>(j)]);
      }
    }
  }
}

template <int Step, int Rows, int Own>
void check_masks() {
  for (int queries = 1; queries <= 9; ++queries) {
    for (int keys = 0; keys <= 13; ++keys) {
      const fa::sequence s{queries, keys, 0, 0};
      for (const int heads : {1, 2, 3}) {
        check_walks<Step, Rows, Own>(fa::no_mask{}.bind(s), queries, keys, heads);
        check_walks<Step, Rows, Own>(fa::causal{}.bind(s), queries, keys, heads);
        check_walks<Step, Rows, Own>(fa::causal_top_left{}.bind(s), queries, keys, heads);
        for (int left = -1; left < 5; ++left) {
          check_walks<Step, Rows, Own>(fa::window{left, 1}.bind(s), queries, keys, heads);
          check_walks<Step, Rows, Own>(fa::window{left, -1}.bind(s), queries, keys, heads);
        }
      }
    }
  }
}

/// A mask whose spans say anything.
struct liar {
  fa::key_span said;
  bool keep(int, int) const { return true; }
  fa::key_span span(fa::row_range, int) const { return said; }
};

}  // namespace

TEST_CASE("walk: steps, needs and edges are what the mask says key by key", "[walk]") {
  check_masks<1, 4, 2>();
  check_masks<3, 4, 4>();
  check_masks<4, 6, 2>();
  check_masks<8, 4, 1>();
}

TEST_CASE("walk: full steps are no edges", "[walk]") {
  const fa::sequence s{4, 16, 0, 0};
  const auto at = fa::whole_block<4>(0, 4, 1);
  const auto all = fa::walk_of<void, 4, fa::last_step::padded>(fa::no_mask{}.bind(s), at, 16);
  REQUIRE(all.count() == 4);
  for (int first = 0; first < 16; first += 4) REQUIRE(!all.own.edge(first));
  const auto rest = fa::walk_of<void, 4, fa::last_step::padded>(fa::no_mask{}.bind(s), at, 15);
  REQUIRE(!rest.own.edge(8));
  REQUIRE(rest.own.edge(12));
  const auto cut = fa::walk_of<void, 4, fa::last_step::shortened>(fa::no_mask{}.bind(s), at, 15);
  REQUIRE(!cut.own.edge(12));
  // Row i sees keys up to i + 12: the last step is an edge, those before are full.
  const auto causal = fa::walk_of<void, 4, fa::last_step::padded>(fa::causal{}.bind(s), at, 16);
  for (int first = 0; first < 12; first += 4) REQUIRE(!causal.own.edge(first));
  REQUIRE(causal.own.edge(12));
}

TEST_CASE("walk: whatever a mask says, steps lie within the keys", "[walk]") {
  const int numbers[] = {INT32_MIN, -5, 0, 3, 7, 12, INT32_MAX};
  for (const int begin : numbers) {
    for (const int full_begin : numbers) {
      for (const int full_end : numbers) {
        for (const int end : numbers) {
          const liar mask{{begin, full_begin, full_end, end}};
          const auto at = fa::whole_block<4>(0, 4, 1);
          const auto walk = fa::walk_of<void, 4, fa::last_step::padded>(mask, at, 10);
          REQUIRE(walk.first >= 0);
          REQUIRE(walk.end <= 10);
          REQUIRE(walk.first <= walk.end);
          REQUIRE(walk.own.begin >= walk.first);
          REQUIRE(walk.own.end <= fa::max_of(walk.end, walk.own.begin));
        }
      }
    }
  }
}
