// expect: optional member of another form.*Rule: .*key_range keys_of.*rows_grow.*Remedy:
#include <fa/attention.hpp>

// Says which keys a row sees, but as a span.
struct up_to_own {
  struct bound {
    bool keep(int i, int j) const { return j <= i; }
    fa::key_span span(fa::row_range, int key_count) const { return fa::every_key(key_count); }
    fa::key_span keys_of(int i) const { return {0, 0, i + 1, i + 1}; }
  };
  bound bind(const fa::sequence&) const { return {}; }
};

using attention = fa::attention<float, fa::head_dim<64>, up_to_own>;
attention::forward_args arguments;
