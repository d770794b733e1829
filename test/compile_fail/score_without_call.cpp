// expect: unknown option .*Rule: .*Remedy: .*fa::Score
// expect: known_option<doubled>
#include <fa/attention.hpp>

// The bound score is called by another name.
struct doubled {
  struct bound {
    float apply(float s, int, int) const { return 2 * s; }
  };
  bound bind(const fa::sequence&) const { return {}; }
};

using attention = fa::attention<float, fa::head_dim<64>, doubled>;
attention::forward_args arguments;
