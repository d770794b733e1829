// fa: fused attention kernels whose masks, scores, element types and tiles are types. Include this
// file, name a variant:
//
//   using attn = fa::attention<fa::bf16, fa::head_dim<128>, fa::causal>;
//   attn::forward_args a;                                 // a.q = fa::bshd(q, batch, seqlen,
//   heads, 128); ... fa::status s = attn::forward(fa::host{}, a);
#pragma once

#if __cplusplus < 202002L
#error "fa needs C++20: add -std=c++20"
#endif

#include <fa/core/version.hpp>
#include <fa/launch/attention.hpp>
