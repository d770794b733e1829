// Where rows lie in memory: of one head, or of the heads that share keys.
#pragma once

#include <concepts>
#include <cstdint>
#include <type_traits>

#include <fa/core/config.hpp>
#include <fa/core/numeric.hpp>

namespace fa {

/// The largest power of two, at most 16, that divides an address and some distances in bytes.
FA_FN int common_alignment(const void* address, i64 distance = 0, i64 other_distance = 0) {
  const auto bits = static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(address)) |
                    static_cast<std::uint32_t>(distance) |
                    static_cast<std::uint32_t>(other_distance) | 16u;
  return static_cast<int>(bits & (0u - bits));
}

/// The rows of keys or values of one head, each at the same distance from the one before: row j
/// starts at data + j * stride. Shape [rows, D]. Models RowSource.
template <class T>
struct strided_rows {
  using element = std::remove_const_t<T>;

  T* data;
  i64 stride;  ///< elements from one row to the next
  int rows;

  FA_FN constexpr T* row(int j) const { return data + j * stride; }
  FA_FN constexpr i64 distance() const { return stride; }
  FA_FN constexpr strided_rows run(int first) const { return {row(first), stride, rows - first}; }
  FA_FN int alignment() const {
    return common_alignment(data, stride * static_cast<i64>(sizeof(T)));
  }
};

/// Where the rows of a streamed tensor lie: all that a machine asks of them. Row j of `rows` starts
/// at `row(j)`, on an address that `alignment()` bytes divide (at most 16). `distance()` is the
/// number of elements from each row to the next, or 0 where that differs. `run(j)` gives the rows
/// from j on, as many as lie at one distance.
template <class R>
concept RowSource = requires(const R source, int j) {
  typename R::element;
  { source.rows } -> std::convertible_to<int>;
  { source.row(j) } -> std::same_as<const typename R::element*>;
  { source.distance() } -> std::same_as<i64>;
  { source.run(j) } -> std::same_as<strided_rows<const typename R::element>>;
  { source.alignment() } -> std::same_as<int>;
};

static_assert(RowSource<strided_rows<const float>>);

/// The rows of queries, outputs or LSE of heads that share keys ("packed GQA"): row r is token
/// r / heads of head r % heads. With one head these are its tokens. Shape [rows, D].
template <class T>
struct packed_rows {
  using element = std::remove_const_t<T>;

  T* data;           ///< null: absent
  i64 token_stride;  ///< elements
  i64 head_stride;   ///< elements
  int rows;
  int heads;  ///< rows of a token

  FA_FN constexpr T* row(int r) const {
    return heads == 1 ? data + r * token_stride
                      : data + r / heads * token_stride + r % heads * head_stride;
  }
  /// Elements from each row to the next, or 0 where that differs.
  FA_FN constexpr i64 distance() const { return heads == 1 ? token_stride : 0; }
  FA_FN int alignment() const {
    constexpr i64 size = sizeof(T);
    return common_alignment(data, token_stride * size, head_stride * size);
  }
};

/// Rows of queries that are multiplied by `factor` on their way to the first product: 1, -1 or 0.
template <class T>
struct query_rows : packed_rows<T> {
  float factor;
};

}  // namespace fa
