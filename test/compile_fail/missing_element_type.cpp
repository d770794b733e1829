// expect: no element type.*Rule: .*Remedy: add float
#include <fa/attention.hpp>

using attention = fa::attention<fa::head_dim<64>, fa::causal>;
attention::forward_args arguments;
