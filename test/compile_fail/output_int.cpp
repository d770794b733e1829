// expect: output<T> of an unsupported type.*Rule: .*Remedy:
// expect: output<int>
#include <fa/attention.hpp>

using attention = fa::attention<fa::bf16, fa::head_dim<64>, fa::output<int>>;
attention::forward_args arguments;
