// expect: same kind of option twice.*Rule: .*Remedy:
// expect: head_dim<64(, 64)?>, fa::head_dim<32
#include <fa/attention.hpp>

using attention = fa::attention<float, fa::head_dim<64>, fa::head_dim<32>>;
attention::forward_args arguments;
