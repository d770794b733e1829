// The helpers that turn a pointer and a shape into strides.
#include "catch.hpp"

#include <fa/core/tensor.hpp>

#include <cstdint>
#include <type_traits>
#include <vector>

namespace {

/// The place of element [b, s, h, c] by the strides.
template <class T>
std::int64_t place(const fa::tensor<T>& t, std::int64_t b, std::int64_t s, std::int64_t h,
                   std::int64_t c) {
  return b * t.batch_stride + s * t.token_stride + h * t.head_stride + c * t.dim_stride;
}

constexpr std::int64_t B = 2, S = 3, H = 4, D = 5;

/// Calls check(b, s, h, c) for every element.
template <class Check>
void each(const Check& check) {
  for (std::int64_t b = 0; b < B; ++b)
    for (std::int64_t s = 0; s < S; ++s)
      for (std::int64_t h = 0; h < H; ++h)
        for (std::int64_t c = 0; c < D; ++c) check(b, s, h, c);
}

}  // namespace

static_assert(std::is_convertible_v<fa::tensor<float>, fa::tensor<const float>>);
static_assert(!std::is_convertible_v<fa::tensor<const float>, fa::tensor<float>>);

TEST_CASE("layout helpers give row-major strides of their order") {
  float x = 0;
  each([&](std::int64_t b, std::int64_t s, std::int64_t h, std::int64_t c) {
    REQUIRE(place(fa::bshd(&x, B, S, H, D), b, s, h, c) == ((b * S + s) * H + h) * D + c);
    REQUIRE(place(fa::bhsd(&x, B, H, S, D), b, s, h, c) == ((b * H + h) * S + s) * D + c);
    REQUIRE(place(fa::sbhd(&x, S, B, H, D), b, s, h, c) == ((s * B + b) * H + h) * D + c);
    REQUIRE(place(fa::thd(&x, S, H, D), 0, s, h, c) == (s * H + h) * D + c);
  });
  for (const auto& t :
       {fa::bshd(&x, B, S, H, D), fa::bhsd(&x, B, H, S, D), fa::sbhd(&x, S, B, H, D)}) {
    CHECK(t.data == &x);
    CHECK((t.batch == B && t.seqlen == S && t.heads == H && t.dim == D));
  }
}

TEST_CASE("a tensor of numbers is a tensor of constant numbers") {
  float x = 0;
  const fa::tensor<float> t = fa::bhsd(&x, B, H, S, D);
  const fa::tensor<const float> c = t;
  CHECK(c.data == &x);
  CHECK((c.batch == t.batch && c.seqlen == t.seqlen && c.heads == t.heads && c.dim == t.dim));
  CHECK((c.batch_stride == t.batch_stride && c.token_stride == t.token_stride &&
         c.head_stride == t.head_stride));
  CHECK(c.dim_stride == t.dim_stride);
}

TEST_CASE("sizes and strides are 64-bit products") {
  float x = 0;
  const std::int64_t large = std::int64_t{1} << 20;
  CHECK(fa::bshd(&x, 2, large, large, 512).batch_stride == large * large * 512);
  CHECK(fa::sbhd(&x, 2, large, large, 512).token_stride == large * large * 512);
  CHECK(fa::bhs(&x, 2, large, large).batch_stride == large * large);
}

TEST_CASE("LSE helpers") {
  float x = 0;
  const auto dense = fa::bhs(&x, B, H, S);
  CHECK((dense.batch == B && dense.heads == H && dense.seqlen == S));
  CHECK((dense.batch_stride == H * S && dense.head_stride == S && dense.token_stride == 1));
  const auto packed = fa::ht(&x, H, S);
  CHECK((packed.batch == 1 && packed.heads == H && packed.seqlen == S && packed.head_stride == S &&
         packed.token_stride == 1));
}
