// Rows of O on their way out, through shared memory.
#pragma once

#include <fa/core/dtype.hpp>
#include <fa/machine/nv/hopper/block_memory.hpp>
#include <fa/machine/nv/layout.hpp>

#if FA_NV

namespace fa::nv_machine {

/// Stores four squares [8, 8] of 16-bit elements that lie in lanes as an accumulator [16, 16] does:
/// lanes 8 i to 8 i + 7 give the addresses of the rows of square i.
FA_DEVICE void store_squares(std::uint32_t address, const std::uint32_t (&x)[4]) {
  asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(address),
               "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3])
               : "memory");
}

/// Writes the rows of a warp, a multiple of 8 columns, to addresses of 16 bytes: eight lanes write
/// a row. On the way some panels of 64 columns at a time lie at `base`.
template <int Panels, class To, class M, class T, int R, int C>
FA_DEVICE void send_rows(std::uint32_t base, const packed_rows<To>& rows,
                         const output_tile<M, T, R, C>& tile, const block_position& at) {
  const int lane = lane_anew();
  constexpr int panel_bytes = 16 * panel_row_bytes, all = panels_of<C>;
  const auto place = [&](int panel, int row, int chunk) FA_LAMBDA {
    return base +
           static_cast<std::uint32_t>(panel % Panels * panel_bytes + place_in_panel(row, chunk));
  };
  i64 offset[4];  // of rows lane / 8 + 4 i
  const int first_row = at.first_row + at.own_row + lane / 8,
            last_row = at.first_row + at.row_count - 1;
  if (rows.heads == 1) {  // asked once: the compiler would ask for each row
    FA_UNROLL for (int i = 0; i < 4; ++i) offset[i] = (first_row + 4 * i) * rows.token_stride;
  } else {
    FA_UNROLL for (int i = 0; i < 4; ++i)
        offset[i] = rows.row(min_of(first_row + 4 * i, last_row)) - rows.data;
  }
  FA_UNROLL for (int first = 0; first < all; first += Panels) {
    const int end = min_of(first + Panels, all);
    if (first > 0) __syncwarp();
    FA_UNROLL for (int panel = first; panel < end; ++panel) {
      FA_UNROLL for (int col = 0; col < min_of(panel_cols, round_up(C, 16) - panel * panel_cols);
                     col += 16) {
        std::uint32_t x[4];
        FA_UNROLL for (int i = 0; i < 4; ++i) {
          const float (&v)[4] = tile.v[0][(panel * panel_cols + col) / 8 + i / 2];
          x[i] = pack(v[i % 2 * 2], v[i % 2 * 2 + 1], To{});
        }
        store_squares(place(panel, lane % 16, col / 8 + lane / 16), x);
      }
    }
    __syncwarp();
    FA_UNROLL for (int panel = first; panel < end; ++panel) {
      FA_UNROLL for (int i = 0; i < 4; ++i) {
        const int row = lane / 8 + 4 * i, col = panel * panel_cols + lane % 8 * 8;
        std::uint32_t x[4];
        load_shared(place(panel, row, lane % 8), x);
        if (row < at.own_rows && col < C) {
          *reinterpret_cast<uint4*>(rows.data + offset[i] + col) = make_uint4(x[0], x[1], x[2],
                                                                              x[3]);
        }
      }
    }
  }
}

}  // namespace fa::nv_machine

#endif
