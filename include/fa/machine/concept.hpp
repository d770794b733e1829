// What a machine must offer, in one place. tile/verbs.hpp says what each verb does.
#pragma once

#include <fa/core/sequence.hpp>

namespace fa {

/// A machine that runs blocks of BM rows of elements of type T with head sizes D and DV, BN keys a
/// step.
template <class M, class T, int BM, int BN, int D, int DV>
concept Machine = requires {
  typename M::position;
  typename M::template row<BM>;
  typename M::template row_part<BM>;
};

}  // namespace fa
