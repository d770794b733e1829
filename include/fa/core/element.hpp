// The element types that tensors may have, and what is to be known about them: one row each. Code
// that depends on the element asks for a trait by what it means, never for a size.
#pragma once

#include <concepts>
#include <cstdint>

namespace fa {

/// IEEE 754 binary32.
using f32 = float;
struct f16;   // IEEE 754 binary16, see core/dtype.hpp
struct bf16;  // the upper half of a binary32, see there

/// Which format the bits of an element are in. An instruction that exists for some formats is
/// chosen by it.
enum class element_kind { binary32, binary16, bfloat16 };

/// The traits of an element type; what has none is no element.
///   kind               the format
///   bits               an unsigned integer of as many bits
///   bytes              in memory
///   mantissa_bits      that are stored: the leading 1 is not
///   least_exponent     2^least_exponent is the least normal number
///   greatest_exponent  of the largest finite number
///   largest            that number
/// A new element type is a row here, its conversions (core/dtype.hpp), and on each machine its
/// instructions: where these are missing, it does not compile.
template <class T>
struct element_traits;

template <>
struct element_traits<f32> {
  static constexpr element_kind kind = element_kind::binary32;
  using bits = std::uint32_t;
  static constexpr int bytes = 4, mantissa_bits = 23, least_exponent = -126,
                       greatest_exponent = 127;
  static constexpr float largest = 0x1.fffffep127f;
};

template <>
struct element_traits<f16> {
  static constexpr element_kind kind = element_kind::binary16;
  using bits = std::uint16_t;
  static constexpr int bytes = 2, mantissa_bits = 10, least_exponent = -14, greatest_exponent = 15;
  static constexpr float largest = 65504.f;
};

template <>
struct element_traits<bf16> {
  static constexpr element_kind kind = element_kind::bfloat16;
  using bits = std::uint16_t;
  static constexpr int bytes = 2, mantissa_bits = 7, least_exponent = -126, greatest_exponent = 127;
  static constexpr float largest = 0x1.fep127f;
};

/// The element types that queries, keys, values and outputs may have.
template <class T>
concept Element = requires {
  { element_traits<T>::kind } -> std::convertible_to<element_kind>;
};

/// The types that queries and outputs may have.
template <class T>
concept QueryElement = Element<T>;

/// The types that keys and values may have.
template <class T>
concept KvElement = Element<T>;

/// The pairs of types whose products there are: queries of the first, keys and values of the
/// second.
template <class Query, class Kv>
concept MultipliedElements = QueryElement<Query> && KvElement<Kv> && std::same_as<Query, Kv>;

/// The format of T.
template <Element T>
inline constexpr element_kind kind_of = element_traits<T>::kind;

/// Bytes of an element in memory.
template <Element T>
inline constexpr int element_bytes = element_traits<T>::bytes;

/// Elements that a word of 32 bits holds. f32 are moved word by word, all others packed.
template <Element T>
inline constexpr int per_word = 4 / element_bytes<T>;

/// Elements in 16 bytes: the widest access of a lane, a chunk of a row in shared memory.
template <Element T>
inline constexpr int per_chunk = 16 / element_bytes<T>;

/// True for the type that arithmetic is done in: read and multiplied as it lies in memory.
template <Element T>
inline constexpr bool is_f32 = kind_of<T> == element_kind::binary32;

/// True for f16 and bf16: pairs of them fill a word, and 16-bit matrix instructions multiply them.
template <Element T>
inline constexpr bool is_16_bit = kind_of<T> == element_kind::binary16 ||
                                  kind_of<T> == element_kind::bfloat16;

}  // namespace fa
