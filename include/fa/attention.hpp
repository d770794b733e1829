// fa: fused attention kernels whose masks, scores, element types and tiles are types. Include this
// file, name a variant:
//
//   using attn = fa::attention<fa::bf16, fa::head_dim<128>, fa::causal>;
//   attn::forward_args a;
//   a.q = fa::bshd(q, batch, seqlen, heads, 128);  // a.k, a.v and a.o the same way
//   fa::status s = attn::forward(fa::host{}, a);
#pragma once

#if __cplusplus < 202002L
#error "fa needs C++20: add -std=c++20"
#endif

#include <fa/core/status.hpp>
#include <fa/core/version.hpp>
#include <fa/launch/args.hpp>
#include <fa/launch/checks.hpp>
#include <fa/launch/forward.hpp>
#include <fa/launch/on.hpp>
#include <fa/machine/select.hpp>
#if FA_AMD
#include <fa/launch/amd_launcher.hpp>
#elif FA_NV
#include <fa/launch/nv_launcher.hpp>
#else
#include <fa/launch/host_launcher.hpp>
#endif

namespace fa {

/// One variant of attention, named by its options in any order: an element type and head_dim<D>, or
/// head_dim<D, DV>, are required; a mask, a score, varlen and others have defaults. All of them
/// stand in launch/options.hpp. What is not supported does not compile, and the message says which
/// option, which rule and what to do.
template <class... Options>
struct attention {
  using variant = fa::variant<Options...>;
  using forward_args = forward_arguments<variant>;

  /// O = softmax(scale Q K^T, masked) V, and optionally the log-sum-exp of each row (Dao 2023).
  /// Rows that see no key give O = 0 and LSE = -infinity. An error names the argument, the rule and
  /// the value, and leaves the outputs untouched. `where`: fa::host{} or
  /// fa::host_with{parallel_for}; where nvcc or a HIP compiler compiles, fa::on(stream), with all
  /// pointers, those to offsets included, in device memory: what offsets say is not checked then.
  template <class Where>
  static status forward(const Where& where, const forward_args& args) {
    static_assert(
        Place<Where>,
        "fa::attention::forward: the first argument is no place to run. Rule: it is fa::host{} or "
        "fa::host_with{parallel_for} in C++ files, fa::on(stream) in files that nvcc or a HIP "
        "compiler compiles. Remedy: name one of these, as in forward(fa::host{}, args)");
    if constexpr (Place<Where>) {
      if (status s = detail::check_arguments(args); !s) return s;
      return detail::launch<forward_kernel>(where, args);
    } else {
      return {};
    }
  }
};

}  // namespace fa
