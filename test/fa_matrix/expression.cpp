#include "expression.hpp"

#include <cctype>
#include <cmath>
#include <cstdlib>
#include <string>

namespace fa_matrix {
namespace {

/// Recursive descent: sum -> product -> power -> atom. `^` binds right and takes a signed exponent.
class parser {
 public:
  parser(std::string text, double d, double dv) : text_(std::move(text)), d_(d), dv_(dv) {}

  std::optional<double> parse() {
    const double x = sum();
    if (bad_ || at_ != text_.size() || !std::isfinite(x)) return std::nullopt;
    return x;
  }

 private:
  double sum() {
    double x = product();
    for (;;) {
      if (eat('+')) x += product();
      else if (eat('-')) x -= product();
      else return x;
    }
  }

  double product() {
    double x = signed_power();
    for (;;) {
      if (eat('*')) x *= signed_power();
      else if (eat('/')) x /= signed_power();
      else return x;
    }
  }

  double signed_power() {
    if (++depth_ > 64) bad_ = true;  // a row of a thousand signs or brackets is no scale
    double x = 0;
    if (bad_) x = 0;
    else if (eat('-')) x = -signed_power();
    else if (eat('+')) x = signed_power();
    else {
      x = atom();
      if (eat('^')) x = std::pow(x, signed_power());
    }
    --depth_;
    return x;
  }

  double atom() {
    if (eat("sqrt")) {
      if (!eat('(')) bad_ = true;
      return std::sqrt(bracket());
    }
    if (eat('(')) return bracket();
    if (eat("dv")) return dv_;
    if (eat("d")) return d_;
    const char c = at_ < text_.size() ? text_[at_] : '\0';
    if (!std::isdigit(static_cast<unsigned char>(c)) && c != '.') bad_ = true;
    if (bad_) return 0;
    char* end = nullptr;
    const double x = std::strtod(text_.c_str() + at_, &end);
    if (end == text_.c_str() + at_) bad_ = true;
    at_ = static_cast<std::size_t>(end - text_.c_str());
    return x;
  }

  double bracket() {
    const double x = sum();
    if (!eat(')')) bad_ = true;
    return x;
  }

  bool eat(std::string_view word) {
    if (bad_ || text_.compare(at_, word.size(), word) != 0) return false;
    at_ += word.size();
    return true;
  }

  bool eat(char c) { return eat(std::string_view(&c, 1)); }

  std::string text_;
  double d_, dv_;
  std::size_t at_ = 0;
  int depth_ = 0;
  bool bad_ = false;
};

}  // namespace

std::optional<double> evaluate(std::string_view text, double d, double dv) {
  std::string tight;
  for (const char c : text) {
    if (!std::isspace(static_cast<unsigned char>(c))) tight += c;
  }
  return parser(std::move(tight), d, dv).parse();
}

}  // namespace fa_matrix
