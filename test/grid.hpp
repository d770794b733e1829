// One kernel over a grid of lengths and masks.
#pragma once

#include "catch.hpp"
#include "fixture.hpp"

#include <cstdint>
#include <vector>

namespace test {

/// One head size under many masks, all lengths by all lengths of `sizes`.
template <class T, int D, int DV>
void grid(const std::vector<i64>& sizes, i64 hq = 1, i64 hk = 1) {
  std::uint64_t seed = 1;
  for (const i64 sq : sizes) {
    for (const i64 sk : sizes) {
      // The mask changes along the grid, so that every kind meets every length somewhere.
      const fa::window masks[] = {{-1, -1}, {-1, 0}, {3, 0}, {-1, 5}, {20, -1}, {40, 40}, {0, 0}};
      const auto pick = (sq * 5 + sk * 3) % 7;
      dense_problem<T, D, DV, fa::window> p(shape{1, hq, hk, sq, sk}, seed++);
      p.a.mask = masks[pick];
      INFO("sq " << sq << " sk " << sk << " window " << p.a.mask.left << ' ' << p.a.mask.right);
      REQUIRE(run_fault(p, p.a.mask) == "");
    }
  }
}

}  // namespace test
