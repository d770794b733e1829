// A line of the table, understood: what is to be run, and what this build cannot run.
#pragma once

#include "../tolerance.hpp"
#include "table.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace fa_matrix {

enum class element { f32, f16, bf16 };
enum class memory_layout { bshd, bhsd, sbhd, qkvpacked, kvpacked };
enum class length_kind { dense, cu, seqused_k, seqused_qk, padded };

/// How Q, K and V are filled.
struct filling {
  enum class kind { normal, uniform, negative_logits };
  kind what = kind::normal;
  double q = 1, k = 1, v = 1;        ///< factors
  double low = 0, high = 1;          ///< of a uniform filling
  std::optional<double> v_constant;  ///< V is this number everywhere
};

/// One case of the table.
struct test_case {
  std::int64_t number = 0;
  element in = element::f32, out = element::f32;
  std::int64_t batch = 0, hq = 0, hk = 0, d = 0, dv = 0, sq = 0, sk = 0;
  std::int64_t left = -1, right = -1;  ///< window; causal has right = 0
  bool top_left = false;
  memory_layout layout = memory_layout::bshd;
  length_kind kind = length_kind::dense;
  std::string lens = "full";
  std::optional<double> scale;
  bool lse = false;
  filling init;
  std::uint64_t seed = 0;
  std::int64_t repeat = 1;
  float poison = 0;  ///< what unused slots hold
  test::tolerance_id tolerance = test::tolerance_id::a2;
  std::string tolerance_name = "A2";
  bool expect_error = false, expect_zero_rows = false, expect_mean = false, expect_finite = false;
  bool expect_nonzero_rows = false, expect_constant = false;
  bool compare_contiguous = false, compare_budget = false, compare_bitwise = false,
       compare_lse = false;
  char tier = 'L';

  std::vector<std::string> missing;  ///< what this build lacks for the case
  std::string malformed;             ///< what contradicts itself or cannot be read
  std::string invalid;  ///< which rule of the library the case breaks: it must be refused

  bool masked() const { return left >= 0 || right >= 0; }
};

/// Reads a line of the table.
test_case understand(const table_row& row);

/// Lengths of the sequences by the name of a pattern, `most` being the longest; empty where the
/// name is unknown.
std::vector<std::int64_t> lengths(const std::string& pattern, std::int64_t batch, std::int64_t most,
                                  bool of_keys);

}  // namespace fa_matrix
