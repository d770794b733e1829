// exp2, log2 and their like for whatever a machine holds scores in. Policies and kernels call them
// by name, so all forms must be known before those are read.
#pragma once

#include <fa/core/math.hpp>
#include <fa/machine/select.hpp>

#if FA_AMD
#include <fa/machine/amd/math.hpp>
#elif FA_NV
#include <fa/machine/nv/math.hpp>
#else
#include <fa/machine/host/vector.hpp>
#endif
