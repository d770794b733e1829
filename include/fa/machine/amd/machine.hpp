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

/// Models fa::Machine for elements of type T and blocks of one tile: R rows, head sizes D and DV.
template <amd_chip Chip, class T, block_shape Shape, int R, int D, int DV>
struct waves : memory_verbs,
               softmax_verbs,
               std::conditional_t<has_matrix_instruction<Chip, T>, product_verbs<Chip, T>,
                                  vector_product_verbs<Chip, T>> {
  static constexpr amd_chip chip = Chip;
  static constexpr block_shape shape = Shape;
  using format = fragment<Chip, T>;
  using sizes = tile_sizes<Chip, T>;
  static constexpr int threads = Shape.waves * lanes_of(Chip);

  using element = T;
  /// Whether the next K and V are on their way while products are computed. Multiply-adds leave no
  /// registers for it.
  static constexpr bool loads_ahead = has_matrix_instruction<Chip, T>;

  template <int Rows>
  static constexpr int row_tiles = Rows / Shape.waves / 16;  ///< of 16 rows, of a wave
  template <int C>
  using value_plan_of =
      value_plan<format, sizeof(T), threads, Shape.staged_keys, sizes::padded_values(C)>;

  template <int Rows>
  using row = row_values<waves, Rows>;
  template <int Rows>
  using row_part = row_parts<waves, Rows>;
  template <class, int Rows, int BN, int D1, int DV1>
  using kv_stream = key_stream<waves, T, Rows, BN, D1, DV1>;
  template <int Rows, int BN>
  using scores_type = score_tile<waves, Rows, BN>;
  using position = block_rows;

  /// Bytes of LDS: the buffers of K and V, then Q where it lies there, then gfx11's place to
  /// exchange P.
  static constexpr int stream_bytes =
      Shape.key_buffers * Shape.staged_keys * sizes::key_chunks(D) * 16 +
      Shape.value_buffers * sizes::padded_values(DV) * sizes::value_chunks(Shape.staged_keys) * 16;
  static constexpr int query_bytes = Shape.query_in_lds ? R * sizes::key_chunks(D) * 16 : 0;
  static constexpr int exchange_bytes = format::whole_rows ? R / 16 * 512 : 0;
  static constexpr int shared_bytes = stream_bytes + query_bytes + exchange_bytes;

  /// A value that all lanes of a wave have, told to the compiler.
  template <class X>
  FA_DEVICE static X uniform(X x) {
    return amd_machine::uniform(x);
  }

  /// The kernel's first argument, read again where this is asked for: what is wanted at the end
  /// needs no registers before.
  template <class X>
  FA_DEVICE static const X& first_argument() {
    using pointer = const __attribute__((address_space(4))) X*;
    auto address = (pointer)__builtin_amdgcn_kernarg_segment_ptr();
    asm volatile("" : "+s"(address));
    return *(const X*)address;
  }

  FA_DEVICE static std::uint32_t lds() { return lds_base<shared_bytes>(); }
  /// Where this wave exchanges P.
  FA_DEVICE static std::uint32_t exchange_base() {
    return lds() +
           static_cast<std::uint32_t>(stream_bytes + query_bytes + wave() * (row_tiles<R> * 512));
  }

  /// The row of the block that this lane holds of row tile i.
  FA_DEVICE static int lane_row(const block_rows& at, int i, int own_lane = lane()) {
    return at.own_row + i * 16 + own_lane % 16;
  }

  template <int Rows>
  FA_DEVICE static block_rows rows_of(int block, int rows, int group) {
    static_assert(Rows == R && row_tiles<R> > 0 && R == row_tiles<R> * 16 * Shape.waves,
                  "fa: a wave owns a multiple of 16 rows");
    const int first = block * R, count = min_of(R, rows - first), own = wave() * (R / Shape.waves);
    return {first, count, own, min_of(R / Shape.waves, count - own), group};
  }

  template <class, int Rows, int D1>
  FA_DEVICE static auto load_rows(const group_view<const T>& rows, const block_rows& at,
                                  float factor) {
    if constexpr (Shape.query_in_lds) {
      return memory_verbs::copy_query<waves, T, R, D1>(
          rows, at, factor, lds() + static_cast<std::uint32_t>(stream_bytes));
    } else {
      return memory_verbs::load_query<waves, T, R, D1>(rows, at, factor);
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
