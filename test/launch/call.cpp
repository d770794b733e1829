// Work items, where their rows lie, and schedules as permutations of them.
#include <catch.hpp>

#include <fa/attention.hpp>
#include <fa/launch/call.hpp>
#include <fa/launch/schedule.hpp>

#include <cstdint>
#include <set>
#include <tuple>
#include <vector>

namespace {

using fa::i64;
using sequences = fa::call_sequences<true, true>;

sequences dense(i64 batch, i64 heads, i64 seqlen_q, i64 seqlen_k, int shared, int q_rows) {
  return {batch,  heads,   seqlen_q, seqlen_k, fa::ceil_div<i64>(seqlen_q, q_rows),
          shared, nullptr, nullptr,  nullptr,  nullptr};
}

/// (sequence, head, token) of each row of an item.
using row_id = std::tuple<i64, i64, i64>;
void take_rows(std::multiset<row_id>& rows, const fa::work_item& item, int q_rows) {
  for (int r = item.block * q_rows; r < fa::min_of(item.rows(), (item.block + 1) * q_rows); ++r) {
    rows.insert({item.batch, item.head + r % item.heads, r / item.heads});
  }
}

std::multiset<row_id> all_rows(const std::vector<i64>& lengths, i64 heads) {
  std::multiset<row_id> rows;
  for (std::size_t b = 0; b < lengths.size(); ++b) {
    for (i64 h = 0; h < heads; ++h) {
      for (i64 i = 0; i < lengths[b]; ++i) rows.insert({static_cast<i64>(b), h, i});
    }
  }
  return rows;
}

}  // namespace

TEST_CASE("call: items in order are all rows, each once", "[call]") {
  constexpr int q_rows = 8;
  for (const i64 seqlen : {1, 2, 3, 4, 5, 8, 9, 17, 40}) {
    for (const int shared : {1, 2, 4, 6}) {
      const i64 heads = 2 * shared;
      const sequences call = dense(3, heads, seqlen, 7, shared, q_rows);
      const fa::head_by_head order = fa::in_order(call);
      std::multiset<row_id> rows;
      for (i64 i = 0; i < order.items(); ++i) {
        const fa::work_item item = call.item_at(order(i), q_rows);
        if (item.exists) take_rows(rows, item, q_rows);
      }
      REQUIRE(rows == all_rows({seqlen, seqlen, seqlen}, heads));
    }
  }
}

TEST_CASE("call: packed sequences of different lengths", "[call]") {
  constexpr int q_rows = 8;
  const std::vector<std::int32_t> starts{0, 5, 5, 30, 33}, used{5, 0, 20, 2};
  sequences call{4, 4, 0, 0, 0, 2, starts.data(), starts.data(), used.data(), nullptr};
  REQUIRE(call.longest_queries() == 20);
  call.blocks_per_head = fa::ceil_div<i64>(call.longest_queries(), q_rows);
  std::multiset<row_id> rows;
  const fa::head_by_head order = fa::in_order(call);
  for (i64 i = 0; i < order.items(); ++i) {
    const fa::work_item item = call.item_at(order(i), q_rows);
    if (!item.exists) continue;
    take_rows(rows, item, q_rows);
    REQUIRE(item.queries.first == starts[static_cast<std::size_t>(item.batch)]);
    REQUIRE(item.keys.count == starts[static_cast<std::size_t>(item.batch) + 1] -
                                   starts[static_cast<std::size_t>(item.batch)]);
  }
  REQUIRE(rows == all_rows({5, 0, 20, 2}, 4));
}

TEST_CASE("call: the heaviest blocks of a head come first", "[call]") {
  const sequences call = dense(1, 1, 40, 40, 1, 8);
  const fa::head_by_head order = fa::in_order(call);
  for (i64 i = 0; i < order.items(); ++i) REQUIRE(call.item_at(order(i), 8).block == 4 - i);
}

TEST_CASE("call: addresses of rows", "[call]") {
  std::vector<float> data(4096);
  const sequences call = dense(2, 4, 3, 5, 2, 8);
  const auto q = fa::bshd<const float>(data.data(), 2, 3, 4, 16);
  const auto k = fa::bhsd<const float>(data.data(), 2, 2, 5, 16);
  const auto lse = fa::bhs(data.data(), 2, 4, 3);
  const fa::work_item item = call.item_at({1, 3, 0}, 8);
  REQUIRE(!item.exists);  // its head's rows are those of the item of head 2
  const fa::work_item packed = call.item_at({1, 2, 0}, 8);
  REQUIRE(packed.heads == 2);
  REQUIRE(packed.rows() == 6);
  const auto rows = call.rows_of(q, packed);
  REQUIRE(rows.row(0) == data.data() + 3 * 64 + 2 * 16);
  REQUIRE(rows.row(3) == data.data() + 4 * 64 + 3 * 16);
  REQUIRE(rows.distance() == 0);
  const auto keys = call.keys_of(k, packed);
  REQUIRE(keys.row(4) == data.data() + (1 * 2 + 1) * 80 + 4 * 16);
  REQUIRE(keys.rows == 5);
  REQUIRE(call.rows_of(lse, packed).row(5) == data.data() + (4 + 3) * 3 + 2);
  REQUIRE(call.rows_of(fa::row_tensor{}, packed).data == nullptr);
}

TEST_CASE("call: strides of tensors without elements are not used", "[call]") {
  fa::tensor<float> t = fa::bshd<float>(nullptr, 0, 3, 4, 16);
  t.batch_stride = t.token_stride = t.head_stride = INT64_MAX;
  t = fa::with_safe_strides(t);
  REQUIRE(t.batch_stride == 0);
  REQUIRE(t.token_stride == 0);
  REQUIRE(t.head_stride == 0);
}

TEST_CASE("call: nor is the stride from the only element to none", "[call]") {
  fa::tensor<float> t = fa::bshd<float>(nullptr, 2, 1, 1, 16);
  t.token_stride = t.head_stride = INT64_MIN;
  t = fa::with_safe_strides(t);
  REQUIRE(t.batch_stride == 16);
  REQUIRE(t.token_stride == 0);
  REQUIRE(t.head_stride == 0);
}

TEST_CASE("call: a scale is a positive factor and one of queries", "[call]") {
  REQUIRE((fa::split_scale(0.5f).magnitude == 0.5f && fa::split_scale(0.5f).query_factor == 1.f));
  REQUIRE((fa::split_scale(-2.f).magnitude == 2.f && fa::split_scale(-2.f).query_factor == -1.f));
  REQUIRE((fa::split_scale(0.f).magnitude == 1.f && fa::split_scale(0.f).query_factor == 0.f));
  REQUIRE(fa::split_scale(-0.f).query_factor == 0.f);
}

TEST_CASE("schedule: a permutation of the blocks of rows for any number of workers", "[schedule]") {
  constexpr int q_rows = 8;
  for (const bool grows : {false, true}) {
    for (const i64 seqlen : {3, 8, 16, 24, 25, 32, 70}) {
      for (const int shared : {1, 2, 4}) {
        const sequences call = dense(2, 2 * shared, seqlen, 9, shared, q_rows);
        const fa::tile_schedule s = fa::schedule_of(call, q_rows, grows, 1 << 20);
        REQUIRE(s.units > 0);
        for (const unsigned workers : {1u, 2u, 5u, s.units}) {
          std::multiset<row_id> rows;
          for (unsigned worker = 0; worker < workers; ++worker) {
            s.for_each(worker, workers, [&](const fa::work_place& place) {
              const fa::work_item item = call.item_at(place, q_rows);
              if (item.exists) take_rows(rows, item, q_rows);
            });
          }
          REQUIRE(rows == all_rows({seqlen, seqlen}, 2 * shared));
        }
      }
    }
  }
}

TEST_CASE("schedule: units pair heavy and light blocks, and end where a launch does",
          "[schedule]") {
  const sequences call = dense(1, 2, 80, 80, 1, 8);
  const fa::tile_schedule s = fa::schedule_of(call, 8, true, 1 << 20);
  REQUIRE(s.unit_blocks == 2);
  REQUIRE(s.units == 10);
  std::vector<i64> places;
  s.for_each(0, s.units, [&](const fa::work_place& place) { places.push_back(place.index); });
  REQUIRE(places == std::vector<i64>{0, 9});
  REQUIRE(fa::schedule_of(call, 8, true, 19).units == 0);
}
