// The NVIDIA machine's maps: which lane holds what, as the PTX manual's figures of mma.m16n8k16 and
// ldmatrix say, and the tiles of the Hopper machine.
#include "catch.hpp"

#include <fa/launch/hopper_tuning.hpp>
#include <fa/machine/nv/mma.hpp>

#include <cstdint>
#include <utility>
#include <vector>

namespace nm = fa::nv_machine;

namespace {

/// An element of a matrix in memory.
struct element {
  int row, col;
  bool operator==(const element&) const = default;
};

/// ldmatrix.x4 of squares [8, 8]: what lane `lane` gets in half `half` of register `square`, where
/// lane l gave the address of row l % 8 of square l / 8. Address: a row, and a column in eights of
/// elements. Transposed: row and column of a square are exchanged.
template <class Address>
element loaded(const Address& address, int lane, int square, int half, bool transposed) {
  const int row = transposed ? 2 * (lane % 4) + half : lane / 4,
            col = transposed ? lane / 4 : 2 * (lane % 4) + half;
  const nm::element_place at = address(8 * square + row);
  return {at.row, at.col * 8 + col};
}

/// Calls f(lane, register, half) for what a warp holds of an operand of four registers.
template <class F>
void for_operand(const F& f) {
  for (int lane = 0; lane < 32; ++lane) {
    for (int i = 0; i < 4; ++i) {
      for (int half = 0; half < 2; ++half) f(lane, i, half);
    }
  }
}

}  // namespace

TEST_CASE("nv: accumulators of mma.m16n8k16", "[nv]") {
  int seen[16][8] = {};
  for (int lane = 0; lane < 32; ++lane) {
    for (int i = 0; i < 4; ++i) {
      const nm::element_place p = nm::accumulator_place(lane, i);
      REQUIRE(p.row == (i < 2 ? lane / 4 : lane / 4 + 8));
      REQUIRE(p.col == lane % 4 * 2 + (i & 1));
      ++seen[p.row][p.col];
    }
  }
  for (const auto& row : seen) {
    for (const int count : row) REQUIRE(count == 1);
  }
}

TEST_CASE("nv: ldmatrix brings the operands of mma.m16n8k16", "[nv]") {
  // A [16, 16]: register i holds rows g and g + 8 in turn, then columns from 8 on.
  for_operand([](int lane, int i, int half) {
    const element want{lane / 4 + i % 2 * 8, lane % 4 * 2 + i / 2 * 8 + half};
    REQUIRE(loaded([](int l) { return nm::row_operand_address(l); }, lane, i, half, false) == want);
  });
  // B [16, 8] of S = Q K^T is K [8, 16] by rows: column g of B is row g of K; two of them, one
  // behind the other.
  for_operand([](int lane, int i, int half) {
    const element want{lane / 4 + i / 2 * 8, lane % 4 * 2 + i % 2 * 8 + half};
    REQUIRE(loaded([](int l) { return nm::key_operand_address(l); }, lane, i, half, false) == want);
  });
  // B [16, 8] of O = P V is V itself, transposed on the way; two of them, side by side.
  for_operand([](int lane, int i, int half) {
    const element want{lane % 4 * 2 + i % 2 * 8 + half, lane / 4 + i / 2 * 8};
    REQUIRE(loaded([](int l) { return nm::value_operand_address(l); }, lane, i, half, true) ==
            want);
  });
}

TEST_CASE("nv: the word of columns below a limit", "[nv]") {
  for (int lane = 0; lane < 32; ++lane) {
    for (int limit = -300; limit <= 300; ++limit) {
      std::uint32_t want = 0;
      for (int n = 0; n < 16; ++n) {
        for (int i = 0; i < 2; ++i)
          want |= (n * 8 + nm::accumulator_place(lane, i).col < limit ? 1u : 0u) << (2 * n + i);
      }
      REQUIRE(nm::columns_below(lane, limit) == want);
    }
  }
}

namespace {

constexpr bool is_product_size(int n) {
  for (const int size : {32, 64, 80, 96, 112, 128, 160, 192, 224, 256}) {
    if (n == size) return true;
  }
  return false;
}

template <int D, int DV>
int shared_bytes(const fa::hopper_config& c) {
  using plan = fa::nv_machine::hopper_plan<D, fa::keys_and_values<fa::bf16, D, DV>>;
  return plan::all(c.tile.q_rows, c.tile.kv_rows, c.output_panels, c.query_stages, c.stages);
}

struct tiles {
  int dim, value_dim;
  fa::hopper_config (*config)(bool);
  int (*shared_bytes)(const fa::hopper_config&);
};

/// Head sizes decide by panels of 64 columns of Q, K and V and by 32 of O: all multiples
/// of 32 are all cases.
template <int... I>
std::vector<tiles> all_tiles(std::integer_sequence<int, I...>) {
  return {{32 * (I / 8 + 1), 32 * (I % 8 + 1),
           fa::hopper_forward_config<32 * (I / 8 + 1), 32 * (I % 8 + 1)>,
           shared_bytes<32 * (I / 8 + 1), 32 * (I % 8 + 1)>}...};
}

}  // namespace

TEST_CASE("nv: tiles of the Hopper machine fit for all head sizes", "[nv]") {
  for (const tiles& t : all_tiles(std::make_integer_sequence<int, 64>{})) {
    for (const bool has_score : {false, true}) {
      const fa::hopper_config c = t.config(has_score);
      INFO("D " << t.dim << ", DV " << t.value_dim << ", score " << has_score);
      REQUIRE(t.shared_bytes(c) <= 227 * 1024);
      REQUIRE(is_product_size(c.tile.kv_rows));
      REQUIRE(is_product_size(t.value_dim));
      REQUIRE(c.tile.q_rows == 64 * c.warpgroups);
      REQUIRE((c.stages >= 2 && (c.stages & (c.stages - 1)) == 0));
      // Of a lane's registers O, S and P take so many, beside some 30 others: see
      // warpgroups::consumer_registers.
      const int registers = t.value_dim / 2 + c.tile.kv_rows / 2 + c.tile.kv_rows / 4;
      REQUIRE(registers <= (c.warpgroups == 4 ? 82 : c.warpgroups == 3 ? 130 : 202));
    }
  }
}

TEST_CASE("nv: shared memory of a stream follows from what it brings", "[nv]") {
  using fa::brings;
  using fa::streamed;
  using fa::use;
  using keys = streamed<use::abt, fa::bf16, 72>;
  using values = streamed<use::ab, fa::bf16, 72>;
  using read_both_ways = streamed<use::both, fa::bf16, 72>;
  using forward = fa::nv_machine::shared_plan<fa::bf16, 72, brings<0, keys, values>>;
  using queries = fa::nv_machine::shared_plan<fa::bf16, 72, brings<0, read_both_ways>>;
  // Rows of whole operands of 16 columns and 16 bytes more; what is summed over is split by
  // columns.
  REQUIRE(forward::stage(64, 1) == 64 * (160 + 16) * 2);
  REQUIRE(forward::stage(64, 2) == 64 * ((160 + 16) + (192 + 16)));
  REQUIRE(queries::stage(64, 2) == 64 * (192 + 16));
  REQUIRE(forward::all(128, 64, 2, 1) == 128 * (160 + 16) + 2 * forward::stage(64, 1));
  // Panels of 64 columns, read either way.
  using panels = fa::nv_machine::hopper_plan<72, brings<0, keys, read_both_ways>>;
  REQUIRE(panels::stage(64) == 2 * 64 * 2 * 128);
}
