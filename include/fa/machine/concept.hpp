// What a machine must offer, in one place: types of tiles, and the verbs with their shapes.
// tile/verbs.hpp says what each verb does. BM: rows of a block; BN: keys of a step; D and DV:
// columns of keys and of values; T: the element type of products.
//
// The stream's `visit(walk, scores, weigh, accumulate)` is the machine's loop over the steps of BN
// keys that rows see. All of its contract:
//
//   which     Steps begin at walk's first key and every BN keys from there, below its end. Those
//             that no own row needs ("own": of the rows that run together, the block or a wave of
//             it) may be passed by, and none outside of the walk is visited. Without a step, no
//             function is called.
//   what      For each step, in ascending order, once each:
//               s = scores(k)               S [BM, BN]; k: abt_tile, the step's keys [BN, D]
//               p = weigh(s, first, edge)   P [BM, BN], by as_operand; first: the step's first key
//               accumulate(p, v)            v: ab_tile, the step's values [BN, DV]
//   edge      False: each own row sees every key of the step, and all that it holds exist. True: an
//             own row may not see a key, or keys are missing. Then weigh must drop what the mask
//             drops, by keep_only: before, a score that is not seen may be any number; behind, a
//             weight must be 0 where a score is -infinity. An edge may be reported where there is
//             none, but not where all rows of the block see all keys of whole steps.
//   when      scores and weigh of a step may lie apart: the products of the step before may still
//             run, and accumulate of the step before may be called between the two. So scores
//             depends on nothing that the other two change; and what they change, they read and
//             write by verbs only, which wait for products where that is necessary.
//   how long  k is there until scores returns, v and p until accumulate does; p may refer to s. A
//             machine may let its products run on behind these calls: it then keeps what they read.
//             The copies of later steps are under way all along. Behind visit, no product is.
//   who       All threads that compute call visit, with the walk of the same block, and it waits
//             for all of them; threads that only bring rows do not call it. The three functions are
//             called by those who run together, who may go other ways than the rest of the block:
//             nothing in them may wait for the block. Inside, branches on any_above and the like
//             may differ even between waves that run together, so products do not stand in them.
//   once      visit is called once for a stream.
#pragma once

#include <concepts>

#include <fa/core/rows.hpp>
#include <fa/core/sequence.hpp>
#include <fa/machine/roles.hpp>

namespace fa {

/// What stands for arguments of verbs where concepts name them. Never called.
namespace archetype {

/// The walk of a block, of whatever type the machine's is.
struct walk {
  template <class Walk>
  operator const Walk&() const;
};

/// A function that a verb calls.
struct function {};

/// What is bound to a sequence.
struct mask {
  bool keep(int i, int j) const;
  key_span span(row_range rows, int keys) const;
};

}  // namespace archetype

/// A value for each of BM rows, `row`, and a lane's part of one, `row_part`.
template <class M, int BM>
concept RowVerbs = requires(typename M::template row<BM> row, typename M::template row_part<BM> sum,
                            archetype::function f, packed_rows<float> out,
                            const typename M::position& at) {
  { M::fill(row, 0.f) } -> std::same_as<void>;
  { M::fill(sum, 0.f) } -> std::same_as<void>;
  { M::map(row, row, f) } -> std::same_as<typename M::template row<BM>>;
  { M::any_above(row, row) } -> std::same_as<bool>;
  { M::max_across(row) } -> std::convertible_to<typename M::template row<BM>>;
  { M::sum_across(sum) } -> std::convertible_to<typename M::template row<BM>>;
  { M::scale_rows(sum, row) } -> std::same_as<void>;
  { M::store_row(out, row, at) } -> std::same_as<void>;
};

/// Scores S [BM, BN] f32.
template <class M, class T, int BM, int BN>
concept ScoreVerbs = requires(typename M::template scores<BM, BN> s,
                              typename M::template row<BM> row,
                              typename M::template row_part<BM> sum, archetype::function f,
                              archetype::mask mask, const typename M::position& at) {
  { M::map_at(s, at, 0, f) } -> std::same_as<void>;
  { M::keep_only(s, at, 0, mask) } -> std::same_as<void>;
  { M::map_rows(s, row, f) } -> std::same_as<void>;
  { M::map_rows_add(s, row, sum, f) } -> std::same_as<void>;
  { M::max_cols_part(s) } -> std::same_as<typename M::template row<BM>>;
  M::template as_operand<T>(s);  // P [BM, BN]
};

/// Outputs O [BM, C] f32, stored as elements of type To.
template <class M, class T, int BM, int C, class To>
concept OutputVerbs = requires(decltype(M::template zeros<T, BM, C>()) o,
                               typename M::template row<BM> row, packed_rows<To> out,
                               const typename M::position& at) {
  { M::scale_rows(o, row) } -> std::same_as<void>;
  { M::store_rows(out, o, at) } -> std::same_as<void>;
};

/// A machine's stream of keys and values from sources of type Rows.
template <class M, class T, int BM, int BN, int D, int DV, class Rows>
using key_value_stream = typename M::template stream<BM, BN, abt_then_ab<T, D, DV>, Rows, Rows>;

/// Such a stream, and the two products with what it brings. Query and Rows: the types
/// that say where Q, K and V lie.
template <class M, class T, int BM, int BN, int D, int DV, class Query, class Rows>
concept ProductVerbs = requires(
    key_value_stream<M, T, BM, BN, D, DV, Rows> stream,
    const typename key_value_stream<M, T, BM, BN, D, DV, Rows>::abt_tile& k,  // K [BN, D]
    const typename key_value_stream<M, T, BM, BN, D, DV, Rows>::ab_tile& v,   // V [BN, DV]
    typename M::template scores<BM, BN> s, decltype(M::template zeros<T, BM, DV>()) o,
    const Query& rows, const typename M::position& at, archetype::walk walk,
    archetype::function f) {
  // S = Q K^T
  {
    M::mma_abt(M::template load_rows<BM, D>(rows, at), k)
  } -> std::same_as<typename M::template scores<BM, BN>>;
  // O += P V
  { M::mma_ab(o, M::template as_operand<T>(s), v) } -> std::same_as<void>;
  { stream.visit(walk, f, f, f) } -> std::same_as<void>;
};

/// A machine that runs blocks of BM rows and steps of BN keys of elements of type T with D columns,
/// and DV of values. Optional: uniform(x), for a value that is the same for the whole block. Where
/// launchers hand out work items, they also ask for rows_of<BM>(block, rows, heads), the position
/// of a block, and for walk_of<BM, BN>(mask, at, keys), its walk.
template <class M, class T, int BM, int BN, int D, int DV, class Query = query_rows<const T>,
          class Rows = strided_rows<const T>>
concept Machine = RowVerbs<M, BM> && ScoreVerbs<M, T, BM, BN> && OutputVerbs<M, T, BM, DV, T> &&
                  OutputVerbs<M, T, BM, DV, float> &&
                  ProductVerbs<M, T, BM, BN, D, DV, Query, Rows>;

}  // namespace fa
