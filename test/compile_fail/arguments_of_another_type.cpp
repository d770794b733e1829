// expect: cannot convert|no viable|could not convert|no match
#include <fa/attention.hpp>

void assign(fa::bf16* data) {
  fa::attention<float, fa::head_dim<64>>::forward_args a;
  a.q = fa::bshd(data, 1, 1, 1, 64);
}
