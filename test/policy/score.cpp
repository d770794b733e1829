// The concept of a score, and the score that is none.
#include "catch.hpp"

#include <fa/policy/score.hpp>

namespace {

struct returns_nothing {
  struct bound {
    void operator()(float, int, int) const {}
  };
  bound bind(const fa::sequence&) const { return {}; }
};
struct takes_no_position {
  struct bound {
    float operator()(float x) const { return x; }
  };
  bound bind(const fa::sequence&) const { return {}; }
};
struct halved {
  struct bound {
    float operator()(float x, int, int) const { return x / 2; }
  };
  bound bind(const fa::sequence&) const { return {}; }
};

}  // namespace

static_assert(fa::Score<fa::no_score> && fa::Score<halved>);
static_assert(!fa::Score<returns_nothing> && !fa::Score<takes_no_position> && !fa::Score<int>);
static_assert(fa::is_identity<fa::no_score> && !fa::is_identity<halved>);

TEST_CASE("no score leaves every logit") {
  const auto s = fa::no_score{}.bind(fa::sequence{2, 2, 0, 0});
  CHECK(s(1.5f, 0, 1) == 1.5f);
  CHECK(s(-0.25f, 1, 0) == -0.25f);
}
