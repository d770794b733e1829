// A list of options: which of its options a type names, what was chosen, and all that options add
// to variants, to arguments and to their checks.
#pragma once

#include <type_traits>

#include <fa/core/tensor.hpp>
#include <fa/launch/option/option.hpp>

namespace fa {

namespace detail {

/// The first of some types that names an option, or Otherwise.
template <class Option, class Otherwise, class... Types>
struct find {
  using type = Otherwise;
};
template <class Option, class Otherwise, class First, class... Rest>
struct find<Option, Otherwise, First, Rest...> {
  using type = typename std::conditional_t<Option::template is<First>, std::type_identity<First>,
                                           find<Option, Otherwise, Rest...>>::type;
};

/// What some types choose: `of<varlen_option>` is the type that names the option, or what holds
/// without one.
template <class... Types>
struct chosen {
  template <class Option>
  using of = typename find<Option, typename Option::template otherwise<chosen>, Types...>::type;
};

/// What fa::variant says of an option.
template <class Option, class Chosen>
struct names_of {};
template <class Option, class Chosen>
  requires requires { typename Option::template names<Chosen>; }
struct names_of<Option, Chosen> : Option::template names<Chosen> {};

/// What an option adds to the arguments.
template <class Option, class Pass, class V>
struct members_of {};
template <class Option, class Pass, class V>
  requires requires { typename Option::template members<Pass, V>; }
struct members_of<Option, Pass, V> : Option::template members<Pass, V> {};

/// Some options, in the order in which their members stand and their rules are asked.
template <class... List>
struct option_list {
  /// The list and more options behind it.
  template <class... More>
  using with = option_list<List..., More...>;

  /// How many options of the list X names: one if it is an option.
  template <class X>
  static constexpr int meanings = (0 + ... + (List::template is<X> ? 1 : 0));

  /// Whether no two types name the same option.
  template <class... Types>
  static consteval bool differ() {
    return (named_at_most_once<List, Types...>() && ...);
  }

  /// See the members of `option`.
  template <bool Stop, class X>
  static consteval bool misses() {
    return (false || ... || List::template misses<Stop, X>());
  }
  template <bool Stop, class... Types>
  static consteval bool fits() {
    return fit<Stop, chosen<Types...>, List...>();
  }

  template <class Chosen>
  struct names : names_of<List, Chosen>... {};
  template <class Pass, class V>
  struct members : members_of<List, Pass, V>... {};

  template <class Rules, class Arguments>
  static constexpr void check_values(Rules& r, const Arguments& a) {
    (List::check_values(r, a), ...);
  }
  template <class Rules, class Arguments>
  static void check_memory(Rules& r, const Arguments& a) {
    (List::check_memory(r, a), ...);
  }
  template <class Rules, class Arguments>
  static void check_arrays(Rules& r, const Arguments& a) {
    (List::check_arrays(r, a), ...);
  }

 private:
  template <class Option, class... Types>
  static consteval bool named_at_most_once() {
    return (0 + ... + (Option::template is<Types> ? 1 : 0)) <= 1;
  }

  /// Stops at the first rule that is broken: those behind it may rely on it.
  template <bool Stop, class Chosen>
  static consteval bool fit() {
    return true;
  }
  template <bool Stop, class Chosen, class First, class... Rest>
  static consteval bool fit() {
    if constexpr (First::template fits<false, Chosen>()) return fit<Stop, Chosen, Rest...>();
    else return First::template fits<Stop, Chosen>();
  }
};

}  // namespace detail

/// Layouts are strides: see bshd, bhsd, sbhd, thd, bhs and ht.
template <class Pass, class V>
struct arguments : V::options::template members<Pass, V> {
  /// [batch, seqlen_q, heads, D]; varlen: [1, tokens, heads, D]
  tensor<const typename V::query_element> q;
  /// [batch, seqlen_k, heads_kv, D]; heads_kv divides heads
  tensor<const typename V::kv_element> k;
  tensor<const typename V::kv_element> v;                     ///< [batch, seqlen_k, heads_kv, DV]
  tensor<typename Pass::template output<typename V::out>> o;  ///< [batch, seqlen_q, heads, DV]
  row_tensor lse;  ///< [batch, heads, seqlen_q], optional: ln of the softmax denominator
  optional_float softmax_scale;  ///< factor of q k^T; not set: 1 / sqrt(D)
};

}  // namespace fa
