// All shares of the kernels, in one list.
#include "call.hpp"

#include <algorithm>

namespace fa_matrix {

// Each is kernels.cpp or device_kernels.cpp once more; which of them a build has, the build says
// (FA_MATRIX_COMMON_ONLY: the common head sizes; FA_MATRIX_CORE_ONLY: those for AMD GPUs).
std::vector<entry> kernels_f32_core();
std::vector<entry> kernels_f16_core();
std::vector<entry> kernels_bf16_core();
std::vector<entry> kernels_f32_common();
std::vector<entry> kernels_f16_common();
std::vector<entry> kernels_bf16_common();
std::vector<entry> kernels_f32_rare();
std::vector<entry> kernels_f16_rare();
std::vector<entry> kernels_bf16_rare();
std::vector<entry> kernels_f16_half();
std::vector<entry> kernels_bf16_half();

const std::vector<entry>& kernels() {
  static const std::vector<entry> all = [] {
    constexpr std::vector<entry> (*shares[])() = {
#ifdef FA_MATRIX_CORE_ONLY
        kernels_f32_core, kernels_f16_core, kernels_bf16_core,
#else
        kernels_f32_common,
        kernels_f16_common,
        kernels_bf16_common,
#endif
#if !defined(FA_MATRIX_COMMON_ONLY) && !defined(FA_MATRIX_CORE_ONLY)
        kernels_f32_rare, kernels_f16_rare, kernels_bf16_rare, kernels_f16_half, kernels_bf16_half,
#endif
    };
    std::vector<entry> sum;
    for (const auto share : shares) {
      const auto part = share();
      sum.insert(sum.end(), part.begin(), part.end());
    }
    return sum;
  }();
  return all;
}

kernel find_kernel(const kernel_id& id) {
  const auto it = std::find_if(kernels().begin(), kernels().end(),
                               [&](const entry& e) { return e.id == id; });
  return it == kernels().end() ? nullptr : it->run;
}

std::string head_sizes_text(element in) {
  std::string text;
  for (const auto& e : kernels()) {
    const kernel_id& id = e.id;
    if (id.in != in || id.out != in || id.packed || id.mask != mask_kind::window) continue;
    if (!text.empty()) text += ' ';
    text += std::to_string(id.d);
    if (id.dv != id.d) text += '/' + std::to_string(id.dv);
  }
  return text;
}

}  // namespace fa_matrix
