// One of several translation units of one program, each with the same kernel inside; FA_PART names
// its function, and the build gives each its own -march or OpenMP flag.
#include "check.hpp"

double FA_PART() {
  return check::error_of<float, 40>({1, 70, 90, 2, 1, -1, 0}, fa::causal{}) +
         check::error_of<fa::bf16, 40>({1, 1, 90, 2, 1, -1, -1}, fa::no_mask{}) / 500;
}
