#include "table.hpp"

#include <algorithm>
#include <fstream>
#include <sstream>

namespace fa_matrix {
namespace {

std::string trimmed(const std::string& s) {
  const char* blank = " \t\r";
  const auto first = s.find_first_not_of(blank);
  if (first == std::string::npos) return {};
  return s.substr(first, s.find_last_not_of(blank) - first + 1);
}

/// The fields of one CSV line; a field may stand in double quotes, a doubled quote
/// inside is one quote.
bool split_csv(const std::string& line, std::vector<std::string>& fields) {
  fields.assign(1, {});
  bool quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (quoted && c == '"' && i + 1 < line.size() && line[i + 1] == '"') fields.back() += line[++i];
    else if (c == '"') quoted = !quoted;
    else if (c == ',' && !quoted) fields.emplace_back();
    else fields.back() += c;
  }
  for (auto& f : fields) f = trimmed(f);
  return !quoted;
}

/// Splits "a=1;b;c=x=y" into keys and values; the text of the first fault, if any.
std::string split_notes(const std::string& text, std::map<std::string, std::string>& notes) {
  std::istringstream in(text);
  std::string item;
  while (std::getline(in, item, ';')) {
    item = trimmed(item);
    if (item.empty()) continue;
    const auto equals = item.find('=');
    const std::string key = trimmed(item.substr(0, equals));
    const std::string value = equals == std::string::npos ? std::string{}
                                                          : trimmed(item.substr(equals + 1));
    if (key.empty()) return "notes hold a value without a key: " + item;
    if (!notes.emplace(key, value).second) return "notes name " + key + " twice";
  }
  return {};
}

}  // namespace

table read_table(const std::string& path) {
  table t;
  std::ifstream file(path);
  std::string line;
  if (!file || !std::getline(file, line)) {
    t.error = "cannot read " + path;
    return t;
  }
  if (line.starts_with("\xef\xbb\xbf")) line.erase(0, 3);  // a byte order mark
  std::vector<std::string> columns, fields;
  if (!split_csv(line, columns)) t.error = "the header has an open quote";
  for (const char* needed : {"op", "dtype", "batch", "hq", "hk", "d", "dv", "sq", "sk"}) {
    if (t.error.empty() && std::find(columns.begin(), columns.end(), needed) == columns.end()) {
      t.error = std::string("the header has no column ") + needed;
    }
  }
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (t.error.empty() && std::count(columns.begin(), columns.end(), columns[i]) > 1) {
      t.error = "the header names column " + columns[i] + " twice";
    }
  }
  if (!t.error.empty()) {
    t.error = path + ": " + t.error;
    return t;
  }
  while (std::getline(file, line)) {
    if (trimmed(line).empty()) continue;
    table_row row;
    row.number = static_cast<std::int64_t>(t.rows.size()) + 1;
    if (!split_csv(line, fields)) {
      row.malformed = "an open quote";
    } else if (fields.size() != columns.size()) {
      row.malformed = std::to_string(fields.size()) + " fields where the header has " +
                      std::to_string(columns.size());
    } else {
      for (std::size_t i = 0; i < columns.size(); ++i) {
        if (columns[i] != "notes") row.cells[columns[i]] = fields[i];
        else row.malformed = split_notes(fields[i], row.notes);
      }
    }
    t.rows.push_back(std::move(row));
  }
  if (file.bad()) t.error = "cannot read " + path;
  return t;
}

}  // namespace fa_matrix
