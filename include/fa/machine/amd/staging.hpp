// K and V on their way from memory to LDS: a tile of keys at a time, in registers while the tile before is computed with. V is
// turned round on the way: its rows in LDS are columns, so that both products read their operands alike.
#pragma once

#include <cstdint>

#include <fa/core/view.hpp>
#include <fa/machine/amd/layout.hpp>

namespace fa::amd_machine {

/// The largest power of two that divides x > 0.
constexpr int power_of_two_in(int x) { return x & -x; }

/// Which thread brings which chunks of K [Keys, D]. Threads are spread over the rows and chunks of a step; a thread's chunks of
/// other steps lie at constant distances, in memory and in LDS.
template <class Format, int Threads, int Keys, int Chunks>
struct key_plan {
  static constexpr int group = Format::groups, row_group = 8 / group;      ///< lanes that write at once: 8, of so many chunks x rows
  static constexpr int step_chunks = min_of(power_of_two_in(Chunks), Threads / 8);
  static constexpr int step_rows = Threads / step_chunks;
  static constexpr int row_steps = ceil_div(Keys, step_rows), chunk_steps = Chunks / step_chunks;
  static constexpr bool idle_threads = step_rows > Keys;   ///< some have no row
  static_assert(step_chunks >= group && step_rows % 8 == 0 && (idle_threads || Keys % step_rows == 0));
  static_assert(idle_threads || row_steps == 1 || step_rows % 8 == 0);

  static constexpr int chunk(int thread) { return thread % group + thread / 8 % (step_chunks / group) * group; }
  static constexpr int slot(int thread) { return thread / group % row_group + thread / 8 / (step_chunks / group) * row_group; }
  static constexpr int row(int thread) { return Format::row_in(slot(thread)); }
  /// How much farther a thread's row of a step lies.
  static constexpr int row_of_step(int step) { return Format::row_in(step * step_rows); }
};

/// Which thread brings which 4 keys x `cols` columns of V [Keys, DV]. A thread's columns become rows of V^T that are `runs` apart:
/// so for every one of them its place in the banks is the same, and a lane's outputs are `cols` neighbours.
template <class Format, int ElementBytes, int Threads, int Keys, int PaddedCols>
struct value_plan {
  static constexpr int quads = Keys / 4;                   ///< of keys
  /// As many as 16 bytes hold, but so few that there is work for all threads and the rows of a run are whole accumulators.
  static constexpr int cols = [] {
    int best = 4 / ElementBytes;
    for (int c = best; c * ElementBytes <= 16; c *= 2) {
      if (PaddedCols / c % 16 == 0 && PaddedCols % c == 0 && (quads * (PaddedCols / c) >= Threads || c == 4 / ElementBytes)) best = c;
    }
    return best;
  }();
  static constexpr int runs = PaddedCols / cols;           ///< of neighbouring columns
  static_assert(runs % 16 == 0);
  static constexpr int low_runs = 8 / Format::groups, low_quads = ElementBytes == 2 ? 2 * Format::groups : Format::groups;
  static constexpr int step_quads = quads * 16 <= Threads ? quads : Threads / 16;
  static constexpr int step_runs = min_of(Threads / step_quads, power_of_two_in(runs));
  static constexpr int used_threads = step_quads * step_runs;
  static constexpr int quad_steps = quads / step_quads, run_steps = runs / step_runs;
  static_assert(step_quads % low_quads == 0 && quads % step_quads == 0 && runs % step_runs == 0 && step_runs % 16 == 0);

  static constexpr int slot(int thread) {
    return thread % low_runs + thread / (low_runs * low_quads) % (step_runs / low_runs) * low_runs;
  }
  static constexpr int run(int thread) { return Format::row_in(slot(thread)); }
  static constexpr int quad(int thread) {
    return thread / low_runs % low_quads + thread / (low_quads * step_runs) * low_quads;
  }
  /// The column of V that a row of V^T is.
  static constexpr int column_of(int row) { return row % runs * cols + row / runs; }
  /// Byte of the first of 4 keys in a tile of V^T.
  static constexpr int address(int slot, int quad, int tile_chunks) {
    constexpr int fragment_keys = Format::cols;
    const int key = quad * 4, position = key / fragment_keys * fragment_keys + Format::key_position(key % fragment_keys);
    return Format::address(slot, position / Format::chunk_elements, tile_chunks) +
           position % Format::chunk_elements * ElementBytes;
  }
};

#if FA_AMD

/// What K and V have in common: where their next tile is, and whether it can be loaded in words.
template <class T, int Keys>
struct row_source {
  const T* next;                                           ///< first row of the tile that is loaded next
  i64 stride;                                              ///< elements
  bool in_words;                                           ///< whole words, offsets of 32 bits
  int whole, some;                                         ///< from so many rows on a tile is loaded as a whole, or at all

  FA_DEVICE row_source(const row_view<const T>& rows, int first, bool whole_words)
      : next(rows.row(first)), stride(rows.stride),
        in_words(whole_words && loads_in_words(rows.data, rows.stride * i64{sizeof(T)}, Keys)),
        whole(in_words ? Keys : largest_count), some(in_words ? 1 : largest_count) {}

  FA_DEVICE std::uint32_t row_bytes() const { return static_cast<std::uint32_t>(stride) * static_cast<std::uint32_t>(sizeof(T)); }
  FA_DEVICE const T* row(int r) const { return next + r * stride; }
  FA_DEVICE void advance() { next += Keys * stride; }

 private:
  static constexpr int largest_count = 0x7fffffff;
};

/// K: a tile [Keys, D].
template <class M, class T, int Keys, int D>
struct key_staging : row_source<T, Keys> {
  using format = typename M::format;
  static constexpr int chunks = M::sizes::key_chunks(D);
  using plan = key_plan<format, M::threads, Keys, chunks>;
  static constexpr int bytes = Keys * chunks * 16;
  /// Threads without a chunk, because of columns beyond D or of rows beyond Keys, load what another loads.
  static constexpr bool idle_threads = chunks * format::chunk_elements != D || plan::idle_threads;

  std::uint32_t offset;                                    ///< of this thread's chunk from `next`
  std::uint32_t lds;                                       ///< where that chunk is written
  words<4> held[plan::row_steps][plan::chunk_steps];

  FA_DEVICE key_staging(const row_view<const T>& k, int first, std::uint32_t tile)
      : row_source<T, Keys>(k, first, D % format::chunk_elements == 0) {
    offset = static_cast<std::uint32_t>(plan::row(thread())) * this->row_bytes() + static_cast<std::uint32_t>(plan::chunk(thread()) * 16);
    lds = tile + static_cast<std::uint32_t>(format::address(plan::slot(thread()), plan::chunk(thread()), chunks));
  }

  /// Starts the loads of a tile of which `rows` rows exist; the others become copies of the last: their scores are dropped.
  FA_DEVICE void load(int rows) {
    if (rows >= this->whole && !idle_threads) [[likely]] {
      const std::uint32_t lane_offset = anew(offset);
      for_chunks([&](int r, int c) FA_LAMBDA {
        const T* from = this->next + (plan::row_of_step(r) * this->stride + c * plan::step_chunks * format::chunk_elements);
        held[r][c] = load_words<4>(from, lane_offset);
      });
      keep_in_flight();
    } else if (rows >= this->some) {
      const int t = thread_anew();
      for_chunks([&](int r, int c) FA_LAMBDA {
        const int row = min_of(plan::row(t) + plan::row_of_step(r), min_of(rows, Keys) - 1);
        const int chunk = min_of(plan::chunk(t) + c * plan::step_chunks, D / format::chunk_elements - 1);
        held[r][c] = load_words<4>(this->next, static_cast<std::uint32_t>(row) * this->row_bytes() + static_cast<std::uint32_t>(chunk * 16));
      });
      keep_in_flight_too();
    } else {
      for_chunks([&](int r, int c) FA_LAMBDA { held[r][c] = anything<4>(); });
    }
  }

  /// Writes them to LDS.
  FA_DEVICE void store(int rows) {
    if (rows >= this->some) [[likely]] {
      const int t = idle_threads ? thread_anew() : 0;
      if (!plan::idle_threads || plan::slot(t) < Keys) {
        for_chunks([&](int r, int c) FA_LAMBDA {
          const auto& x = held[r][c].x;
          words4 chunk{x[0], x[1], x[2], x[3]};
          if (idle_threads && plan::chunk(t) + c * plan::step_chunks >= D / format::chunk_elements) chunk = words4(0u);
          lds_store(lds + static_cast<std::uint32_t>(format::address(r * plan::step_rows, c * plan::step_chunks, chunks)), chunk);
        });
      }
    } else if (rows > 0) {
      copy_words(rows);
    }
    for_chunks([&](int r, int c) FA_LAMBDA { settle(held[r][c]); });
    this->advance();
  }

 private:
  template <class F>
  FA_DEVICE static void for_chunks(const F& f) {
    FA_UNROLL for (int r = 0; r < plan::row_steps; ++r) {
      FA_UNROLL for (int c = 0; c < plan::chunk_steps; ++c) f(r, c);
    }
  }

  /// Element by element, for rows that are not aligned to words, too far apart, or of an odd number of elements.
  FA_DEVICE void copy_words(int rows) {
    constexpr int word_elements = 4 / static_cast<int>(sizeof(T)), row_words = chunks * 4;
    const int t = thread_anew();
    const std::uint32_t tile = lds - static_cast<std::uint32_t>(format::address(plan::slot(t), plan::chunk(t), chunks));
    FA_NO_UNROLL for (int i = t; i < Keys * row_words; i += M::threads) {
      const int slot = i / row_words, row = format::row_in(slot), word = i % row_words;
      std::uint32_t x = 0;
      FA_UNROLL for (int e = 0; e < word_elements; ++e) {
        const int col = word * word_elements + e;
        if (row < rows && col < D) x |= load_bits(this->row(row) + col) << 16 * e;
      }
      lds_store(tile + static_cast<std::uint32_t>(format::address(slot, word / 4, chunks) + word % 4 * 4), x);
    }
  }
};

/// V: a tile [Keys, DV], transposed.
template <class M, class T, int Keys, int DV>
struct value_staging : row_source<T, Keys> {
  using format = typename M::format;
  static constexpr int padded = M::sizes::padded_values(DV), chunks = M::sizes::value_chunks(Keys);
  using plan = typename M::template value_plan_of<DV>;
  static constexpr int element_bytes = static_cast<int>(sizeof(T)), run_words = plan::cols * element_bytes / 4;
  static constexpr int bytes = padded * chunks * 16;
  static constexpr bool idle_threads = padded != DV || plan::used_threads != M::threads;

  std::uint32_t offset;                                    ///< of this thread's columns in its first key, from `next`
  std::uint32_t lds;                                       ///< where its first column is written
  words<run_words> held[plan::quad_steps][plan::run_steps][4];

  FA_DEVICE value_staging(const row_view<const T>& v, int first, std::uint32_t tile)
      : row_source<T, Keys>(v, first, DV % plan::cols == 0) {
    const int run = plan::run(thread()), quad = plan::quad(thread());
    offset = static_cast<std::uint32_t>(quad * 4) * this->row_bytes() + static_cast<std::uint32_t>(run * plan::cols * element_bytes);
    lds = tile + static_cast<std::uint32_t>(plan::address(plan::slot(thread()), quad, chunks));
  }

  /// Starts the loads of a tile of which `rows` rows exist; the others become copies of the last: their weights are 0.
  FA_DEVICE void load(int rows) {
    if (rows >= this->whole && !idle_threads) [[likely]] {
      const std::uint32_t lane_offset = anew(offset);
      for_runs([&](int q, int r) FA_LAMBDA {
        FA_UNROLL for (int key = 0; key < 4; ++key) {
          const T* from = this->next + ((q * plan::step_quads * 4 + key) * this->stride + r * plan::step_runs * plan::cols);
          held[q][r][key] = load_words<run_words>(from, lane_offset);
        }
      });
      keep_in_flight();
    } else if (rows >= this->some) {
      const int t = thread_anew();
      for_runs([&](int q, int r) FA_LAMBDA {
        const int run = min_of(plan::run(t) + r * plan::step_runs, DV / plan::cols - 1);
        FA_UNROLL for (int key = 0; key < 4; ++key) {
          const int row = min_of((plan::quad(t) + q * plan::step_quads) * 4 + key, min_of(rows, Keys) - 1);
          held[q][r][key] = load_words<run_words>(
              this->next, static_cast<std::uint32_t>(row) * this->row_bytes() + static_cast<std::uint32_t>(run * plan::cols * element_bytes));
        }
      });
      keep_in_flight_too();
    } else {
      for_runs([&](int q, int r) FA_LAMBDA {
        FA_UNROLL for (auto& x : held[q][r]) x = anything<run_words>();
      });
    }
  }

  /// Writes them to LDS.
  FA_DEVICE void store(int rows) {
    if (rows >= this->some) [[likely]] {
      if (plan::used_threads == M::threads || thread_anew() < plan::used_threads) {
        for_runs([&](int q, int r) FA_LAMBDA {
          FA_UNROLL for (int c = 0; c < plan::cols; ++c) store_column(q, r, c);
        });
      }
    } else if (rows > 0) {
      copy_words(rows);
    }
    for_runs([&](int q, int r) FA_LAMBDA {
      FA_UNROLL for (const auto& x : held[q][r]) settle(x);
    });
    this->advance();
  }

 private:
  template <class F>
  FA_DEVICE static void for_runs(const F& f) {
    FA_UNROLL for (int q = 0; q < plan::quad_steps; ++q) {
      FA_UNROLL for (int r = 0; r < plan::run_steps; ++r) f(q, r);
    }
  }

  /// Four keys of one column: 8 or 16 bytes. Columns beyond DV are copies of others: nobody looks at them.
  FA_DEVICE void store_column(int q, int r, int c) {
    const int at = plan::address(c * plan::runs + r * plan::step_runs, q * plan::step_quads, chunks);
    const std::uint32_t to = lds + static_cast<std::uint32_t>(at);
    const auto& x = held[q][r];
    if constexpr (element_bytes == 2) {
      const std::uint32_t half = c % 2 == 0 ? 0x05040100u : 0x07060302u;
      const auto pair = [&](int key) FA_LAMBDA { return __builtin_amdgcn_perm(x[key + 1].x[c / 2], x[key].x[c / 2], half); };
      lds_store(to, words2{pair(0), pair(2)});
    } else {
      lds_store(to, words4{x[0].x[c], x[1].x[c], x[2].x[c], x[3].x[c]});
    }
  }

  FA_DEVICE void copy_words(int rows) {
    constexpr int word_elements = 4 / element_bytes, col_words = Keys / word_elements;
    const int t = thread_anew();
    const std::uint32_t tile = lds - static_cast<std::uint32_t>(plan::address(plan::slot(t), plan::quad(t), chunks));
    FA_NO_UNROLL for (int i = t; i < padded * col_words; i += M::threads) {
      const int slot = i % padded, col = plan::column_of(format::row_in(slot)), word = i / padded, key = word * word_elements;
      std::uint32_t x = 0;
      FA_UNROLL for (int e = 0; e < word_elements; ++e) {
        if (key + e < rows && col < DV) x |= load_bits(this->row(key + e) + col) << 16 * e;
      }
      lds_store(tile + static_cast<std::uint32_t>(plan::address(slot, key / 4, chunks) + key % 4 * element_bytes), x);
    }
  }
};

#endif

}  // namespace fa::amd_machine
