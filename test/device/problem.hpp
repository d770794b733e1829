// A problem for a kernel whose types were erased: tensors at any strides in poisoned memory, and
// the judgement of what came out.
#pragma once

#include "../buffer.hpp"
#include "../fa_matrix/call.hpp"
#include "../reference.hpp"
#include "../tolerance.hpp"
#include "digest.hpp"

#include <cmath>
#include <cstring>
#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace test {

/// How a tensor lies in memory.
struct placement {
  enum class kind { bshd, bhsd, sbhd } order = kind::bshd;
  i64 pad = 0;             ///< unused elements behind each row of a head, and behind each token
  i64 shift = 0;           ///< elements by which the first one is off
  bool backwards = false;  ///< tokens and heads at negative strides
  bool share_heads = false, share_batch = false;  ///< stride 0
};

/// One tensor [batch, seqlen, heads, dim] with room of its own; whatever is no
/// element of it is poison.
template <class T>
struct laid_out {
  buffer<T> memory;
  fa::tensor<T> view{};

  laid_out(const placement& how, i64 batch, i64 seqlen, i64 heads, i64 dim) {
    fa::tensor<T>& t = view;
    t.batch = batch, t.seqlen = seqlen, t.heads = heads, t.dim = dim, t.dim_stride = 1;
    const i64 row = dim + how.pad, b = how.share_batch ? 1 : batch, h = how.share_heads ? 1 : heads;
    if (how.order == placement::kind::bshd) {
      t.head_stride = row, t.token_stride = row * h + how.pad,
      t.batch_stride = t.token_stride * seqlen;
    } else if (how.order == placement::kind::bhsd) {
      t.token_stride = row, t.head_stride = row * seqlen + how.pad,
      t.batch_stride = t.head_stride * h;
    } else {
      t.head_stride = row, t.batch_stride = row * h + how.pad, t.token_stride = t.batch_stride * b;
    }
    if (how.share_batch) t.batch_stride = 0;
    if (how.share_heads) t.head_stride = 0;
    memory = buffer<T>(how.shift + std::max<i64>(1, b * seqlen * h) * (dim + 2 * how.pad) +
                       how.pad * (b * h + seqlen));
    i64 first = how.shift;
    if (how.backwards) {
      first += std::max<i64>(seqlen - 1, 0) * t.token_stride +
               std::max<i64>(heads - 1, 0) * t.head_stride;
      t.token_stride = -t.token_stride, t.head_stride = -t.head_stride;
    }
    t.data = memory.data() + first;
  }
  laid_out(const laid_out&) = delete;  // `view` points into this object

  T& at(i64 b, i64 i, i64 h, i64 c) { return element(view, b, i, h, c); }
  fa::tensor<const T> read() const {
    const auto& t = view;
    return {t.data,         t.batch,        t.seqlen,      t.heads,     t.dim,
            t.batch_stride, t.token_stride, t.head_stride, t.dim_stride};
  }
};

/// Sizes of a problem. Packed: `queries` and `keys` are lengths in use, `room` tokens more lie
/// behind each sequence.
struct problem_size {
  i64 hq = 1, hk = 1;
  std::vector<i64> queries, keys;  ///< of each sequence; dense: all alike
  bool packed = false;
  i64 room = 0;
};

/// T: inputs, O: output.
template <class T, class O>
struct erased_problem {
  problem_size size;
  std::vector<sequence_place> places;
  std::vector<std::int32_t> cu_q{0}, cu_k{0}, used_q, used_k;
  i64 slots, tokens_q, tokens_k;
  laid_out<T> q, k, v;
  laid_out<O> o;
  buffer<float> lse;
  std::optional<float> scale;
  fa::window mask{-1, -1};

  erased_problem(int d, int dv, const problem_size& s, const placement& how = {},
                 std::uint64_t seed = 1)
      : size(s),
        slots(s.packed ? 1 : static_cast<i64>(s.queries.size())),
        tokens_q(place_sequences(false)),
        tokens_k(place_sequences(true)),
        q(own(how), slots, tokens_q, s.hq, d),
        k(how, slots, tokens_k, s.hk, d),
        v(how, slots, tokens_k, s.hk, dv),
        o(own(how), slots, tokens_q, s.hq, dv),
        lse(slots * s.hq * tokens_q) {
    random_numbers r(seed);
    // Some GPUs take numbers below 2^-14 in f16 for zero, so none is drawn: those have
    // a test of their own.
    const auto draw = [&] {
      const double x = r.normal();
      return T(static_cast<float>(std::copysign(std::max(std::fabs(x), 0x1p-14), x)));
    };
    for_each(false, [&](i64 b, i64 i, i64 h, i64 c) { q.at(b, i, h, c) = draw(); });
    for_each(true, [&](i64 b, i64 i, i64 h, i64 c) {
      if (c < k.view.dim) k.at(b, i, h, c) = draw();
      if (c < v.view.dim) v.at(b, i, h, c) = draw();
    });
  }

  /// f(slot, token, head, c) of every element in use of Q, or of K and V (up to the
  /// larger head size).
  template <class F>
  void for_each(bool of_keys, const F& f) const {
    for (const auto& s : places) {
      const i64 first = of_keys ? s.k_token : s.q_token, count = of_keys ? s.k_count : s.q_count;
      for (i64 i = 0; i < count; ++i) {
        for (i64 h = 0; h < (of_keys ? size.hk : size.hq); ++h) {
          for (i64 c = 0; c < (of_keys ? std::max(k.view.dim, v.view.dim) : q.view.dim); ++c)
            f(s.slot, first + i, h, c);
        }
      }
    }
  }

  /// Runs the kernel into fresh outputs; what is wrong with them, or nothing.
  std::string run(fa_matrix::kernel kernel, bool with_lse = true) {
    clear();
    const fa_matrix::outcome said = kernel(arguments(with_lse));
    if (!said.ok) return "status: " + said.message;
    digest().add(o.memory.data(), static_cast<std::size_t>(o.memory.size()) * sizeof(O));
    digest().add(lse.data(), static_cast<std::size_t>(lse.size()) * sizeof(float));
    return only_used_written(with_lse);
  }

  /// The same, judged against the definition.
  std::string fault(fa_matrix::kernel kernel) {
    if (std::string text = run(kernel); !text.empty()) return text;
    const double factor = scale ? static_cast<double>(*scale)
                                : 1 / std::sqrt(static_cast<double>(q.view.dim));
    const expected want = naive<T>(q.read(), k.read(), v.read(), places, factor, mask,
                                   fa::no_score{});
    const expected pt = in_input_type<T>(q.read(), k.read(), v.read(), places, factor, mask,
                                         fa::no_score{});
    const verdict of_o = judge_o<T, O>(
        tolerance_id::a2, want, &pt, [&](i64 b, i64 h, i64 i, i64 c) { return o_at(b, h, i, c); });
    const verdict of_lse = judge_lse<T>(tolerance_id::a2, want,
                                        [&](i64 b, i64 h, i64 i) { return lse_at(b, h, i); });
    const verdict worst = worse(of_o, of_lse);
    return worst.good() ? ""
                        : worst.rule + " " + std::to_string(worst.error) + " > " +
                              std::to_string(worst.limit);
  }

  double o_at(i64 b, i64 h, i64 i, i64 c) const {
    const auto& s = places[static_cast<std::size_t>(b)];
    return value_of(element(o.view, s.slot, s.q_token + i, h, c));
  }
  double lse_at(i64 b, i64 h, i64 i) const { return static_cast<double>(lse[lse_index(b, h, i)]); }

 private:
  /// Q and O have as many batches and heads as there are; only K and V may be shared.
  static placement own(placement how) {
    how.share_heads = how.share_batch = false;
    return how;
  }

  i64 place_sequences(bool of_keys) {
    const auto& lengths = of_keys ? size.keys : size.queries;
    if (!of_keys) places.resize(lengths.size());
    auto& cu = of_keys ? cu_k : cu_q;
    auto& used = of_keys ? used_k : used_q;
    i64 token = 0, longest = 0;
    for (std::size_t b = 0; b < lengths.size(); ++b) {
      auto& s = places[b];
      s.slot = size.packed ? 0 : static_cast<i64>(b);
      (of_keys ? s.k_token : s.q_token) = size.packed ? token : 0;
      (of_keys ? s.k_count : s.q_count) = lengths[b];
      token += lengths[b] + size.room;
      longest = std::max(longest, lengths[b]);
      cu.push_back(static_cast<std::int32_t>(token));
      used.push_back(static_cast<std::int32_t>(lengths[b]));
    }
    return size.packed ? token : longest;
  }

  fa_matrix::call arguments(bool with_lse) {
    fa_matrix::call a;
    a.at(q.view.data, k.view.data, v.view.data, o.view.data, with_lse ? lse.data() : nullptr);
    a.q_shape = shape_of(q.view), a.k_shape = shape_of(k.view), a.v_shape = shape_of(v.view),
    a.o_shape = shape_of(o.view);
    if (scale) a.scale = *scale;
    a.left = mask.left, a.right = mask.right;
    a.threads = 1;
    if (size.packed) {
      a.batch = static_cast<i64>(places.size());
      a.cu_q = cu_q.data(), a.cu_k = cu_k.data();
      if (size.room > 0) a.used_q = used_q.data(), a.used_k = used_k.data();
    }
    return a;
  }

  void clear() {
    for (i64 x = 0; x < o.memory.size(); ++x) o.memory[x] = poison<O>();
    lse = buffer<float>(lse.size());
  }

  i64 lse_index(i64 b, i64 h, i64 i) const {
    const auto& s = places[static_cast<std::size_t>(b)];
    return (s.slot * size.hq + h) * tokens_q + s.q_token + i;
  }

  std::string only_used_written(bool with_lse) const {
    buffer<O> rest = o.memory;
    buffer<float> rest_lse = lse;
    for (std::size_t b = 0; b < places.size(); ++b) {
      const auto& s = places[b];
      for (i64 h = 0; h < size.hq; ++h) {
        for (i64 i = 0; i < s.q_count; ++i) {
          for (i64 c = 0; c < o.view.dim; ++c) {
            O& x = rest[&element(o.view, s.slot, s.q_token + i, h, c) - o.memory.data()];
            if (is_poison(x)) return "an output in use was not written";
            x = poison<O>();
          }
          float& l = rest_lse[lse_index(static_cast<i64>(b), h, i)];
          if (with_lse && is_poison(l)) return "an LSE in use was not written";
          if (with_lse) l = poison<float>();
        }
      }
    }
    if (!rest.untouched()) return "O was written outside the rows in use";
    return rest_lse.untouched() ? "" : "LSE was written outside the rows in use";
  }
};

}  // namespace test
