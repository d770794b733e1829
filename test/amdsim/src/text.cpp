#include "text.hpp"

#include <cctype>
#include <cstdlib>

namespace amdsim {
namespace {

bool starts(const std::string& s, const char* p) { return s.rfind(p, 0) == 0; }
bool ends(const std::string& s, const char* p) {
  const std::string q = p;
  return s.size() >= q.size() && s.compare(s.size() - q.size(), q.size(), q) == 0;
}

/// Splits at `sep` where no bracket is open.
std::vector<std::string> split(const std::string& s, char sep) {
  std::vector<std::string> out(1);
  int depth = 0;
  for (char ch : s) {
    if (ch == '[' || ch == '(') ++depth;
    if (ch == ']' || ch == ')') --depth;
    if (ch == sep && depth == 0) out.emplace_back();
    else out.back() += ch;
  }
  for (auto& p : out) {
    const auto from = p.find_first_not_of(" \t"), to = p.find_last_not_of(" \t");
    p = from == std::string::npos ? std::string{} : p.substr(from, to - from + 1);
  }
  std::erase(out, std::string{});
  return out;
}

/// "[4:7]" or "4" -> first register and count.
bool register_range(const std::string& s, u32& first, u32& count) {
  if (s.empty()) return false;
  char* end = nullptr;
  if (s[0] == '[') {
    first = static_cast<u32>(std::strtoul(s.c_str() + 1, &end, 10));
    count = 1;
    if (*end == ':') count = static_cast<u32>(std::strtoul(end + 1, &end, 10)) - first + 1;
    return *end == ']';
  }
  if (!std::isdigit(static_cast<unsigned char>(s[0]))) return false;
  first = static_cast<u32>(std::strtoul(s.c_str(), &end, 10));
  count = 1;
  return *end == 0;
}

struct special {
  const char* name;
  u32 reg, count;
};
constexpr special specials[] = {{"vcc", sreg::vcc, 2},
                                {"vcc_lo", sreg::vcc, 1},
                                {"vcc_hi", sreg::vcc + 1, 1},
                                {"exec", sreg::exec, 2},
                                {"exec_lo", sreg::exec, 1},
                                {"exec_hi", sreg::exec + 1, 1},
                                {"m0", sreg::m0, 1},
                                {"null", sreg::null, 1},
                                {"flat_scratch", sreg::flat_scratch, 2},
                                {"flat_scratch_lo", sreg::flat_scratch, 1},
                                {"flat_scratch_hi", sreg::flat_scratch + 1, 1},
                                {"xnack_mask", 104, 2},
                                {"xnack_mask_lo", 104, 1},
                                {"xnack_mask_hi", 105, 1},
                                {"scc", sreg::scc, 1},
                                {"src_scc", sreg::scc, 1},
                                {"vccz", sreg::vccz, 1},
                                {"src_vccz", sreg::vccz, 1},
                                {"execz", sreg::execz, 1},
                                {"src_execz", sreg::execz, 1},
                                {"src_shared_base", sreg::shared_base, 2},
                                {"src_shared_limit", sreg::shared_limit, 2},
                                {"src_private_base", sreg::private_base, 2},
                                {"src_private_limit", sreg::private_limit, 2},
                                {"src_pops_exiting_wave_id", sreg::pops_id, 1},
                                {"shared_base", sreg::shared_base, 2},
                                {"private_base", sreg::private_base, 2},
                                {"src_flat_scratch_base_lo", sreg::flat_scratch, 1}};

}  // namespace

i64 inst::number(const char* m, i64 otherwise) const {
  const auto it = modifiers.find(m);
  return it == modifiers.end() ? otherwise : std::strtoll(it->second.c_str(), nullptr, 0);
}

std::optional<u32> inst::bits(const char* m) const {
  const auto it = modifiers.find(m);
  if (it == modifiers.end()) return std::nullopt;
  u32 out = 0, at = 0;
  for (char ch : it->second)
    if (ch == '0' || ch == '1') out |= static_cast<u32>(ch - '0') << at++;
  return out;
}

operand_text parse_operand(std::string s) {
  operand_text o;
  using kind = operand_text::kind;
  if (starts(s, "-|") || starts(s, "-v") || starts(s, "-s") || starts(s, "-a") ||
      starts(s, "-vcc") || starts(s, "-m0") || starts(s, "-t") || starts(s, "-e")) {
    o.neg = true;
    s = s.substr(1);
  }
  if (starts(s, "neg(") && ends(s, ")")) {
    o.neg = true;
    s = s.substr(4, s.size() - 5);
  }
  if (s.size() > 1 && s.front() == '|' && s.back() == '|') {
    o.abs = true;
    s = s.substr(1, s.size() - 2);
  }
  if (starts(s, "abs(") && ends(s, ")")) {
    o.abs = true;
    s = s.substr(4, s.size() - 5);
  }
  if (starts(s, "sext(") && ends(s, ")")) {
    o.sext = true;
    s = s.substr(5, s.size() - 6);
  }
  if (starts(s, "lit(") && ends(s, ")")) s = s.substr(4, s.size() - 5);
  if (ends(s, ".h") || ends(s, ".l")) {
    o.high = s.back() == 'h';
    o.low = !o.high;
    s.resize(s.size() - 2);
  }
  if (s.empty()) return o;
  for (const special& x : specials)
    if (s == x.name) {
      o.k = kind::sgpr;
      o.reg = x.reg;
      o.count = x.count;
      return o;
    }
  if (s == "off") {
    o.k = kind::off;
    return o;
  }
  if (starts(s, "ttmp") && register_range(s.substr(4), o.reg, o.count)) {
    o.k = kind::sgpr;
    o.reg += sreg::ttmp0;
    return o;
  }
  const char c0 = s[0];
  if ((c0 == 'v' || c0 == 'a' || c0 == 's') && register_range(s.substr(1), o.reg, o.count)) {
    o.k = c0 == 'v' ? kind::vgpr : c0 == 'a' ? kind::agpr : kind::sgpr;
    return o;
  }
  if (std::isdigit(static_cast<unsigned char>(c0)) || c0 == '-') {
    char* end = nullptr;
    if (s.find("0x") != std::string::npos) {
      const bool minus = c0 == '-';
      o.value = static_cast<i64>(std::strtoull(s.c_str() + (minus ? 1 : 0), &end, 16));
      if (minus) o.value = -o.value;
      o.k = kind::integer;
      o.literal = true;
    } else if (s.find('.') != std::string::npos || s.find('e') != std::string::npos) {
      o.real = std::strtod(s.c_str(), &end);
      o.k = kind::real;
    } else {
      o.value = std::strtoll(s.c_str(), &end, 10);
      o.k = kind::integer;
    }
    if (*end == 0) return o;
    o = operand_text{};
  }
  o.k = kind::named;
  o.name = s;
  return o;
}

void parse_line(const std::string& line, inst& out) {
  std::size_t i = 0;
  while (i < line.size() && std::isspace(static_cast<unsigned char>(line[i]))) ++i;
  std::size_t j = i;
  while (j < line.size() && !std::isspace(static_cast<unsigned char>(line[j]))) ++j;
  out.mnemonic = line.substr(i, j - i);
  out.name = out.mnemonic;
  struct suffix {
    const char* text;
    form f;
  };
  constexpr suffix suffixes[] = {{"_e64_dpp8", form::dpp8}, {"_e64_dpp", form::dpp},
                                 {"_dpp8", form::dpp8},     {"_dpp", form::dpp},
                                 {"_sdwa", form::sdwa},     {"_e64", form::e64},
                                 {"_e32", form::e32}};
  for (const suffix& s : suffixes)
    if (ends(out.name, s.text)) {
      out.encoding = s.f;
      out.name.resize(out.name.size() - std::strlen(s.text));
      break;
    }
  std::string rest = line.substr(j);
  if (const auto comment = rest.find("//"); comment != std::string::npos) rest.resize(comment);
  const auto parts = split(rest, ',');
  for (std::size_t p = 0; p < parts.size(); ++p) {
    auto words = split(parts[p], ' ');
    for (std::size_t w = 0; w < words.size(); ++w) {
      if (w == 0 && words[0].find(':') == std::string::npos)
        out.operands.push_back(parse_operand(words[0]));
      else if (w == 0 && words[0].find('[') < words[0].find(':'))
        out.operands.push_back(parse_operand(words[0]));
      else if (const auto colon = words[w].find(':');
               colon != std::string::npos && words[w].find('(') > colon)
        out.modifiers[words[w].substr(0, colon)] = words[w].substr(colon + 1);
      else out.modifiers.insert_or_assign(words[w], std::string(1, '1'));
    }
  }
  if (out.has("dpp8")) out.encoding = form::dpp8;
}

}  // namespace amdsim
