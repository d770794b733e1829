// The factor of Q K^T. Part of every call; no type names it.
#pragma once

#include <fa/core/tensor.hpp>
#include <fa/launch/option/option.hpp>
#include <fa/launch/rules.hpp>

namespace fa::detail {

struct softmax_scale_option : option {
  template <class Rules, class Arguments>
  static constexpr void check_values(Rules& r, const Arguments& a) {
    const float scale = a.softmax_scale.value_or(1.f);
    r.require(is_finite(scale), status_code::bad_value, "softmax_scale", "must be finite", 0,
              scale > 0.f   ? "infinity"
              : scale < 0.f ? "-infinity"
                            : "NaN");
    r.require(scale <= 0x1p126f && scale >= -0x1p126f, status_code::bad_value, "softmax_scale",
              "must be from -2^126 to 2^126", 0, scale > 0.f ? "larger" : "smaller");
  }
};

}  // namespace fa::detail
