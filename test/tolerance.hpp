// How far an output may be from the reference: the tolerance ids of the case table. Each is a rule
// on the largest error, some with further rules. A wrong infinity, a NaN where a number is due, or
// a number where a NaN is due is an infinite error.
#pragma once

#include "number.hpp"
#include "reference.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <vector>

namespace test {

/// The tolerance ids that judge a forward call. (Those of gradients, of merging and of fp8 come
/// with what they judge.)
enum class tolerance_id {
  a2,  ///< O: 2 pt + 2 noise + 1e-5; LSE: 1e-3 + 1e-5 |L|
  ck,  ///< O and LSE: 1e-5, 1e-3, 1e-2 for f32, f16, bf16, absolute and relative
  ac,  ///< accuracy contract, no multiple of pt: 1/64 absolute, cosine 0.99998, no gain, LSE 0.02 +
       ///< 0.002 |L|
  k3,  ///< O: 3 pt + 1e-5; LSE as a2
  mla,  ///< O: 1e-2 absolute and relative, at most 1 % outliers, cosine difference at most 1e-5;
        ///< LSE as a2
};

/// The id of that name; false where there is none.
inline bool parse_tolerance(std::string_view name, tolerance_id& id) {
  struct entry {
    std::string_view name;
    tolerance_id id;
  };
  constexpr entry known[] = {{"A2", tolerance_id::a2},
                             {"CK", tolerance_id::ck},
                             {"AC", tolerance_id::ac},
                             {"K3", tolerance_id::k3},
                             {"MLA", tolerance_id::mla}};
  for (const entry& e : known) {
    if (e.name == name) {
      id = e.id;
      return true;
    }
  }
  return false;
}

/// The distance of two results: 0 where both are the same infinity or both NaN, infinite where only
/// one is special.
inline double distance(double got, double want) {
  if (std::isnan(got) || std::isnan(want))
    return std::isnan(got) && std::isnan(want) ? 0 : infinity;
  if (std::isinf(got) || std::isinf(want)) return got == want ? 0 : infinity;
  return std::fabs(got - want);
}

/// Result of a judgement: the error that decides, its limit, and which rule it is.
struct verdict {
  double error = 0, limit = 0;
  std::string rule;
  bool good() const { return error <= limit; }
};

/// The worse of two: the one that fails, else the one that comes closer to its limit.
inline verdict worse(const verdict& a, const verdict& b) {
  if (a.good() != b.good()) return a.good() ? b : a;
  const auto use = [](const verdict& x) {
    return x.limit > 0 ? x.error / x.limit : (x.error > 0 ? infinity : 0);
  };
  return use(b) > use(a) ? b : a;
}

/// The largest change of x under + 0.3 - 0.3 in the type of the outputs.
template <class O>
double noise(double x) {
  if (!std::isfinite(x)) return 0;
  constexpr double step = static_cast<double>(0.3f);
  x = rounded<O>(x);
  return std::fabs(rounded<O>(rounded<O>(x + step) - step) - x);
}

/// Scale factors between two sets of numbers: <x, r> / <r, r>, summed up as they come.
struct gain {
  double cross = 0, square = 0, count = 0;
  void add(double got, double want) {
    cross += got * want;
    square += want * want;
    count += 1;
  }
  double off() const { return square > 0 ? std::fabs(cross / square - 1) : 0; }
};

/// A gain beyond this fails the accuracy contract. Rounding to 8 bits leaves 1e-4 in a column of 64
/// rows; the contract asks that 0.01 be noticed.
inline constexpr double gain_limit = 0.0025;

/// All O of a call, got(b, h, i, c) against the reference; `pt` and the type T of the inputs are
/// needed by some ids.
template <class T, class O, class Got>
verdict judge_o(tolerance_id id, const expected& ref, const expected* pt, const Got& got) {
  double error = 0, pt_error = 0, most_noise = 0, relative = 0;
  double dot = 0, got_square = 0, ref_square = 0;
  i64 count = 0, outliers = 0;
  const double rate = std::is_same_v<T, float> ? 1e-5 : std::is_same_v<T, fa::f16> ? 1e-3 : 1e-2;
  std::vector<gain> columns(static_cast<std::size_t>(ref.heads * ref.dim));
  gain whole;
  for (std::size_t b = 0; b < ref.sequences.size(); ++b) {
    for (i64 h = 0; h < ref.heads; ++h) {
      for (i64 i = 0; i < ref.sequences[b].q_count; ++i) {
        if (!ref.known_at(b, h, i)) continue;
        for (i64 c = 0; c < ref.dim; ++c) {
          const double want = ref.o_at(b, h, i, c), have = got(static_cast<i64>(b), h, i, c);
          const double e = distance(have, want);
          error = std::max(error, e);
          relative = std::max(relative, e / (1 + (std::isfinite(want) ? std::fabs(want) : 0)));
          ++count;
          if (e > 1e-2 * (1 + std::fabs(want))) ++outliers;
          if (!std::isfinite(want)) continue;
          if (pt) pt_error = std::max(pt_error, distance(pt->o_at(b, h, i, c), want));
          most_noise = std::max(most_noise, noise<O>(want));
          if (!std::isfinite(have)) continue;
          dot += have * want;
          got_square += have * have;
          ref_square += want * want;
          whole.add(have, want);
          columns[static_cast<std::size_t>(h * ref.dim + c)].add(have, want);
        }
      }
    }
  }
  if (!std::isfinite(pt_error)) pt_error = 0;
  const double cosine_off = got_square > 0 && ref_square > 0
                                ? 1 - dot / std::sqrt(got_square * ref_square)
                                : (got_square == ref_square ? 0 : 1);
  switch (id) {
    case tolerance_id::a2:
      return {error, 2 * pt_error + 2 * most_noise + 1e-5, "O: 2 pt + 2 noise + 1e-5"};
    case tolerance_id::k3: return {error, 3 * pt_error + 1e-5, "O: 3 pt + 1e-5"};
    case tolerance_id::ck: return {relative, rate, "O: absolute and relative"};
    case tolerance_id::mla: {
      verdict v{static_cast<double>(outliers) / std::max(1.0, static_cast<double>(count)), 0.01,
                "O: outliers beyond 1e-2"};
      return worse(v, {cosine_off, 1e-5, "O: cosine difference"});
    }
    case tolerance_id::ac: {
      verdict v{error, 1.0 / 64, "O: absolute"};
      v = worse(v, {cosine_off, 2e-5, "O: cosine difference"});
      v = worse(v, {whole.off(), gain_limit, "O: gain"});
      for (const gain& g : columns) {
        // A column's gain can only be told where rounding averages out.
        if (g.count >= 64) v = worse(v, {g.off(), gain_limit, "O: gain of a column"});
      }
      return v;
    }
  }
  return {infinity, 0, "unknown tolerance id"};
}

/// All LSE of a call, got(b, h, i) against the reference. Equal infinities are equal.
template <class T, class Got>
verdict judge_lse(tolerance_id id, const expected& ref, const Got& got) {
  double absolute = 1e-3, relative = 1e-5;
  if (id == tolerance_id::ac) absolute = 0.02, relative = 0.002;
  if (id == tolerance_id::ck) absolute = relative = std::is_same_v<T, float> ? 1e-5 : 1e-3;
  verdict v{0, absolute, "LSE"};
  for (std::size_t b = 0; b < ref.sequences.size(); ++b) {
    for (i64 h = 0; h < ref.heads; ++h) {
      for (i64 i = 0; i < ref.sequences[b].q_count; ++i) {
        if (!ref.known_at(b, h, i)) continue;
        const double want = ref.lse_at(b, h, i);
        const double limit = absolute + relative * (std::isfinite(want) ? std::fabs(want) : 0);
        v = worse(v, {distance(got(static_cast<i64>(b), h, i), want), limit, "LSE"});
      }
    }
  }
  return v;
}

}  // namespace test
