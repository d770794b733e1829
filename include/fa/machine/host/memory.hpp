// Rows of elements and SIMD registers.
#pragma once

#include <cstddef>
#include <cstring>

#include <fa/machine/host/vector.hpp>

namespace fa::host_machine {
inline namespace FA_HOST_ISA {

/// `lanes` elements as floats, of which the last ones, beyond `count`, are zero and not read.
template <class T>
FA_FN floats load_first(const T* from, int count) {
  if (count >= lanes) return load_elements(from);
  T some[lanes] = {};
  std::memcpy(some, from, static_cast<std::size_t>(count) * sizeof(T));
  return load_elements(some);
}

/// Stores the first `count` floats.
template <class T>
FA_FN void store_first(T* to, floats x, int count) {
  if (count >= lanes) return store_elements(to, x);
  T some[lanes];
  store_elements(some, x);
  std::memcpy(to, some, static_cast<std::size_t>(count) * sizeof(T));
}

}  // namespace FA_HOST_ISA
}  // namespace fa::host_machine
