// Shared memory: how rows lie in it, and how they come there.
#pragma once

#include <cstdint>

#include <fa/core/config.hpp>
#include <fa/core/element.hpp>
#include <fa/core/numeric.hpp>
#include <fa/core/rows.hpp>
#include <fa/machine/nv/lanes.hpp>
#include <fa/machine/roles.hpp>
#include <fa/machine/select.hpp>

namespace fa::nv_machine {

/// Bytes from a row of `cols` elements of T in shared memory to the next: padded with zeros to
/// whole matrix operands, and by 16 bytes more, so that any eight consecutive rows lie in different
/// banks (the distance is an odd number of 16-byte chunks).
template <class T>
constexpr int row_stride_bytes(int cols) {
  return round_up(cols * element_bytes<T>, 32) + 16;
}

/// Such rows of C elements.
template <class T, int C>
struct row_format {
  static constexpr int stride_bytes = row_stride_bytes<T>(C);
  static constexpr int padded_bytes = stride_bytes - 16;
  static constexpr int padded_cols = padded_bytes / element_bytes<T>;
  static constexpr int chunks = padded_bytes / 16;  ///< of 16 bytes that are filled
};

/// Shared memory of a block: Q [q_rows, QueryCols], then stages of BN rows of the streamed tensors
/// that Brings names. The columns of what is summed over are split over `column_splits` warps. In
/// bytes.
template <class T, int QueryCols, class Brings>
struct shared_plan : unsupported_stream<Brings> {};
template <class T, int QueryCols, class... Tensors>
struct shared_plan<T, QueryCols, brings<0, Tensors...>> {
  /// A row of a tensor.
  static constexpr int row(use used_as, int cols, int column_splits) {
    return row_stride_bytes<T>(used_as == use::abt ? cols : round_up(cols, 16 * column_splits));
  }
  static constexpr int query(int q_rows) { return q_rows * row(use::abt, QueryCols, 1); }
  static constexpr int stage(int kv_rows, int column_splits) {
    return kv_rows * (0 + ... + row(Tensors::used_as, Tensors::cols, column_splits));
  }
  static constexpr int all(int q_rows, int kv_rows, int stages, int column_splits) {
    return query(q_rows) + stages * stage(kv_rows, column_splits);
  }
};

#if FA_NV

/// Address in shared memory of the block's dynamic allocation.
FA_DEVICE std::uint32_t shared_base() {
  extern __shared__ __align__(128) unsigned char fa_shared[];
  return static_cast<std::uint32_t>(__cvta_generic_to_shared(fa_shared));
}

/// Starts a copy of `Bytes` (4, 8 or 16) to shared memory, of which the last ones, beyond `used`,
/// are zero and not read.
template <int Bytes>
FA_DEVICE void copy_async(std::uint32_t to, const void* from, int used) {
  if constexpr (Bytes == 16) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(from), "r"(used)
                 : "memory");
  } else {
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2, %3;" ::"r"(to), "l"(from), "n"(Bytes),
                 "r"(used)
                 : "memory");
  }
}
/// Behind some copies: closes them as a group that can be awaited.
FA_DEVICE void commit_copies() { asm volatile("cp.async.commit_group;" ::: "memory"); }

/// Waits until at most `Pending` of this thread's groups of copies are under way.
template <int Pending>
FA_DEVICE void wait_copies() {
  asm volatile("cp.async.wait_group %0;" ::"n"(Pending) : "memory");
}

/// Stores or loads in shared memory.
FA_DEVICE void store_shared(std::uint32_t to, const std::uint32_t (&x)[4]) {
  asm volatile("st.shared.v4.u32 [%0], {%1,%2,%3,%4};" ::"r"(to), "r"(x[0]), "r"(x[1]), "r"(x[2]),
               "r"(x[3])
               : "memory");
}
FA_DEVICE void load_shared(std::uint32_t from, std::uint32_t (&x)[4]) {
  asm volatile("ld.shared.v4.u32 {%0,%1,%2,%3}, [%4];"
               : "=r"(x[0]), "=r"(x[1]), "=r"(x[2]), "=r"(x[3])
               : "r"(from)
               : "memory");
}
FA_DEVICE void load_shared(std::uint32_t from, float (&x)[4]) {
  asm volatile("ld.shared.v4.f32 {%0,%1,%2,%3}, [%4];"
               : "=f"(x[0]), "=f"(x[1]), "=f"(x[2]), "=f"(x[3])
               : "r"(from)
               : "memory");
}
FA_DEVICE void load_shared(std::uint32_t from, float (&x)[2]) {
  asm volatile("ld.shared.v2.f32 {%0,%1}, [%2];" : "=f"(x[0]), "=f"(x[1]) : "r"(from) : "memory");
}

/// Copies 16 bytes, of which the first `used` exist, by accesses of `width` bytes; the rest is
/// zero.
FA_DEVICE void copy_chunk(std::uint32_t to, const unsigned char* from, int used, int width) {
  const auto part = [&](int at, int bytes) FA_LAMBDA { return clamp(used - at, 0, bytes); };
  const auto source = [&](int at) FA_LAMBDA { return used > at ? from + at : from; };
  if (width == 16) {
    copy_async<16>(to, from, max_of(used, 0));
  } else if (width == 8) {
    FA_UNROLL for (int at = 0; at < 16; at += 8)
        copy_async<8>(to + static_cast<std::uint32_t>(at), source(at), part(at, 8));
  } else if (width == 4) {
    FA_UNROLL for (int at = 0; at < 16; at += 4)
        copy_async<4>(to + static_cast<std::uint32_t>(at), source(at), part(at, 4));
  } else {
    std::uint32_t words[4];
    FA_UNROLL for (int i = 0; i < 4; ++i) {
      const auto* elements = reinterpret_cast<const std::uint16_t*>(from);
      const std::uint32_t low = used > 4 * i ? elements[2 * i] : 0,
                          high = used > 4 * i + 2 ? elements[2 * i + 1] : 0;
      words[i] = low | high << 16;
    }
    store_shared(to, words);
  }
}

/// Starts the copy of rows first to first + R of a source, C elements each, into shared memory, by
/// all threads of the block, of which `rows` exist; the others become zero. Rows lie in the format
/// of rows of Padded columns. `width`: the source's alignment.
template <int R, int C, int Threads, int Padded, class Source>
FA_DEVICE void copy_rows(std::uint32_t to, const Source& source, int first, int rows, int width) {
  using T = typename Source::element;
  const T* base = source.row(first);
  using format = row_format<T, Padded>;
  constexpr int used_bytes = C * element_bytes<T>, total = R * format::chunks;
  constexpr bool keeps_column = Threads % format::chunks == 0 &&
                                R % (Threads / format::chunks) == 0;
  if constexpr (keeps_column && used_bytes == format::padded_bytes) {
    if (width == 16 && rows >= R && source.distance() != 0) {
      // One pointer a thread, that walks down.
      constexpr int step = Threads / format::chunks;
      const int r = thread() / format::chunks, col = thread() % format::chunks;
      const T* from = base + r * source.distance() + col * per_chunk<T>;
      const std::uint32_t at = to + static_cast<std::uint32_t>(r * format::stride_bytes + col * 16);
      FA_UNROLL for (int i = 0; i < R / step; ++i) {
        copy_async<16>(at + static_cast<std::uint32_t>(i * step * format::stride_bytes), from, 16);
        from += step * source.distance();
      }
      return;
    }
  }
  if (width == 16 && rows >= R && used_bytes == format::padded_bytes) {
    FA_NO_UNROLL for (int i = thread(); i < total; i += Threads) {
      const int r = i / format::chunks, col = i % format::chunks;
      copy_async<16>(to + static_cast<std::uint32_t>(r * format::stride_bytes + col * 16),
                     reinterpret_cast<const unsigned char*>(source.row(first + r)) + col * 16, 16);
    }
    return;
  }
  FA_NO_UNROLL for (int i = thread(); i < total; i += Threads) {
    const int r = i / format::chunks, col = i % format::chunks;
    const int used = r < rows ? clamp(used_bytes - col * 16, 0, 16) : 0;
    const auto* from = reinterpret_cast<const unsigned char*>(base);
    if (used > 0) from = reinterpret_cast<const unsigned char*>(source.row(first + r)) + col * 16;
    copy_chunk(to + static_cast<std::uint32_t>(r * format::stride_bytes + col * 16), from, used,
               width);
  }
}

#endif

}  // namespace fa::nv_machine
