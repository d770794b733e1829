// The AMD machine: a workgroup of waves, each with rows of its own.
#pragma once

#include <type_traits>

#include <fa/machine/amd/memory_verbs.hpp>
#include <fa/machine/amd/product_verbs.hpp>
#include <fa/machine/amd/softmax_verbs.hpp>
#include <fa/machine/amd/stream.hpp>
#include <fa/machine/amd/vector_product_verbs.hpp>

#if FA_AMD

namespace fa::amd_machine {

/// Models fa::Machine for elements of type T and blocks of R rows: of Q [R, QueryCols], with a
/// stream of what Brings names.
template <amd_chip Chip, class T, block_shape Shape, int R, int QueryCols, class Brings>
struct waves : memory_verbs,
               softmax_verbs,
               std::conditional_t<has_matrix_instruction<Chip, T>, product_verbs<Chip, T>,
                                  vector_product_verbs<Chip, T>> {
  static constexpr amd_chip chip = Chip;
  static constexpr block_shape shape = Shape;
  using format = fragment<Chip, T>;
  using sizes = tile_sizes<Chip, T>;
  static constexpr int threads = Shape.waves * facts_of(Chip).lanes;

  using element = T;
  /// Whether the next K and V are on their way while products are computed. Multiply-adds leave no
  /// registers for it.
  static constexpr bool loads_ahead = has_matrix_instruction<Chip, T>;

  template <int Rows>
  static constexpr int row_tiles = Rows / Shape.waves / 16;  ///< of 16 rows, of a wave
  template <int C>
  using value_plan_of =
      value_plan<format, element_bytes<T>, threads, Shape.staged_keys, sizes::padded_values(C)>;

  template <int Rows>
  using row = row_values<waves, Rows>;
  template <int Rows>
  using row_part = row_parts<waves, Rows>;
  template <int Rows, int BN, class Streamed, class... Sources>
  using stream = key_stream<waves, Rows, BN, Streamed, Sources...>;
  template <int Rows, int BN>
  using scores = score_tile<waves, Rows, BN>;
  using position = block_rows;

  using lds_bytes = lds_plan<Chip, T, QueryCols, Brings>;
  static constexpr int shared_bytes = lds_bytes::all(Shape, R);

  /// A value that all lanes of a wave have, told to the compiler.
  template <class X>
  FA_DEVICE static X uniform(X x) {
    return amd_machine::uniform(x);
  }

  FA_DEVICE static std::uint32_t lds() { return lds_base<shared_bytes>(); }
  /// Where this wave exchanges P.
  FA_DEVICE static std::uint32_t exchange_base() {
    constexpr int before = lds_bytes::streamed(Shape) + lds_bytes::query(Shape, R);
    return lds() + static_cast<std::uint32_t>(before + wave() * (row_tiles<R> * 512));
  }

  /// The row of the block that this lane holds of row tile i.
  FA_DEVICE static int lane_row(const block_rows& at, int i, int own_lane = lane()) {
    return at.own_row + i * 16 + own_lane % 16;
  }

  template <int Rows>
  FA_DEVICE static block_rows rows_of(int block, int rows, int heads) {
    static_assert(Rows == R && row_tiles<R> > 0 && R == row_tiles<R> * 16 * Shape.waves,
                  "fa: a wave owns a multiple of 16 rows");
    const int first = block * R, count = min_of(R, rows - first), own = wave() * (R / Shape.waves);
    return {first, count, own, min_of(R / Shape.waves, count - own), heads};
  }

  template <int, int BN, class Mask>
  FA_DEVICE static key_walk<BN> walk_of(const Mask& mask, const block_rows& at, int keys) {
    return fa::walk_of<waves, BN, last_step::padded>(mask, at, keys);
  }

  template <int Rows, int Cols>
  FA_DEVICE static auto load_rows(const query_rows<const T>& rows, const block_rows& at) {
    static_assert(Cols == QueryCols);
    if constexpr (Shape.query_in_lds) {
      return memory_verbs::copy_query<waves, T, R, Cols>(
          rows, at, lds() + static_cast<std::uint32_t>(lds_bytes::streamed(Shape)));
    } else {
      return memory_verbs::load_query<waves, T, R, Cols>(rows, at);
    }
  }

  template <class, int Rows, int C>
  FA_DEVICE static output_tile<waves, Rows, C> zeros() {
    output_tile<waves, Rows, C> tile;
    tile.clear();
    return tile;
  }
};

}  // namespace fa::amd_machine

#endif
