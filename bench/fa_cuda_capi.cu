// The forward kernels on a GPU as C functions, for compare_cuda.py. Tensors are dense [batch, seqlen, heads, dim] in device memory.
#include <fa/attention.hpp>

#include <cstdint>
#include <cstdio>

namespace {

using T = fa::bf16;

template <int D>
int forward(const void* q, const void* k, const void* v, void* o, float* lse, std::int64_t batch, std::int64_t sq, std::int64_t sk,
            std::int64_t heads, std::int64_t heads_kv, int causal, void* stream) {
  using attn = fa::attention<T, fa::head_dim<D>, fa::window>;
  typename attn::forward_args a;
  a.q = fa::bshd(static_cast<const T*>(q), batch, sq, heads, D);
  a.k = fa::bshd(static_cast<const T*>(k), batch, sk, heads_kv, D);
  a.v = fa::bshd(static_cast<const T*>(v), batch, sk, heads_kv, D);
  a.o = fa::bshd(static_cast<T*>(o), batch, sq, heads, D);
  a.lse = fa::bhs(lse, batch, heads, sq);
  if (causal != 0) a.mask.right = 0;
  const fa::status s = attn::forward(fa::on(static_cast<cudaStream_t>(stream)), a);
  if (!s) std::fprintf(stderr, "%s\n", s.message());
  return s ? 0 : 1;
}

}  // namespace

/// 0 where the call was accepted. Head sizes: 64, 128, 256.
extern "C" int fa_forward_bf16(int d, const void* q, const void* k, const void* v, void* o, float* lse, std::int64_t batch,
                               std::int64_t sq, std::int64_t sk, std::int64_t heads, std::int64_t heads_kv, int causal, void* stream) {
  switch (d) {
    case 64: return forward<64>(q, k, v, o, lse, batch, sq, sk, heads, heads_kv, causal, stream);
    case 128: return forward<128>(q, k, v, o, lse, batch, sq, sk, heads, heads_kv, causal, stream);
    case 256: return forward<256>(q, k, v, o, lse, batch, sq, sk, heads, heads_kv, causal, stream);
    default: return 2;
  }
}
