// Functions that the stand-in does not have: each stops the program with its name.
#include <cstdio>
#include <cstdlib>

#define AMDSIM_MISSING(NAME)                                        \
  extern "C" __attribute__((visibility("default"))) void NAME() {   \
    std::fflush(stdout);                                            \
    std::fprintf(stderr, "amdsim: " #NAME " is not implemented\n"); \
    std::_Exit(4);                                                  \
  }
#include "runtime_missing.inc"
