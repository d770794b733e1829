// A forward call with its types erased, and the kernels that this program was built with.
#pragma once

#include "../arguments.hpp"
#include "case.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace fa_matrix {

/// The mask type of a kernel. The run-time window stands for every bottom-right mask;
/// the others are extra.
enum class mask_kind { window, no_mask, causal, causal_top_left };

/// What is compile-time about a kernel.
struct kernel_id {
  element in, out;
  int d, dv;
  mask_kind mask;
  bool packed;  ///< packed tokens with offsets
  bool operator==(const kernel_id&) const = default;
};

/// A call of one of these kernels.
struct call : test::plain_call {
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
