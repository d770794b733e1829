// The cases of f32, in a file of their own so that the three types compile at the same time.
#include "cases.hpp"

void add_f32_cases() { bench::catalogue<fa::f32>("f32").add(); }
