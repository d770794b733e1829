#include "assembly_tables.hpp"
namespace assembly {
void compare_tables() {}
}
