// Which keys a query sees: any type that models fa::Mask. Without one, all.
#pragma once

#include <concepts>
#include <type_traits>
#include <utility>

#include <fa/launch/option/option.hpp>
#include <fa/policy/mask.hpp>

namespace fa::detail {

/// Types that look like a mask: bound to a sequence, they have a `keep`.
template <class X>
inline constexpr bool resembles_mask = requires(const X x, const sequence s, int i) {
  x.bind(s).keep(i, i);
};

/// Optional members that are there, but not as masks have them, would be ignored in silence.
template <class M, class Bound>
inline constexpr bool has_other_members =
    (requires(Bound m, int i) { m.keys_of(i); } && !IntervalMask<Bound>) ||
    (requires(Bound m, key_range keys, int n) { m.queries_of(keys, n); } &&
     !QuerySpanMask<Bound>) ||
    (requires(M m) { m.rows_grow(); } && !requires(const M m) {
      { m.rows_grow() } -> std::same_as<bool>;
    });

struct mask_option : option {
  template <class X>
  static constexpr bool is = Mask<X>;

  template <class Chosen>
  using otherwise = no_mask;

  template <bool Stop, class X>
  static consteval bool misses() {
    static_assert(!Stop || !resembles_mask<X>,
                  "fa::attention: an incomplete mask (the X of known_option<X>). Rule: a mask has "
                  "a default constructor, and what its bind(fa::sequence) const returns has bool "
                  "keep(int, int) const and fa::key_span span(fa::row_range, int) const. Remedy: "
                  "add what is missing; span may return fa::every_key(key_count), which is always "
                  "right");
    return resembles_mask<X>;
  }

  template <bool Stop, class Chosen>
  static consteval bool fits() {
    using mask = typename Chosen::template of<mask_option>;
    constexpr bool other =
        has_other_members<mask, decltype(std::declval<const mask&>().bind(sequence{}))>;
    static_assert(!Stop || !other,
                  "fa::attention: a mask with an optional member of another form. Rule: what bind "
                  "returns may have fa::key_range keys_of(int) const and fa::query_span "
                  "queries_of(fa::key_range, int) const, the mask bool rows_grow() const. Remedy: "
                  "give the member this form, or another name");
    return !other;
  }

  template <class Chosen>
  struct names {
    using mask = typename Chosen::template of<mask_option>;
  };

  template <class Pass, class V>
    requires(!std::is_empty_v<typename V::mask>)
  struct members {
    typename V::mask mask{};  ///< run-time values of the mask
  };
};

/// The mask of a call.
template <class Pass, class V>
typename V::mask mask_of(const arguments<Pass, V>& a) {
  if constexpr (std::is_empty_v<typename V::mask>) return {};
  else return a.mask;
}

}  // namespace fa::detail
