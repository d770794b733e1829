// Accesses to global memory and LDS.
#pragma once

#include <cstdint>

#include <fa/core/config.hpp>
#include <fa/core/element.hpp>
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

/// Says that loads have arrived here. Where only some lanes used them, the compiler would wait for
/// them later on, and for those that were started meanwhile too.
template <int N>
FA_DEVICE void settle(const words<N>& x) {
  FA_UNROLL for (const std::uint32_t& word : x.x) asm volatile("" ::"v"(word));
}

namespace detail {

template <int N>
using vector_of = std::uint32_t __attribute__((ext_vector_type(N)));
/// N words in global memory, aligned as elements of `Bytes` bytes: drivers set the hardware so that
/// no more is asked.
template <int N, int Bytes>
struct global_words;
template <int N>
struct global_words<N, 2> {
  using type __attribute__((aligned(2))) = vector_of<N>;
};
template <int N>
struct global_words<N, 4> {
  using type __attribute__((aligned(4))) = vector_of<N>;
};
template <>
struct global_words<1, 2> {
  using type __attribute__((aligned(2))) = std::uint32_t;
};
template <>
struct global_words<1, 4> {
  using type = std::uint32_t;
};

}  // namespace detail

/// Loads N words of elements, at `offset` bytes from an address that all lanes share.
template <int N, class T>
FA_DEVICE words<N> load_words(const T* base, std::uint32_t offset) {
  using vector = typename detail::global_words<N, element_bytes<T>>::type;
  using pointer = const __attribute__((address_space(1))) vector*;
  using bytes = const __attribute__((address_space(1))) char*;
  const auto loaded = *(pointer)((bytes)base + offset);
  words<N> result;
  if constexpr (N == 1) {
    result.x[0] = loaded;
  } else {
    FA_UNROLL for (int i = 0; i < N; ++i) result.x[i] = loaded[i];
  }
  return result;
}

template <int N, class T>
FA_DEVICE void store_words(T* to, const words<N>& x) {
  using vector = typename detail::global_words<N, element_bytes<T>>::type;
  using pointer = __attribute__((address_space(1))) vector*;
  if constexpr (N == 1) {
    *(pointer)to = x.x[0];
  } else {
    detail::vector_of<N> stored;
    FA_UNROLL for (int i = 0; i < N; ++i) stored[i] = x.x[i];
    *(pointer)to = stored;
  }
}

/// The bits of an element, in the lower part of a word.
template <class T>
FA_DEVICE std::uint32_t load_bits(const T* base, std::uint32_t offset) {
  using bits = typename element_traits<T>::bits;
  using bytes = const __attribute__((address_space(1))) char*;
  return *(const __attribute__((address_space(1))) bits*)((bytes)base + offset);
}
template <class T>
FA_DEVICE void store_element(T* to, T x) {
  using bits = typename element_traits<T>::bits;
  *(__attribute__((address_space(1))) bits*)to = __builtin_bit_cast(bits, x);
}

/// The same as load_words for a row's end, of which `count` > 0 elements exist; the others become
/// zero.
template <int N, class T>
FA_DEVICE words<N> load_elements(const T* base, std::uint32_t offset, int count) {
  words<N> result{};
  FA_UNROLL for (int e = 0; e < N * per_word<T>; ++e) {
    const auto at = static_cast<std::uint32_t>(min_of(e, count - 1)) *
                    static_cast<std::uint32_t>(element_bytes<T>);
    const std::uint32_t x = load_bits(base, offset + at);
    result.x[e / per_word<T>] |= (e < count ? x : 0u) << 32 / per_word<T> * (e % per_word<T>) % 32;
  }
  return result;
}

/// The workgroup's LDS: Bytes of it, the same object wherever it is asked for. Its address there,
/// in bytes.
template <int Bytes>
FA_DEVICE std::uint32_t lds_base() {
  static __attribute__((shared)) __attribute__((aligned(1024))) char storage[Bytes];
  return (std::uint32_t)(std::uintptr_t)(__attribute__((address_space(3))) char*)storage;
}

template <class Vector>
FA_DEVICE Vector lds_load(std::uint32_t address) {
  return *(const __attribute__((address_space(3))) Vector*)address;
}
template <class Vector>
FA_DEVICE void lds_store(std::uint32_t address, const Vector& x) {
  *(__attribute__((address_space(3))) Vector*)address = x;
}

}  // namespace fa::amd_machine

#endif
