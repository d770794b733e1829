// Keys that no row sees are not read: every token lies on a page of its own, and the
// unseen ones are forbidden.
#include "catch.hpp"
#include "fixture.hpp"
#include "mapped.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

using test::i64;

namespace {

/// Runs a problem whose K and V have one page a token; only the tokens that some row
/// sees may be touched.
template <class T, int D, class Mask>
bool reads_only_visible(i64 sq, i64 sk, i64 heads, const Mask& mask) {
  const auto page = static_cast<i64>(test::page_bytes() / sizeof(T));
  const test::mapped k(static_cast<std::size_t>(sk) * test::page_bytes()),
      v(static_cast<std::size_t>(sk) * test::page_bytes());
  if (!k.as<T>() || !v.as<T>()) return false;
  test::dense_problem<T, D, D, Mask> p(test::shape{1, heads, 1, sq, sk});
  if constexpr (requires { p.a.mask; }) p.a.mask = mask;
  for (i64 j = 0; j < sk; ++j) {
    for (i64 c = 0; c < D; ++c) {
      k.as<T>()[j * page + c] = p.k[j * D + c];
      v.as<T>()[j * page + c] = p.v[j * D + c];
    }
  }
  p.a.k.data = k.as<T>();
  p.a.v.data = v.as<T>();
  p.a.k.token_stride = p.a.v.token_stride = page;
  const auto bound = mask.bind(fa::sequence{static_cast<int>(sq), static_cast<int>(sk), 0, 0});
  for (i64 j = 0; j < sk; ++j) {
    bool seen = false;
    for (i64 i = 0; i < sq; ++i)
      seen = seen || bound.keep(static_cast<int>(i), static_cast<int>(j));
    if (seen) continue;
    const auto at = static_cast<std::size_t>(j) * test::page_bytes();
    if (!k.forbid(at, test::page_bytes()) || !v.forbid(at, test::page_bytes())) return false;
  }
  // One thread: a forked child has no others. The reference reads visible keys only,
  // so it runs there too.
  return test::survives([&] { return p.run(fa::host{1}) && test::fault(p, mask) == ""; });
}

template <class T>
void out_of_band() {
  for (const i64 heads : {i64{1}, i64{4}}) {
    for (const i64 sq : {i64{1}, i64{3}, i64{8}, i64{9}, i64{48}, i64{120}}) {
      for (const i64 sk : {i64{300}, i64{517}}) {
        INFO("heads " << heads << " sq " << sq << " sk " << sk);
        CHECK(reads_only_visible<T, 16>(sq, sk, heads, fa::window{.left = 5, .right = 0}));
        CHECK(reads_only_visible<T, 16>(sq, sk, heads, fa::window{.left = 130, .right = -1}));
        CHECK(reads_only_visible<T, 16>(sq, sk, heads, fa::causal_top_left{}));
      }
    }
  }
}

}  // namespace

TEST_CASE("keys outside the window or beyond the causal reach are never read") {
  out_of_band<float>();
  out_of_band<fa::f16>();
  out_of_band<fa::bf16>();
}

TEST_CASE("no key is read where no row sees any") {
  // right = -1 with left = 0 and more keys than queries sees; all queries before
  // the first key do not.
  CHECK(reads_only_visible<float, 16>(i64{1}, i64{200}, 1, fa::window{.left = 0, .right = 0}));
  CHECK(reads_only_visible<float, 16>(i64{100}, i64{7}, 1, fa::window{.left = 0, .right = 0}));
}

TEST_CASE("nothing behind the last key is read") {
  // Contiguous K and V that end at the end of a page, the next page being forbidden; odd head
  // sizes, all kinds of blocks.
  const auto check = [](auto zero, auto dim, i64 sq, i64 sk) {
    using T = decltype(zero);
    constexpr int D = decltype(dim)::value;
    const std::size_t used = static_cast<std::size_t>(sk) * D * sizeof(T),
                      pages = (used / test::page_bytes() + 1) * test::page_bytes();
    const test::mapped k(pages + test::page_bytes()), v(pages + test::page_bytes());
    const std::size_t first = (pages - used) / sizeof(T);
    if (!k.as<T>() || !v.as<T>() || !k.forbid(pages, test::page_bytes()) ||
        !v.forbid(pages, test::page_bytes()))
      return false;
    test::dense_problem<T, D, D, fa::causal> p(test::shape{1, 1, 1, sq, sk});
    std::copy_n(p.k.data(), sk * D, k.as<T>() + first);
    std::copy_n(p.v.data(), sk * D, v.as<T>() + first);
    p.a.k.data = k.as<T>() + first;
    p.a.v.data = v.as<T>() + first;
    return test::survives([&] { return p.run(fa::host{1}) && test::fault(p, fa::causal{}) == ""; });
  };
  for (const i64 sq : {i64{1}, i64{2}, i64{8}, i64{20}, i64{60}}) {
    for (const i64 sk : {i64{1}, i64{5}, i64{47}, i64{96}, i64{131}}) {
      INFO("sq " << sq << " sk " << sk);
      CHECK(check(0.0f, std::integral_constant<int, 5>{}, sq, sk));
      CHECK(check(0.0f, std::integral_constant<int, 16>{}, sq, sk));
      CHECK(check(fa::f16{}, std::integral_constant<int, 7>{}, sq, sk));
      CHECK(check(fa::bf16{}, std::integral_constant<int, 13>{}, sq, sk));
    }
  }
}

TEST_CASE("nothing around the queries is read or written") {
  // Q and O start at the beginning of a page and end at the end of one; both neighbours
  // are forbidden.
  const auto check = [](auto zero, i64 sq) {
    using T = decltype(zero);
    constexpr int D = 8;
    const std::size_t page = test::page_bytes(),
                      used = static_cast<std::size_t>(sq) * D * sizeof(T);
    bool good = true;
    for (const bool at_end : {false, true}) {
      const std::size_t pages = (used + page - 1) / page * page;
      const test::mapped q(pages + 2 * page), o(pages + 2 * page);
      if (!q.as<T>() || !o.as<T>()) return false;
      const std::size_t first = (page + (at_end ? pages - used : 0)) / sizeof(T);
      for (const auto* m : {&q, &o}) {
        if (!m->forbid(0, page) || !m->forbid(page + pages, page)) return false;
      }
      test::dense_problem<T, D, D> p(test::shape{1, 1, 1, sq, 30});
      std::copy_n(p.q.data(), sq * D, q.as<T>() + first);
      p.a.q.data = q.as<T>() + first;
      p.a.o.data = o.as<T>() + first;
      good = good && test::survives(
                         [&] { return p.run(fa::host{1}) && test::fault(p, fa::no_mask{}) == ""; });
    }
    return good;
  };
  for (const i64 sq : {i64{1}, i64{3}, i64{7}, i64{8}, i64{31}, i64{49}, i64{100}}) {
    INFO("sq " << sq);
    CHECK(check(0.0f, sq));
    CHECK(check(fa::bf16{}, sq));
  }
}
