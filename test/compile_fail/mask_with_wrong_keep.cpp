// expect: unknown option .*Rule: .*Remedy: .*keep.*fa::Mask
// expect: known_option<lower>
#include <fa/attention.hpp>

// keep takes one number.
struct lower {
  struct bound {
    bool keep(fa::sequence) const { return true; }
    fa::key_span span(fa::row_range, int keys) const { return {0, 0, 0, keys}; }
  };
  bound bind(const fa::sequence&) const { return {}; }
};

using attention = fa::attention<float, fa::head_dim<64>, lower>;
attention::forward_args arguments;
