// expect: fa::on\(stream\): this file is compiled for the host.*Rule: .*Remedy: .*nvcc.*fa::host
#include <fa/attention.hpp>

void run(void* stream) {
  using attention = fa::attention<float, fa::head_dim<64>>;
  attention::forward_args arguments;
  static_cast<void>(attention::forward(fa::on(stream), arguments));
}
