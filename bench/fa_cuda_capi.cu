// The forward kernels on a GPU as C functions, for compare_cuda.py. Tensors are dense [batch,
// seqlen, heads, dim] in device memory.
#include "../test/arguments.hpp"

#include <fa/attention.hpp>

#include <cstdint>
#include <cstdio>

namespace {

struct sizes {
  std::int64_t batch, sq, sk, heads, heads_kv;
};

template <class T, int D>
int forward(const void* q, const void* k, const void* v, void* o, float* lse, const sizes& n,
            int causal, void* stream) {
  using attn = fa::attention<T, fa::head_dim<D>, fa::window>;
  test::plain_call call = test::dense_call({n.batch, n.heads, n.heads_kv, n.sq, n.sk}, D, D);
  call.at(q, k, v, o, lse);
  if (causal != 0) call.right = 0;
  const fa::status s = attn::forward(fa::on(static_cast<cudaStream_t>(stream)),
                                     test::arguments<attn>(call));
  if (!s) std::fprintf(stderr, "%s\n", s.message());
  return s ? 0 : 1;
}

/// 0 where the call was accepted. Head sizes: 64, 128, 256.
template <class T>
int forward(int d, const void* q, const void* k, const void* v, void* o, float* lse, const sizes& n,
            int causal, void* stream) {
  switch (d) {
    case 64: return forward<T, 64>(q, k, v, o, lse, n, causal, stream);
    case 128: return forward<T, 128>(q, k, v, o, lse, n, causal, stream);
    case 256: return forward<T, 256>(q, k, v, o, lse, n, causal, stream);
    default: return 2;
  }
}

}  // namespace

#define FORWARD(type)                                                                           \
  extern "C" int fa_forward_##type(int d, const void* q, const void* k, const void* v, void* o, \
                                   float* lse, std::int64_t batch, std::int64_t sq,             \
                                   std::int64_t sk, std::int64_t heads, std::int64_t heads_kv,  \
                                   int causal, void* stream) {                                  \
    return forward<fa::type>(d, q, k, v, o, lse, {batch, sq, sk, heads, heads_kv}, causal,      \
                             stream);                                                           \
  }
FORWARD(bf16)
FORWARD(f16)
