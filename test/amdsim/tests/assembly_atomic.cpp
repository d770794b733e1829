#include "assembly_tables.hpp"
namespace assembly {
void atomic_tables() {}
}
