// The arguments of a call: only the members that a variant needs. Each option says which it adds:
// see launch/option/.
#pragma once

#include <fa/launch/options.hpp>

namespace fa {

/// A list of options, taken apart: element, query_element, kv_element, dims, out, mask, score,
/// packed, tile and rounding. Each option says what of it stands here.
template <class... Options>
struct variant : detail::variant_of<detail::every_option, Options...> {};

/// Arguments of a forward call. Layouts are strides: see bshd, bhsd, sbhd, thd, bhs and ht.
template <class V>
using forward_arguments = arguments<forward_pass, V>;

}  // namespace fa
