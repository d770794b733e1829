// expect: no place to run.*Rule: .*fa::host.*fa::host_with.*fa::on\(stream\).*Remedy:
// expect: thread_count
#include <fa/attention.hpp>

struct thread_count {
  int threads;
};

void run() {
  using attention = fa::attention<float, fa::head_dim<64>>;
  attention::forward_args arguments;
  static_cast<void>(attention::forward(thread_count{4}, arguments));
}
