// The cases of f16, in a file of their own so that the three types compile at the same time.
#include "cases.hpp"

void add_f16_cases() { bench::catalogue<fa::f16>("f16").add(); }
