// Random arguments. Whatever they are, a call either says what is wrong with them and writes
// nothing, or is right.
#include "catch.hpp"
#include "fixture.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <set>
#include <string>
#include <vector>

using test::i64;
using test::random_numbers;

namespace {

__extension__ typedef __int128 wide;  // extents of absurd strides

/// The lowest and the highest element that a tensor touches; {0, -1} if none.
struct extent {
  wide low = 0, high = -1;
};

template <class T>
extent extent_of(const fa::tensor<T>& t) {
  if (t.batch <= 0 || t.seqlen <= 0 || t.heads <= 0 || t.dim <= 0) return {};
  extent e{0, 0};
  const auto add = [&](i64 size, i64 stride) {
    const wide length = static_cast<wide>(size - 1) * stride;
    (length < 0 ? e.low : e.high) += length;
  };
  add(t.batch, t.batch_stride);
  add(t.seqlen, t.token_stride);
  add(t.heads, t.head_stride);
  add(t.dim, t.dim_stride);
  return e;
}

/// Elements of a tensor in a buffer of its own, at random strides: dimensions in random order, with
/// gaps, some backwards.
template <class T>
struct scattered {
  test::buffer<T> memory;
  i64 origin = 0;
  fa::tensor<T> t;

  scattered(random_numbers& r, i64 batch, i64 seqlen, i64 heads, i64 dim, bool may_share) {
    t.batch = batch, t.seqlen = seqlen, t.heads = heads, t.dim = dim;
    i64* strides[] = {&t.batch_stride, &t.token_stride, &t.head_stride};
    const i64 sizes[] = {batch, seqlen, heads};
    int order[] = {0, 1, 2};
    for (int i = 2; i > 0; --i) std::swap(order[i], order[r.between(0, i)]);
    i64 step = dim + (r.between(0, 3) == 0 ? r.between(0, 9) : 0);
    for (const int which : order) {
      i64& stride = *strides[which];
      if (may_share && r.between(0, 15) == 0) {
        stride = 0;  // broadcast
        continue;
      }
      stride = step;
      step = step * std::max<i64>(sizes[which], 1) + (r.between(0, 3) == 0 ? r.between(0, 9) : 0);
      if (r.between(0, 5) == 0) {
        origin += stride * std::max<i64>(sizes[which] - 1, 0);
        stride = -stride;
      }
    }
    memory = test::buffer<T>(step);
    t.data = memory.data() + origin;
  }

  /// True if all that `now`, a changed view of this tensor, would touch lies in the buffer.
  template <class E>
  bool inside(const fa::tensor<E>& now) const {
    const extent e = extent_of(now);
    // nothing, or a pointer that must be refused
    if (e.high < e.low || now.data != t.data) return true;
    return e.low >= -static_cast<wide>(origin) &&
           e.high < static_cast<wide>(memory.size() - origin);
  }
};

/// No two elements share a place.
template <class T>
bool distinct(const fa::tensor<T>& t) {
  std::set<i64> places;
  for (i64 b = 0; b < t.batch; ++b)
    for (i64 s = 0; s < t.seqlen; ++s)
      for (i64 h = 0; h < t.heads; ++h)
        for (i64 c = 0; c < t.dim; ++c) {
          if (!places.insert(b * t.batch_stride + s * t.token_stride + h * t.head_stride + c)
                   .second)
            return false;
        }
  return true;
}

/// Numbers that break things.
i64 odd_number(random_numbers& r) {
  const i64 all[] = {-1,
                     0,
                     1,
                     2,
                     3,
                     7,
                     17,
                     1000,
                     i64{1} << 20,
                     i64{1} << 31,
                     i64{1} << 32,
                     i64{1} << 62,
                     -(i64{1} << 31),
                     -5,
                     std::numeric_limits<i64>::max(),
                     std::numeric_limits<i64>::min()};
  return all[r.between(0, static_cast<i64>(std::size(all)) - 1)];
}

/// Changes one member of a tensor at random.
template <class T>
void spoil(random_numbers& r, fa::tensor<T>& t) {
  i64* members[] = {&t.batch,        &t.seqlen,       &t.heads,       &t.dim,
                    &t.batch_stride, &t.token_stride, &t.head_stride, &t.dim_stride};
  const i64 which = r.between(0, 9);
  if (which == 8) t.data = nullptr;
  else if (which == 9) t.data = reinterpret_cast<T*>(reinterpret_cast<std::uintptr_t>(t.data) + 1);
  else *members[which] = odd_number(r);
}

struct tally {
  int right = 0, refused = 0, skipped = 0;
};

/// Draws one dense problem, perhaps spoils it, and runs it if its memory is good for the case that
/// it is accepted.
template <class T, int D, int DV>
std::string dense_round(std::uint64_t seed, tally& count) {
  random_numbers r(seed);
  using attention = fa::attention<T, fa::head_dim<D, DV>, fa::window>;
  const auto size = [&](i64 high) { return r.between(0, 12) == 0 ? 0 : r.between(1, high); };
  const i64 batch = size(3), hk = size(3), group = r.between(1, 3), hq = hk * group;
  const i64 sq = r.between(0, 3) == 0 ? size(60) : size(9), sk = size(70);
  scattered<T> q(r, batch, sq, hq, D, true), k(r, batch, sk, hk, D, true),
      v(r, batch, sk, hk, DV, true), o(r, batch, sq, hq, DV, false);
  q.memory.normal(seed + 1);
  k.memory.normal(seed + 2);
  v.memory.normal(seed + 3);
  test::buffer<float> lse(batch * hq * sq);
  typename attention::forward_args a;
  a.q = q.t, a.k = k.t, a.v = v.t, a.o = o.t;
  if (r.between(0, 2) != 0) a.lse = fa::bhs(lse.data(), batch, hq, sq);
  if (r.between(0, 1) == 0) a.softmax_scale = static_cast<float>(r.normal());
  a.mask = {.left = r.between(-2, 20), .right = r.between(-2, 20)};
  bool must_fail = false;
  for (i64 n = r.between(0, 2); n > 0; --n) {
    switch (r.between(0, 5)) {
      case 0: spoil(r, a.q); break;
      case 1: spoil(r, a.k); break;
      case 2: spoil(r, a.v); break;
      case 3: spoil(r, a.o); break;
      case 4:
        if (a.lse.data) (r.between(0, 1) ? a.lse.heads : a.lse.seqlen) += 1, must_fail = true;
        break;
      default: a.softmax_scale = std::numeric_limits<float>::infinity(), must_fail = true; break;
    }
  }
  if (!must_fail && !(q.inside(a.q) && k.inside(a.k) && v.inside(a.v) && o.inside(a.o))) {
    // The library cannot know how large the memory is: only what it must refuse for another
    // reason may be tried.
    ++count.skipped;
    return {};
  }
  const fa::status s = attention::forward(fa::host{1 + static_cast<int>(seed % 3)}, a);
  if (!s) {
    ++count.refused;
    if (std::string(s.argument()).empty() || std::string(s.rule()).empty())
      return "an error without argument or rule";
    if (!o.memory.untouched() || !lse.untouched())
      return std::string("refused but written: ") + s.message();
    return {};
  }
  if (must_fail) return "accepted what breaks a rule";
  ++count.right;
  if (!distinct(a.o)) return {};  // rows that overlap have no right answer
  const auto places = test::sequences_of(a);
  const auto ref = test::naive<T>(a.q, a.k, a.v, places, test::scale_of(a), a.mask, fa::no_score{});
  const auto pt = test::in_input_type<T>(a.q, a.k, a.v, places, test::scale_of(a), a.mask,
                                         fa::no_score{});
  const auto verdict = test::judge_o<T, T>(
      test::tolerance_id::a2, ref, &pt,
      [&](i64 b, i64 h, i64 i, i64 c) { return test::value_of(test::element(a.o, b, i, h, c)); });
  if (!verdict.good())
    return "wrong O: " + std::to_string(verdict.error) + " > " + std::to_string(verdict.limit);
  i64 written = 0;
  for (i64 i = 0; i < o.memory.size(); ++i) written += test::is_poison(o.memory[i]) ? 0 : 1;
  if (written != a.o.batch * a.o.seqlen * a.o.heads * a.o.dim || !o.memory.guards_untouched())
    return "written outside of O";
  return {};
}

/// Packed tokens with random offsets, good or not.
template <class T, int D>
std::string packed_round(std::uint64_t seed, tally& count) {
  random_numbers r(seed);
  const i64 batch = r.between(0, 5);
  std::vector<i64> len_q, len_k;
  for (i64 b = 0; b < batch; ++b)
    len_q.push_back(r.between(0, 30)), len_k.push_back(r.between(0, 50));
  test::packed_problem<T, D, D, fa::causal> p(test::packed_shape{4, 2, len_q, len_k}, seed);
  bool bad = false;
  std::vector<std::int32_t> used(static_cast<std::size_t>(batch));
  if (batch > 0 && r.between(0, 1) == 0) {
    for (std::size_t b = 0; b < used.size(); ++b) {
      used[b] = static_cast<std::int32_t>(r.between(-1, len_k[b] + (r.between(0, 3) == 0 ? 1 : 0)));
      bad = bad || used[b] < 0 || used[b] > len_k[b];
    }
    p.a.seqused_k = used.data();
  }
  if (batch > 0 && r.between(0, 2) == 0) {
    auto& cu = r.between(0, 1) ? p.cu_q : p.cu_k;
    const auto at = static_cast<std::size_t>(r.between(0, batch));
    cu[at] = static_cast<std::int32_t>(r.between(-3, 200));
  }
  if (r.between(0, 4) == 0) p.a.max_seqlen_q = r.between(-1, 40);
  if (r.between(0, 9) == 0) p.a.batch = r.between(-1, batch);
  // Good or bad by the rules, said a second time.
  const auto ascending = [&](const std::vector<std::int32_t>& cu, i64 tokens) {
    bool good = p.a.batch <= 0 || cu[0] >= 0;
    for (i64 b = 0; b < p.a.batch; ++b)
      good = good && cu[static_cast<std::size_t>(b)] <= cu[static_cast<std::size_t>(b) + 1];
    return good && (p.a.batch <= 0 || cu[static_cast<std::size_t>(p.a.batch)] <= tokens);
  };
  bad = bad || p.a.batch < 0 || p.a.max_seqlen_q < 0 || !ascending(p.cu_q, p.a.q.seqlen) ||
        !ascending(p.cu_k, p.a.k.seqlen);
  bool certain = true;
  if (!bad) {
    for (i64 b = 0; b < p.a.batch; ++b) {
      const auto u = static_cast<std::size_t>(b);
      if (p.a.max_seqlen_q > 0) bad = bad || p.cu_q[u + 1] - p.cu_q[u] > p.a.max_seqlen_q;
      if (p.a.seqused_k) bad = bad || used[u] > p.cu_k[u + 1] - p.cu_k[u];
    }
  } else if (p.a.batch < batch) {
    certain = false;  // what is bad may lie beyond the sequences that are left
  }
  const fa::status s = p.run();
  if (!s) {
    ++count.refused;
    if (!bad) return std::string("refused without need: ") + s.message();
    return p.o.untouched() && p.lse.untouched() ? "" : "refused but written";
  }
  if (bad && certain) return "accepted bad offsets";
  ++count.right;
  return test::fault(p, fa::causal{});
}

/// Runs rounds; the first fault with its seed.
template <class Round>
std::string rounds(int first, int number, tally& count, const Round& round) {
  for (int seed = first; seed < first + number; ++seed) {
    const std::string fault = round(static_cast<std::uint64_t>(seed), count);
    if (!fault.empty()) return "seed " + std::to_string(seed) + ": " + fault;
  }
  return {};
}

}  // namespace

TEST_CASE("random dense arguments") {
  tally count;
  CHECK(rounds(0, 3000, count, dense_round<float, 8, 5>) == "");
  CHECK(rounds(10000, 1500, count, dense_round<fa::f16, 3, 16>) == "");
  CHECK(rounds(20000, 1500, count, dense_round<fa::bf16, 16, 16>) == "");
  // The rounds must reach both outcomes often.
  CHECK(count.right > 1500);
  CHECK(count.refused > 1000);
}

TEST_CASE("random packed arguments") {
  tally count;
  CHECK(rounds(0, 3000, count, packed_round<float, 8>) == "");
  CHECK(count.right > 500);
  CHECK(count.refused > 500);
}
