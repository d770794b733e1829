#include "assembly_tables.hpp"
namespace assembly {
void float_tables() {}
}
