#include "assembly_tables.hpp"
namespace assembly {
void convert_tables() {}
}
