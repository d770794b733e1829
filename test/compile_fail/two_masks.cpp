// expect: same kind of option twice.*Rule: .*mask.*Remedy:
// expect: fa::causal, fa::window
#include <fa/attention.hpp>

using attention = fa::attention<float, fa::head_dim<64>, fa::causal, fa::window>;
attention::forward_args arguments;
