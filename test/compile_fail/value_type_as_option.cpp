// expect: unknown option .*Rule: .*Remedy:
// expect: known_option<int>
#include <fa/attention.hpp>

using attention = fa::attention<int, fa::head_dim<64>>;
attention::forward_args arguments;
