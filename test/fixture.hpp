// Problems for tests of kernels: tensors in guarded memory, their arguments, and the comparison
// with the reference.
#pragma once

#include "arguments.hpp"
#include "buffer.hpp"
#include "reference.hpp"
#include "tolerance.hpp"

#include <fa/attention.hpp>

#include <cstdint>
#include <cstring>
#include <ostream>
#include <sstream>
#include <string>
#include <type_traits>
#include <vector>

namespace fa {

/// Lets the test framework print statuses.
inline std::ostream& operator<<(std::ostream& out, const status& s) { return out << s.message(); }

}  // namespace fa

namespace test {

/// A dense problem with normal numbers in Q, K and V and poison everywhere else. Members of `a` may
/// be changed before `run`.
template <class T, int D, int DV, class... Options>
struct dense_problem {
  using attention = fa::attention<T, fa::head_dim<D, DV>, Options...>;
  using args = typename attention::forward_args;
  using in = T;
  using out = std::remove_pointer_t<decltype(args::o.data)>;

  shape s;
  buffer<T> q, k, v;
  buffer<out> o;
  buffer<float> lse;
  args a;

  explicit dense_problem(shape size, std::uint64_t seed = 1, order how = order::bshd)
      : s(size),
        q(s.batch * s.sq * s.hq * D),
        k(s.batch * s.sk * s.hk * D),
        v(s.batch * s.sk * s.hk * DV),
        o(s.batch * s.sq * s.hq * DV),
        lse(s.batch * s.sq * s.hq) {
    q.normal(3 * seed);
    k.normal(3 * seed + 1);
    v.normal(3 * seed + 2);
    a = arguments<attention>(
        dense_call(s, D, DV, how).at(q.data(), k.data(), v.data(), o.data(), lse.data()));
  }
  dense_problem(const dense_problem&) = delete;  // `a` points into this object

  template <class Machine = fa::host>
  fa::status run(const Machine& machine = {}) {
    return attention::forward(machine, a);
  }

  void clear_outputs() {
    o = buffer<out>(o.size());
    lse = buffer<float>(lse.size());
    a.o.data = o.data();
    if (a.lse.data) a.lse.data = lse.data();
  }

  double o_at(i64 b, i64 i, i64 h, i64 c) const { return value_of(element(a.o, b, i, h, c)); }
  float lse_at(i64 b, i64 h, i64 i) const {
    return a.lse.data[b * a.lse.batch_stride + h * a.lse.head_stride + i * a.lse.token_stride];
  }
};

/// Lengths of packed sequences; room: tokens between starts, where it is more than
/// the length in use.
struct packed_shape {
  i64 hq = 1, hk = 1;
  std::vector<i64> q, k;
  std::vector<i64> q_room = {}, k_room = {};
};

/// A problem of packed tokens. Tokens that no sequence uses hold poison.
template <class T, int D, int DV, class... Options>
struct packed_problem {
  using attention = fa::attention<T, fa::head_dim<D, DV>, fa::varlen, Options...>;
  using args = typename attention::forward_args;
  using in = T;
  using out = std::remove_pointer_t<decltype(args::o.data)>;

  packed_shape s;
  std::vector<std::int32_t> cu_q{0}, cu_k{0}, used_q, used_k;
  buffer<T> q, k, v;
  buffer<out> o;
  buffer<float> lse;
  args a;

  /// Sequence b draws its numbers from seed + b, wherever it lies: the same sequence in two
  /// problems has the same numbers.
  explicit packed_problem(const packed_shape& size, std::uint64_t seed = 1) : s(size) {
    for (std::size_t b = 0; b < s.q.size(); ++b) {
      cu_q.push_back(
          static_cast<std::int32_t>(cu_q.back() + (s.q_room.empty() ? s.q[b] : s.q_room[b])));
      cu_k.push_back(
          static_cast<std::int32_t>(cu_k.back() + (s.k_room.empty() ? s.k[b] : s.k_room[b])));
      used_q.push_back(static_cast<std::int32_t>(s.q[b]));
      used_k.push_back(static_cast<std::int32_t>(s.k[b]));
    }
    q = buffer<T>(cu_q.back() * s.hq * D);
    k = buffer<T>(cu_k.back() * s.hk * D);
    v = buffer<T>(cu_k.back() * s.hk * DV);
    o = buffer<out>(cu_q.back() * s.hq * DV);
    lse = buffer<float>(cu_q.back() * s.hq);
    for (std::size_t b = 0; b < s.q.size(); ++b) {
      fill_sequence(q, cu_q[b] * s.hq * D, s.q[b] * s.hq * D, 3 * (seed + b));
      fill_sequence(k, cu_k[b] * s.hk * D, s.k[b] * s.hk * D, 3 * (seed + b) + 1);
      fill_sequence(v, cu_k[b] * s.hk * DV, s.k[b] * s.hk * DV, 3 * (seed + b) + 2);
    }
    plain_call call = packed_call(
        {static_cast<i64>(s.q.size()), s.hq, s.hk, cu_q.back(), cu_k.back()}, D, DV);
    call.at(q.data(), k.data(), v.data(), o.data(), lse.data());
    call.cu_q = cu_q.data(), call.cu_k = cu_k.data();
    if (!s.q_room.empty()) call.used_q = used_q.data();
    if (!s.k_room.empty()) call.used_k = used_k.data();
    a = arguments<attention>(call);
  }
  packed_problem(const packed_problem&) = delete;  // `a` points into this object

  template <class Machine = fa::host>
  fa::status run(const Machine& machine = {}) {
    return attention::forward(machine, a);
  }

  double o_at(i64 b, i64 i, i64 h, i64 c) const {
    return value_of(element(a.o, 0, cu_q[static_cast<std::size_t>(b)] + i, h, c));
  }
  float lse_at(i64 b, i64 h, i64 i) const {
    return a.lse
        .data[h * a.lse.head_stride + (cu_q[static_cast<std::size_t>(b)] + i) * a.lse.token_stride];
  }

 private:
  static void fill_sequence(buffer<T>& where, i64 start, i64 count, std::uint64_t seed) {
    random_numbers r(seed);
    for (i64 i = 0; i < count; ++i) where[start + i] = T(static_cast<float>(r.normal()));
  }
};

/// Why the outputs of a problem that ran are wrong, or nothing.
template <class Problem, class Mask, class Score = fa::no_score>
std::string fault(const Problem& p, const Mask& mask, const Score& score = {},
                  tolerance_id id = tolerance_id::a2) {
  using in = typename Problem::in;
  using out = typename Problem::out;
  const auto places = sequences_of(p.a);
  const double scale = scale_of(p.a);
  const expected ref = naive<in>(p.a.q, p.a.k, p.a.v, places, scale, mask, score);
  const expected pt = in_input_type<in>(p.a.q, p.a.k, p.a.v, places, scale, mask, score);
  const verdict o = judge_o<in, out>(
      id, ref, &pt, [&](i64 b, i64 h, i64 i, i64 c) { return p.o_at(b, i, h, c); });
  verdict worst = o;
  if (p.a.lse.data) {
    worst = worse(worst, judge_lse<in>(id, ref, [&](i64 b, i64 h, i64 i) {
                    return static_cast<double>(p.lse_at(b, h, i));
                  }));
  }
  if (worst.good()) {
    if (!p.o.guards_untouched() || !p.lse.guards_untouched()) return "written outside the outputs";
    return {};
  }
  std::ostringstream text;
  text << worst.rule << ": " << worst.error << " > " << worst.limit;
  return text.str();
}

/// Runs a problem and says what is wrong with the outcome, or nothing.
template <class Problem, class Mask, class Score = fa::no_score>
std::string run_fault(Problem& p, const Mask& mask, const Score& score = {},
                      tolerance_id id = tolerance_id::a2) {
  const fa::status status = p.run();
  if (!status) return status.message();
  return fault(p, mask, score, id);
}

/// Bit for bit equality of two buffers' elements in use, guards aside.
template <class T>
bool same_bits(const buffer<T>& a, const buffer<T>& b) {
  return a.size() == b.size() &&
         (a.size() == 0 ||
          std::memcmp(a.data(), b.data(), static_cast<std::size_t>(a.size()) * sizeof(T)) == 0);
}

}  // namespace test
