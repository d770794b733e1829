#include "assembly_tables.hpp"
namespace assembly {
void scaled_conversions() {}
}
