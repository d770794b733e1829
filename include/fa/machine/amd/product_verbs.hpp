// The two products by matrix instructions. Every operand is a 16-byte read of LDS or stays in
// registers.
#pragma once

#include <fa/machine/amd/layout.hpp>

#if FA_AMD

namespace fa::amd_machine {

namespace detail {

/// Words of an operand from word `First` on, as what an instruction takes.
template <class To, int First, class From>
FA_DEVICE To words_of(const From& x) {
  if constexpr (sizeof(To) == 4) {
    const std::uint32_t word = x[First];
    return __builtin_bit_cast(To, word);
  } else {
    using piece = vector_of<static_cast<int>(sizeof(To)) / 4>;
    piece y;
    FA_UNROLL for (int i = 0; i < static_cast<int>(sizeof(To)) / 4; ++i) y[i] = x[First + i];
    return __builtin_bit_cast(To, y);
  }
}

}  // namespace detail

/// Products of elements of type T on a chip that has a matrix instruction for them.
template <amd_chip Chip, class T>
struct product_verbs {
  using instruction = matrix_instruction<Chip, T>;
  static constexpr int weight_keys = fragment<Chip, T>::cols;  ///< keys of an operand of P

  /// S = Q K^T: [R, D] x [BN, D] -> [R, BN].
  template <class M, int R, int BN, int D>
  FA_DEVICE static score_tile<M, R, BN> mma_abt(const query_registers<M, R, D>& q,
                                                const key_tile<M, BN, D>& k) {
    score_tile<M, R, BN> s;
    s.keys = k.keys;
    FA_UNROLL for (int t = 0; t < s.col_tiles; ++t) {
      floats<M::format::values> sum[s.row_tiles];
      FA_UNROLL for (auto& x : sum) x = floats<M::format::values>(0.f);
      FA_UNROLL for (int p = 0; p < q.steps; ++p) {
        const operand<M> a = read<M>(k.at, t, p, M::sizes::key_chunks(D));
        FA_UNROLL for (int i = 0; i < s.row_tiles; ++i) multiply_add(sum[i], a, q.v[i][p]);
      }
      FA_UNROLL for (int i = 0; i < s.row_tiles; ++i) take(s.v[i][t], sum[i]);
    }
    return s;
  }

  template <class M, int R, int BN, int D>
  FA_DEVICE static score_tile<M, R, BN> mma_abt(const query_in_lds<M, R, D>& q,
                                                const key_tile<M, BN, D>& k) {
    score_tile<M, R, BN> s;
    s.keys = k.keys;
    floats<M::format::values> sum[s.row_tiles][s.col_tiles];
    FA_UNROLL for (auto& row : sum) {
      FA_UNROLL for (auto& x : row) x = floats<M::format::values>(0.f);
    }
    constexpr int chunks = M::sizes::key_chunks(D),
                  all = M::sizes::padded_cols(D) / M::format::cols;
    constexpr int batch = all % batch_of<M, R> == 0 ? batch_of<M, R> : 1,
                  ahead = reads_ahead<M, R> ? 1 : 0;
    operand<M> a[1 + ahead][batch][s.col_tiles], b[1 + ahead][batch][s.row_tiles];
    const auto load = [&](int n) FA_LAMBDA {
      FA_UNROLL for (int p = 0; p < batch; ++p) {
        auto& to_b = b[n % (1 + ahead)][p];
        FA_UNROLL for (int i = 0; i < s.row_tiles; ++i)
            to_b[i] = read<M>(q.at, i, n * batch + p, chunks);
        auto& to_a = a[n % (1 + ahead)][p];
        FA_UNROLL for (int t = 0; t < s.col_tiles; ++t)
            to_a[t] = read<M>(k.at, t, n * batch + p, chunks);
      }
    };
    if constexpr (ahead == 1) load(0);
    FA_UNROLL for (int n = 0; n < all / batch; ++n) {
      if (n + ahead < all / batch) load(n + ahead);
      // What was read last first: one wait for all.
      FA_UNROLL for (int p = batch - 1; p >= 0; --p) {
        FA_UNROLL for (int t = s.col_tiles - 1; t >= 0; --t) {
          const int from = n % (1 + ahead);
          FA_UNROLL for (int i = 0; i < s.row_tiles; ++i)
              multiply_add(sum[i][t], a[from][p][t], b[from][p][i]);
        }
      }
      end_of_step<M>();
    }
    FA_UNROLL for (int i = 0; i < s.row_tiles; ++i) {
      FA_UNROLL for (int t = 0; t < s.col_tiles; ++t) take(s.v[i][t], sum[i][t]);
    }
    return s;
  }

  /// P, rounded to T. What a lane holds of S^T is what it must give of P^T; on gfx11 half of that
  /// (see both_halves).
  template <class, class M, int R, int BN>
  FA_DEVICE static weight_tile<M, R, BN> as_operand(const score_tile<M, R, BN>& s) {
    weight_tile<M, R, BN> p;
    constexpr int values = M::format::values, tiles = M::format::whole_rows ? 1 : weight_keys / 16;
    FA_UNROLL for (int t = 0; t < BN / weight_keys; ++t) {
      FA_UNROLL for (int i = 0; i < s.row_tiles; ++i) {
        words4 mine;
        FA_UNROLL for (int w = 0; w < 4; ++w) {
          if constexpr (!is_f32<T>) {
            const int first = 2 * w;  // of the values of `tiles` accumulators
            const float low = s.v[i][t * tiles + first / values][first % values];
            const float high = s.v[i][t * tiles + first / values][first % values + 1];
            mine[w] = pack_weights<Chip, M::shape.rounding>(low, high, T{});
          } else {
            const float x = s.v[i][t][w];
            mine[w] = __builtin_bit_cast(std::uint32_t, x);
          }
        }
        p.v[i][t] = mine;
      }
    }
    return p;
  }

  /// O += P V: [R, BN] x [BN, C] -> [R, C].
  template <class M, int R, int BN, int C>
  FA_DEVICE static void mma_ab(output_tile<M, R, C>& o, const weight_tile<M, R, BN>& p,
                               const value_tile<M, BN, C>& v) {
    FA_UNROLL for (int t = 0; t < BN / weight_keys; ++t) {
      operand<M> b[M::template row_tiles<R>];
      FA_UNROLL for (int i = 0; i < o.row_tiles; ++i) {
        if constexpr (M::format::whole_rows) b[i] = both_halves<M>(p.v[i][t], i);
        else b[i] = p.v[i][t];
      }
      if constexpr (!reads_in_batches) {
        FA_UNROLL for (int c = 0; c < o.col_tiles; ++c) {
          const operand<M> a = read_values<M>(v, c, t);
          FA_UNROLL for (int i = 0; i < o.row_tiles; ++i) multiply_add(o.v[i][c], a, b[i]);
        }
      } else {
        in_batches<M>(o, b, v, t);
      }
    }
  }

 private:
  /// WMMA takes the wave's own time, and 32 lanes need twice the registers for their accumulators.
  /// There operands are read in batches, and nothing is moved across these: the compiler would load
  /// so far ahead that registers run out.
  static constexpr bool reads_in_batches = facts_of(Chip).matrix != matrix_kind::mfma;

  /// Operands of the next step are read ahead, but where they are so large that registers end.
  template <class M, int R>
  static constexpr bool reads_ahead = !M::format::whole_rows || M::template row_tiles<R> == 1;

  /// So many steps are read and waited for at a time: waits cost too.
  template <class M, int R>
  static constexpr int batch_of = M::format::whole_rows && M::template row_tiles<R> == 1 ? 2 : 1;

  template <class M, class Values>
  FA_DEVICE static operand<M> read_values(const Values& v, int c, int t) {
    return read<M>(v.at, c, t, M::sizes::value_chunks(M::shape.staged_keys));
  }

  /// O += P V for the keys of one operand, some column tiles at a time.
  template <class M, int R, int C, class Values>
  FA_DEVICE static void in_batches(output_tile<M, R, C>& o,
                                   const operand<M> (&b)[M::template row_tiles<R>], const Values& v,
                                   int t) {
    constexpr int tiles = output_tile<M, R, C>::col_tiles,
                  batch = tiles % (2 * batch_of<M, R>) == 0 ? 2 * batch_of<M, R> : 2;
    constexpr int ahead = reads_ahead<M, R> ? 1 : 0;
    operand<M> a[1 + ahead][batch];
    const auto load = [&](int g) FA_LAMBDA {
      FA_UNROLL for (int c = 0; c < batch; ++c)
          a[g % (1 + ahead)][c] = read_values<M>(v, batch * g + c, t);
    };
    if constexpr (ahead == 1) load(0);
    FA_UNROLL for (int g = 0; g < tiles / batch; ++g) {
      if (g + ahead < tiles / batch) load(g + ahead);
      FA_UNROLL for (int c = batch - 1; c >= 0; --c) {
        FA_UNROLL for (int i = 0; i < o.row_tiles; ++i)
            multiply_add(o.v[i][batch * g + c], a[g % (1 + ahead)][c], b[i]);
      }
      end_of_step<M>();
    }
  }

  /// Of reads and products, where these come in batches.
  template <class M>
  FA_DEVICE static void end_of_step() {
    if constexpr (reads_in_batches) __builtin_amdgcn_sched_barrier(0);
  }

  template <int N>
  FA_DEVICE static void take(float (&to)[N], const floats<N>& from) {
    FA_UNROLL for (int r = 0; r < N; ++r) to[r] = from[r];
  }

  /// The lane's share of a fragment: rows 16 t and on, columns of step p, of a tile of `chunks`
  /// chunks a row.
  template <class M>
  FA_DEVICE static operand<M> read(const lane_address& at, int t, int p, int chunks) {
    const auto offset = static_cast<std::uint32_t>((t * chunks + p * M::format::chunks) * 256) +
                        at.constant;
    const words4 even = lds_load<words4>(at.even + offset);
    if constexpr (M::format::whole_rows) {
      const words4 odd = lds_load<words4>(at.odd + offset);
      return __builtin_shufflevector(even, odd, 0, 1, 2, 3, 4, 5, 6, 7);
    } else {
      return even;
    }
  }

  /// gfx11: a lane holds the weights of 8 keys and must give those of 16. The halves meet in a
  /// place of LDS that is the wave's own.
  template <class M>
  FA_DEVICE static words8 both_halves(const words4& mine, int i) {
    const std::uint32_t base = M::exchange_base() + static_cast<std::uint32_t>(i * 512);
    lds_store(base + static_cast<std::uint32_t>(lane() * 16), mine);
    const words4 low = lds_load<words4>(base + static_cast<std::uint32_t>(lane() % 16 * 16));
    const words4 high = lds_load<words4>(base + static_cast<std::uint32_t>(lane() % 16 * 16 + 256));
    return __builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7);
  }

  /// c += a b for all that the operands hold: one instruction, or several.
  template <class C, class Operand>
  FA_DEVICE static void multiply_add(C& c, const Operand& a, const Operand& b) {
    using piece = typename instruction::operand_type;
    constexpr int calls = static_cast<int>(sizeof(Operand) / sizeof(piece)),
                  step = static_cast<int>(sizeof(piece)) / 4;
    c = instruction::call(detail::words_of<piece, 0>(a), detail::words_of<piece, 0>(b), c);
    if constexpr (calls > 1)
      c = instruction::call(detail::words_of<piece, step>(a), detail::words_of<piece, step>(b), c);
    if constexpr (calls > 2) {
      c = instruction::call(detail::words_of<piece, 2 * step>(a),
                            detail::words_of<piece, 2 * step>(b), c);
      c = instruction::call(detail::words_of<piece, 3 * step>(a),
                            detail::words_of<piece, 3 * step>(b), c);
    }
  }
};

}  // namespace fa::amd_machine

#endif
