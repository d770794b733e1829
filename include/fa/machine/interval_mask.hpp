// How a machine asks whether each row of a mask sees neighbouring keys.
#pragma once

#include <concepts>

#include <fa/core/sequence.hpp>

namespace fa {

/// A bound mask whose rows each see a run of neighbouring keys may say which: row i sees the keys
/// of `keys_of(i)` and no others. Machines then look at rows, not at each pair.
template <class M>
concept IntervalMask = requires(const M m, int i) {
  { m.keys_of(i) } -> std::same_as<key_range>;
};

}  // namespace fa
