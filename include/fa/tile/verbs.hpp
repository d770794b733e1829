// The vocabulary of kernels: whole tiles of a block, and what may be done with them. Each verb is
// given by the machine whose tile it is called with; a verb that a machine lacks does not compile.
// Shapes: a block owns BM rows of queries; a step brings BN keys; D is the head size of queries and
// keys, DV that of values.
#pragma once

#include <fa/core/config.hpp>
#include <fa/core/rows.hpp>

namespace fa {

// ---- memory

/// Q [BM, D] as the first operand of mma_abt: the block's rows at `at`. Rows that do not exist are
/// zero, or like one that does: no verb writes what comes of them.
template <class M, int BM, int D, class Rows, class Position>
FA_FN auto load_rows(const Rows& rows, const Position& at) {
  return M::template load_rows<BM, D>(rows, at);
}

/// The stream of a block at `at`: steps of BN rows of the tensors that Brings names, from `sources`
/// in the same order. See machine/concept.hpp for what its `visit` does.
template <class M, int BM, int BN, class Brings, class Position, class... Sources>
FA_FN auto stream(const Position& at, const Sources&... sources) {
  return typename M::template stream<BM, BN, Brings, Sources...>{sources..., at};
}

/// A tile [BM, C] of zeros in f32, which mma_ab adds to. T: the element type of the products.
template <class M, class T, int BM, int C>
FA_FN auto zeros() {
  return M::template zeros<T, BM, C>();
}

/// Writes a tile [BM, C], rounded to the destination's element type. Rows that do not exist are not
/// written.
template <class To, class Tile, class Position>
FA_FN void store_rows(const packed_rows<To>& rows, const Tile& tile, const Position& at) {
  Tile::machine::store_rows(rows, tile, at);
}

/// Writes a float a row; nothing where the destination is absent.
template <class Row, class Position>
FA_FN void store_row(const packed_rows<float>& rows, const Row& row, const Position& at) {
  Row::machine::store_row(rows, row, at);
}

// ---- products

/// S = Q K^T [BM, BN] in f32, of Q [BM, D] and K [BN, D].
template <class Q, class K>
FA_FN auto mma_abt(const Q& q, const K& k) {
  return Q::machine::mma_abt(q, k);
}

/// O += P V: O [BM, DV] in f32, P [BM, BN], V [BN, DV].
template <class O, class P, class V>
FA_FN void mma_ab(O& o, const P& p, const V& v) {
  O::machine::mma_ab(o, p, v);
}

/// P [BM, BN] as the first operand of mma_ab for elements of type T; may refer to its argument.
template <class T, class S>
FA_FN decltype(auto) as_operand(const S& s) {
  return S::machine::template as_operand<T>(s);
}

// ---- scalars

/// x, which is the same for the whole block: some machines then keep it where it costs less.
template <class M, class X>
FA_FN X uniform(X x) {
  if constexpr (requires { M::uniform(x); }) return M::uniform(x);
  else return x;
}

// ---- scores

/// s(i, j) = f(s, i, j) for each score; i and j are positions in the sequence. Where f takes packed
/// scores (machine/packed_scores.hpp), it may be called with those.
template <class S, class Position, class F>
FA_FN void map_at(S& s, const Position& at, int key0, const F& f) {
  S::machine::map_at(s, at, key0, f);
}

/// s(i, j) = -infinity where the mask drops (i, j).
template <class S, class Position, class Mask>
FA_FN void keep_only(S& s, const Position& at, int key0, const Mask& mask) {
  S::machine::keep_only(s, at, key0, mask);
}

/// s(i, j) = f(s, row(i)).
template <class S, class Row, class F>
FA_FN void map_rows(S& s, const Row& row, const F& f) {
  S::machine::map_rows(s, row, f);
}

/// s(i, j) = f(s, row(i)), which from then on are weights: P. A lane's part of the sum of each row
/// is added to `sum`.
template <class S, class Row, class Part, class F>
FA_FN void map_rows_add(S& s, const Row& row, Part& sum, const F& f) {
  S::machine::map_rows_add(s, row, sum, f);
}

/// A lane's part of the maximum of each row, [BM]. A NaN is passed over.
template <class S>
FA_FN auto max_cols_part(const S& s) {
  return S::machine::max_cols_part(s);
}

// ---- rows: a value for each of BM rows

/// row(i) = x.
template <class Row>
FA_FN void fill(Row& row, float x) {
  Row::machine::fill(row, x);
}

/// f(a, b) for each row.
template <class Row, class F>
FA_FN auto map(const Row& a, const Row& b, const F& f) {
  return Row::machine::map(a, b, f);
}

/// True if a > b in any row of those that run together (the block or a wave of it).
template <class Top, class Row>
FA_FN bool any_above(const Top& a, const Row& b) {
  return Row::machine::any_above(a, b);
}

/// Complete maxima from the parts that lanes hold.
template <class Top>
FA_FN decltype(auto) max_across(const Top& a) {
  return Top::machine::max_across(a);
}

/// Complete sums from the parts that lanes hold.
template <class Part>
FA_FN decltype(auto) sum_across(const Part& a) {
  return Part::machine::sum_across(a);
}

/// tile(i, ...) *= factor(i), for a tile or a row.
template <class Tile, class Row>
FA_FN void scale_rows(Tile& tile, const Row& factor) {
  Tile::machine::scale_rows(tile, factor);
}

}  // namespace fa
