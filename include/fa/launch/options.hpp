// The options of fa::attention: types, in any order, each found by what it is and with a default.
#pragma once

#include <concepts>
#include <type_traits>

#include <fa/core/dtype.hpp>
#include <fa/launch/host_tuning.hpp>
#include <fa/machine/select.hpp>
#include <fa/policy/mask.hpp>
#include <fa/policy/score.hpp>

namespace fa {

/// Head sizes that kernels exist for; on AMD GPUs O must fit in registers.
inline constexpr int largest_head_dim = FA_AMD ? 256 : 512;

/// Head size D of queries and keys, and DV of values and outputs; 1 to largest_head_dim.
template <int D, int DV = D>
struct head_dim {
  static constexpr int query = D;
  static constexpr int value = DV;
};

/// The element type of the output, where it shall differ from that of the inputs: output<float>.
template <class T>
struct output {
  using type = T;
};

/// Packed tokens: all sequences of the batch one after the other, told apart by cu_seqlens.
struct varlen {};

/// For those who tune: rows of queries a block owns and keys of a step. On the host q_rows is a
/// multiple of 48, the rows of a strip on every processor, and a block's tiles take at most a
/// mebibyte of stack.
template <int QRows, int KvRows>
struct tile {
  static constexpr int q_rows = QRows;
  static constexpr int kv_rows = KvRows;
};

/// How weights become bf16 where that is not an instruction:
/// round_weights<weight_rounding::nearest_away>.
template <weight_rounding Rounding>
struct round_weights {
  static constexpr weight_rounding value = Rounding;
};

namespace detail {

template <class X>
inline constexpr bool is_head_dim = false;
template <int D, int DV>
inline constexpr bool is_head_dim<head_dim<D, DV>> = true;
template <class X>
inline constexpr bool is_output = false;
template <class T>
inline constexpr bool is_output<output<T>> = true;
template <class X>
inline constexpr bool is_tile = false;
template <int Q, int K>
inline constexpr bool is_tile<tile<Q, K>> = true;
template <class X>
inline constexpr bool is_rounding = false;
template <weight_rounding R>
inline constexpr bool is_rounding<round_weights<R>> = true;

/// What an option can be.
enum class role {
  unknown,
  mask_and_score,
  element,
  head_dim,
  output,
  mask,
  score,
  varlen,
  tile,
  rounding
};

template <class X>
consteval role role_of() {
  if constexpr (Element<X>) return role::element;
  else if constexpr (is_head_dim<X>) return role::head_dim;
  else if constexpr (is_output<X>) return role::output;
  else if constexpr (is_tile<X>) return role::tile;
  else if constexpr (is_rounding<X>) return role::rounding;
  else if constexpr (std::same_as<X, varlen>) return role::varlen;
  else if constexpr (Mask<X> && Score<X>) return role::mask_and_score;
  else if constexpr (Mask<X>) return role::mask;
  else if constexpr (Score<X>) return role::score;
  else return role::unknown;
}

template <role Role, class... Options>
consteval int count_of() {
  return (0 + ... + (role_of<Options>() == Role ? 1 : 0));
}

/// The option with a role, or Default.
template <role Role, class Default, class... Options>
struct find {
  using type = Default;
};
template <role Role, class Default, class First, class... Rest>
struct find<Role, Default, First, Rest...> {
  using type = typename std::conditional_t<role_of<First>() == Role, std::type_identity<First>,
                                           find<Role, Default, Rest...>>::type;
};
template <role Role, class Default, class... Options>
using find_t = typename find<Role, Default, Options...>::type;

/// The first rule that a list of options breaks.
enum class option_error {
  none,
  unknown,
  twice,
  no_element,
  no_head_dim,
  head_dim_range,
  output_type,
  tile_on_gpu,
  tile_range
};

template <class... Options>
consteval option_error check_options() {
  if constexpr (((role_of<Options>() <= role::mask_and_score) || ...)) return option_error::unknown;
  else if constexpr (((count_of<role_of<Options>(), Options...>() > 1) || ...))
    return option_error::twice;
  else if constexpr (count_of<role::element, Options...>() == 0) return option_error::no_element;
  else if constexpr (count_of<role::head_dim, Options...>() == 0) return option_error::no_head_dim;
  else {
    using dim = find_t<role::head_dim, void, Options...>;
    using element = find_t<role::element, void, Options...>;
    using out = typename find_t<role::output, output<element>, Options...>::type;
    using shape = find_t<role::tile, tile<48, 1>, Options...>;
    if (dim::query < 1 || dim::query > largest_head_dim || dim::value < 1 ||
        dim::value > largest_head_dim) {
      return option_error::head_dim_range;
    }
    if (!std::same_as<out, element> && !std::same_as<out, float>) return option_error::output_type;
    if ((FA_AMD || FA_NV) && count_of<role::tile, Options...>() > 0)
      return option_error::tile_on_gpu;
    if (shape::q_rows < 48 || shape::q_rows % 48 != 0 || shape::kv_rows < 1 ||
        shape::q_rows > 960 || shape::kv_rows > 4096 ||
        host_block_bytes(shape::q_rows, shape::kv_rows, dim::query, dim::value) >
            host_block_bytes_limit) {
      return option_error::tile_range;
    }
    return option_error::none;
  }
}

/// Types that look like a mask: bound to a sequence, they have a `keep`.
template <class X>
inline constexpr bool resembles_mask = requires(const X x, const sequence s, int i) {
  x.bind(s).keep(i, i);
};

/// Stops the compilation at an option that is none; the option is the X of this template in the
/// message.
template <class X>
struct known_option {
  static_assert(role_of<X>() != role::mask_and_score,
                "fa::attention: a type that is a mask and a score at once (the X of "
                "known_option<X>). Rule: an option has one "
                "meaning. Remedy: make two types of it");
  static_assert(role_of<X>() != role::unknown || !resembles_mask<X>,
                "fa::attention: an incomplete mask (the X of known_option<X>). Rule: a mask has a "
                "default constructor, and what "
                "its bind(fa::sequence) const returns has bool keep(int, int) const and "
                "fa::key_span span(fa::row_range, int) "
                "const. Remedy: add what is missing; span may return fa::every_key(key_count), "
                "which is always right");
  static_assert(role_of<X>() != role::unknown || resembles_mask<X>,
                "fa::attention: unknown option (the X of known_option<X>). Rule: an option is an "
                "element type (float, fa::f16, "
                "fa::bf16), head_dim<D, DV>, output<T>, varlen, tile<q_rows, kv_rows>, "
                "round_weights<R>, a mask or a score. "
                "Remedy: name one of these; a mask of your own needs a default constructor and "
                "bind(fa::sequence) const giving a "
                "type with bool "
                "keep(int, int) const and fa::key_span span(fa::row_range, int) const (see "
                "fa::Mask), a score the same with "
                "float operator()(float, int, int) const (see fa::Score)");
  static constexpr bool value = true;
};

/// Stops the compilation with the rule that the options break.
template <class... Options>
struct checked_options {
  static constexpr option_error error = check_options<Options...>();
  static_assert((known_option<Options>::value && ...));
  static_assert(
      error != option_error::twice,
      "fa::attention: the same kind of option twice. Rule: at most one element type, head_dim, "
      "output, mask, score, "
      "varlen and tile. Remedy: remove one; masks are combined in a mask type of your own");
  static_assert(error != option_error::no_element,
                "fa::attention: no element type. Rule: the type of q, k and v must be named. "
                "Remedy: add float, fa::f16 or "
                "fa::bf16");
  static_assert(error != option_error::no_head_dim,
                "fa::attention: no head_dim. Rule: the head size must be known at compile time. "
                "Remedy: add head_dim<D> or "
                "head_dim<D, DV>");
  static_assert(error != option_error::head_dim_range,
                "fa::attention: head_dim<D, DV> out of range. Rule: 1 <= D <= 512 and 1 <= DV <= "
                "512 (256 on AMD GPUs). Remedy: "
                "split larger heads");
  static_assert(error != option_error::output_type,
                "fa::attention: output<T> of an unsupported type. Rule: T is the element type or "
                "float. Remedy: use output<float> "
                "and convert");
  static_assert(error != option_error::tile_on_gpu,
                "fa::attention: tile<q_rows, kv_rows> on a GPU. Rule: it tunes the host. Remedy: "
                "leave it out");
  static_assert(
      error != option_error::tile_range,
      "fa::attention: tile<q_rows, kv_rows> does not fit. Rule: q_rows is a multiple of 48, "
      "kv_rows is at least 1, and "
      "the tiles of a block fit in 1 MiB of stack. Remedy: leave it out, or use smaller numbers");
  static constexpr bool ok = error == option_error::none;
};

}  // namespace detail

/// True if fa::attention<Options...> compiles.
template <class... Options>
inline constexpr bool supports = detail::check_options<Options...>() == detail::option_error::none;

}  // namespace fa
