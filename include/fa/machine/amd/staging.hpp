// K and V on their way from memory to LDS: a tile of keys at a time, in registers while the tile
// before is computed with. V is turned round on the way: its rows in LDS are columns, so that both
// products read their operands alike.
#pragma once

#include <cstdint>

#include <fa/core/rows.hpp>
#include <fa/machine/amd/layout.hpp>

namespace fa::amd_machine {

/// The largest power of two that divides x > 0.
constexpr int power_of_two_in(int x) { return x & -x; }

/// Which thread brings which chunks of K [Keys, D]. Threads are spread over the rows and chunks of
/// a step; a thread's chunks of other steps lie at constant distances, in memory and in LDS.
template <class Format, int Threads, int Keys, int Chunks>
struct key_plan {
  /// Chunks x rows that are written at once.
  static constexpr int chunks_at_once = Format::lane_groups;
  static constexpr int rows_at_once = Format::write_lanes / chunks_at_once;
  static constexpr int step_chunks = min_of(power_of_two_in(Chunks), Threads / Format::write_lanes);
  static constexpr int step_rows = Threads / step_chunks;
  static constexpr int row_steps = ceil_div(Keys, step_rows), chunk_steps = Chunks / step_chunks;
  static constexpr bool idle_threads = step_rows > Keys;  ///< some have no row
  static_assert(step_chunks >= chunks_at_once && step_rows % 8 == 0 &&
                (idle_threads || Keys % step_rows == 0));
  static_assert(Format::write_lanes == 8 || step_rows % 16 == 0 || row_steps == 1);

  static constexpr int chunk(int thread) {
    return thread % chunks_at_once +
           thread / Format::write_lanes % (step_chunks / chunks_at_once) * chunks_at_once;
  }
  static constexpr int slot(int thread) {
    return Format::slot_written(thread / chunks_at_once % rows_at_once +
                                thread / Format::write_lanes / (step_chunks / chunks_at_once) *
                                    rows_at_once);
  }
  static constexpr int row(int thread) { return Format::row_in(slot(thread)); }
  /// How much farther a thread's row of a step lies.
  static constexpr int row_of_step(int step) { return Format::row_in(step * step_rows); }
};

/// Which thread brings which 4 keys x `cols` columns of V [Keys, DV]. A thread's columns become
/// rows of V^T that are `runs` apart: so for every one of them its place in the banks is the same,
/// and a lane's outputs are `cols` neighbours.
template <class Format, int ElementBytes, int Threads, int Keys, int PaddedCols>
struct value_plan {
  static constexpr int quads = Keys / 4;  ///< of keys
  /// As many as 16 bytes hold, but so few that there is work for all threads and the rows of a run
  /// are whole accumulators.
  static constexpr int cols = [] {
    int best = 4 / ElementBytes;
    for (int c = best; c * ElementBytes <= 16; c *= 2) {
      const bool whole = PaddedCols % c == 0 && PaddedCols / c % 16 == 0;
      if (whole && (quads * (PaddedCols / c) >= Threads || c == 4 / ElementBytes)) best = c;
    }
    return best;
  }();
  static constexpr int runs = PaddedCols / cols;  ///< of neighbouring columns
  static_assert(runs % 16 == 0);
  /// Written at once: those of a chunk, of all groups of lanes.
  static constexpr int low_quads = Format::lane_groups * (Format::chunk_elements / 4);
  static constexpr int low_runs = 8 / Format::lane_groups;
  static constexpr int step_quads = quads * 16 <= Threads ? quads : Threads / 16;
  static constexpr int step_runs = min_of(Threads / step_quads, power_of_two_in(runs));
  static constexpr int used_threads = step_quads * step_runs;
  static constexpr int quad_steps = quads / step_quads, run_steps = runs / step_runs;
  static_assert(step_quads % low_quads == 0 && quads % step_quads == 0 && runs % step_runs == 0 &&
                step_runs % 16 == 0);

  static constexpr int slot(int thread) {
    return Format::slot_written(thread % low_runs + thread / (low_runs * low_quads) %
                                                        (step_runs / low_runs) * low_runs);
  }
  static constexpr int run(int thread) { return Format::row_in(slot(thread)); }
  static constexpr int quad(int thread) {
    return thread / low_runs % low_quads + thread / (low_quads * step_runs) * low_quads;
  }
  /// Byte of the first of 4 keys in a tile of V^T.
  static constexpr int address(int slot, int quad, int tile_chunks) {
    constexpr int fragment_keys = Format::cols;
    const int key = quad * 4, position = key / fragment_keys * fragment_keys +
                                         Format::key_position(key % fragment_keys);
    return Format::address(slot, position / Format::chunk_elements, tile_chunks) +
           position % Format::chunk_elements * ElementBytes;
  }
};

#if FA_AMD

/// Where the next tile of Keys rows of a source is. All lanes share the address of its lowest row;
/// lanes and steps reach the others by offsets.
template <RowSource Source, int Keys>
struct tile_window {
  static_assert(always_false<Source>, "fa: this machine has no window on tiles of these rows");
};

/// Rows may lie in any order and at any alignment, as far as 32 bits reach in a tile: see
/// check_reach.
template <class T, int Keys>
struct tile_window<strided_rows<const T>, Keys> {
  const T* lowest;  ///< the first in memory of the tile's rows
  int stride;       ///< elements

  FA_DEVICE tile_window(const strided_rows<const T>& rows, int first)
      : lowest(rows.row(first) + min_of<i64>(rows.stride, 0) * (Keys - 1)),
        stride(static_cast<int>(rows.stride)) {}

  /// Bytes from the lowest row to row r.
  FA_DEVICE std::uint32_t offset_of(int r) const {
    const int from_lowest = stride < 0 ? r - (Keys - 1) : r;
    return static_cast<std::uint32_t>(from_lowest * stride) *
           static_cast<std::uint32_t>(element_bytes<T>);
  }
  /// From where a lane's offset leads to a place that is some rows and elements further on.
  FA_DEVICE const T* further(int rows, int elements) const {
    return lowest + (rows * stride + elements);
  }
  FA_DEVICE const T* later(const T* from, int rows) const { return from + rows * stride; }
  /// Turns to the next tile.
  FA_DEVICE void advance() { lowest += Keys * stride; }
};

/// K: a tile [Keys, D].
template <class M, RowSource Source, int Keys, int D>
struct key_staging : tile_window<Source, Keys> {
  using T = typename Source::element;
  using format = typename M::format;
  static constexpr int chunks = M::sizes::key_chunks(D),
                       used_chunks = ceil_div(D, format::chunk_elements);
  using plan = key_plan<format, M::threads, Keys, chunks>;
  static constexpr int bytes = Keys * chunks * 16;
  /// Threads without a chunk, because of columns beyond D or of rows beyond Keys, load what another
  /// loads.
  static constexpr bool idle_threads = chunks != used_chunks || plan::idle_threads,
                        whole_chunks = D % format::chunk_elements == 0;

  std::uint32_t offset;  ///< of this thread's chunk from the lowest row
  std::uint32_t lds;     ///< where that chunk is written
  words<4> held[plan::row_steps][plan::chunk_steps];

  FA_DEVICE key_staging(const Source& k, int first, std::uint32_t tile)
      : tile_window<Source, Keys>(k, first) {
    offset = this->offset_of(plan::row(thread())) +
             static_cast<std::uint32_t>(plan::chunk(thread()) * 16);
    lds = tile + static_cast<std::uint32_t>(
                     format::address(plan::slot(thread()), plan::chunk(thread()), chunks));
  }

  /// Starts the loads of a tile of which `rows` rows exist; the others become copies of the last:
  /// their scores are dropped. Of all that this thread brings, share Share of Shares.
  template <int Share = 0, int Shares = 1>
  FA_DEVICE void load(int rows) {
    if (rows >= Keys && !idle_threads && whole_chunks) [[likely]] {
      const std::uint32_t lane_offset = anew(offset);
      for_chunks<Share, Shares>([&](int r, int c) FA_LAMBDA {
        const T* from = this->further(plan::row_of_step(r),
                                      c * plan::step_chunks * format::chunk_elements);
        held[r][c] = load_words<4>(from, lane_offset);
      });
      keep_in_flight();
    } else if (rows > 0) {
      const int t = thread_anew(), last = min_of(rows, Keys) - 1;
      for_chunks<Share, Shares>([&](int r, int c) FA_LAMBDA {
        const int row = min_of(plan::row(t) + plan::row_of_step(r), last);
        const int chunk = min_of(plan::chunk(t) + c * plan::step_chunks, used_chunks - 1);
        const std::uint32_t at = this->offset_of(row) + static_cast<std::uint32_t>(chunk * 16);
        if constexpr (whole_chunks) held[r][c] = load_words<4>(this->lowest, at);
        else held[r][c] = load_elements<4>(this->lowest, at, D - chunk * format::chunk_elements);
      });
      keep_in_flight_too();
    } else {
      // Written to LDS, and read by nobody.
      for_chunks<Share, Shares>([&](int r, int c) FA_LAMBDA { held[r][c] = {}; });
    }
  }

  /// Writes them to LDS.
  template <int Share = 0, int Shares = 1>
  FA_DEVICE void store() {
    const int t = idle_threads ? thread_anew() : 0;
    if (!plan::idle_threads || plan::slot(t) < Keys) {
      for_chunks<Share, Shares>([&](int r, int c) FA_LAMBDA {
        const auto& x = held[r][c].x;
        words4 chunk{x[0], x[1], x[2], x[3]};
        if (chunks != used_chunks && plan::chunk(t) + c * plan::step_chunks >= used_chunks)
          chunk = words4(0u);
        lds_store(lds + static_cast<std::uint32_t>(
                            format::address(r * plan::step_rows, c * plan::step_chunks, chunks)),
                  chunk);
      });
    }
    if constexpr (plan::idle_threads)
      for_chunks<Share, Shares>([&](int r, int c) FA_LAMBDA { settle(held[r][c]); });
  }

 private:
  template <int Share, int Shares, class F>
  FA_DEVICE static void for_chunks(const F& f) {
    FA_UNROLL for (int r = plan::row_steps * Share / Shares;
                   r < plan::row_steps * (Share + 1) / Shares; ++r) {
      FA_UNROLL for (int c = 0; c < plan::chunk_steps; ++c) f(r, c);
    }
  }
};

/// V: a tile [Keys, DV], transposed. Otherwise as K; the weights of keys that do not exist are 0.
template <class M, RowSource Source, int Keys, int DV>
struct value_staging : tile_window<Source, Keys> {
  using T = typename Source::element;
  using format = typename M::format;
  static constexpr int padded = M::sizes::padded_values(DV), chunks = M::sizes::value_chunks(Keys);
  using plan = typename M::template value_plan_of<DV>;
  static constexpr int run_bytes = plan::cols * element_bytes<T>, run_words = run_bytes / 4;
  static constexpr int used_runs = ceil_div(DV, plan::cols), bytes = padded * chunks * 16;
  static constexpr bool idle_threads = plan::runs != used_runs || plan::used_threads != M::threads;
  static constexpr bool whole_runs = DV % plan::cols == 0, walks = facts_of(M::chip).walks_rows;

  std::uint32_t offset;  ///< of this thread's columns in its first key, from the lowest row
  std::uint32_t lds;     ///< where its first column is written
  words<run_words> held[plan::quad_steps][plan::run_steps][4];

  FA_DEVICE value_staging(const Source& v, int first, std::uint32_t tile)
      : tile_window<Source, Keys>(v, first) {
    offset = this->offset_of(plan::quad(thread()) * 4) +
             static_cast<std::uint32_t>(plan::run(thread()) * run_bytes);
    lds = tile + static_cast<std::uint32_t>(
                     plan::address(plan::slot(thread()), plan::quad(thread()), chunks));
  }

  template <int Share = 0, int Shares = 1>
  FA_DEVICE void load(int rows) {
    if (rows >= Keys && !idle_threads && whole_runs) [[likely]] {
      const std::uint32_t lane_offset = anew(offset);
      for_runs<Share, Shares>([&](int q, int r) FA_LAMBDA {
        const T* from = this->further(q * plan::step_quads * 4, r * plan::step_runs * plan::cols);
        FA_UNROLL for (int key = 0; key < 4; ++key) {
          // From row to row where the chip's compilers ask for it (walks_rows); other loads save
          // scalar instructions.
          held[q][r][key] = load_words<run_words>(walks ? from : this->later(from, key),
                                                  lane_offset);
          if constexpr (walks) from = this->later(from, 1);
        }
      });
      keep_in_flight();
    } else if (rows > 0) {
      const int t = thread_anew(), last = min_of(rows, Keys) - 1;
      for_keys<Share, Shares>([&](int q, int r, int key) FA_LAMBDA {
        const int row = min_of((plan::quad(t) + q * plan::step_quads) * 4 + key, last);
        const int run = min_of(plan::run(t) + r * plan::step_runs, used_runs - 1);
        const std::uint32_t at = this->offset_of(row) + static_cast<std::uint32_t>(run * run_bytes);
        if constexpr (whole_runs) held[q][r][key] = load_words<run_words>(this->lowest, at);
        else held[q][r][key] = load_elements<run_words>(this->lowest, at, DV - run * plan::cols);
      });
      keep_in_flight_too();
    } else {
      for_keys<Share, Shares>([&](int q, int r, int key) FA_LAMBDA { held[q][r][key] = {}; });
    }
  }

  template <int Share = 0, int Shares = 1>
  FA_DEVICE void store() {
    if (plan::used_threads == M::threads || thread_anew() < plan::used_threads) {
      for_runs<Share, Shares>([&](int q, int r) FA_LAMBDA {
        FA_UNROLL for (int c = 0; c < plan::cols; ++c) store_column(q, r, c);
      });
    }
    if constexpr (plan::used_threads != M::threads) {
      for_keys<Share, Shares>([&](int q, int r, int key) FA_LAMBDA { settle(held[q][r][key]); });
    }
  }

 private:
  template <int Share, int Shares, class F>
  FA_DEVICE static void for_runs(const F& f) {
    FA_UNROLL for (int q = 0; q < plan::quad_steps; ++q) {
      FA_UNROLL for (int r = plan::run_steps * Share / Shares;
                     r < plan::run_steps * (Share + 1) / Shares; ++r) f(q, r);
    }
  }
  template <int Share, int Shares, class F>
  FA_DEVICE static void for_keys(const F& f) {
    for_runs<Share, Shares>(
        [&](int q, int r) FA_LAMBDA { FA_UNROLL for (int key = 0; key < 4; ++key) f(q, r, key); });
  }

  /// Four keys of one column: 8 or 16 bytes. Columns beyond DV are copies of others: nobody looks
  /// at them.
  FA_DEVICE void store_column(int q, int r, int c) {
    const int at = plan::address(c * plan::runs + r * plan::step_runs, q * plan::step_quads,
                                 chunks);
    const std::uint32_t to = lds + static_cast<std::uint32_t>(at);
    const auto& x = held[q][r];
    if constexpr (is_16_bit<T>) {
      const std::uint32_t half = c % 2 == 0 ? 0x05040100u : 0x07060302u;
      const auto pair = [&](int key) FA_LAMBDA {
        return __builtin_amdgcn_perm(x[key + 1].x[c / 2], x[key].x[c / 2], half);
      };
      lds_store(to, words2{pair(0), pair(2)});
    } else {
      static_assert(is_f32<T>, "fa: V of such elements is not transposed on its way to LDS");
      lds_store(to, words4{x[0].x[c], x[1].x[c], x[2].x[c], x[3].x[c]});
    }
  }
};

#endif

}  // namespace fa::amd_machine
