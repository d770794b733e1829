// expect: incomplete mask .*Rule: .*span\(.*Remedy: .*every_key
// expect: known_option<every_other>
#include <fa/attention.hpp>

// Has keep, but does not say which keys a range of rows needs.
struct every_other {
  struct bound {
    bool keep(int i, int j) const { return (i + j) % 2 == 0; }
  };
  bound bind(const fa::sequence&) const { return {}; }
};

using attention = fa::attention<float, fa::head_dim<64>, every_other>;
attention::forward_args arguments;
