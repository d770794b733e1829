// Accesses to global memory and LDS.
#pragma once

#include <cstdint>
#include <type_traits>

#include <fa/core/config.hpp>
#include <fa/core/numeric.hpp>
#include <fa/machine/amd/lanes.hpp>
#include <fa/machine/select.hpp>

#if FA_AMD

namespace fa::amd_machine {

using words2 = std::uint32_t __attribute__((ext_vector_type(2)));
using words4 = std::uint32_t __attribute__((ext_vector_type(4)));
using words8 = std::uint32_t __attribute__((ext_vector_type(8)));

/// N words in registers.
template <int N>
struct words {
  std::uint32_t x[N];
};

/// Whatever the registers hold: for values that nobody looks at. What they held before need not be kept then.
template <int N>
FA_DEVICE words<N> anything() {
  words<N> result;
  FA_UNROLL for (std::uint32_t& x : result.x) asm volatile("" : "=v"(x));
  return result;
}

/// Says that loads have arrived here on every path: where the compiler does not see it, it would wait for them later on, and for
/// those that were started meanwhile too.
template <int N>
FA_DEVICE void settle(const words<N>& x) {
  FA_UNROLL for (const std::uint32_t& word : x.x) asm volatile("" ::"v"(word));
}

namespace detail {

template <int N>
using vector_of = std::uint32_t __attribute__((ext_vector_type(N)));
template <int N>
struct global_vector {
  using type __attribute__((aligned(4))) = vector_of<N>;   // the hardware asks for no more
};
template <>
struct global_vector<1> {
  using type = std::uint32_t;
};

}  // namespace detail

/// Loads N words, aligned to 4 bytes, at `offset` bytes from an address that all lanes share.
template <int N>
FA_DEVICE words<N> load_words(const void* base, std::uint32_t offset) {
  using vector = typename detail::global_vector<N>::type;
  using pointer = const __attribute__((address_space(1))) vector*;
  using bytes = const __attribute__((address_space(1))) char*;
  const vector loaded = *(pointer)((bytes)base + offset);
  words<N> result;
  if constexpr (N == 1) {
    result.x[0] = loaded;
  } else {
    FA_UNROLL for (int i = 0; i < N; ++i) result.x[i] = loaded[i];
  }
  return result;
}

template <int N>
FA_DEVICE void store_words(void* to, const words<N>& x) {
  using vector = typename detail::global_vector<N>::type;
  using pointer = __attribute__((address_space(1))) vector*;
  if constexpr (N == 1) {
    *(pointer)to = x.x[0];
  } else {
    vector stored;
    FA_UNROLL for (int i = 0; i < N; ++i) stored[i] = x.x[i];
    *(pointer)to = stored;
  }
}

/// The bits of an element, in the lower part of a word; an element has only its own alignment.
template <class T>
FA_DEVICE std::uint32_t load_bits(const T* from) {
  using bits = std::conditional_t<sizeof(T) == 2, std::uint16_t, std::uint32_t>;
  return *(const __attribute__((address_space(1))) bits*)from;
}
template <class T>
FA_DEVICE void store_element(T* to, T x) {
  using bits = std::conditional_t<sizeof(T) == 2, std::uint16_t, std::uint32_t>;
  *(__attribute__((address_space(1))) bits*)to = __builtin_bit_cast(bits, x);
}

/// The workgroup's LDS: Bytes of it, the same object wherever it is asked for. Its address there, in bytes.
template <int Bytes>
FA_DEVICE std::uint32_t lds_base() {
  static __attribute__((shared)) __attribute__((aligned(1024))) char storage[Bytes];
  return (std::uint32_t)(std::uintptr_t)(__attribute__((address_space(3))) char*)storage;
}

template <class Vector>
FA_DEVICE Vector lds_load(std::uint32_t address) { return *(const __attribute__((address_space(3))) Vector*)address; }
template <class Vector>
FA_DEVICE void lds_store(std::uint32_t address, const Vector& x) { *(__attribute__((address_space(3))) Vector*)address = x; }

/// True if rows can be loaded in words, `bytes` from each to the next and `rows` of them, by 32-bit offsets.
FA_DEVICE bool loads_in_words(const void* data, i64 bytes, int rows) {
  return ((reinterpret_cast<std::uintptr_t>(data) | static_cast<std::uintptr_t>(bytes)) & 3) == 0 && bytes >= 0 &&
         bytes <= (i64{1} << 31) / rows - 1;
}

}  // namespace fa::amd_machine

#endif
