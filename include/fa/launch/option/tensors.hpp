// Q, K, V and O. Part of every call; no type names them.
#pragma once

#include <type_traits>

#include <fa/core/tensor.hpp>
#include <fa/launch/option/option.hpp>
#include <fa/launch/rules.hpp>

namespace fa::detail {

struct tensors_option : option {
  template <class Rules, class Pass, class V>
  static constexpr void check_values(Rules& r, const arguments<Pass, V>& a) {
    check_shape(r, a.q, q_names, V::dims::query);
    check_shape(r, a.k, k_names, V::dims::query);
    check_shape(r, a.v, v_names, V::dims::value);
    check_shape(r, a.o, o_names, V::dims::value);
    r.require_equal(a.k.batch, a.q.batch, "k.batch", "must equal q.batch", "q.batch");
    r.require_equal(a.v.batch, a.q.batch, "v.batch", "must equal q.batch", "q.batch");
    r.require_equal(a.o.batch, a.q.batch, "o.batch", "must equal q.batch", "q.batch");
    r.require_equal(a.v.seqlen, a.k.seqlen, "v.seqlen", "must equal k.seqlen", "k.seqlen");
    r.require_equal(a.o.seqlen, a.q.seqlen, "o.seqlen", "must equal q.seqlen", "q.seqlen");
    r.require_equal(a.o.heads, a.q.heads, "o.heads", "must equal q.heads", "q.heads");
    r.require_equal(a.v.heads, a.k.heads, "v.heads", "must equal k.heads", "k.heads");
    if (!r.ok()) return;
    r.require(a.q.heads == 0 || (a.k.heads > 0 && a.q.heads % a.k.heads == 0),
              status_code::shape_mismatch, "k.heads", "must divide q.heads", a.k.heads, "q.heads",
              a.q.heads);
    r.require(a.k.heads == 0 || a.q.heads / max_of<i64>(a.k.heads, 1) <= 1 << 20,
              status_code::bad_value, "q.heads", "must be at most 2^20 times k.heads", a.q.heads);
  }

  template <class Rules, class Pass, class V>
  static void check_memory(Rules& r, const arguments<Pass, V>& a) {
    check_tensor_memory(r, a.q, q_names);
    check_tensor_memory(r, a.o, o_names);
    if (!a.q.empty()) {  // without queries nothing is read
      check_tensor_memory(r, a.k, k_names);
      check_tensor_memory(r, a.v, v_names);
    }
    if constexpr (!std::is_const_v<typename Pass::template output<typename V::out>>)
      check_distinct(r, a.o, o_names);
  }
};

}  // namespace fa::detail
