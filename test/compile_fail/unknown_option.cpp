// expect: unknown option .*Rule: .*Remedy:
// expect: known_option<not_an_option>
#include <fa/attention.hpp>

struct not_an_option {};

using attention = fa::attention<float, fa::head_dim<64>, not_an_option>;
attention::forward_args arguments;
