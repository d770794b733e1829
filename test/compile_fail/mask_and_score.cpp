// expect: a mask and a score at once .*Rule: .*Remedy: make two types
// expect: known_option<both>
#include <fa/attention.hpp>

// Sees every key and changes every logit: which of the two shall it be?
struct both {
  both bind(const fa::sequence&) const { return {}; }
  bool keep(int, int) const { return true; }
  fa::key_span span(fa::row_range, int keys) const { return {0, 0, keys, keys}; }
  float operator()(float s, int, int) const { return s + 1.f; }
};

using attention = fa::attention<float, fa::head_dim<64>, both>;
attention::forward_args arguments;
