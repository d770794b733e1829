// expect: head_dim<D, DV> out of range.*Rule: .*1 <= DV <= 512.*Remedy:
#include <fa/attention.hpp>

using attention = fa::attention<float, fa::head_dim<513>>;
attention::forward_args arguments;
