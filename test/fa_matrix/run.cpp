// Runs one case on every kernel of this build that can run it, and judges: values against the
// reference at the case's tolerance id, the visible set by a probe that no tolerance blurs, bytes
// that must not change, and what the case itself expects.
#include "run.hpp"

#include "problem.hpp"

#include "../device/digest.hpp"
#include "../tolerance.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>
#include <vector>

namespace fa_matrix {
namespace {

using test::verdict;

/// Cases beyond this need a larger machine.
constexpr double memory_limit = 8e9;

/// Work (query rows * keys * head size) beyond which only a sample of the rows is judged.
constexpr double reference_limit = 6e9;

result failed(const std::string& why, double error = -1, double limit = -1) {
  return {case_status::fail, error, limit, why};
}

std::string name_of(const kernel_id& id) {
  const char* masks[] = {"window", "no_mask", "causal", "causal_top_left"};
  return std::string(masks[static_cast<int>(id.mask)]) + (id.out != id.in ? " f32 output" : "");
}

/// The kernels that can run the case. The window type runs every mask but one aligned top-left.
std::vector<kernel_id> candidates(const test_case& c) {
  std::vector<kernel_id> all;
  const auto offer = [&](mask_kind mask) {
    const kernel_id id{c.in,
                       c.out,
                       static_cast<int>(c.d),
                       static_cast<int>(c.dv),
                       mask,
                       c.kind != length_kind::dense};
    if (find_kernel(id)) all.push_back(id);
  };
  if (c.top_left) {
    offer(mask_kind::causal_top_left);
  } else {
    offer(mask_kind::window);
    if (!c.masked()) offer(mask_kind::no_mask);
    if (c.left < 0 && c.right == 0) offer(mask_kind::causal);
  }
  return all;
}

/// One call of one kernel, into freshly poisoned outputs.
template <class T, class O>
struct trial {
  test::buffer<O> o;
  test::buffer<float> lse;
  outcome said;

  trial(const problem<T, O>& p, const kernel_id& id, int threads, bool with_lse)
      : o(p.o), lse(p.lse) {
    call a = p.arguments();
    a.o = o.data();
    a.lse = with_lse ? lse.data() : nullptr;
    a.threads = threads;
    said = find_kernel(id)(a);
    test::digest().add(o.data(), static_cast<std::size_t>(o.size()) * sizeof(O));
    if (with_lse)
      test::digest().add(lse.data(), static_cast<std::size_t>(lse.size()) * sizeof(float));
  }

  bool outputs_untouched() const { return o.untouched() && lse.untouched(); }
  bool operator==(const trial& other) const { return o == other.o && lse == other.lse; }
};

/// Judges the outputs of trials on one problem.
template <class T, class O>
class judge {
 public:
  judge(const problem<T, O>& p, double row_step)
      : p_(p),
        c_(p.c),
        step_(static_cast<i64>(row_step)),
        ref_(test::naive<T>(p.q, p.k, p.v, p.places, p.scale(), p.mask(), fa::no_score{}, step_)),
        pt_(needs_pt() ? test::in_input_type<T>(p.q, p.k, p.v, p.places, p.scale(), p.mask(),
                                                fa::no_score{}, step_)
                       : test::expected(0, 0, {})) {}

  /// Everything about one trial; `worst` collects how close it came to a limit.
  bool accept(const trial<T, O>& t, verdict& worst, std::string& why) const {
    if (!only_used_written(t, why)) return false;
    const auto o = [&](i64 b, i64 h, i64 i, i64 x) { return o_at(t, b, h, i, x); };
    worst = test::worse(worst,
                        test::judge_o<T, O>(c_.tolerance, ref_, needs_pt() ? &pt_ : nullptr, o));
    if (c_.lse)
      worst = test::worse(worst, test::judge_lse<T>(c_.tolerance, ref_, [&](i64 b, i64 h, i64 i) {
                            return lse_at(t, b, h, i);
                          }));
    if (!worst.good()) {
      why = worst.rule;
      return false;
    }
    return expectations(t, worst, why) && budget(t, worst, why);
  }

  /// The gain that must be noticed: outputs made 1 % too large, all or one column of one head, must
  /// not be accepted.
  bool notices_gain(const trial<T, O>& t, std::string& why) const {
    for (const double factor : {1.01, 0.99}) {
      for (const bool one_column : {false, true}) {
        const auto off = [&](i64 b, i64 h, i64 i, i64 x) {
          const double y = o_at(t, b, h, i, x);
          return one_column && (h != 0 || x != ref_.dim - 1) ? y : y * factor;
        };
        const auto v = test::judge_o<T, O>(test::tolerance_id::ac, ref_, nullptr, off);
        const bool few_rows = one_column && rows_of_a_head() < 64;
        if (v.good() && !few_rows) {
          why = "the check does not notice a gain of 1 %";
          return false;
        }
      }
    }
    return true;
  }

 private:
  bool needs_pt() const {
    return c_.tolerance == test::tolerance_id::a2 || c_.tolerance == test::tolerance_id::k3;
  }

  double o_at(const trial<T, O>& t, i64 b, i64 h, i64 i, i64 x) const {
    const auto& s = p_.places[static_cast<std::size_t>(b)];
    const auto& out = p_.out;
    return test::value_of(t.o[s.slot * out.batch_stride + (s.q_token + i) * out.token_stride +
                              h * out.head_stride + x]);
  }
  double lse_at(const trial<T, O>& t, i64 b, i64 h, i64 i) const {
    return static_cast<double>(t.lse[p_.lse_index(b, h, i)]);
  }

  i64 rows_of_a_head() const {
    i64 n = 0;
    for (const auto& s : p_.places) n += s.q_count;
    return n;
  }

  /// Every slot in use was written, and nothing else.
  bool only_used_written(const trial<T, O>& t, std::string& why) const {
    test::buffer<O> o = t.o;
    test::buffer<float> lse = t.lse;
    for (std::size_t b = 0; b < p_.places.size(); ++b) {
      const auto& s = p_.places[b];
      for (i64 h = 0; h < c_.hq; ++h) {
        for (i64 i = 0; i < s.q_count; ++i) {
          const auto& out = p_.out;
          O* row = o.data() + s.slot * out.batch_stride + (s.q_token + i) * out.token_stride +
                   h * out.head_stride;
          for (i64 x = 0; x < c_.dv; ++x) {
            if (test::is_poison(row[x])) {
              why = "an output in use was not written";
              return false;
            }
            row[x] = test::poison<O>();
          }
          if (!c_.lse) continue;
          float& l = lse[p_.lse_index(static_cast<i64>(b), h, i)];
          if (test::is_poison(l)) {
            why = "an LSE in use was not written";
            return false;
          }
          l = test::poison<float>();
        }
      }
    }
    if (!o.untouched()) why = "O was written outside the slots in use";
    else if (!lse.untouched()) why = "LSE was written outside the slots in use";
    return why.empty();
  }

  /// What the case pins beyond its tolerance.
  bool expectations(const trial<T, O>& t, verdict& worst, std::string& why) const {
    const auto fail = [&](const char* text) {
      why = text;
      return false;
    };
    bool any_row = false, any_empty = false;
    for (std::size_t u = 0; u < p_.places.size(); ++u) {
      const auto& s = p_.places[u];
      const auto b = static_cast<i64>(u);
      for (i64 h = 0; h < c_.hq; ++h) {
        for (i64 i = 0; i < s.q_count; ++i) {
          any_row = true;
          if (!ref_.known_at(u, h, i)) continue;
          const bool empty = ref_.lse_at(u, h, i) == -test::infinity;
          any_empty = any_empty || empty;
          if (empty && c_.lse && lse_at(t, b, h, i) != -test::infinity)
            return fail("LSE of a row that sees nothing is not -inf");
          if (c_.expect_finite && c_.lse && std::isnan(lse_at(t, b, h, i)))
            return fail("expect=no_nan: LSE holds a NaN");
          bool zero = true;
          for (i64 x = 0; x < c_.dv; ++x) {
            const double y = o_at(t, b, h, i, x);
            zero = zero && y == 0;
            if (c_.expect_finite && !std::isfinite(y))
              return fail("expect=no_nan: O holds a NaN or an infinity");
            if (c_.expect_constant && !empty) {
              // A weighted mean of equal numbers: one rounding of the output, and a little for the
              // sum of the weights.
              const double want = static_cast<double>(test::rounded<T>(*c_.init.v_constant));
              const verdict v{std::fabs(y - want),
                              (test::unit_roundoff<O> + 4e-6) * std::fabs(want), "expect=O_is_V"};
              worst = test::worse(worst, v);
              if (!v.good()) return fail("expect=O_is_V: O is not the constant of V");
            }
          }
          if (empty && !zero) return fail("O of a row that sees nothing is not 0");
          if (c_.expect_nonzero_rows && zero && !empty)
            return fail("expect=no_zero_rows: a row of O is 0");
        }
      }
    }
    if (c_.expect_zero_rows && any_row && !any_empty)
      return fail("expect=O0_lse-inf: no row of the case is empty");
    if (c_.expect_mean && !means(t, worst))
      return fail("expect=mean_of_V: O is not the mean of the visible V");
    return true;
  }

  /// O is the mean of the V that a row sees: exact up to sums in float and the
  /// rounding of the output.
  bool means(const trial<T, O>& t, verdict& worst) const {
    const i64 group = c_.hq / c_.hk;
    for (std::size_t u = 0; u < p_.places.size(); ++u) {
      const auto& s = p_.places[u];
      const auto keep = test::detail::bound(p_.mask(), s, static_cast<i64>(u), 0);
      for (i64 i = 0; i < s.q_count; ++i) {
        if (!test::detail::sampled(i, s.q_count, step_)) continue;
        std::vector<i64> visible;
        for (i64 j = 0; j < s.k_count; ++j) {
          if (keep.keep(static_cast<int>(i), static_cast<int>(j))) visible.push_back(j);
        }
        for (i64 h = 0; h < c_.hq; ++h) {
          for (i64 x = 0; x < c_.dv;
               x += std::max<i64>(1, c_.dv - 1)) {  // the first and the last column
            double sum = 0, size = 0;
            for (const i64 j : visible) {
              const double y = test::value_of(
                  test::element(p_.v, s.slot, s.k_token + j, h / group, x));
              sum += y;
              size = std::max(size, std::fabs(y));
            }
            const double want = visible.empty() ? 0 : sum / static_cast<double>(visible.size());
            const verdict v{test::distance(o_at(t, static_cast<i64>(u), h, i, x), want),
                            2 * test::unit_roundoff<O> * std::fabs(want) + 1e-5 * size + 1e-7,
                            "mean of the visible V"};
            worst = test::worse(worst, v);
            if (!v.good()) return false;
          }
        }
      }
    }
    return true;
  }

  /// cmp=component_budget: each component of O within what the roundings of P and O can do to
  /// it, whatever the id says, and no gain, in the whole or in a column; and proof that the
  /// check would notice one.
  bool budget(const trial<T, O>& t, verdict& worst, std::string& why) const {
    if (!c_.compare_budget && c_.tolerance != test::tolerance_id::ac) return true;
    const auto o = [&](i64 b, i64 h, i64 i, i64 x) { return o_at(t, b, h, i, x); };
    const auto v = test::judge_o<T, O>(test::tolerance_id::ac, ref_, nullptr, o);
    worst = test::worse(worst, v);
    if (!v.good()) {
      why = v.rule;
      return false;
    }
    if (!c_.compare_budget) return true;
    const double of_p = test::unit_roundoff<T>, of_o = test::unit_roundoff<O>;
    const i64 group = c_.hq / c_.hk;
    std::vector<double> largest(static_cast<std::size_t>(c_.hk * c_.dv));
    for (std::size_t u = 0; u < p_.places.size(); ++u) {
      const auto& s = p_.places[u];
      std::fill(largest.begin(), largest.end(), 0.0);
      for (i64 j = 0; j < s.k_count; ++j) {
        for (i64 h = 0; h < c_.hk; ++h) {
          for (i64 x = 0; x < c_.dv; ++x) {
            double& top = largest[static_cast<std::size_t>(h * c_.dv + x)];
            top = std::max(
                top, std::fabs(test::value_of(test::element(p_.v, s.slot, s.k_token + j, h, x))));
          }
        }
      }
      for (i64 h = 0; h < c_.hq; ++h) {
        for (i64 i = 0; i < s.q_count; ++i) {
          if (!ref_.known_at(u, h, i)) continue;
          for (i64 x = 0; x < c_.dv; ++x) {
            // P sums to 1, so a mean of V moves by at most one rounding of P times the largest |V|,
            // twice for P and its sum.
            const double most = largest[static_cast<std::size_t>(h / group * c_.dv + x)],
                         want = ref_.o_at(u, h, i, x);
            const verdict part{test::distance(o(static_cast<i64>(u), h, i, x), want),
                               of_o * std::fabs(want) + (2 * of_p + 1e-5) * most + 1e-7,
                               "component budget"};
            worst = test::worse(worst, part);
            if (!part.good()) {
              why = part.rule;
              return false;
            }
          }
        }
      }
    }
    return notices_gain(t, why);
  }

  const problem<T, O>& p_;
  const test_case& c_;
  i64 step_;
  test::expected ref_, pt_;
};

/// The visible set, exactly: with queries of zero every visible key weighs the same, so LSE is the
/// logarithm of their number.
template <class T, class O>
bool visible_set(const problem<T, O>& zero, const kernel_id& id, int threads, std::string& why) {
  const trial<T, O> t(zero, id, threads, true);
  if (!t.said.ok) {
    why = "the probe of the visible set was refused: " + t.said.message;
    return false;
  }
  for (std::size_t u = 0; u < zero.places.size(); ++u) {
    const auto& s = zero.places[u];
    const auto keep = test::detail::bound(zero.mask(), s, static_cast<i64>(u), 0);
    for (i64 i = 0; i < s.q_count; ++i) {
      i64 count = 0;
      for (i64 j = 0; j < s.k_count; ++j)
        count += keep.keep(static_cast<int>(i), static_cast<int>(j)) ? 1 : 0;
      // log(0) is -infinity, as it must be
      const double want = std::log(static_cast<double>(count));
      for (i64 h = 0; h < zero.c.hq; ++h) {
        const double got = static_cast<double>(t.lse[zero.lse_index(static_cast<i64>(u), h, i)]);
        if (test::distance(got, want) > 1e-5) {
          why = "query " + std::to_string(i) + " of sequence " + std::to_string(u) + " head " +
                std::to_string(h) + " sees " +
                std::to_string(std::lround(std::exp(std::min(got, 30.0)))) + " keys instead of " +
                std::to_string(count);
          return false;
        }
      }
    }
  }
  return true;
}

/// Bitwise equality of the outputs in use of two problems that differ in their strides only.
template <class T, class O>
bool same_values(const problem<T, O>& p, const trial<T, O>& a, const problem<T, O>& q,
                 const trial<T, O>& b) {
  for (std::size_t u = 0; u < p.places.size(); ++u) {
    for (i64 h = 0; h < p.c.hq; ++h) {
      for (i64 i = 0; i < p.places[u].q_count; ++i) {
        const auto at = [&](const problem<T, O>& x, const trial<T, O>& t) {
          const auto& s = x.places[u];
          return t.o.data() + s.slot * x.out.batch_stride + (s.q_token + i) * x.out.token_stride +
                 h * x.out.head_stride;
        };
        if (std::memcmp(at(p, a), at(q, b), static_cast<std::size_t>(p.c.dv) * sizeof(O)) != 0)
          return false;
        const auto n = static_cast<i64>(u);
        if (p.c.lse && std::memcmp(&a.lse[p.lse_index(n, h, i)], &b.lse[q.lse_index(n, h, i)],
                                   sizeof(float)) != 0)
          return false;
      }
    }
  }
  return true;
}

template <class T, class O>
result run_typed(const test_case& c, int threads) {
  const auto ids = candidates(c);
  if (ids.empty()) {
    std::string reason = "head size " + std::to_string(c.d) + "/" + std::to_string(c.dv) +
                         " is not built";
    if (c.top_left) reason += " for top-left causal";
    if (c.out != c.in) reason += " for f32 output";
    return {case_status::unsupported, -1, -1, reason + "; built: " + head_sizes_text(c.in)};
  }
  if (memory_bytes(c) > memory_limit)
    return {case_status::unsupported, -1, -1, "needs more than 8 GB of memory"};
  problem<T, O> p(c);

  if (!c.invalid.empty() || c.expect_error) {
    const trial<T, O> t(p, ids.front(), threads, c.lse);
    if (t.said.ok)
      return failed(c.invalid.empty() ? "expect=error: the call succeeded"
                                      : "accepted although " + c.invalid);
    if (!t.outputs_untouched()) return failed("refused, but outputs were written");
    return {c.expect_error ? case_status::pass : case_status::refused, -1, -1, t.said.message};
  }

  const double work = static_cast<double>(c.batch) * static_cast<double>(c.hq) *
                      static_cast<double>(c.sq) * static_cast<double>(c.sk) *
                      static_cast<double>(c.d + c.dv);
  const double step = std::max(1.0, std::ceil(work / reference_limit));
  const judge<T, O> law(p, step);
  verdict worst{0, 0, ""};
  for (const kernel_id& id : ids) {
    const test::buffer<T> before[] = {p.first, p.second, p.third};
    const trial<T, O> t(p, id, threads, c.lse);
    const std::string name = name_of(id);
    if (!t.said.ok) return failed(name + ": refused: " + t.said.message);
    if (!(before[0] == p.first && before[1] == p.second && before[2] == p.third))
      return failed(name + ": inputs were written");
    std::string why;
    verdict v{0, 0, ""};
    if (!law.accept(t, v, why)) return failed(name + ": " + why, v.error, v.limit);
    worst = test::worse(worst, v);
    problem<T, O> zero(c);
    zero.clear_queries();
    if (!visible_set(zero, id, threads, why)) return failed(name + ": " + why);
    if (c.compare_contiguous) {
      test_case dense = c;
      dense.layout = memory_layout::bshd;
      dense.compare_contiguous = false;
      const problem<T, O> contiguous(dense);
      const trial<T, O> other(contiguous, id, threads, c.lse);
      if (!other.said.ok) return failed(name + ": cmp=vs_contig: refused: " + other.said.message);
      if (!same_values(p, t, contiguous, other))
        return failed(name + ": cmp=vs_contig: strides change the result");
    }
    const i64 repeats = std::max<i64>(c.repeat, c.compare_bitwise ? 8 : 1);
    for (i64 n = 1; n < repeats; ++n) {
      const trial<T, O> again(p, id, static_cast<int>(1 + n % 8), c.lse);
      if (!(again == t))
        return failed(name + ": repetition " + std::to_string(n) + " gives other bits");
    }
  }
  std::string note = step > 1 ? "every " + std::to_string(static_cast<i64>(step)) + "th row judged"
                              : "";
  return {case_status::pass, worst.error, worst.limit, note};
}

}  // namespace

result run(const test_case& c, int threads) {
  if (!c.malformed.empty()) return failed("malformed: " + c.malformed);
  if (!c.missing.empty()) {
    std::string list;
    for (const auto& m : c.missing) list += (list.empty() ? "" : " + ") + m;
    return {case_status::unsupported, -1, -1, "missing: " + list};
  }
  if (c.d < 1 || c.d > 512 || c.dv < 1 || c.dv > 512) {
    static_assert(!fa::supports<float, fa::head_dim<513>> &&
                  !fa::supports<float, fa::head_dim<8, 513>>);
    static_assert(!fa::supports<float, fa::head_dim<0>> &&
                  !fa::supports<float, fa::head_dim<8, 0>>);
    return {c.expect_error ? case_status::pass : case_status::refused, -1, -1,
            "refused at compile time: " + c.invalid};
  }
  if (c.in == element::f32) return run_typed<float, float>(c, threads);
  if (c.in == element::f16)
    return c.out == element::f32 ? run_typed<fa::f16, float>(c, threads)
                                 : run_typed<fa::f16, fa::f16>(c, threads);
  return c.out == element::f32 ? run_typed<fa::bf16, float>(c, threads)
                               : run_typed<fa::bf16, fa::bf16>(c, threads);
}

}  // namespace fa_matrix
