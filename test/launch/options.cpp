// An option that the library does not have: its own definition and one place in a list give
// it a name in variants, a member in the arguments, a rule at compile time and checks at
// run time, for each kernel.
#include "catch.hpp"
#include "fixture.hpp"

#include <concepts>
#include <limits>
#include <string>
#include <type_traits>

using test::i64;

namespace {

/// Learned sinks with a largest size, as an option could bring them: sinks<8>.
template <int Most>
struct sinks {
  static constexpr int most = Most;
};

template <class X>
inline constexpr bool is_sinks = false;
template <int Most>
inline constexpr bool is_sinks<sinks<Most>> = true;

struct sinks_option : fa::detail::option {
  template <class X>
  static constexpr bool is = is_sinks<X>;

  template <class Chosen>
  using otherwise = sinks<0>;

  template <bool Stop, class Chosen>
  static consteval bool fits() {
    constexpr bool in_range = Chosen::template of<sinks_option>::most >= 0;
    static_assert(!Stop || in_range, "sinks<N>: N is negative. Rule: N >= 0. Remedy: leave it out");
    return in_range;
  }

  template <class Chosen>
  struct names {
    static constexpr int most_sinks = Chosen::template of<sinks_option>::most;
  };

  template <class Pass, class V>
    requires(V::most_sinks > 0)
  struct members {
    const float* sink = nullptr;  // [sink_heads], may be null
    i64 sink_heads = 0;
  };

  template <class Rules, class Pass, class V>
  static constexpr void check_values(Rules& r, const fa::arguments<Pass, V>& a) {
    if constexpr (V::most_sinks > 0)
      r.require(a.sink_heads <= V::most_sinks, fa::status_code::bad_value, "sink_heads",
                "must not exceed the N of sinks<N>", a.sink_heads, "N", V::most_sinks);
  }

  template <class Rules, class Pass, class V>
  static void check_memory(Rules& r, const fa::arguments<Pass, V>& a) {
    if constexpr (V::most_sinks > 0)
      r.require(a.sink_heads == 0 || a.sink != nullptr, fa::status_code::null_pointer, "sink",
                "must not be null", 0, "null");
  }

  template <class Rules, class Pass, class V>
  static void check_arrays(Rules& r, const fa::arguments<Pass, V>& a) {
    if constexpr (V::most_sinks > 0) {
      for (i64 h = 0; h < a.sink_heads; ++h)
        r.require(fa::is_finite(a.sink[h]), fa::status_code::bad_value, "sink", "must be finite", h,
                  "not finite");
    }
  }
};

/// What a kernel that reads O and writes G has of its own.
struct reading_pass {
  template <class T>
  using output = const T;
};

struct gradient_option : fa::detail::option {
  template <class Pass, class V>
    requires(std::same_as<Pass, reading_pass>)
  struct members {
    fa::tensor<float> g;
  };

  template <class Rules, class Pass, class V>
  static constexpr void check_values(Rules& r, const fa::arguments<Pass, V>& a) {
    if constexpr (std::same_as<Pass, reading_pass>)
      r.require_equal(a.g.batch, a.q.batch, "g.batch", "must equal q.batch", "q.batch");
  }
};

/// The one place.
using longer_list = fa::detail::every_option::with<sinks_option, gradient_option>;

template <class... Types>
using variant = fa::detail::variant_of<longer_list, Types...>;
template <class... Types>
constexpr bool good = fa::detail::options_of<longer_list>::good<Types...>();

using with = variant<float, fa::head_dim<16, 24>, sinks<4>, fa::window>;
using without = variant<float, fa::head_dim<16, 24>, fa::window>;
using with_args = fa::forward_arguments<with>;

template <class A>
constexpr bool has_sink = requires(A a) { a.sink; };
template <class A>
constexpr bool has_gradient = requires(A a) { a.g; };

// Named, found, with a default, and unknown to the library's own list.
static_assert(with::most_sinks == 4 && without::most_sinks == 0);
static_assert(std::is_same_v<with::element, float> && with::dims::value == 24);
static_assert(good<sinks<4>, float, fa::head_dim<16>>);
static_assert(!fa::supports<sinks<4>, float, fa::head_dim<16>>);
// Twice, and against its rule.
static_assert(!good<sinks<4>, float, fa::head_dim<16>, sinks<2>>);
static_assert(!good<sinks<-1>, float, fa::head_dim<16>>);
// The rules of the others hold as before.
static_assert(!good<sinks<4>, float>);
static_assert(!good<sinks<4>, float, fa::head_dim<16>, int>);
// Its members are there where it is named, for each kernel; a kernel's own for that kernel alone.
static_assert(has_sink<with_args> && !has_sink<fa::forward_arguments<without>>);
static_assert(has_sink<fa::arguments<reading_pass, with>>);
static_assert(!has_gradient<with_args> && has_gradient<fa::arguments<reading_pass, with>>);
static_assert(std::is_same_v<decltype(with_args::o), fa::tensor<float>>);
static_assert(
    std::is_same_v<decltype(fa::arguments<reading_pass, with>::o), fa::tensor<const float>>);
// What was not named costs nothing.
using plain = fa::attention<float, fa::head_dim<16, 24>, fa::window>::forward_args;
static_assert(sizeof(fa::forward_arguments<without>) == sizeof(plain));
static_assert(sizeof(plain) == 4 * sizeof(fa::tensor<float>) + sizeof(fa::row_tensor) +
                                   sizeof(fa::window) + sizeof(fa::optional_float));

using problem = test::dense_problem<float, 16, 24, fa::window>;

/// The arguments of another kernel or variant for the tensors of a problem.
template <class Arguments>
Arguments like(const problem& p) {
  Arguments a;
  a.q = p.a.q, a.k = p.a.k, a.v = p.a.v, a.o = p.a.o, a.lse = p.a.lse;
  return a;
}

void refused(const fa::status& s, fa::status_code code, const char* argument) {
  INFO(s.message());
  CHECK(s.code() == code);
  CHECK(std::string(s.argument()) == argument);
}

}  // namespace

TEST_CASE("an option of a longer list: its checks") {
  problem p(test::shape{2, 4, 2, 10, 12});
  float numbers[] = {1, 2, 3, 4, 5};
  auto a = like<with_args>(p);
  CHECK(fa::detail::check_arguments(a));
  a.sink_heads = 5;
  a.sink = numbers;
  refused(fa::detail::check_arguments(a), fa::status_code::bad_value, "sink_heads");
  CHECK(std::string(fa::detail::check_arguments(a).message()) ==
        "sink_heads: must not exceed the N of sinks<N> (is 5, N is 4)");
  a.sink_heads = 4;
  CHECK(fa::detail::check_arguments(a));
  CHECK(fa::detail::check_sequences(a));
  numbers[3] = std::numeric_limits<float>::infinity();
  refused(fa::detail::check_sequences(a), fa::status_code::bad_value, "sink");
  a.sink = nullptr;
  refused(fa::detail::check_arguments(a), fa::status_code::null_pointer, "sink");
  a.v.heads = 1;  // a rule of another option, asked earlier
  refused(fa::detail::check_arguments(a), fa::status_code::shape_mismatch, "v.heads");
}

TEST_CASE("an option of a longer list: the same members and checks for another kernel") {
  problem p(test::shape{2, 4, 2, 10, 12});
  auto a = like<fa::arguments<reading_pass, with>>(p);
  a.g.batch = 2;
  a.o.head_stride = 0;  // fine where O is read
  CHECK(fa::detail::check_arguments(a));
  a.g.batch = 3;
  refused(fa::detail::check_arguments(a), fa::status_code::shape_mismatch, "g.batch");
  a.sink_heads = 5;
  refused(fa::detail::check_arguments(a), fa::status_code::bad_value, "sink_heads");
  a.k.batch = 1;
  refused(fa::detail::check_arguments(a), fa::status_code::shape_mismatch, "k.batch");
}

TEST_CASE("an option of a longer list: a call") {
  problem p(test::shape{2, 4, 2, 10, 12}), same(test::shape{2, 4, 2, 10, 12});
  auto a = like<with_args>(p);
  a.mask = same.a.mask = {.left = 5, .right = 2};
  REQUIRE(fa::detail::check_arguments(a));
  REQUIRE(fa::detail::launch<fa::forward_kernel>(fa::host{}, a));
  REQUIRE(same.run());
  CHECK(p.o == same.o);
  CHECK(p.lse == same.lse);
  const float bad[] = {std::numeric_limits<float>::quiet_NaN()};
  a.sink = bad, a.sink_heads = 1;
  refused(fa::detail::launch<fa::forward_kernel>(fa::host{}, a), fa::status_code::bad_value,
          "sink");
}
