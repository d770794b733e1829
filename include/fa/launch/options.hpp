// The options of fa::attention: types, in any order, each found by what it is and with a default.
// A new option is a file in launch/option/ and its lines here.
#pragma once

#include <fa/launch/option/element.hpp>
#include <fa/launch/option/head_dim.hpp>
#include <fa/launch/option/list.hpp>
#include <fa/launch/option/lse.hpp>
#include <fa/launch/option/mask.hpp>
#include <fa/launch/option/output.hpp>
#include <fa/launch/option/round_weights.hpp>
#include <fa/launch/option/score.hpp>
#include <fa/launch/option/softmax_scale.hpp>
#include <fa/launch/option/tensors.hpp>
#include <fa/launch/option/tile.hpp>
#include <fa/launch/option/varlen.hpp>

namespace fa {

namespace detail {

/// Every option, and the parts of a call that are always there.
struct every_option
    : option_list<element_option,   // float, fa::f16 or fa::bf16 (required)
                  head_dim_option,  // head_dim<D> or <D, DV> (required): of q and k, and of v and o
                  output_option,    // output<float> for an f32 output of 16-bit inputs
                  mask_option,      // no_mask (default), causal, causal_top_left, window, your own
                  score_option,     // no_score (default), your own
                  tensors_option,   // Q, K, V and O
                  varlen_option,    // varlen: packed tokens of sequences of different lengths
                  softmax_scale_option, lse_option,
                  tile_option,      // tile<q_rows, kv_rows>, for those who tune
                  rounding_option>  // round_weights<R>: bf16 weights where that costs instructions
{};

/// Stops the compilation with the rule that types break, if they are to be options of a list.
template <class List>
struct options_of {
  /// Stops at a type that is no option; the type is the X of this template in the message.
  template <class X>
  struct known_option {
    static constexpr int meanings = List::template meanings<X>;
    static_assert(meanings < 2,
                  "fa::attention: a type that is a mask and a score at once (the X of "
                  "known_option<X>). Rule: an option has one meaning. Remedy: make two types of "
                  "it");
    static constexpr bool explained = List::template misses<meanings == 0, X>();
    static_assert(meanings > 0 || explained,
                  "fa::attention: unknown option (the X of known_option<X>). Rule: an option is an "
                  "element type (float, fa::f16, fa::bf16), head_dim<D, DV>, output<T>, varlen, "
                  "tile<q_rows, kv_rows>, round_weights<R>, a mask or a score. Remedy: name one of "
                  "these; a mask of your own needs a default constructor and bind(fa::sequence) "
                  "const giving a type with bool keep(int, int) const and fa::key_span "
                  "span(fa::row_range, int) const (see fa::Mask), a score the same with float "
                  "operator()(float, int, int) const (see fa::Score)");
    static constexpr bool value = meanings == 1;
  };

  /// The same without an error: whether they are.
  template <class... Types>
  static consteval bool good() {
    if constexpr (((List::template meanings<Types> == 1) && ...) &&
                  List::template differ<Types...>()) {
      return List::template fits<false, Types...>();
    } else {
      return false;
    }
  }

  /// Whether they are; else the compilation stops.
  template <class... Types>
  static consteval bool check() {
    if constexpr ((known_option<Types>::value && ...)) {
      constexpr bool differ = List::template differ<Types...>();
      static_assert(differ,
                    "fa::attention: the same kind of option twice. Rule: at most one element type, "
                    "head_dim, output, mask, score, varlen and tile. Remedy: remove one; masks are "
                    "combined in a mask type of your own");
      if constexpr (differ) return List::template fits<true, Types...>();
    }
    return false;
  }
};

/// A variant by the options of a list: what they say of it.
template <class List, class... Types>
struct variant_of : List::template names<chosen<Types...>> {
  static_assert(options_of<List>::template check<Types...>());
  using options = List;
};

}  // namespace detail

/// True if fa::attention<Options...> compiles.
template <class... Options>
inline constexpr bool supports = detail::options_of<detail::every_option>::good<Options...>();

}  // namespace fa
