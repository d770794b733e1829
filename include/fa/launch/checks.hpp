// Every rule that arguments must satisfy, checked before anything is written. The rules themselves
// are those of the options: see launch/option/.
#pragma once

#include <fa/core/status.hpp>
#include <fa/launch/args.hpp>
#include <fa/launch/rules.hpp>
#include <fa/machine/select.hpp>

namespace fa::detail {
inline namespace FA_HOST_ISA {  // code of one processor: see machine/select.hpp

/// The rules that need no look into arrays.
template <class Pass, class V>
status check_arguments(const arguments<Pass, V>& a) {
  rules r;
  V::options::check_values(r, a);
  V::options::check_memory(r, a);
  const i64 sequences = sequence_count(a);
  i64 rows = 0;
  r.require(!__builtin_mul_overflow(sequences, a.q.heads, &rows) &&
                !__builtin_mul_overflow(rows, max_of<i64>(a.q.seqlen, 1), &rows),
            status_code::bad_value, V::packed ? "batch" : "q",
            "batch * heads * seqlen must fit in 63 bits", sequences);
  return r.result();
}

/// The rules about what arrays hold, such as offsets of sequences, for machines that can read them.
template <class Pass, class V>
status check_sequences(const arguments<Pass, V>& a) {
  rules r;
  V::options::check_arrays(r, a);
  return r.result();
}

}  // namespace FA_HOST_ISA
}  // namespace fa::detail
