// Which tensors a stream brings, and how the kernel uses each.
#pragma once

#include <fa/core/numeric.hpp>

namespace fa {

/// How the rows [Step, Cols] of a streamed tensor are used.
enum class use {
  abt,  ///< as the second operand of mma_abt: its rows are the result's columns
  ab,   ///< as the second operand of mma_ab: its rows are summed over
  both  ///< as either
};

/// A tensor of a stream: elements of type T in Cols columns.
template <use Use, class T, int Cols>
struct streamed {
  using element = T;
  static constexpr use used_as = Use;
  static constexpr int cols = Cols;
};

/// What a stream brings: tensors, each a `streamed`, and Floats columns of floats (such as LSE).
/// Machines derive the layout of their shared memory from it, and tuning asks for its size.
template <int Floats, class... Tensors>
struct brings {
  static constexpr int floats = Floats;
};

/// A stream of two tensors: one whose rows are the columns of scores, and one that is summed over,
/// such as keys of Cols columns and values of OtherCols.
template <class T, int Cols, int OtherCols>
using abt_then_ab = brings<0, streamed<use::abt, T, Cols>, streamed<use::ab, T, OtherCols>>;

/// The base of a machine's streams, and of plans of their memory, for what it does not bring.
template <class Brings>
struct unsupported_stream {
  static_assert(always_false<Brings>,
                "fa: this machine has no stream of these tensors in these roles (the Brings of "
                "unsupported_stream<Brings>). Remedy: a specialisation of the machine's stream");
};

}  // namespace fa
