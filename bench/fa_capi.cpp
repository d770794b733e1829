// A C interface to the forward pass of a few variants, for callers that load a shared library at
// run time. The comparison with PyTorch uses it to time both sides in one process. Any strides of
// the outer three dimensions work.
#include "../test/arguments.hpp"

#include <cstdint>
#include <cstdio>

#include <fa/attention.hpp>

namespace {

/// What a caller in another language can fill: see the ctypes twin in compare_pytorch.py.
struct problem {
  const void* q;
  const void* k;
  const void* v;
  void* o;
  std::int64_t batch, heads, heads_kv, queries, keys;
  std::int64_t q_strides[3], k_strides[3], v_strides[3],
      o_strides[3];       // elements: batch, head, token
  std::int32_t type;      // 0: f32, 1: f16, 2: bf16
  std::int32_t head_dim;  // 64 or 128
  std::int32_t causal;
  std::int32_t threads;  // 0: all
};

/// Shape of a tensor with the strides of a problem.
test::tensor_shape shape(std::int64_t batch, std::int64_t heads, std::int64_t tokens,
                         std::int64_t dim, const std::int64_t* strides) {
  return {batch, tokens, heads, dim, strides[0], strides[2], strides[1]};
}

template <class T, int D, class Mask>
fa::status run(const problem& p) {
  using attention = fa::attention<T, fa::head_dim<D>, Mask>;
  test::plain_call call;
  call.at(p.q, p.k, p.v, p.o);
  call.q_shape = shape(p.batch, p.heads, p.queries, D, p.q_strides);
  call.k_shape = shape(p.batch, p.heads_kv, p.keys, D, p.k_strides);
  call.v_shape = shape(p.batch, p.heads_kv, p.keys, D, p.v_strides);
  call.o_shape = shape(p.batch, p.heads, p.queries, D, p.o_strides);
  return attention::forward(fa::host{.threads = p.threads}, test::arguments<attention>(call));
}

template <class T, int D>
fa::status with_mask(const problem& p) {
  return p.causal ? run<T, D, fa::causal>(p) : run<T, D, fa::no_mask>(p);
}

template <class T>
int with_head_dim(const problem& p, char* message, std::int64_t size) {
  if (p.head_dim != 64 && p.head_dim != 128) {
    std::snprintf(message, static_cast<std::size_t>(size), "head_dim is neither 64 nor 128");
    return 1;
  }
  const fa::status s = p.head_dim == 64 ? with_mask<T, 64>(p) : with_mask<T, 128>(p);
  if (!s) std::snprintf(message, static_cast<std::size_t>(size), "%s", s.message());
  return !s;
}

}  // namespace

/// 0, or 1 and a message of at most size - 1 characters.
extern "C" int fa_forward(const problem* p, char* message, std::int64_t size) {
  switch (p->type) {
    case 0: return with_head_dim<float>(*p, message, size);
    case 1: return with_head_dim<fa::f16>(*p, message, size);
    case 2: return with_head_dim<fa::bf16>(*p, message, size);
    default:
      std::snprintf(message, static_cast<std::size_t>(size), "unknown element type");
      return 1;
  }
}

/// How this library was built, for tables.
extern "C" const char* fa_build() {
  return
#if defined(__clang__)
      "clang " __clang_version__
#else
      "g++ " __VERSION__
#endif
#if defined(__AVX512BF16__)
      ", AVX-512 with bf16 dot products"
#elif defined(__AVX512F__)
      ", AVX-512"
#elif defined(__AVX2__)
      ", AVX2"
#endif
#ifdef _OPENMP
      ", OpenMP";
#else
      ", std::thread";
#endif
}
