// The head sizes: head_dim<D, DV>.
#pragma once

#include <fa/launch/option/option.hpp>
#include <fa/machine/select.hpp>

namespace fa {

/// Head sizes that kernels exist for; on AMD GPUs O must fit in registers.
inline constexpr int largest_head_dim = FA_AMD ? 256 : 512;

/// Head size D of queries and keys, and DV of values and outputs; 1 to largest_head_dim.
template <int D, int DV = D>
struct head_dim {
  static constexpr int query = D;
  static constexpr int value = DV;
};

namespace detail {

template <class X>
inline constexpr bool is_head_dim = false;
template <int D, int DV>
inline constexpr bool is_head_dim<head_dim<D, DV>> = true;

struct head_dim_option : option {
  template <class X>
  static constexpr bool is = is_head_dim<X>;

  template <bool Stop, class Chosen>
  static consteval bool fits() {
    using dims = typename Chosen::template of<head_dim_option>;
    constexpr bool named = is_head_dim<dims>;
    static_assert(!Stop || named,
                  "fa::attention: no head_dim. Rule: the head size must be known at compile time. "
                  "Remedy: add head_dim<D> or head_dim<D, DV>");
    if constexpr (named) {
      constexpr bool in_range = dims::query >= 1 && dims::query <= largest_head_dim &&
                                dims::value >= 1 && dims::value <= largest_head_dim;
      static_assert(!Stop || in_range,
                    "fa::attention: head_dim<D, DV> out of range. Rule: 1 <= D <= 512 and 1 <= DV "
                    "<= 512 (256 on AMD GPUs). Remedy: split larger heads");
      return in_range;
    } else {
      return false;
    }
  }

  template <class Chosen>
  struct names {
    using dims = typename Chosen::template of<head_dim_option>;
  };
};

}  // namespace detail

}  // namespace fa
