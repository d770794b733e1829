// expect: same kind of option twice.*Rule: .*varlen.*Remedy:
// expect: fa::varlen, fa::varlen
#include <fa/attention.hpp>

using attention = fa::attention<float, fa::head_dim<64>, fa::varlen, fa::varlen>;
attention::forward_args arguments;
