// Not one bit of a row depends on threads, the order of work, the batch around
// it, or memory layout.
#include "catch.hpp"
#include "fixture.hpp"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <random>
#include <thread>
#include <vector>

using test::dense_problem;
using test::i64;
using test::packed_problem;
using test::packed_shape;
using test::shape;

namespace {

/// Calls the body in a shuffled order, from one thread.
struct shuffled {
  unsigned seed;
  template <class Body>
  void operator()(i64 count, const Body& body) const {
    std::vector<i64> order(static_cast<std::size_t>(count));
    std::iota(order.begin(), order.end(), i64{0});
    std::shuffle(order.begin(), order.end(), std::mt19937(seed));
    for (const i64 i : order) body(i);
  }
};

/// A pool of the caller: each thread takes every nth item, from the last to the first.
struct strided_pool {
  i64 threads;
  template <class Body>
  void operator()(i64 count, const Body& body) const {
    std::vector<std::thread> pool;
    for (i64 t = 0; t < threads; ++t) {
      pool.emplace_back([&, t] {
        for (i64 i = count - 1 - t; i >= 0; i -= threads) body(i);
      });
    }
    for (auto& t : pool) t.join();
  }
};

template <class T>
void any_threads(const shape& s) {
  dense_problem<T, 16, 16, fa::causal> one(s);
  REQUIRE(one.run(fa::host{1}));
  for (int threads = 0; threads <= 8; ++threads) {
    dense_problem<T, 16, 16, fa::causal> p(s);
    REQUIRE(p.run(fa::host{threads}));
    CHECK(p.o == one.o);
    CHECK(p.lse == one.lse);
  }
  for (unsigned seed = 0; seed < 3; ++seed) {
    dense_problem<T, 16, 16, fa::causal> p(s);
    REQUIRE(p.run(fa::host_with{shuffled{seed}}));
    CHECK(p.o == one.o);
    CHECK(p.lse == one.lse);
  }
  dense_problem<T, 16, 16, fa::causal> p(s);
  REQUIRE(p.run(fa::host_with{strided_pool{5}}));
  CHECK(p.o == one.o);
  CHECK(p.lse == one.lse);
}

}  // namespace

TEST_CASE("thread count and order of work") {
  for (const shape& s : {shape{1, 1, 1, 1, 500}, shape{3, 6, 2, 130, 150}, shape{2, 4, 1, 5, 90},
                         shape{1, 3, 3, 49, 49}}) {
    any_threads<float>(s);
    any_threads<fa::f16>(s);
    any_threads<fa::bf16>(s);
  }
}

TEST_CASE("a caller's parallel_for gets each item once") {
  dense_problem<float, 16, 16> p(shape{2, 4, 2, 130, 60});
  std::vector<int> calls;
  const auto counting = [&](i64 count, const auto& body) {
    calls.assign(static_cast<std::size_t>(count), 0);
    for (i64 i = 0; i < count; ++i) {
      ++calls[static_cast<std::size_t>(i)];
      body(i);
    }
  };
  REQUIRE(p.run(fa::host_with{counting}));
  CHECK(!calls.empty());
  CHECK(test::fault(p, fa::no_mask{}) == "");
}

TEST_CASE("the same call again and again") {
  dense_problem<fa::bf16, 64, 64, fa::causal> first(shape{2, 3, 1, 100, 120});
  REQUIRE(first.run());
  for (int n = 0; n < 20; ++n) {
    dense_problem<fa::bf16, 64, 64, fa::causal> again(shape{2, 3, 1, 100, 120});
    REQUIRE(again.run());
    REQUIRE(again.o == first.o);
    REQUIRE(again.lse == first.lse);
  }
}

TEST_CASE("batch neighbours, other heads and other queries") {
  for (const i64 sq : {i64{1}, i64{3}, i64{70}}) {
    const shape s{4, 4, 2, sq, 80};
    dense_problem<float, 16, 16> whole(s);
    REQUIRE(whole.run());
    for (i64 b = 0; b < s.batch; ++b) {
      // Each batch alone.
      dense_problem<float, 16, 16> alone(shape{1, 4, 2, sq, 80});
      const auto part = [&](const test::buffer<float>& from, test::buffer<float>& to) {
        for (i64 i = 0; i < to.size(); ++i) to[i] = from[b * to.size() + i];
      };
      part(whole.q, alone.q);
      part(whole.k, alone.k);
      part(whole.v, alone.v);
      REQUIRE(alone.run());
      bool same = true;
      for (i64 i = 0; i < alone.o.size(); ++i)
        same = same && alone.o[i] == whole.o[b * alone.o.size() + i];
      for (i64 i = 0; i < alone.lse.size(); ++i)
        same = same && alone.lse[i] == whole.lse[b * alone.lse.size() + i];
      INFO("sq " << sq << " batch " << b);
      CHECK(same);
    }
  }
}

TEST_CASE("neighbours that are NaN") {
  for (const i64 sq : {i64{1}, i64{8}, i64{70}}) {
    const shape s{3, 2, 1, sq, 60};
    dense_problem<fa::f16, 16, 16> clean(s), dirty(s);
    // Batch 1 of the second problem is poison in Q, K and V.
    for (auto* b : {&dirty.q, &dirty.k, &dirty.v}) {
      const i64 part = b->size() / 3;
      for (i64 i = part; i < 2 * part; ++i) (*b)[i] = test::poison<fa::f16>();
    }
    REQUIRE(clean.run());
    REQUIRE(dirty.run());
    bool same = true;
    for (i64 i = 0; i < clean.o.size(); ++i) {
      if (i / (clean.o.size() / 3) != 1) same = same && clean.o[i].bits == dirty.o[i].bits;
    }
    CHECK(same);
  }
}

TEST_CASE("packed sequences: threads and order of work") {
  const packed_shape s{4, 2, {60, 1, 0, 7, 130, 48, 3}, {60, 90, 17, 0, 51, 200, 3}};
  packed_problem<float, 16, 16, fa::causal> one(s);
  REQUIRE(one.run(fa::host{1}));
  for (int threads = 2; threads <= 8; ++threads) {
    packed_problem<float, 16, 16, fa::causal> p(s);
    REQUIRE(p.run(fa::host{threads}));
    CHECK(p.o == one.o);
    CHECK(p.lse == one.lse);
  }
  packed_problem<float, 16, 16, fa::causal> p(s);
  REQUIRE(p.run(fa::host_with{shuffled{7}}));
  CHECK(p.o == one.o);
}
