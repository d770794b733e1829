// expect: derivative of another form.*Rule: .*float derivative\(float, int, int\) const.*Remedy:
#include <fa/attention.hpp>

// Its derivative changes the score.
struct half {
  struct bound {
    float operator()(float s, int, int) const { return 0.5f * s; }
    float derivative(float, int, int) { return 0.5f; }
  };
  bound bind(const fa::sequence&) const { return {}; }
};

using attention = fa::attention<float, fa::head_dim<64>, half>;
attention::forward_args arguments;
