// A call as every machine gets it: which tokens, heads and rows a work item is, and where they lie.
//
// Launchers run any kernel type. This is what they ask of it, forward_kernel for one:
//
//   of arguments      call_of<Packed>(a), most_queries(a), has_no_rows(a), packed(a)
//   of its call       for_each_streamed(call, f), also of arguments; streamed<I>(call), has_score
//   of a work item    problem_of(call, item, outputs) or, where a producer brings its rows,
//                     problem_of_received(call, received); and run<M, tile>(problem)
//
// and of its call, which derives from call_sequences: `shape`, by which the tuning headers find its
// tiles, and outputs(item). Hopper's producers also ask for q, mask, query_factor, queries(item),
// first_outputs and what goes with them; they stream two tensors.
#pragma once

#include <cstdint>

#include <fa/core/rows.hpp>
#include <fa/core/sequence.hpp>
#include <fa/core/tensor.hpp>
#include <fa/tile/verbs.hpp>

namespace fa {

/// Tokens [first, first + count) of the tensors: those of one sequence.
struct token_range {
  i64 first;
  i64 count;
};

/// What a block of threads works on: a block of rows of some heads of one sequence.
struct work_item {
  i64 batch;  ///< index of the sequence
  i64 head;   ///< the first query head
  int heads;  ///< whose rows are packed: 1, or all that share keys
  int block;  ///< number of the block among these rows
  token_range queries;
  token_range keys;
  bool exists;  ///< else there is no such block

  FA_FN constexpr int rows() const { return static_cast<int>(queries.count) * heads; }
  /// What masks and scores are bound to.
  FA_FN constexpr sequence bound_sequence() const {
    return {static_cast<int>(queries.count), static_cast<int>(keys.count), batch, head};
  }
};

/// Where in the order of work an item stands: block number `index` of a head, the heaviest first.
struct work_place {
  i64 batch;
  i64 head;
  i64 index;
};

/// The sequences of a call. Whatever decides how a row is computed depends on the row's own
/// sequence only, so no bit of it depends on the batch, the other sequences or the order of blocks.
/// Packed: the call may be one of packed tokens. PacksHeads: policies are the same for all heads
/// that share keys. M, in members: the machine, where it should know that what is read from memory
/// is the same for all lanes.
template <bool Packed, bool PacksHeads>
struct call_sequences {
  i64 batch;               ///< number of sequences
  i64 heads;               ///< query heads
  i64 seqlen_q, seqlen_k;  ///< of dense sequences
  i64 blocks_per_head;     ///< of the sequence with most queries
  int heads_per_key_head;
  const std::int32_t *cu_q, *cu_k, *used_q, *used_k;  ///< null: dense

  /// Whether tokens are packed: sequences begin at cu_q and cu_k.
  FA_FN constexpr bool packed() const { return Packed && cu_q != nullptr; }

  /// Heads of a sequence of so many queries that a block of q_rows rows holds: with few queries
  /// those that share keys become rows of the same block.
  FA_FN constexpr int packed_heads(i64 queries, int q_rows) const {
    return PacksHeads && 2 * queries <= q_rows ? heads_per_key_head : 1;
  }

  /// The most queries of a sequence, by offsets that can be read here.
  constexpr i64 longest_queries() const {
    i64 longest = packed() ? 0 : seqlen_q;
    for (i64 b = 0; packed() && b < batch; ++b) {
      longest = max_of(longest, tokens<void>(cu_q, used_q, b, 0).count);
    }
    return longest;
  }

  /// The item at a place of blocks of q_rows rows; it may not exist. Within a head from the last
  /// block of rows to the first: under a causal mask the heaviest come first. Heads that are packed
  /// have blocks together, and the places of the second go on where those of the first end.
  template <class M = void>
  FA_FN constexpr work_item item_at(const work_place& place, int q_rows) const {
    const token_range queries = tokens<M>(cu_q, used_q, place.batch, seqlen_q);
    const token_range keys = tokens<M>(cu_k, used_k, place.batch, seqlen_k);
    const int together = packed_heads(queries.count, q_rows);
    const int member = together == 1 ? 0 : static_cast<int>(place.head % together);
    const i64 number = member * blocks_per_head + place.index;
    const int blocks = ceil_div(static_cast<int>(queries.count) * together, q_rows);
    return {
        place.batch, place.head - member, together, blocks - 1 - static_cast<int>(number), queries,
        keys,        number < blocks};
  }

  /// The head of keys that an item's rows see.
  FA_FN constexpr int key_head(const work_item& item) const {
    return static_cast<int>(static_cast<unsigned>(item.head) /
                            static_cast<unsigned>(heads_per_key_head));
  }

  /// The rows of an item in a tensor of queries or outputs. Shape [rows, dim].
  template <class T>
  FA_FN constexpr packed_rows<T> rows_of(const tensor<T>& t, const work_item& item) const {
    return {start(t, item.batch, item.queries.first, item.head), t.token_stride, t.head_stride,
            item.rows(), item.heads};
  }
  /// The same in a tensor of one float a row. Shape [rows].
  FA_FN constexpr packed_rows<float> rows_of(const row_tensor& t, const work_item& item) const {
    if (t.data == nullptr) return {nullptr, 0, 0, item.rows(), item.heads};
    return {start(t, item.batch, item.queries.first, item.head), t.token_stride, t.head_stride,
            item.rows(), item.heads};
  }
  /// The keys or values that an item's rows may see. Shape [keys, dim].
  template <class T>
  FA_FN constexpr strided_rows<T> keys_of(const tensor<T>& t, const work_item& item) const {
    return {start(t, item.batch, item.keys.first, key_head(item)), t.token_stride,
            static_cast<int>(item.keys.count)};
  }

 private:
  template <class M>
  FA_FN constexpr token_range tokens(const std::int32_t* starts, const std::int32_t* used, i64 b,
                                     i64 all) const {
    if (!packed()) return {0, all};
    const i64 first = uniform<M>(starts[b]);
    return {first, used != nullptr ? i64{uniform<M>(used[b])} : uniform<M>(starts[b + 1]) - first};
  }

  /// Address of a token in one head.
  template <class Tensor>
  FA_FN constexpr auto* start(const Tensor& t, i64 b, i64 token, i64 head) const {
    return t.data + (packed() ? 0 : b * t.batch_stride) + token * t.token_stride +
           head * t.head_stride;
  }
};

/// What an item writes, where it is held until then. Machines may look it up instead.
template <class Outputs>
struct held_outputs {
  Outputs outputs;
  FA_FN const Outputs& get() const { return outputs; }
};
template <class Outputs>
held_outputs(Outputs) -> held_outputs<Outputs>;

/// The block of rows of a work item, number `block`, as a kernel's problem asks for it. Outputs:
/// held_outputs, or how a machine finds them when they are written.
template <class Outputs>
struct item_block {
  int block;
  Outputs found;

  template <class M, int BM, class Query>
  FA_FN auto rows(const Query& q) const {
    return M::template rows_of<BM>(block, q.rows, q.heads);
  }
  template <class M, int BM, int BN, class Mask, class Position, class Rows>
  FA_FN auto walk(const Mask& mask, const Position& at, const Rows& keys) const {
    return M::template walk_of<BM, BN>(mask, at, keys.rows);
  }
  FA_FN auto outputs() const { return found.get(); }
};

/// The same of a block that a producer brings: Received is what consumers know of it.
template <class Call, class Received>
struct received_block {
  const Call& call;
  Received received;

  template <class M, int BM, class Query>
  FA_FN auto rows(const Query&) const {
    return received.rows();
  }
  template <class M, int BM, int BN, class Mask, class Position, class Rows>
  FA_FN auto walk(const Mask&, const Position&, const Rows&) const {
    return received.walk();
  }
  FA_FN auto outputs() const {
    const auto rows = received.published();
    return call.outputs(received.first_outputs(), rows.first_row + rows.row_count, rows.heads);
  }
};

/// A tensor of which every stride may be used in arithmetic: one that leads from the only element
/// to none means nothing, was not checked, and becomes 0.
template <class T>
[[gnu::always_inline]] constexpr inline tensor<T> with_safe_strides(tensor<T> t) {
  if (t.empty() || t.batch == 1) t.batch_stride = 0;
  if (t.empty() || t.seqlen == 1) t.token_stride = 0;
  if (t.empty() || t.heads == 1) t.head_stride = 0;
  return t;
}

/// A softmax scale as kernels take it: a positive factor of scores and one of queries, 1 or -1, or
/// 0 where all scores shall be 0.
struct split_scale {
  float magnitude;
  float query_factor;

  FA_FN constexpr explicit split_scale(float scale)
      : magnitude(scale == 0.f  ? 1.f
                  : scale < 0.f ? -scale
                                : scale),
        query_factor(scale == 0.f  ? 0.f
                     : scale < 0.f ? -1.f
                                   : 1.f) {}
};

}  // namespace fa
