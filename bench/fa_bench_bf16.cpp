// The cases of bf16, in a file of their own so that the three types compile at the same time.
#include "cases.hpp"

void add_bf16_cases() { bench::catalogue<fa::bf16>("bf16").add(); }
