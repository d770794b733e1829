// One share of the kernels on the host.
#include "kernel_list.hpp"

namespace fa_matrix {
namespace {

template <class Attention>
outcome run(const call& c) {
  fa::host machine{};
  machine.threads = c.threads;
  const fa::status s = Attention::forward(machine, test::arguments<Attention>(c));
  return {static_cast<bool>(s), s ? "" : s.message()};
}

}  // namespace
}  // namespace fa_matrix
