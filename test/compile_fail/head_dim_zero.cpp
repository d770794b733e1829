// expect: head_dim<D, DV> out of range.*Rule: 1 <= D <= 512.*Remedy:
#include <fa/attention.hpp>

using attention = fa::attention<float, fa::head_dim<0>>;
attention::forward_args arguments;
