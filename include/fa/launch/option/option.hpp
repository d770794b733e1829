// What an option is: one file that says which types name it, what it means where it is not named,
// what it adds to the arguments of a call, and the rules it brings. launch/options.hpp lists them.
#pragma once

namespace fa {

/// The forward kernel, where arguments are asked for: each kernel has arguments of its own, and
/// options add to all of them.
struct forward_pass {
  template <class T>
  using output = T;  ///< what O is an array of: written here, constant where it is read
};

/// The arguments of a call of the kernel `Pass`: tensors that all have, and the members that the
/// options of the variant V ask for.
template <class Pass, class V>
struct arguments;

namespace detail {

/// Stands for an option that was not named and has no default.
struct not_named {};

/// What an option says by members of the same names; where it says nothing, this holds. Some parts
/// of a call, such as its tensors, are listed like options, and are named by no type.
///
/// Two more members are there only where they are needed:
///   names<Chosen>      what fa::variant says of the option, such as variant::packed
///   members<Pass, V>   what it adds to the arguments of a pass; a requires clause says when
struct option {
  /// The type X names this option.
  template <class X>
  static constexpr bool is = false;

  /// What holds where it is not named; Chosen::of<another_option> is what holds there.
  template <class Chosen>
  using otherwise = not_named;

  /// The type X, which names no option, was meant as this one. With Stop that ends the compilation
  /// and says what X lacks.
  template <bool Stop, class X>
  static consteval bool misses() {
    return false;
  }

  /// The options chosen keep the rule of this one. With Stop a broken rule ends the compilation.
  template <bool Stop, class Chosen>
  static consteval bool fits() {
    return true;
  }

  // Rules about arguments, in the order in which they are asked; each asks `r` to require what must
  // hold. A template of the class of r, which differs between processors, as their code must.

  /// Numbers alone.
  template <class Rules, class Arguments>
  static constexpr void check_values(Rules&, const Arguments&) {}

  /// Pointers and strides; asked where all values are fine.
  template <class Rules, class Arguments>
  static void check_memory(Rules&, const Arguments&) {}

  /// What stands in arrays, for machines that can read them; asked where all else is fine.
  template <class Rules, class Arguments>
  static void check_arrays(Rules&, const Arguments&) {}
};

}  // namespace detail

}  // namespace fa
