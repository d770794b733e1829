// What a machine must offer, in one place. tile/verbs.hpp says what each verb does.
#pragma once

#include <fa/core/view.hpp>

namespace fa {

/// A machine that runs blocks of BM rows of elements of type T with head sizes D and DV, BN keys a
/// step.
template <class M, class T, int BM, int BN, int D, int DV>
concept Machine = requires(group_view<const T> rows, group_view<T> out, group_view<float> lse,
                           row_view<const T> keys) {
  typename M::position;
  typename M::template row<BM>;
  typename M::template row_part<BM>;
  typename M::template kv_stream<T, BM, BN, D, DV>;
  { M::template rows_of<BM>(0, 0, 1) };
  { M::template load_rows<T, BM, D>(rows, M::template rows_of<BM>(0, 0, 1), 1.f) };
  { M::store_rows(out, M::template zeros<T, BM, DV>(), M::template rows_of<BM>(0, 0, 1)) };
  { M::store_row(lse, typename M::template row<BM>{}, M::template rows_of<BM>(0, 0, 1)) };
};

}  // namespace fa
