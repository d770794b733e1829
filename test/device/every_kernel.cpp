// What a table of cases cannot say, of every kernel of the build: lengths around tiles under masks,
// head groups, packed sequences with nothing in them, strides of all kinds, poison around
// everything, special values, logits beyond all measure. For a GPU or the host.
//   every_kernel [--type f32|f16|bf16] [--flushes]
// --flushes: the GPU's matrix unit takes subnormal f16 and bf16 for zero (gfx90a)
#include "problem.hpp"

#include <cstdio>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace {

using namespace test;
using fa_matrix::element;
using fa_matrix::kernel_id;
using kind = placement::kind;

int done = 0, failed = 0;
bool flushes = false;

/// A kernel of dense and of packed tensors, and how messages call it.
struct kernel_pair {
  int d, dv;
  fa_matrix::kernel dense, packed;
  std::string name;
};

void expect(const kernel_pair& kernels, const std::string& what, const std::string& fault) {
  ++done;
  if (fault.empty()) return;
  ++failed;
  std::printf("FAILED: %s: %s: %s\n", kernels.name.c_str(), what.c_str(), fault.c_str());
  std::fflush(stdout);
}

std::string text_of(const fa::window& w) {
  return "window " + std::to_string(w.left) + " " + std::to_string(w.right);
}

/// Lengths within, at and across the borders of blocks (up to 512 queries) and of key tiles (16 to
/// 128), with masks whose edges lie inside tiles, at their borders and one beside. Where there are
/// more queries than keys, the first rows see nothing.
template <class T, class O>
void lengths_and_masks(const kernel_pair& kernels) {
  struct row {
    i64 sq, sk;
    fa::window mask;
  };
  constexpr row rows[] = {
      {1, 1, {-1, -1}},     {1, 70, {-1, 0}},    {1, 257, {20, 0}},   {3, 0, {-1, -1}},
      {37, 150, {40, 60}},  {70, 133, {-1, -1}}, {130, 65, {-1, 0}},  {65, 200, {-1, 5}},
      {200, 70, {16, 0}},   {64, 64, {-1, 0}},   {128, 128, {0, 0}},  {48, 96, {31, 0}},
      {48, 96, {32, 0}},    {48, 97, {33, 1}},   {96, 160, {63, 64}}, {96, 160, {64, 63}},
      {129, 193, {65, -1}}, {140, 300, {-1, 0}}, {530, 290, {-1, 0}}, {520, 520, {100, -1}}};
  std::uint64_t seed = 1;
  for (const row& r : rows) {
    erased_problem<T, O> p(kernels.d, kernels.dv, {.queries = {r.sq}, .keys = {r.sk}}, {}, seed++);
    p.mask = r.mask;
    expect(kernels, std::to_string(r.sq) + " x " + std::to_string(r.sk) + " " + text_of(r.mask),
           p.fault(kernels.dense));
  }
}

/// Heads that share keys: few queries, whose heads become rows of one block, and many.
template <class T, class O>
void head_groups(const kernel_pair& kernels) {
  for (const i64 sq : {1, 5, 130}) {
    erased_problem<T, O> p(kernels.d, kernels.dv,
                           {.hq = 8, .hk = 1, .queries = {sq}, .keys = {90}});
    p.mask = {-1, 0};
    expect(kernels, "8 heads on one, " + std::to_string(sq) + " queries", p.fault(kernels.dense));
  }
  erased_problem<T, O> p(kernels.d, kernels.dv,
                         {.hq = 6, .hk = 2, .queries = {33, 33}, .keys = {70, 70}});
  p.mask = {50, 10};
  expect(kernels, "6 heads on two, two batches", p.fault(kernels.dense));
}

/// Packed sequences, some without queries, keys or both; with and without unused tokens between
/// them, which are NaN.
template <class T, class O>
void packed(const kernel_pair& kernels) {
  for (const i64 room : {0, 3}) {
    for (const fa::window mask : {fa::window{-1, -1}, fa::window{-1, 0}, fa::window{30, 2}}) {
      const std::vector<i64> queries = {33, 0, 1, 70, 0, 5}, keys = {50, 20, 0, 97, 0, 3};
      const problem_size size{
          .hq = 2, .hk = 1, .queries = queries, .keys = keys, .packed = true, .room = room};
      erased_problem<T, O> p(kernels.d, kernels.dv, size);
      p.mask = mask;
      expect(kernels, "packed, room " + std::to_string(room) + " " + text_of(mask),
             p.fault(kernels.packed));
    }
  }
  erased_problem<T, O> nothing(kernels.d, kernels.dv,
                               {.queries = {0, 0}, .keys = {0, 5}, .packed = true});
  expect(kernels, "packed, no query at all", nothing.run(kernels.packed));
}

/// Strides and alignments change nothing: each placement must be right, and have the
/// bits of the plain one.
template <class T, class O>
void placements(const kernel_pair& kernels) {
  struct row {
    const char* name;
    placement how;
  };
  const row rows[] = {
      {"heads apart", {.order = kind::bhsd}},
      {"batches interleaved", {.order = kind::sbhd}},
      {"odd strides", {.pad = 3}},
      {"odd strides, heads apart", {.order = kind::bhsd, .pad = 1}},
      {"padded to 16 bytes", {.pad = 8}},
      {"off by one", {.shift = 1}},
      {"off by two", {.shift = 2}},
      {"off by four, odd strides", {.pad = 5, .shift = 4}},
      {"backwards", {.backwards = true}},
      {"backwards, odd strides", {.order = kind::sbhd, .pad = 7, .shift = 3, .backwards = true}}};
  const problem_size size{.hq = 4, .hk = 2, .queries = {37, 37}, .keys = {75, 75}};
  const fa::window mask{60, 20};
  erased_problem<T, O> plain(kernels.d, kernels.dv, size);
  plain.mask = mask;
  expect(kernels, "plain", plain.fault(kernels.dense));
  for (const row& r : rows) {
    erased_problem<T, O> p(kernels.d, kernels.dv, size, r.how);
    p.mask = mask;
    expect(kernels, r.name, p.fault(kernels.dense));
    bool same = true;
    for (i64 b = 0; b < 2; ++b) {
      p.for_each(false, [&](i64 slot, i64 i, i64 h, i64 c) {
        if (slot != b || c >= kernels.dv) return;
        same = same && p.o_at(b, h, i, c) == plain.o_at(b, h, i, c) &&
               p.lse_at(b, h, i) == plain.lse_at(b, h, i);
      });
    }
    expect(kernels, r.name, same ? "" : "strides change the result");
  }
  for (const int shared : {1, 2, 3}) {
    const placement how{.share_heads = (shared & 1) != 0, .share_batch = (shared & 2) != 0};
    erased_problem<T, O> p(kernels.d, kernels.dv, size, how);
    p.mask = mask;
    expect(kernels, "stride 0", p.fault(kernels.dense));
  }
}

/// NaN and infinities where they are seen, and where a mask hides them.
template <class T, class O>
void special_values(const kernel_pair& kernels) {
  constexpr float inf = std::numeric_limits<float>::infinity(),
                  nan = std::numeric_limits<float>::quiet_NaN();
  const int d = kernels.d - 1, dv = kernels.dv - 1;
  const auto check = [&](const char* what, fa::window mask, const auto& change) {
    erased_problem<T, O> p(kernels.d, kernels.dv,
                           {.hq = 2, .hk = 1, .queries = {40}, .keys = {70}});
    p.mask = mask;
    change(p);
    expect(kernels, what, p.fault(kernels.dense));
  };
  const fa::window all{-1, -1}, causal{-1, 0};
  check("a query of NaN", all, [&](auto& p) { p.q.at(0, 7, 1, d) = T(nan); });
  check("a key of NaN", all, [&](auto& p) { p.k.at(0, 69, 0, 0) = T(nan); });
  check("a key of NaN that the last row sees", causal,
        [&](auto& p) { p.k.at(0, 69, 0, d) = T(nan); });
  check("a value of NaN", all, [&](auto& p) { p.v.at(0, 33, 0, dv) = T(nan); });
  check("an infinite value", all, [&](auto& p) { p.v.at(0, 0, 0, 0) = T(inf); });
  check("infinite values of both signs", all,
        [&](auto& p) { p.v.at(0, 3, 0, 0) = T(inf), p.v.at(0, 60, 0, 0) = T(-inf); });
  check("a logit of minus infinity", all, [&](auto& p) {
    for (i64 i = 0; i < 40; ++i) p.q.at(0, i, 0, 0) = p.q.at(0, i, 1, 0) = T(1.f);
    p.k.at(0, 20, 0, 0) = T(-inf);
  });
  check("nothing but logits of minus infinity", all, [&](auto& p) {
    for (i64 i = 0; i < 40; ++i) p.q.at(0, i, 0, 0) = p.q.at(0, i, 1, 0) = T(1.f);
    for (i64 j = 0; j < 70; ++j) p.k.at(0, j, 0, 0) = T(-inf);
  });
  check("huge finite values where none is seen", {3, 0}, [&](auto& p) {
    for (i64 c = 0; c < kernels.dv; ++c) p.v.at(0, 2, 0, c) = T(6e4f);
    for (i64 c = 0; c < kernels.d; ++c) p.k.at(0, 2, 0, c) = T(-6e4f);
  });
}

/// Logits of 1e9 and more, exact in every type, so that the largest wins alone; and
/// scales of all signs.
template <class T, class O>
void large_logits(const kernel_pair& kernels) {
  const float reach = std::is_same_v<T, fa::f16> ? 1.f : 1024.f;
  for (const bool negative : {false, true}) {
    erased_problem<T, O> p(kernels.d, kernels.dv, {.queries = {70}, .keys = {140}});
    p.scale = negative ? -1.f : 1.f;
    p.mask = {100, 0};
    p.for_each(false, [&](i64 b, i64 i, i64 h, i64 c) {
      p.q.at(b, i, h, c) = T(c == 0 ? 32768.f * reach : 0.f);
    });
    p.for_each(true, [&](i64 b, i64 j, i64 h, i64 c) {
      const auto step = static_cast<float>(j * 37 % 61);  // of either sign, or all of one
      if (c < kernels.d)
        p.k.at(b, j, h, c) = T(c == 0 ? (negative ? step + 1.f : step - 30.f) * 1024.f : 0.f);
    });
    expect(kernels,
           negative ? "nothing but logits from -3e7 down to -2e9" : "logits from -1e9 to 1e9",
           p.fault(kernels.dense));
  }
  for (const float scale : {0.f, -0.3f, 1e-6f, 0.5f}) {
    erased_problem<T, O> p(kernels.d, kernels.dv, {.queries = {40}, .keys = {70}});
    p.scale = scale;
    p.mask = {-1, 0};
    expect(kernels, "scale " + std::to_string(scale), p.fault(kernels.dense));
  }
}

/// Subnormal values: a row that sees one key has its V, or zeros where the GPU takes
/// subnormals for zero.
template <class T, class O>
void subnormal_values(const kernel_pair& kernels) {
  if constexpr (std::is_same_v<T, fa::f16>) {
    erased_problem<T, O> p(kernels.d, kernels.dv, {.queries = {40}, .keys = {40}});
    p.mask = {0, 0};
    p.for_each(true, [&](i64 b, i64 j, i64 h, i64 c) {
      const auto bits = static_cast<std::uint16_t>((j * 31 + c) % 1024 | (j % 2 << 15));
      if (c < kernels.dv) p.v.at(b, j, h, c).bits = bits;
    });
    std::string fault = p.run(kernels.dense);
    for (i64 i = 0; i < 40 && fault.empty(); ++i) {
      for (i64 c = 0; c < kernels.dv; ++c) {
        const double v = value_of(p.v.at(0, i, 0, c)), o = p.o_at(0, 0, i, c);
        // To the last bits of an f32: O is a sum of one weight, divided by it.
        if (std::fabs(o - v) > 1e-6 * std::fabs(v) && !(flushes && o == 0))
          fault = std::to_string(o) + " instead of " + std::to_string(v);
      }
    }
    expect(kernels, "subnormal values", fault);
  }
}

/// LSE is optional, and a call repeated gives the same bits.
template <class T, class O>
void repeated(const kernel_pair& kernels) {
  erased_problem<T, O> p(kernels.d, kernels.dv, {.hq = 2, .hk = 2, .queries = {70}, .keys = {150}});
  p.mask = {-1, 0};
  expect(kernels, "first call", p.run(kernels.dense));
  const auto o = p.o.memory;
  expect(kernels, "second call", p.run(kernels.dense));
  expect(kernels, "second call", o == p.o.memory ? "" : "other bits");
  expect(kernels, "without LSE", p.run(kernels.dense, false));
  expect(kernels, "without LSE", o == p.o.memory ? "" : "other bits");
}

template <class T, class O>
void everything(const kernel_pair& kernels) {
  lengths_and_masks<T, O>(kernels);
  head_groups<T, O>(kernels);
  packed<T, O>(kernels);
  placements<T, O>(kernels);
  special_values<T, O>(kernels);
  large_logits<T, O>(kernels);
  subnormal_values<T, O>(kernels);
  repeated<T, O>(kernels);
}

void run(const kernel_id& id) {
  constexpr const char* names[] = {"f32", "f16", "bf16"};
  kernel_id other = id;
  other.packed = true;
  const std::string sizes = " D " + std::to_string(id.d) + "/" + std::to_string(id.dv);
  const std::string name = names[static_cast<int>(id.in)] + sizes +
                           (id.out != id.in ? " f32 output" : "");
  const kernel_pair kernels{id.d, id.dv, fa_matrix::find_kernel(id), fa_matrix::find_kernel(other),
                            name};
  if (id.in == element::f32) everything<float, float>(kernels);
  if (id.in == element::f16)
    id.out == id.in ? everything<fa::f16, fa::f16>(kernels) : everything<fa::f16, float>(kernels);
  if (id.in == element::bf16)
    id.out == id.in ? everything<fa::bf16, fa::bf16>(kernels)
                    : everything<fa::bf16, float>(kernels);
}

}  // namespace

int main(int argc, char* argv[]) {
  std::string_view type;
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    if (word == "--flushes") flushes = true;
    if (word == "--type" && i + 1 < argc) type = argv[++i];
  }
  int kernels = 0;
  for (const auto& entry : fa_matrix::kernels()) {
    const kernel_id& id = entry.id;
    constexpr std::string_view names[] = {"f32", "f16", "bf16"};
    // The run-time window stands for all masks; packed kernels come with the dense ones.
    if (id.packed || id.mask != fa_matrix::mask_kind::window) continue;
    if (!type.empty() && type != names[static_cast<int>(id.in)]) continue;
    ++kernels;
    run(id);
  }
  std::printf("%d kernels, %d checks, %d failed\n", kernels, done, failed);
  test::digest().print();
  return failed > 0 || kernels == 0 ? 1 : 0;
}
