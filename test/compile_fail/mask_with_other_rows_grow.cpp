// expect: optional member of another form.*Rule: .*bool rows_grow\(\) const.*Remedy:
#include <fa/attention.hpp>

// Cannot be asked of a mask that does not change.
struct up_to_own {
  struct bound {
    bool keep(int i, int j) const { return j <= i; }
    fa::key_span span(fa::row_range, int key_count) const { return fa::every_key(key_count); }
  };
  bound bind(const fa::sequence&) const { return {}; }
  bool rows_grow() { return true; }
};

using attention = fa::attention<float, fa::head_dim<64>, up_to_own>;
attention::forward_args arguments;
