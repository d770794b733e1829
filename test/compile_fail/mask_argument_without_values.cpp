// expect: mask
#include <fa/attention.hpp>

void assign() {
  fa::attention<float, fa::head_dim<64>, fa::causal>::forward_args a;
  a.mask = fa::window{.left = 1, .right = 1};
}
