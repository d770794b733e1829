// A library to link against with the name and symbol versions of HIP 6's runtime; nothing
// here is ever called.
#include <cstdlib>

#define NAME(X) \
  extern "C" __attribute__((visibility("default"))) void X() { std::abort(); }
NAME(hipMalloc)
NAME(hipFree)
NAME(hipPointerGetAttributes)
NAME(hipGetDevicePropertiesR0600)
NAME(hipLinkCreate)
