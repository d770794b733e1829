#include "assembly_tables.hpp"
namespace assembly {
void load_store_tables() {}
}
