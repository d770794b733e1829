// One share of the kernels on the host.
#include "kernel_list.hpp"

#include <type_traits>

namespace fa_matrix {
namespace {

template <class Attention>
outcome run(const call& c) {
  using out_type = std::remove_pointer_t<decltype(Attention::forward_args::o.data)>;
  typename Attention::forward_args a;
  a.q = view(static_cast<const in_type*>(c.q), c.q_shape);
  a.k = view(static_cast<const in_type*>(c.k), c.k_shape);
  a.v = view(static_cast<const in_type*>(c.v), c.v_shape);
  a.o = view(static_cast<out_type*>(c.o), c.o_shape);
  set_numbers(a, c);
  if constexpr (requires { a.cu_seqlens_q; }) {
    if (c.lse) a.lse = fa::ht(c.lse, c.q_shape.heads, c.q_shape.seqlen);
    a.batch = c.batch;
    a.cu_seqlens_q = c.cu_q;
    a.cu_seqlens_k = c.cu_k;
    a.seqused_q = c.used_q;
    a.seqused_k = c.used_k;
  } else {
    if (c.lse) a.lse = fa::bhs(c.lse, c.q_shape.batch, c.q_shape.heads, c.q_shape.seqlen);
  }
  fa::host machine{};
  machine.threads = c.threads;
  const fa::status s = Attention::forward(machine, a);
  return {static_cast<bool>(s), s ? "" : s.message()};
}

}  // namespace
}  // namespace fa_matrix
