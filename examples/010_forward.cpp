// Causal attention in bf16: build the arguments, call, compare with attention as it is defined. g++
// or clang++ makes a program for the CPU of this file, hipcc -x hip or nvcc -x cu one for the GPU.
#include <chrono>
#include <cstdio>
#include <vector>

#include "device.hpp"
#include "naive.hpp"

// [quickstart]
#include <fa/attention.hpp>

// Options in any order, defaults for the rest.
using attn = fa::attention<fa::bf16, fa::head_dim<128>, fa::causal>;

template <class Where>  // fa::host{}; fa::on(stream) where a GPU's compiler compiles this
fa::status attend(Where where, const fa::bf16* q, const fa::bf16* k, const fa::bf16* v, fa::bf16* o,
                  float* lse, int batch, int seqlen, int heads, int heads_kv) {
  attn::forward_args a;
  a.q = fa::bshd(q, batch, seqlen, heads, 128);  // pointer and shape; any other strides can be set
  a.k = fa::bshd(k, batch, seqlen, heads_kv, 128);
  a.v = fa::bshd(v, batch, seqlen, heads_kv, 128);
  a.o = fa::bshd(o, batch, seqlen, heads, 128);
  a.lse = fa::bhs(lse, batch, heads, seqlen);  // optional
  return attn::forward(where, a);  // every argument is checked before anything is written
}
// [quickstart]

int main() {
  constexpr int batch = 1, seqlen = 1000, heads = 8, heads_kv = 2, dim = 128;
  const auto q = example::random_elements<fa::bf16>(batch * seqlen * heads * dim, 1);
  const auto k = example::random_elements<fa::bf16>(batch * seqlen * heads_kv * dim, 2);
  const auto v = example::random_elements<fa::bf16>(batch * seqlen * heads_kv * dim, 3);
  example::array<fa::bf16> q_here(q), k_here(k), v_here(v);
  example::array<fa::bf16> o_here(std::vector<fa::bf16>(q.size()));
  example::array<float> lse_here(std::vector<float>(batch * heads * seqlen));

  std::chrono::duration<double, std::milli> took{};
  for (int call = 0; call < 2; ++call) {  // the second is timed: the first may have to load code
    const auto start = std::chrono::steady_clock::now();
    const fa::status s = attend(example::here(), q_here.data(), k_here.data(), v_here.data(),
                                o_here.data(), lse_here.data(), batch, seqlen, heads, heads_kv);
    if (!s) {
      std::fprintf(stderr, "%s\n", s.message());
      return 1;
    }
    example::wait();
    took = std::chrono::steady_clock::now() - start;
  }
  const std::vector<fa::bf16> o = o_here.elements();

  double worst = 0;
  for (int i = 0; i < seqlen; i += 37) {
    for (int h = 0; h < heads; ++h) {
      const int kv = h / (heads / heads_kv) * dim;
      const auto expected = example::naive_row(
          &q[static_cast<std::size_t>((i * heads + h) * dim)], &k[static_cast<std::size_t>(kv)],
          &v[static_cast<std::size_t>(kv)], i + 1, heads_kv * dim, dim);
      worst = std::fmax(
          worst, example::distance(&o[static_cast<std::size_t>((i * heads + h) * dim)], expected));
    }
  }
  std::printf("causal attention, bf16, %d tokens, %d query heads on %d key heads of %d\n", seqlen,
              heads, heads_kv, dim);
  example::print_place();
  std::printf(" in %.2f ms\n", took.count());
  std::printf(
      "largest difference from naive attention in double: %.2g (bf16 rounds numbers below 4 to "
      "%.2g)\n",
      worst, 1. / 64 / 2);
  return worst < 0.02 ? 0 : 1;
}
