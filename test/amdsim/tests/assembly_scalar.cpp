#include "assembly_tables.hpp"
namespace assembly {
void scalar_tables() {}
}
