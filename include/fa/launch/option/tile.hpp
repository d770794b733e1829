// The tiles of a block, for those who tune: tile<q_rows, kv_rows>.
#pragma once

#include <type_traits>

#include <fa/launch/host_tuning.hpp>
#include <fa/launch/option/head_dim.hpp>
#include <fa/machine/select.hpp>

namespace fa {

/// For those who tune: rows of queries a block owns and keys of a step. On the host q_rows is a
/// multiple of 48, the rows of a strip on every processor, and a block's tiles take at most a
/// mebibyte of stack.
template <int QRows, int KvRows>
struct tile {
  static constexpr int q_rows = QRows;
  static constexpr int kv_rows = KvRows;
};

namespace detail {

template <class X>
inline constexpr bool is_tile = false;
template <int Q, int K>
inline constexpr bool is_tile<tile<Q, K>> = true;

struct tile_option : option {
  template <class X>
  static constexpr bool is = is_tile<X>;

  template <class Chosen>
  using otherwise = void;  // chosen by the machine

  template <bool Stop, class Chosen>
  static consteval bool fits() {
    using named = typename Chosen::template of<tile_option>;
    if constexpr (std::is_void_v<named>) {
      return true;
    } else {
      using dims = typename Chosen::template of<head_dim_option>;
      constexpr bool on_host = !FA_AMD && !FA_NV;
      static_assert(!Stop || on_host,
                    "fa::attention: tile<q_rows, kv_rows> on a GPU. Rule: it tunes the host. "
                    "Remedy: leave it out");
      constexpr bool in_range = named::q_rows >= 48 && named::q_rows % 48 == 0 &&
                                named::kv_rows >= 1 && named::q_rows <= 960 &&
                                named::kv_rows <= 4096 &&
                                host_block_bytes(named::q_rows, named::kv_rows, dims::query,
                                                 dims::value) <= host_block_bytes_limit;
      static_assert(!Stop || !on_host || in_range,
                    "fa::attention: tile<q_rows, kv_rows> does not fit. Rule: q_rows is a multiple "
                    "of 48, kv_rows is at least 1, and the tiles of a block fit in 1 MiB of stack. "
                    "Remedy: leave it out, or use smaller numbers");
      return on_host && in_range;
    }
  }

  template <class Chosen>
  struct names {
    using tile = typename Chosen::template of<tile_option>;  // void: chosen by the machine
  };
};

}  // namespace detail

}  // namespace fa
