#include "case.hpp"

#include "expression.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <set>
#include <sstream>

namespace fa_matrix {
namespace {

bool parse_integer(const std::string& text, std::int64_t& x) {
  const char* end = text.data() + text.size();
  const auto r = std::from_chars(text.data(), end, x);
  return r.ec == std::errc{} && r.ptr == end;
}

bool parse_real(const std::string& text, double& x) {
  char* end = nullptr;
  x = std::strtod(text.c_str(), &end);
  return !text.empty() && end == text.c_str() + text.size() && std::isfinite(x);
}

bool parse_seed(const std::string& text, std::uint64_t& x) {
  const bool hex = text.starts_with("0x") || text.starts_with("0X");
  const char* begin = text.data() + (hex ? 2 : 0);
  const char* end = text.data() + text.size();
  const auto r = std::from_chars(begin, end, x, hex ? 16 : 10);
  return r.ec == std::errc{} && r.ptr == end;
}

bool parse_element(const std::string& text, element& x) {
  if (text == "fp32" || text == "f32") x = element::f32;
  else if (text == "fp16" || text == "f16") x = element::f16;
  else if (text == "bf16") x = element::bf16;
  else return false;
  return true;
}

/// "randn", "randn*3", "q*5:k*3:v*3", "u01", "u(0:2)", "big1e4", "neg", "V1".
bool parse_filling(const std::string& text, filling& f) {
  double x = 0, y = 0;
  if (text == "randn") return true;
  if (text.starts_with("randn*") && parse_real(text.substr(6), x)) {
    f.q = f.k = f.v = x;
    return true;
  }
  if (text == "u01") {
    f.what = filling::kind::uniform;
    return true;
  }
  if (text.starts_with("u(") && text.ends_with(")")) {
    const auto colon = text.find(':');
    if (colon == std::string::npos) return false;
    if (!parse_real(text.substr(2, colon - 2), x) ||
        !parse_real(text.substr(colon + 1, text.size() - colon - 2), y))
      return false;
    f.what = filling::kind::uniform;
    f.low = x;
    f.high = y;
    return true;
  }
  if (text.starts_with("big") && parse_real(text.substr(3), x) && x > 0) {
    f.q = f.k = std::sqrt(x);  // scale * q.k of normal numbers is about 1: logits then reach x
    return true;
  }
  if (text == "neg") {
    f.what = filling::kind::negative_logits;
    return true;
  }
  if (text.starts_with("V") && parse_real(text.substr(1), x)) {
    f.v_constant = x;
    return true;
  }
  std::istringstream parts(text);
  std::string part;
  bool any = false;
  while (std::getline(parts, part, ':')) {
    if (part.size() < 3 || part[1] != '*' || !parse_real(part.substr(2), x)) return false;
    if (part[0] == 'q') f.q = x;
    else if (part[0] == 'k') f.k = x;
    else if (part[0] == 'v') f.v = x;
    else return false;
    any = true;
  }
  return any;
}

/// Reads one line step by step, taking notes of what is missing, malformed or invalid.
class reader {
 public:
  explicit reader(const table_row& row) : row_(row) {}

  test_case read() {
    c_.number = row_.number;
    if (!row_.malformed.empty()) {
      c_.malformed = row_.malformed;
      return c_;
    }
    read_numbers();
    read_features();
    read_masks();
    read_memory();
    read_notes();
    read_tier();
    if (c_.malformed.empty() && c_.missing.empty()) check_shapes();
    return c_;
  }

 private:
  std::string cell(const char* name, const char* otherwise) {
    used_.insert(name);
    const auto it = row_.cells.find(name);
    return it == row_.cells.end() || it->second.empty() ? otherwise : it->second;
  }

  const std::string* note(const char* key) {
    noted_.insert(key);
    const auto it = row_.notes.find(key);
    return it == row_.notes.end() ? nullptr : &it->second;
  }

  void malformed(const std::string& why) {
    if (c_.malformed.empty()) c_.malformed = why;
  }

  void missing(const std::string& what) { c_.missing.push_back(what); }

  std::int64_t integer(const char* name, const char* otherwise) {
    const std::string text = cell(name, otherwise);
    std::int64_t x = 0;
    if (!parse_integer(text, x)) malformed(std::string(name) + "=" + text + " is no integer");
    return x;
  }

  double real(const char* name, const char* otherwise) {
    const std::string text = cell(name, otherwise);
    double x = 0;
    if (!parse_real(text, x)) malformed(std::string(name) + "=" + text + " is no number");
    return x;
  }

  void read_numbers() {
    c_.batch = integer("batch", "");
    c_.hq = integer("hq", "");
    c_.hk = integer("hk", "");
    c_.d = integer("d", "");
    c_.dv = integer("dv", "");
    c_.sq = integer("sq", "");
    c_.sk = integer("sk", "");
    const std::string type = cell("dtype", "");
    if (!parse_element(type, c_.in)) missing("dtype=" + type);
    c_.out = c_.in;
    cell("suite", "");
  }

  void read_features() {
    const std::string op = cell("op", "");
    if (op != "fwd")
      missing(op == "bwd" ? "bwd (backward)" : op == "decode" ? "decode (KV cache)" : "op=" + op);
    if (const auto a = cell("alibi", "0"); a != "0" && a != "none") missing("alibi");
    if (real("softcap", "0") != 0) missing("softcap");
    if (real("dropout", "0") != 0) missing("dropout");
    if (const auto r = cell("rotary", "0"); r != "0" && r != "none") missing("rotary");
    if (const auto p = cell("page", "0"); p != "0" && p != "none") missing("paged");
    if (const auto f = cell("fp8", "none"); f != "none" && f != "0") missing("fp8");
    const auto splits = integer("splits", "1");
    if (splits > 1) missing("splits (split-KV)");
    if (splits < 0) malformed("splits is negative");
  }

  void read_masks() {
    const auto causal = integer("causal", "0");
    if (causal != 0 && causal != 1) malformed("causal is neither 0 nor 1");
    c_.left = integer("wl", "-1");
    c_.right = causal == 1 ? 0 : integer("wr", "-1");
    cell("wr", "-1");
    if (const std::string* align = note("maskalign")) {
      if (*align == "tl")
        c_.top_left = c_.masked() && (c_.sq != c_.sk || cell("varlen", "none") != "none");
      else if (*align != "br") missing("maskalign=" + *align);
    }
    if (c_.top_left && (causal != 1 || c_.left >= 0)) missing("window aligned top-left");
  }

  void read_memory() {
    const std::string layout = cell("layout", "bshd"), varlen = cell("varlen", "none");
    const bool packed_tokens = layout.starts_with("thd");
    if (layout == "bshd" || layout == "thd") c_.layout = memory_layout::bshd;
    else if (layout == "bhsd") c_.layout = memory_layout::bhsd;
    else if (layout == "sbhd") c_.layout = memory_layout::sbhd;
    else if (layout == "qkvpacked" || layout == "thd_qkvpacked")
      c_.layout = memory_layout::qkvpacked;
    else if (layout == "kvpacked" || layout == "thd_kvpacked") c_.layout = memory_layout::kvpacked;
    else missing("layout=" + layout);
    if (varlen == "none" || varlen == "0")
      c_.kind = packed_tokens ? length_kind::cu : length_kind::dense;
    else if (varlen == "cu") c_.kind = length_kind::cu;
    else if (varlen == "seqused_k") c_.kind = length_kind::seqused_k;
    else if (varlen == "seqused_qk") c_.kind = length_kind::seqused_qk;
    else if (varlen == "padded") c_.kind = length_kind::padded;
    else missing(varlen == "leftpad" ? "leftpad" : "varlen=" + varlen);
    if (c_.kind != length_kind::dense && !packed_tokens)
      missing("varlen=" + varlen + " with layout=" + layout);
    if (const std::string* l = note("lens")) c_.lens = *l;
    if (lengths(c_.lens, 1, 1, false).empty()) missing("lens=" + c_.lens);
    else if (c_.lens != "full" && c_.kind == length_kind::dense) missing("lens without varlen");
  }

  void read_notes() {
    // names, no demands (qs: fp8 scales; fp8 says so itself)
    for (const char* word : {"blk", "pin", "qs"}) note(word);
    if (const auto* t = note("tol")) {
      c_.tolerance_name = *t;
      if (!test::parse_tolerance(*t, c_.tolerance)) missing("tolerance id " + *t);
    }
    if (const auto* l = note("lse")) {
      if (*l != "0" && *l != "1") malformed("lse is neither 0 nor 1");
      c_.lse = *l == "1";
    }
    if (const auto* i = note("init")) {
      if (!parse_filling(*i, c_.init))
        missing(*i == "randn*cap" ? "init=randn*cap without softcap" : "init=" + *i);
    }
    if (const auto* s = note("seed")) {
      if (!parse_seed(*s, c_.seed)) malformed("seed=" + *s + " is no 64-bit number");
    }
    if (const auto* s = note("scale")) {
      c_.scale = evaluate(*s, static_cast<double>(c_.d), static_cast<double>(c_.dv));
      if (!c_.scale) malformed("scale=" + *s + " is no expression of d and dv");
    }
    if (const auto* o = note("out")) {
      if (!parse_element(*o, c_.out)) missing("out=" + *o);
      else if (c_.out != c_.in && c_.out != element::f32)
        missing("out=" + *o + " for another input type");
    }
    if (const auto* r = note("repeat")) {
      if (!parse_integer(*r, c_.repeat) || c_.repeat < 1)
        malformed("repeat=" + *r + " is no count");
    }
    c_.poison = std::numeric_limits<float>::quiet_NaN();
    if (const auto* p = note("poison")) {
      if (*p == "inf") c_.poison = std::numeric_limits<float>::infinity();
      else if (*p == "-inf") c_.poison = -std::numeric_limits<float>::infinity();
      else if (*p != "nan" && *p != "1" && !p->empty()) missing("poison=" + *p);
    }
    if (const auto* d = note("det")) {
      if (!d->empty() && *d != "1" && *d != "0")
        missing("det=" + *d);  // forward is always deterministic
    }
    read_expectations();
    // What the library has no option for yet, by the name of the option; then whatever nobody
    // here has heard of.
    for (const char* option : {"alibi", "bias", "sink", "ssink", "chunk", "qv", "leftpad", "bidx",
                               "new", "mla", "combine"}) {
      if (const auto* v = note(option); v && *v != "0" && *v != "none") missing(option);
    }
    note("tier");
    for (const auto& [key, value] : row_.notes) {
      if (!noted_.contains(key)) missing("note " + key + (value.empty() ? "" : "=" + value));
    }
    for (const auto& [column, value] : row_.cells) {
      if (!used_.contains(column) && !value.empty() && value != "0" && value != "none")
        missing("column " + column + "=" + value);
    }
  }

  void read_expectations() {
    if (const auto* e = note("expect")) {
      if (*e == "error" || *e == "reject") c_.expect_error = true;
      else if (*e == "O0_lse-inf") c_.expect_zero_rows = true;
      else if (*e == "mean_of_V") c_.expect_mean = true;
      else if (*e == "no_nan") c_.expect_finite = true;
      else if (*e == "no_zero_rows") c_.expect_nonzero_rows = true;
      else if (*e == "O_is_V") c_.expect_constant = true;
      else missing("expect=" + *e);
    }
    if (const auto* m = note("cmp")) {
      if (*m == "vs_contig") c_.compare_contiguous = true;
      else if (*m == "component_budget") c_.compare_budget = true;
      else if (*m == "bitwise") c_.compare_bitwise = true;
      else if (*m == "lse_vs_definition") c_.compare_lse = true;
      else missing("cmp=" + *m);
    }
    if (c_.expect_constant && !c_.init.v_constant) malformed("expect=O_is_V needs init=V<number>");
    if (c_.expect_zero_rows || c_.compare_lse) c_.lse = true;
  }

  void read_tier() {
    if (const auto* t = note("tier")) {
      if (*t == "S" || *t == "M" || *t == "L") c_.tier = (*t)[0];
      else malformed("tier=" + *t + " is none of S, M, L");
      return;
    }
    const double work = static_cast<double>(c_.batch) * static_cast<double>(c_.hq) *
                        static_cast<double>(c_.sq) * static_cast<double>(c_.sk) *
                        static_cast<double>(c_.d);
    c_.tier = work <= 2e7 ? 'S' : work <= 1e9 ? 'M' : 'L';
  }

  void check_shapes() {
    const auto rule = [&](bool broken, const std::string& text) {
      if (broken && c_.invalid.empty()) c_.invalid = text;
    };
    rule(c_.batch < 0, "batch is negative");
    rule(c_.hq < 0 || c_.hk < 0, "a head count is negative");
    rule(c_.sq < 0 || c_.sk < 0, "a sequence length is negative");
    rule(c_.hk > 0 ? c_.hq % c_.hk != 0 : c_.hq != 0, "hq is no multiple of hk");
    rule(c_.d < 1 || c_.d > 512 || c_.dv < 1 || c_.dv > 512, "head sizes are 1 to 512");
    const bool qkv = c_.layout == memory_layout::qkvpacked,
               kv = c_.layout == memory_layout::kvpacked;
    if (qkv && c_.sq != c_.sk) malformed("qkvpacked needs sq = sk");
    if ((qkv || kv) && c_.d != c_.dv) malformed("packed layouts need d = dv");
    const double limit = 0x1p31;
    for (const auto x : {c_.batch, c_.hq, c_.hk, c_.sq, c_.sk, c_.d, c_.dv, c_.left, c_.right}) {
      if (std::fabs(static_cast<double>(x)) >= limit) malformed("a number beyond 31 bits");
    }
  }

  const table_row& row_;
  test_case c_;
  std::set<std::string> used_, noted_;
};

}  // namespace

test_case understand(const table_row& row) { return reader(row).read(); }

std::vector<std::int64_t> lengths(const std::string& pattern, std::int64_t batch, std::int64_t most,
                                  bool of_keys) {
  std::vector<std::int64_t> all;
  for (std::int64_t b = 0; b < batch; ++b) {
    const std::int64_t m = std::max<std::int64_t>(most, 0), r = 7919 * (b + 1);
    std::int64_t n = m;
    if (pattern == "full") n = m;
    else if (pattern == "near") n = m < 1 ? m : std::max<std::int64_t>(1, m - r % 20);
    else if (pattern == "third" || pattern == "rand") n = m / 3 + r % (m - m / 3 + 1);
    else if (pattern == "zeroK") n = of_keys && b % 2 ? 0 : m;
    else if (pattern == "zeroQ") n = !of_keys && b % 2 ? 0 : m;
    else if (pattern == "ones") n = b == 0 ? m : std::min<std::int64_t>(m, 1);
    else if (pattern == "mix" || pattern == "zero_mix") {
      const std::int64_t cycle[] = {m, std::min(m, m / 2 + 1), std::min<std::int64_t>(m, 1), 0};
      n = cycle[b % 4];
    } else if (pattern == "page_edge") {
      // Around the edges of 16-token pages, each sequence its own page.
      const std::int64_t edge = 16 * (1 + b % std::max<std::int64_t>(1, m / 16)) + b % 3 - 1;
      n = std::clamp<std::int64_t>(edge, 0, m);
    } else if (pattern == "all_zero") n = 0;
    else return {};
    all.push_back(n);
  }
  return all;
}

}  // namespace fa_matrix
