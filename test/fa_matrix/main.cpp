// fa_matrix: reads a table of attention cases and runs them on a machine. See --help.
#include "call.hpp"
#include "run.hpp"
#include "table.hpp"

#include "../device/digest.hpp"

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

namespace {

constexpr const char* usage =
    "usage: fa_matrix --machine host|device --csv FILE [--tier S|M|L] [--rows A-B] [--threads N] "
    "[--digest]\n"
    "\n"
    "Runs the cases of a table and judges each against naive attention in double.\n"
    "\n"
    "  --machine host    the CPU of this computer; device: a GPU (only in a build for one)\n"
    "  --csv FILE        the table; its columns may come in any order\n"
    "  --tier S|M|L      S: small rows only; M: small and medium rows; L: all rows (the default)\n"
    "  --rows A-B        only rows A to B (or one row: --rows A); row 1 follows the header\n"
    "  --threads N       host threads (0, the default: all)\n"
    "  --digest          before the summary, a hash of every bit that the kernels wrote\n"
    "  --help            this text\n"
    "\n"
    "One line a row: row,status,error,tolerance,reason\n"
    "  pass         right, at the tolerance id of the row; with expect=error: refused, nothing "
    "written\n"
    "  fail         wrong, or the row contradicts itself or cannot be read\n"
    "  unsupported  this build lacks something that the row asks for; the reason names it\n"
    "  refused      the row breaks a rule of the library, and the library said so\n"
    "error and tolerance are those of the check that came closest to its limit; empty where "
    "nothing was measured.\n"
    "The last line is a summary. Exit status: 0, 1 if a row failed, 2 for wrong usage or an "
    "unreadable table.\n";

#if defined(FA_MATRIX_DEVICE)
constexpr const char* built_machine = "device";  // with device_kernels.cpp
#else
constexpr const char* built_machine = "host";
#endif

struct options {
  std::string machine, csv;
  char tier = 'L';
  std::int64_t first = 1, last = INT64_MAX;
  int threads = 0;
  bool digest = false;
};

bool parse_count(std::string_view text, std::int64_t& x) {
  if (text.empty() || text.size() > 9) return false;
  x = 0;
  for (const char c : text) {
    if (c < '0' || c > '9') return false;
    x = 10 * x + (c - '0');
  }
  return true;
}

/// Reads the command line; a message where it is wrong.
std::string parse(int argc, char* argv[], options& o) {
  for (int i = 1; i < argc; ++i) {
    const std::string_view name = argv[i];
    if (name == "--digest") {
      o.digest = true;
      continue;
    }
    if (name != "--machine" && name != "--csv" && name != "--tier" && name != "--rows" &&
        name != "--threads") {
      return "unknown argument " + std::string(name);
    }
    if (i + 1 == argc) return std::string(name) + " needs a value";
    const std::string_view value = argv[++i];
    std::int64_t n = 0;
    if (name == "--machine") {
      if (value != "host" && value != "device") return "--machine is host or device";
      o.machine = value;
    } else if (name == "--csv") {
      o.csv = value;
    } else if (name == "--tier") {
      if (value != "S" && value != "M" && value != "L") return "--tier is S, M or L";
      o.tier = value[0];
    } else if (name == "--threads") {
      if (!parse_count(value, n)) return "--threads is a number";
      o.threads = static_cast<int>(n);
    } else {
      const auto dash = value.find('-');
      const bool good = dash == std::string_view::npos
                            ? parse_count(value, o.first) && (o.last = o.first, true)
                            : parse_count(value.substr(0, dash), o.first) &&
                                  parse_count(value.substr(dash + 1), o.last);
      if (!good || o.first < 1 || o.last < o.first) return "--rows is A-B with 1 <= A <= B";
    }
  }
  if (o.machine.empty()) return "--machine is missing";
  if (o.csv.empty()) return "--csv is missing";
  return {};
}

/// Free text as one CSV field: no commas, no line breaks.
std::string field(std::string text) {
  for (char& c : text) {
    if (c == ',') c = ';';
    if (c == '\n' || c == '\r') c = ' ';
  }
  return text;
}

std::string number(double x) {
  if (x < 0) return {};
  char text[32];
  std::snprintf(text, sizeof text, "%.3g", x);
  return text;
}

}  // namespace

int main(int argc, char* argv[]) {
  for (int i = 1; i < argc; ++i) {
    if (std::string_view(argv[i]) == "--help" || std::string_view(argv[i]) == "-h") {
      std::fputs(usage, stdout);
      using fa_matrix::element;
      std::printf("\nHead sizes built, D or D/DV:\nfp32: %s\nfp16 and bf16: %s\n",
                  fa_matrix::head_sizes_text(element::f32).c_str(),
                  fa_matrix::head_sizes_text(element::bf16).c_str());
      return 0;
    }
  }
  options o;
  if (const auto error = parse(argc, argv, o); !error.empty()) {
    std::fprintf(stderr, "fa_matrix: %s\n\n%s", error.c_str(), usage);
    return 2;
  }
  if (o.machine != built_machine) {
    std::fprintf(stderr,
                 "fa_matrix: this build has no %s machine: it was compiled for the %s only; use "
                 "--machine %s\n",
                 o.machine.c_str(), built_machine, built_machine);
    return 2;
  }
  const auto table = fa_matrix::read_table(o.csv);
  if (!table.error.empty()) {
    std::fprintf(stderr, "fa_matrix: %s\n", table.error.c_str());
    return 2;
  }
  const auto rank = [](char tier) { return tier == 'S' ? 0 : tier == 'M' ? 1 : 2; };
  int counts[4] = {}, rows = 0;
  for (const auto& row : table.rows) {
    if (row.number < o.first || row.number > o.last) continue;
    const auto wanted = fa_matrix::understand(row);
    // A row that cannot be read belongs to no tier: it is reported always.
    if (wanted.malformed.empty() && rank(wanted.tier) > rank(o.tier)) continue;
    const auto r = fa_matrix::run(wanted, o.threads);
    constexpr const char* names[] = {"pass", "fail", "unsupported", "refused"};
    ++rows;
    ++counts[static_cast<int>(r.status)];
    std::printf("%lld,%s,%s,%s,%s\n", static_cast<long long>(row.number),
                names[static_cast<int>(r.status)], number(r.error).c_str(),
                number(r.tolerance).c_str(), field(r.reason).c_str());
    std::fflush(stdout);
  }
  if (o.digest) test::digest().print();
  std::printf("%d rows: %d pass, %d fail, %d unsupported, %d refused\n", rows, counts[0], counts[1],
              counts[2], counts[3]);
  return counts[1] > 0 ? 1 : 0;
}
