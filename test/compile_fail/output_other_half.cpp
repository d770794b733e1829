// expect: output<T> of an unsupported type.*Rule: .*Remedy:
// expect: output<fa::f16>
#include <fa/attention.hpp>

using attention = fa::attention<fa::bf16, fa::head_dim<64>, fa::output<fa::f16>>;
attention::forward_args arguments;
