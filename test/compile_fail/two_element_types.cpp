// expect: same kind of option twice.*Rule: .*Remedy:
// expect: <float, fa::bf16
#include <fa/attention.hpp>

using attention = fa::attention<float, fa::bf16, fa::head_dim<64>>;
attention::forward_args arguments;
