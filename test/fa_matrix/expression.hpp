// The arithmetic that a table may use for a scale: numbers, d, dv, + - * / ^,
// parentheses and sqrt().
#pragma once

#include <optional>
#include <string_view>

namespace fa_matrix {

/// The value of `text`, e.g. "1.2", "(d+dv)^-.5", "1/sqrt(d)"; nothing where it is no expression.
std::optional<double> evaluate(std::string_view text, double d, double dv);

}  // namespace fa_matrix
