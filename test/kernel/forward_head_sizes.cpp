// The forward kernel over head sizes: odd and even, small and large, V's different
// from that of Q and K.
#include "catch.hpp"
#include "fixture.hpp"
#include "grid.hpp"

#include <vector>

using test::dense_problem;
using test::grid;
using test::i64;
using test::run_fault;
using test::shape;

namespace {

/// Lengths around the block kinds: one row, few rows, a strip and more; few, since only the head
/// size changes here.
const std::vector<i64> few_lengths = {1, 3, 8, 9, 48, 50, 131};

}  // namespace

TEST_CASE("head sizes, f32") {
  grid<float, 1, 1>(few_lengths);
  grid<float, 2, 3>(few_lengths);
  grid<float, 5, 8>(few_lengths);
  grid<float, 17, 1>(few_lengths);
  grid<float, 33, 59>(few_lengths);
  grid<float, 128, 64>(few_lengths);
}

TEST_CASE("head sizes, f16 and bf16") {
  grid<fa::f16, 1, 9>(few_lengths);
  grid<fa::f16, 7, 7>(few_lengths);
  grid<fa::f16, 64, 128>(few_lengths);
  grid<fa::bf16, 3, 2>(few_lengths);
  grid<fa::bf16, 31, 33>(few_lengths);
  grid<fa::bf16, 128, 128>(few_lengths);
}

TEST_CASE("the largest head size") {
  for (const i64 sq : {i64{1}, i64{5}, i64{50}}) {
    dense_problem<float, 512, 512> p(shape{1, 2, 1, sq, 70});
    CHECK(run_fault(p, fa::no_mask{}) == "");
    dense_problem<fa::bf16, 512, 512> b(shape{1, 2, 1, sq, 70});
    CHECK(run_fault(b, fa::no_mask{}) == "");
  }
}
