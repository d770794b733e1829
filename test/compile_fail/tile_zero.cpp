// expect: tile<q_rows, kv_rows> does not fit.*Rule: .*Remedy:
// expect: tile<0, 32>
#include <fa/attention.hpp>

using attention = fa::attention<float, fa::head_dim<64>, fa::tile<0, 32>>;
attention::forward_args arguments;
