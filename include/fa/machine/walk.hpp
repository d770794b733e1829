// From what a mask says of rows to the steps of keys that these rows go through. Every machine's
// stream walks so; when keys come, and in which order, is the stream's affair.
//
//   keys       0 . . . 4 . . . 8 . . .        steps of 4 keys, block [1, 11), own rows [6, 9):
//   block        [ 1 . . . . . . . . . )      steps begin at 1, 5 and 9
//   own rows               [ 6 . . )          that at 5 is needed, those at 1 and 9 are not
#pragma once

#include <fa/core/sequence.hpp>
#include <fa/machine/block_rows.hpp>

namespace fa {

/// The keys that `rows` rows of a block need, from its row `row` on; none where there is no such
/// row. Within [0, keys), whatever a mask says.
template <class Mask, class Position>
FA_FN constexpr key_span keys_of_rows(const Mask& mask, const Position& at, int row, int rows,
                                      int keys) {
  if (rows <= 0) return {0, 0, 0, 0};
  return within(mask.span(at.tokens(row, rows), keys), keys);
}

/// Which steps of a block some rows need, and which of these must look at the mask. A step is named
/// by its first key.
struct row_steps {
  int begin;  ///< steps that are needed begin in [begin, end)
  int end;
  int full_begin;  ///< those that see every key in [full_begin, full_end), if that is not empty
  int full_end;

  FA_FN constexpr bool any() const { return begin < end; }
  /// True if some of the rows may see a key of the step.
  FA_FN constexpr bool needs(int step) const { return step >= begin && step < end; }
  /// True if some of the rows may not see a key of the step, or keys end inside it.
  FA_FN constexpr bool edge(int step) const { return step < full_begin || step >= full_end; }
};

/// The same answers by one comparison each, for machines to which a comparison is more than a
/// subtraction.
struct compact_row_steps {
  int begin;
  unsigned length;
  int full_begin;  ///< 2^31 - 1 where no step sees every key
  unsigned full_length;

  FA_FN constexpr explicit compact_row_steps(const row_steps& s)
      : begin(s.begin),
        length(static_cast<unsigned>(max_of(s.end - s.begin, 0))),
        full_begin(s.full_begin < s.full_end ? s.full_begin : 0x7fffffff),
        full_length(static_cast<unsigned>(max_of(s.full_end - s.full_begin - 1, 0))) {}

  FA_FN constexpr bool needs(int step) const {
    return static_cast<unsigned>(step) - static_cast<unsigned>(begin) < length;
  }
  /// "Above": a compiler keeps this sense, and with it the order of the two branches.
  FA_FN constexpr bool edge(int step) const {
    return static_cast<unsigned>(step) - static_cast<unsigned>(full_begin) > full_length;
  }
};

/// What happens to the last step of a block, which may have fewer keys than the others.
enum class last_step {
  shortened,  ///< only its keys are computed: it is an edge where the mask says so
  padded      ///< it is computed as if it were whole: an edge, since keys are missing
};

/// The steps of Step keys of a block that needs the keys of `block`, as far as some of its rows
/// need them, which need those of `own`.
template <int Step, last_step Last>
FA_FN constexpr row_steps steps_of(const key_span& block, const key_span& own) {
  const int begin = max_of(own.begin, block.begin), end = min_of(own.end, block.end);
  row_steps steps{block.begin, block.begin, own.full_begin, own.full_end - (Step - 1)};
  if (begin < end) {
    steps.begin += static_cast<int>(static_cast<unsigned>(begin - block.begin) / Step * Step);
    steps.end = end;
  }
  if (Last == last_step::shortened && own.full_end == block.end && own.full_begin < own.full_end) {
    steps.full_end = block.begin + round_up(block.end - block.begin, Step) - (Step - 1);
  }
  return steps;
}

/// The walk of a block through keys: steps of Step keys begin at first, first + Step and so on,
/// below end. `own`: what the rows that run together need of them.
template <int Step>
struct key_walk {
  int first;
  int end;
  row_steps own;

  FA_FN constexpr int count() const { return ceil_div(end - first, Step); }
  FA_FN constexpr int keys_in(int step) const { return min_of(Step, end - step); }
};

/// The walk of a block of rows at `at` through `keys` keys under a mask. M: the machine, where it
/// has a `uniform` for numbers that are the same for all who run together.
template <class M, int Step, last_step Last, class Mask, class Position>
FA_FN constexpr key_walk<Step> walk_of(const Mask& mask, const Position& at, int keys) {
  const auto same = [](key_span span) FA_LAMBDA -> key_span {
    if constexpr (requires { M::uniform(0); }) {
      return {M::uniform(span.begin), M::uniform(span.full_begin), M::uniform(span.full_end),
              M::uniform(span.end)};
    } else {
      return span;
    }
  };
  const key_span block = same(keys_of_rows(mask, at, 0, at.row_count, keys));
  const key_span own = same(keys_of_rows(mask, at, at.own_row, at.own_rows, keys));
  return {block.begin, block.end, steps_of<Step, Last>(block, own)};
}

}  // namespace fa
