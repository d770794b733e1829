// Tensor maps: how bulk copies find rows of Q, K and V in global memory, 64 columns of some rows a
// copy.
#pragma once

#include <cstdint>

#include <fa/core/dtype.hpp>
#include <fa/core/tensor.hpp>
#include <fa/machine/nv/hopper/wgmma.hpp>

#if FA_NV

#include <cuda.h>
#include <cuda_runtime.h>

namespace fa::nv_machine {

/// Rows of one head of one sequence behind a tensor map; rows beyond the last are zero. Coordinates
/// of row j: (column, row + j, head, last), see make_rows_map.
struct mapped_rows {
  const CUtensorMap* map;
  int row, head, last;
};

/// Starts the copy of the box at (col, row) of the rows into shared memory; its bytes
/// arrive on `barrier`.
FA_DEVICE void copy_box(std::uint32_t to, const mapped_rows& from, int col, int row,
                        std::uint32_t barrier) {
  asm volatile(
      "cp.async.bulk.tensor.4d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, "
      "%3, %4, %5}], [%6];" ::"r"(to),
      "l"(from.map), "r"(col), "r"(from.row + row), "r"(from.head), "r"(from.last), "r"(barrier)
      : "memory");
}

/// Q of a block of rows behind a tensor map, see make_query_map.
struct mapped_query {
  const CUtensorMap* map;  ///< or null: it has none
  int head, batch;         ///< heads that share rows counted once
};

/// Starts the copy of 64 rows from the first of `token` on, 64 columns from `col` on.
FA_DEVICE void copy_query_box(std::uint32_t to, const mapped_query& from, int col, int token,
                              std::uint32_t barrier) {
  asm volatile(
      "cp.async.bulk.tensor.5d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, "
      "%3, %4, %5, %6}], [%7];" ::"r"(to),
      "l"(from.map), "r"(col), "r"(0), "r"(token), "r"(from.head), "r"(from.batch), "r"(barrier)
      : "memory");
}

/// The driver's function that fills tensor maps, or null. Found at run time: programs need not link
/// the driver's library.
inline auto tensor_map_encoder() {
  using encode = CUresult (*)(CUtensorMap*, CUtensorMapDataType, cuuint32_t, void*,
                              const cuuint64_t*, const cuuint64_t*, const cuuint32_t*,
                              const cuuint32_t*, CUtensorMapInterleave, CUtensorMapSwizzle,
                              CUtensorMapL2promotion, CUtensorMapFloatOOBfill);
  static const encode found = [] {
    void* function = nullptr;
    cudaDriverEntryPointQueryResult result{};
#if CUDART_VERSION >= 12050
    const auto error = cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &function, 12000,
                                                        cudaEnableDefault, &result);
#else
    const auto error = cudaGetDriverEntryPoint("cuTensorMapEncodeTiled", &function,
                                               cudaEnableDefault, &result);
#endif
    if (error != cudaSuccess) cudaGetLastError();  // clears it: no map is made then
    return reinterpret_cast<encode>(
        error == cudaSuccess && result == cudaDriverEntryPointSuccess ? function : nullptr);
  }();
  return found;
}

/// Bytes from one of `size` things to the next; of a single one, whose stride may be anything, 0.
template <class T>
i64 byte_stride(i64 size, i64 stride) {
  return size > 1 ? stride * element_bytes<T> : 0;
}

/// Whether addresses and strides let rows be copied by 16 bytes.
template <class T>
bool copies_rows(const tensor<const T>& t) {
  const i64 distances = byte_stride<T>(t.batch, t.batch_stride) |
                        byte_stride<T>(t.seqlen, t.token_stride) |
                        byte_stride<T>(t.heads, t.head_stride);
  return reinterpret_cast<std::uintptr_t>(t.data) % 16 == 0 && distances % 16 == 0;
}

/// A map of Rank dimensions of `sizes`, `strides` bytes from one to the next but for the first, in
/// boxes of `box`. Returns false where an address, a stride or a size does not allow a map.
template <class T, int Rank>
bool make_map(CUtensorMap& map, std::uintptr_t start, const i64 (&sizes)[Rank],
              const i64 (&strides)[Rank - 1], const int (&box)[Rank]) {
  const auto encode = tensor_map_encoder();
  constexpr i64 most_stride = i64{1} << 40, most_size = i64{1} << 30;
  if (encode == nullptr || start % 16 != 0) return false;
  cuuint64_t map_strides[Rank - 1], map_sizes[Rank];
  cuuint32_t map_box[Rank], steps[Rank];
  for (int i = 0; i < Rank; ++i) {
    if (sizes[i] > most_size) return false;
    map_sizes[i] = static_cast<cuuint64_t>(sizes[i]);
    map_box[i] = static_cast<cuuint32_t>(box[i]);
    steps[i] = 1;
  }
  for (int i = 0; i + 1 < Rank; ++i) {
    const bool used = sizes[i + 1] > 1;  // else any stride will do
    if (used && (strides[i] <= 0 || strides[i] >= most_stride || strides[i] % 16 != 0))
      return false;
    map_strides[i] = static_cast<cuuint64_t>(used ? strides[i] : 16);
  }
  static_assert(is_16_bit<T>, "fa: tensor maps are of 16-bit elements");
  const auto type = kind_of<T> == element_kind::binary16 ? CU_TENSOR_MAP_DATA_TYPE_FLOAT16
                                                         : CU_TENSOR_MAP_DATA_TYPE_BFLOAT16;
  return encode(&map, type, Rank, reinterpret_cast<void*>(start), map_sizes, map_strides, map_box,
                steps, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B,
                CU_TENSOR_MAP_L2_PROMOTION_L2_256B,
                CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) == CUDA_SUCCESS;
}

/// A map of boxes [box_rows, 64] of K or V. Dense: coordinates (column, token, head, batch). Packed
/// tokens (`ragged`): a sequence must end where its tokens end, though others lie behind it. The
/// map starts all T tokens before the first and has them twice, as (column, a, head, b) at token a
/// + b - T with a < T: a = T - count + j and b = first + count is token first + j, and j >= count
/// lies outside.
template <class T>
bool make_rows_map(CUtensorMap& map, const tensor<const T>& t, bool ragged, int box_rows) {
  if (t.empty()) return false;
  // The stride of a single token may be anything; one that keeps rows apart serves.
  const i64 stride = t.seqlen > 1 ? t.token_stride : round_up<i64>(t.dim, 8);
  const i64 tokens = byte_stride<T>(ragged ? t.seqlen + 1 : t.seqlen, stride);
  const i64 strides[] = {tokens, byte_stride<T>(t.heads, t.head_stride),
                         ragged ? tokens : byte_stride<T>(t.batch, t.batch_stride)};
  const i64 sizes[] = {t.dim, t.seqlen, t.heads, ragged ? t.seqlen + 1 : t.batch};
  auto start = reinterpret_cast<std::uintptr_t>(t.data);
  if (ragged) {
    if (static_cast<i64>(start / 2) < t.seqlen * strides[0] / 2) return false;
    start -= static_cast<std::uintptr_t>(t.seqlen * strides[0]);
  }
  return make_map<T>(map, start, sizes, strides, {panel_cols, box_rows, 1, 1});
}

/// A map of 64 rows of 64 columns of dense Q; `packed` heads of a token are rows one after the
/// other. Coordinates (column, 0, token, head / packed, batch).
template <class T>
bool make_query_map(CUtensorMap& map, const tensor<const T>& t, int packed) {
  constexpr int rows = 64;
  if (t.empty() || rows % packed != 0) return false;
  const i64 heads = byte_stride<T>(t.heads, t.head_stride);
  const i64 strides[] = {heads, byte_stride<T>(t.seqlen, t.token_stride), heads * packed,
                         byte_stride<T>(t.batch, t.batch_stride)};
  const i64 sizes[] = {t.dim, packed, t.seqlen, t.heads / packed, t.batch};
  return make_map<T>(map, reinterpret_cast<std::uintptr_t>(t.data), sizes, strides,
                     {panel_cols, packed, rows / packed, 1, 1});
}

}  // namespace fa::nv_machine

#endif
