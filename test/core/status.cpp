// Statuses: what they say, and that they never run over their text.
#include "catch.hpp"

#include <fa/core/status.hpp>

#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <type_traits>

static_assert(std::is_trivially_copyable_v<fa::status> &&
              std::is_nothrow_default_constructible_v<fa::status>);
static_assert(!std::is_convertible_v<fa::status, bool>);  // only where a condition is asked for

TEST_CASE("a default status is fine") {
  const fa::status s;
  CHECK(static_cast<bool>(s));
  CHECK(s.code() == fa::status_code::ok);
  CHECK(std::string(s.message()) == "ok");
}

TEST_CASE("an error names argument, rule and value") {
  const fa::status s(fa::status_code::bad_stride, "k.dim_stride", "must be 1", 7);
  CHECK(!s);
  CHECK(s.code() == fa::status_code::bad_stride);
  CHECK(std::string(s.argument()) == "k.dim_stride");
  CHECK(std::string(s.rule()) == "must be 1");
  const std::string text = s.message();
  CHECK(text.find("k.dim_stride") != std::string::npos);
  CHECK(text.find("must be 1") != std::string::npos);
  CHECK(text.find("7") != std::string::npos);
  const fa::status copy = s;  // messages live in the status, not in the one it was copied from
  CHECK(copy.message() != s.message());
  CHECK(std::string(copy.message()) == text);
}

TEST_CASE("values of any size are written out") {
  const auto text_of = [](std::int64_t x) {
    return std::string(fa::status(fa::status_code::bad_value, "a", "b", x).message());
  };
  for (const std::int64_t x :
       {std::int64_t{0}, std::int64_t{-1}, std::int64_t{10},
        std::numeric_limits<std::int64_t>::max(), std::numeric_limits<std::int64_t>::min()}) {
    CHECK(text_of(x).find(std::to_string(x)) != std::string::npos);
  }
}

TEST_CASE("a value may be shown as a word") {
  const fa::status s(fa::status_code::null_pointer, "q", "must not be null", 0, "null");
  CHECK(std::string(s.message()) == "q: must not be null (is null)");
  CHECK(s.value() == 0);
}

TEST_CASE("a long text is cut, not overrun") {
  const std::string rule(5000, 'x');
  const fa::status s(fa::status_code::bad_value, "argument", rule.c_str(), 1);
  CHECK(std::strlen(s.message()) < sizeof(fa::status));
  CHECK(std::string(s.message()).starts_with("argument"));
}

TEST_CASE("every code has a word") {
  for (int n = 0; n <= static_cast<int>(fa::status_code::bad_offsets); ++n) {
    const std::string word = fa::name_of(static_cast<fa::status_code>(n));
    CHECK(!word.empty());
    CHECK(word != "unknown");
  }
}
