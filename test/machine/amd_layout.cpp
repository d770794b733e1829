// The AMD machine's maps: matrix instructions, how operands lie in LDS, and which thread
// brings what. Values are computed here from the instructions' published layouts, not from
// the library's formulas.
#include "catch.hpp"

#include <fa/machine/amd/layout.hpp>
#include <fa/machine/amd/staging.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <map>
#include <set>
#include <utility>
#include <vector>

namespace am = fa::amd_machine;
using fa::amd_chip;

namespace {

/// Every element of A [16, K] and D [16, 16] is somewhere, and but once (or in two lanes, where the
/// instruction wants it so).
template <class Instruction>
void check_instruction(int copies) {
  std::map<std::pair<int, int>, int> a, d;
  for (int lane = 0; lane < Instruction::lanes; ++lane) {
    for (int i = 0; i < Instruction::operand_elements; ++i) {
      const am::element_place p = Instruction::operand(lane, i);
      ++a[{p.row, p.col}];
    }
    for (int i = 0; i < Instruction::accumulator_elements; ++i) {
      const am::element_place p = Instruction::accumulator(lane, i);
      ++d[{p.row, p.col}];
    }
  }
  REQUIRE(a.size() == std::size_t{16} * Instruction::depth);
  REQUIRE(d.size() == std::size_t{256});
  for (const auto& [place, count] : a) {
    REQUIRE(count == copies);
    REQUIRE((place.first >= 0 && place.first < 16 && place.second >= 0 &&
             place.second < Instruction::depth));
  }
  for (const auto& [place, count] : d) {
    REQUIRE(count == 1);
    REQUIRE((place.first >= 0 && place.first < 16 && place.second >= 0 && place.second < 16));
  }
}

am::element_place at(int row, int col) { return {row, col}; }

/// Lanes that share a pass of LDS, for accesses of `bytes`, must meet in no bank:
/// `addresses` by lane.
bool free_of_conflicts(const std::vector<int>& addresses, int bytes, int banks) {
  const int at_once = 4 * banks / bytes;
  for (std::size_t first = 0; first < addresses.size();
       first += static_cast<std::size_t>(at_once)) {
    std::map<int, int> word_of_bank;
    for (std::size_t lane = first;
         lane < addresses.size() && lane < first + static_cast<std::size_t>(at_once); ++lane) {
      for (int word = addresses[lane] / 4; word < (addresses[lane] + bytes) / 4; ++word) {
        const auto [it, fresh] = word_of_bank.try_emplace(word % banks, word);
        if (!fresh && it->second != word) return false;
      }
    }
  }
  return true;
}

constexpr int banks_of(amd_chip chip) { return chip == amd_chip::gfx950 ? 64 : 32; }

/// Reads of fragments: all of a fragment, each chunk once per lane that wants it,
/// without conflicts.
template <amd_chip Chip, class T>
void check_fragment() {
  using format = am::fragment<Chip, T>;
  CAPTURE(static_cast<int>(Chip), sizeof(T));
  for (int part = 0; part < (format::whole_rows ? 2 : 1); ++part) {
    std::vector<int> addresses;
    for (int lane = 0; lane < format::lanes; ++lane) {
      const int chunk = format::whole_rows ? part : lane / 16;
      REQUIRE(format::read_address(lane, part) ==
              format::address(lane % 16, chunk, format::chunks));
      addresses.push_back(format::read_address(lane, part));
    }
    REQUIRE(free_of_conflicts(addresses, 16, banks_of(Chip)));
    // Hardware serves 16-byte reads of gfx942 in these groups of lanes (and the same
    // 32 further on).
    if (format::lanes == 64) {
      const std::array<std::array<int, 8>, 4> phases{{{0, 1, 2, 3, 20, 21, 22, 23},
                                                      {4, 5, 6, 7, 16, 17, 18, 19},
                                                      {8, 9, 10, 11, 28, 29, 30, 31},
                                                      {12, 13, 14, 15, 24, 25, 26, 27}}};
      for (const auto& phase : phases) {
        for (int half = 0; half < 64; half += 32) {
          std::vector<int> some;
          for (const int lane : phase)
            some.push_back(addresses[static_cast<std::size_t>(lane + half)]);
          REQUIRE(free_of_conflicts(some, 16, 32));
        }
      }
    }
  }
  std::set<int> slots;
  for (int slot = 0; slot < 32; ++slot) slots.insert(format::row_in(slot));
  REQUIRE(slots.size() == 32);
}

/// An accumulator of S^T, with K's rows in their slots, holds of lane l the keys
/// values * (l / 16) + i.
template <amd_chip Chip, class T>
void check_accumulator() {
  using format = am::fragment<Chip, T>;
  using instruction = am::matrix_instruction<Chip, T>;
  for (int lane = 0; lane < format::lanes; ++lane) {
    for (int i = 0; i < format::values; ++i) {
      const am::element_place p = instruction::accumulator(lane, i);
      REQUIRE(p.col == lane % 16);
      REQUIRE(format::row_in(p.row) == format::accumulator_row(lane, i));
    }
  }
}

/// The second product: what a lane packs of S^T as its share of P^T must meet V^T's
/// element of the same key.
template <amd_chip Chip, class T>
void check_weights() {
  using format = am::fragment<Chip, T>;
  constexpr int keys = format::cols, tiles = keys / 16 > 0 ? keys / 16 : 1;
  std::vector<int> key_at(static_cast<std::size_t>(keys), -1);  // of V^T's columns, by position
  for (int key = 0; key < keys; ++key)
    key_at[static_cast<std::size_t>(format::key_position(key))] = key;
  for (const int key : key_at) REQUIRE(key >= 0);
  for (int lane = 0; lane < format::lanes; ++lane) {
    std::vector<int> mine;  // keys of the weights, in the order they are packed
    if (format::whole_rows) {
      for (int group = 0; group < 2; ++group) {
        for (int i = 0; i < format::values; ++i)
          mine.push_back(format::accumulator_row(group * 16, i));
      }
    } else {
      for (int t = 0; t < tiles; ++t) {
        for (int i = 0; i < format::values; ++i)
          mine.push_back(t * 16 + format::accumulator_row(lane, i));
      }
    }
    const int first = format::whole_rows ? 0 : lane / 16 * format::chunk_elements;
    for (std::size_t e = 0; e < mine.size(); ++e)
      REQUIRE(mine[e] == key_at[static_cast<std::size_t>(first) + e]);
  }
}

/// K: every chunk of a tile is brought by one thread, to a place of its own, where a lane of the
/// product expects it.
template <amd_chip Chip, class T, int Threads, int Keys, int D>
void check_keys() {
  using format = am::fragment<Chip, T>;
  constexpr int chunks = am::tile_sizes<Chip, T>::key_chunks(D);
  using plan = am::key_plan<format, Threads, Keys, chunks>;
  CAPTURE(static_cast<int>(Chip), sizeof(T), Threads, Keys, D);
  std::map<int, std::pair<int, int>> place;
  for (int step = 0; step < plan::row_steps; ++step) {
    for (int c = 0; c < plan::chunk_steps; ++c) {
      std::vector<int> addresses;
      for (int thread = 0; thread < Threads; ++thread) {
        if (plan::slot(thread) >= Keys) continue;
        const int row = plan::row(thread) + plan::row_of_step(step),
                  chunk = plan::chunk(thread) + c * plan::step_chunks;
        const int address = format::address(plan::slot(thread), plan::chunk(thread), chunks) +
                            format::address(step * plan::step_rows, c * plan::step_chunks, chunks);
        REQUIRE(place.try_emplace(address, row, chunk).second);
        addresses.push_back(address);
      }
      for (std::size_t wave = 0; wave < addresses.size();
           wave += static_cast<std::size_t>(format::lanes)) {
        const auto end = std::min(addresses.size(), wave + static_cast<std::size_t>(format::lanes));
        const std::vector<int> of_wave(addresses.begin() + static_cast<std::ptrdiff_t>(wave),
                                       addresses.begin() + static_cast<std::ptrdiff_t>(end));
        REQUIRE(free_of_conflicts(of_wave, 16,
                                  32));  // writes of gfx950 may be served as those of other chips
        REQUIRE(free_of_conflicts(of_wave, 16, banks_of(Chip)));
      }
    }
  }
  REQUIRE(place.size() == static_cast<std::size_t>(Keys * chunks));
  for (int slot = 0; slot < Keys; ++slot) {
    for (int chunk = 0; chunk < chunks; ++chunk) {
      REQUIRE(place.at(format::address(slot, chunk, chunks)) ==
              std::pair(format::row_in(slot), chunk));
    }
  }
}

/// V: every quad of keys of every column is brought once, to a place of its own, and outputs find
/// their column again.
template <amd_chip Chip, class T, int Threads, int Keys, int DV>
void check_values() {
  using format = am::fragment<Chip, T>;
  using sizes = am::tile_sizes<Chip, T>;
  constexpr int padded = sizes::padded_values(DV), chunks = sizes::value_chunks(Keys),
                bytes = 4 * static_cast<int>(sizeof(T));
  using plan = am::value_plan<format, static_cast<int>(sizeof(T)), Threads, Keys, padded>;
  CAPTURE(static_cast<int>(Chip), sizeof(T), Threads, Keys, DV);
  std::map<int, std::pair<int, int>> place;  // of a quad: column, first key
  for (int q = 0; q < plan::quad_steps; ++q) {
    for (int r = 0; r < plan::run_steps; ++r) {
      for (int c = 0; c < plan::cols; ++c) {
        std::vector<int> addresses;
        for (int thread = 0; thread < plan::used_threads; ++thread) {
          const int column = (plan::run(thread) + r * plan::step_runs) * plan::cols + c;
          const int key = (plan::quad(thread) + q * plan::step_quads) * 4;
          const int address = plan::address(plan::slot(thread), plan::quad(thread), chunks) +
                              plan::address(c * plan::runs + r * plan::step_runs,
                                            q * plan::step_quads, chunks);
          REQUIRE(place.try_emplace(address, column, key).second);
          addresses.push_back(address);
        }
        for (std::size_t wave = 0; wave < addresses.size();
             wave += static_cast<std::size_t>(format::lanes)) {
          const auto end = std::min(addresses.size(),
                                    wave + static_cast<std::size_t>(format::lanes));
          const std::vector<int> of_wave(addresses.begin() + static_cast<std::ptrdiff_t>(wave),
                                         addresses.begin() + static_cast<std::ptrdiff_t>(end));
          REQUIRE(free_of_conflicts(of_wave, bytes, 32));
          REQUIRE(free_of_conflicts(of_wave, bytes, banks_of(Chip)));
        }
      }
    }
  }
  REQUIRE(place.size() == static_cast<std::size_t>(Keys / 4 * padded));
  // Column tile t of V^T: the row in slot s is accumulator row row_in(s), which store_rows takes
  // for this column.
  for (int slot = 0; slot < padded; ++slot) {
    const int row = format::row_in(slot), column = row % plan::runs * plan::cols + row / plan::runs;
    for (int quad = 0; quad < Keys / 4; ++quad)
      REQUIRE(place.at(plan::address(slot, quad, chunks)) == std::pair(column, quad * 4));
  }
}

template <amd_chip Chip>
void check_half() {
  check_fragment<Chip, fa::bf16>();
  check_accumulator<Chip, fa::bf16>();
  check_accumulator<Chip, fa::f16>();
  check_weights<Chip, fa::bf16>();
}

template <amd_chip Chip, class T, int Threads, int Keys>
void check_tiles() {
  check_keys<Chip, T, Threads, Keys, 32>();
  check_keys<Chip, T, Threads, Keys, 40>();
  check_keys<Chip, T, Threads, Keys, 64>();
  check_keys<Chip, T, Threads, Keys, 96>();
  check_keys<Chip, T, Threads, Keys, 111>();
  check_keys<Chip, T, Threads, Keys, 192>();
  check_keys<Chip, T, Threads, Keys, 256>();
  check_values<Chip, T, Threads, Keys, 32>();
  check_values<Chip, T, Threads, Keys, 40>();
  check_values<Chip, T, Threads, Keys, 64>();
  check_values<Chip, T, Threads, Keys, 96>();
  check_values<Chip, T, Threads, Keys, 111>();
  check_values<Chip, T, Threads, Keys, 128>();
  check_values<Chip, T, Threads, Keys, 192>();
  check_values<Chip, T, Threads, Keys, 256>();
}

}  // namespace

TEST_CASE("AMD matrix instructions hold every element once") {
  check_instruction<am::mfma_16x16x16>(1);
  check_instruction<am::mfma_16x16x32>(1);
  check_instruction<am::mfma_16x16x4>(1);
  check_instruction<am::wmma_16x16x16_gfx11>(2);
  check_instruction<am::wmma_16x16x16_gfx12>(1);
}

TEST_CASE("AMD matrix instructions hold elements where the hardware does") {
  // A[i][k]: lane i + 16 (k / n), element k % n, for n elements a lane; D[row][col]: lane col + 16
  // (row / 4), element row % 4.
  CHECK(am::mfma_16x16x16::operand(37, 3) == at(5, 11));
  CHECK(am::mfma_16x16x16::accumulator(37, 3) == at(11, 5));
  CHECK(am::mfma_16x16x32::operand(37, 3) == at(5, 19));
  CHECK(am::mfma_16x16x32::accumulator(63, 0) == at(12, 15));
  CHECK(am::mfma_16x16x4::operand(37, 0) == at(5, 2));
  // gfx11: both halves of a wave hold all of a row; rows of D alternate between them.
  CHECK(am::wmma_16x16x16_gfx11::operand(21, 9) == at(5, 9));
  CHECK(am::wmma_16x16x16_gfx11::accumulator(21, 3) == at(7, 5));
  // gfx12: k = 8 (e / 4) + 4 (lane / 16) + e % 4; D row = 8 (lane / 16) + element.
  CHECK(am::wmma_16x16x16_gfx12::operand(21, 6) == at(5, 14));
  CHECK(am::wmma_16x16x16_gfx12::accumulator(21, 3) == at(11, 5));
}

TEST_CASE(
    "AMD fragments: reads meet no bank, accumulators hold neighbours, weights meet their values") {
  check_half<amd_chip::gfx90a>();
  check_half<amd_chip::gfx942>();
  check_half<amd_chip::gfx950>();
  check_half<amd_chip::gfx11>();
  check_half<amd_chip::gfx12>();
  check_fragment<amd_chip::gfx942, float>();
  check_fragment<amd_chip::gfx950, float>();
  check_accumulator<amd_chip::gfx90a, float>();
  check_weights<amd_chip::gfx942, float>();
}

TEST_CASE("AMD staging brings every element once, without bank conflicts") {
  check_tiles<amd_chip::gfx942, fa::bf16, 512, 64>();
  check_tiles<amd_chip::gfx942, fa::bf16, 512, 32>();
  check_tiles<amd_chip::gfx942, float, 512, 32>();
  check_tiles<amd_chip::gfx942, float, 512, 16>();
  check_tiles<amd_chip::gfx950, fa::bf16, 512, 64>();
  check_tiles<amd_chip::gfx950, fa::bf16, 512, 32>();
  check_tiles<amd_chip::gfx950, float, 512, 32>();
  check_tiles<amd_chip::gfx11, fa::bf16, 128, 64>();
  check_tiles<amd_chip::gfx11, fa::bf16, 128, 32>();
  check_tiles<amd_chip::gfx11, fa::bf16, 128, 16>();
  check_tiles<amd_chip::gfx12, fa::bf16, 128, 64>();
  check_tiles<amd_chip::gfx12, fa::bf16, 128, 32>();
  check_tiles<amd_chip::gfx12, fa::bf16, 128, 16>();
  check_tiles<amd_chip::gfx12, float, 128, 16>();
  check_tiles<amd_chip::gfx11, float, 64, 16>();
}

TEST_CASE("AMD architectures by name") {
  CHECK(am::chip_named("gfx90a:sramecc+:xnack-") == amd_chip::gfx90a);
  CHECK(am::chip_named("gfx942") == amd_chip::gfx942);
  CHECK(am::chip_named("gfx950:sramecc+") == amd_chip::gfx950);
  CHECK(am::chip_named("gfx1102") == amd_chip::gfx11);
  CHECK(am::chip_named("gfx1151") == amd_chip::gfx11);
  CHECK(am::chip_named("gfx1200") == amd_chip::gfx12);
  CHECK(am::chip_named("gfx1030") == amd_chip::unsupported);
  CHECK(am::chip_named("gfx908") == amd_chip::unsupported);
  CHECK(am::chip_named("gfx94") == amd_chip::unsupported);
}

TEST_CASE("AMD architectures by the whole name, and families by its beginning") {
  CHECK(am::chip_named("gfx1100") == amd_chip::gfx11);
  CHECK(am::chip_named("gfx1152") == amd_chip::gfx11);
  CHECK(am::chip_named("gfx1201:sramecc-") == amd_chip::gfx12);
  CHECK(am::chip_named("gfx9421") == amd_chip::unsupported);
  CHECK(am::chip_named("gfx1250") == amd_chip::unsupported);
  CHECK(am::chip_named("gfx11") == amd_chip::unsupported);
  CHECK(am::chip_named("") == amd_chip::unsupported);
}

TEST_CASE("AMD chips: the table's facts agree with each other and with the instructions") {
  for (const am::chip_facts& chip : am::chip_table) {
    CAPTURE(static_cast<int>(chip.chip));
    const bool cdna = chip.chip == amd_chip::gfx90a || chip.chip == amd_chip::gfx942 ||
                      chip.chip == amd_chip::gfx950;
    CHECK(&am::facts_of(chip.chip) == &chip);
    CHECK(chip.lanes == (cdna ? 64 : 32));
    CHECK((chip.matrix == am::matrix_kind::mfma) == cdna);
    CHECK(chip.f32_matrix == cdna);
    CHECK(chip.packed_math == cdna);
    CHECK(chip.vector_registers == (cdna ? 512 : 256));
    CHECK(chip.converts_bf16 == (chip.chip == amd_chip::gfx950));
    CHECK(chip.split_barrier == (chip.chip == amd_chip::gfx12));
    CHECK(chip.lds_bytes == (chip.chip == amd_chip::gfx950 ? 163840 : 65536));
    CHECK(chip.lds_banks == banks_of(chip.chip));
    CHECK((chip.names[0] == nullptr) == (chip.chip == amd_chip::unsupported));
  }
  // A chip's matrix instructions are for its waves, and give their operands as the kind says.
  const auto agrees = [](auto instruction, amd_chip chip) {
    using type = decltype(instruction);
    const int copies = type::lanes * type::operand_elements / (16 * type::depth);
    const bool whole = am::facts_of(chip).matrix == am::matrix_kind::wmma_whole_rows;
    return type::lanes == am::facts_of(chip).lanes && copies == (whole ? 2 : 1);
  };
  CHECK(agrees(am::matrix_instruction<amd_chip::gfx90a, fa::bf16>{}, amd_chip::gfx90a));
  CHECK(agrees(am::matrix_instruction<amd_chip::gfx90a, float>{}, amd_chip::gfx90a));
  CHECK(agrees(am::matrix_instruction<amd_chip::gfx942, fa::f16>{}, amd_chip::gfx942));
  CHECK(agrees(am::matrix_instruction<amd_chip::gfx950, fa::bf16>{}, amd_chip::gfx950));
  CHECK(agrees(am::matrix_instruction<amd_chip::gfx11, fa::bf16>{}, amd_chip::gfx11));
  CHECK(agrees(am::matrix_instruction<amd_chip::gfx12, fa::f16>{}, amd_chip::gfx12));
  CHECK(am::has_matrix_instruction<amd_chip::gfx942, float>);
  CHECK(!am::has_matrix_instruction<amd_chip::gfx11, float>);
  CHECK(!am::has_matrix_instruction<amd_chip::gfx12, float>);
}

TEST_CASE("amd: LDS of a stream follows from what it brings", "[amd]") {
  using fa::brings;
  using fa::streamed;
  using fa::use;
  const fa::amd_machine::block_shape shape{
      .waves = 8, .staged_keys = 64, .key_buffers = 2, .value_buffers = 1, .query_in_lds = false};
  const auto bytes = [&](auto brought) {
    return fa::amd_machine::lds_plan<fa::amd_chip::gfx942, fa::bf16, 128,
                                     decltype(brought)>::streamed(shape);
  };
  const int rows = bytes(brings<0, streamed<use::abt, fa::bf16, 128>>{});
  const int transposed = bytes(brings<0, streamed<use::ab, fa::bf16, 128>>{});
  REQUIRE(rows == 2 * 64 * 128 * 2);
  REQUIRE(transposed == 64 * 128 * 2);
  REQUIRE(bytes(brings<0, streamed<use::both, fa::bf16, 128>>{}) == rows + transposed);
  REQUIRE(bytes(brings<0, streamed<use::abt, fa::bf16, 128>, streamed<use::ab, fa::bf16, 128>>{}) ==
          rows + transposed);
}
