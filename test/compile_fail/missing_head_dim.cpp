// expect: no head_dim.*Rule: .*Remedy: add head_dim<D>
#include <fa/attention.hpp>

using attention = fa::attention<float, fa::causal>;
attention::forward_args arguments;
