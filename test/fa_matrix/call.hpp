// A forward call with its types erased, and the kernels that this program was built with.
#pragma once

#include "case.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace fa_matrix {

/// The mask type of a kernel. The run-time window stands for every bottom-right mask; the others
/// are extra.
enum class mask_kind { window, no_mask, causal, causal_top_left };

/// What is compile-time about a kernel.
struct kernel_id {
  element in, out;
  int d, dv;
  mask_kind mask;
  bool packed;  ///< packed tokens with offsets
  bool operator==(const kernel_id&) const = default;
};

/// Shape and strides of one tensor, in elements; the last dimension is dense.
struct tensor_shape {
  std::int64_t batch = 0, seqlen = 0, heads = 0, dim = 0, batch_stride = 0, token_stride = 0,
               head_stride = 0;
};

/// The arguments of a call. LSE is dense: [batch, heads, queries], packed: [heads, tokens].
struct call {
  const void* q = nullptr;
  const void* k = nullptr;
  const void* v = nullptr;
  void* o = nullptr;
  float* lse = nullptr;
  tensor_shape q_shape, k_shape, v_shape, o_shape;
  const float* scale = nullptr;  ///< null: the default
  std::int64_t left = -1, right = -1;
  std::int64_t batch = 0;  ///< the rest: packed tokens only
  const std::int32_t* cu_q = nullptr;
  const std::int32_t* cu_k = nullptr;
  const std::int32_t* used_q = nullptr;
  const std::int32_t* used_k = nullptr;
  int threads = 0;
};

/// What the library said.
struct outcome {
  bool ok = false;
  std::string message;
};

using kernel = outcome (*)(const call&);

struct entry {
  kernel_id id;
  kernel run;
};

/// All kernels of this build.
const std::vector<entry>& kernels();

/// The kernel of that kind, or null.
kernel find_kernel(const kernel_id& id);

/// The head sizes built for an element type, as text: "8 16 192/128".
std::string head_sizes_text(element in);

}  // namespace fa_matrix
