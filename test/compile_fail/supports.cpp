// expect nothing
#include <fa/attention.hpp>

// The compile-time answer to the same questions, without an error.
struct not_an_option {};

static_assert(fa::supports<float, fa::head_dim<1>>);
static_assert(
    fa::supports<fa::head_dim<512, 1>, fa::bf16, fa::causal, fa::output<float>, fa::varlen>);
static_assert(!fa::supports<>);
static_assert(!fa::supports<float>);
static_assert(!fa::supports<fa::head_dim<64>>);
static_assert(!fa::supports<float, fa::head_dim<0>>);
static_assert(!fa::supports<float, fa::head_dim<513>>);
static_assert(!fa::supports<float, fa::head_dim<64, 513>>);
static_assert(!fa::supports<float, fa::head_dim<64>, not_an_option>);
static_assert(!fa::supports<float, fa::head_dim<64>, fa::head_dim<64>>);
static_assert(!fa::supports<float, fa::head_dim<64>, fa::causal, fa::causal>);
static_assert(!fa::supports<fa::bf16, fa::head_dim<64>, fa::output<fa::f16>>);
