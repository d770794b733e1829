// The table of cases as text: a CSV file with a header, and the `notes` column split into its keys.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace fa_matrix {

/// One line of the table.
struct table_row {
  std::int64_t number = 0;                   ///< 1 is the first line after the header
  std::map<std::string, std::string> cells;  ///< by column name, without `notes`
  std::map<std::string, std::string> notes;  ///< key=value pairs; a key alone has an empty value
  std::string malformed;                     ///< why the line cannot be read; empty: it can
};

/// A table file, or why it is none.
struct table {
  std::vector<table_row> rows;
  std::string error;
};

/// Reads a table. Columns may come in any order; those that a case cannot do without must be there.
table read_table(const std::string& path);

}  // namespace fa_matrix
