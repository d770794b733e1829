// Runs one case and judges it.
#pragma once

#include "case.hpp"

#include <string>

namespace fa_matrix {

enum class case_status { pass, fail, unsupported, refused };

struct result {
  case_status status = case_status::fail;
  double error = -1, tolerance = -1;  ///< negative: there is none
  std::string reason;
};

/// `threads`: host threads, 0 for all.
result run(const test_case& c, int threads);

}  // namespace fa_matrix
