// Device memory for tests, and a dense problem in it.
#pragma once

#include "../arguments.hpp"
#include "../number.hpp"
#include "../reference.hpp"
#include "../tolerance.hpp"
#include "digest.hpp"
#include "runtime.hpp"

#include <fa/attention.hpp>

#include <cstdint>
#include <cstdio>
#include <string>
#include <type_traits>
#include <vector>

namespace test {

/// `count` elements of device memory.
template <class T>
class device_array {
 public:
  explicit device_array(i64 count)
      : data_(static_cast<T*>(gpu::allocate(static_cast<std::size_t>(count) * sizeof(T) + 1))),
        count_(count) {}
  explicit device_array(const std::vector<T>& host) : device_array(static_cast<i64>(host.size())) {
    put(0, host);
  }
  ~device_array() { gpu::release(data_); }
  device_array(const device_array&) = delete;

  T* data() const { return data_; }
  void put(i64 at, const std::vector<T>& host) {
    gpu::to_device(data_ + at, host.data(), host.size() * sizeof(T));
  }
  void fill(int byte) { gpu::fill(data_, byte, static_cast<std::size_t>(count_) * sizeof(T)); }
  std::vector<T> get() const {
    std::vector<T> host(static_cast<std::size_t>(count_));
    gpu::to_host(host.data(), data_, host.size() * sizeof(T));
    return host;
  }

 private:
  T* data_;
  i64 count_;
};

/// Numbers around 0, the same in every run.
template <class T>
std::vector<T> numbers(i64 count, std::uint64_t seed) {
  std::vector<T> x(static_cast<std::size_t>(count));
  std::uint64_t state = seed * 0x9e3779b97f4a7c15u + 1;
  for (T& y : x) {
    float sum = 0;
    for (int i = 0; i < 4; ++i) {
      state = state * 6364136223846793005u + 1442695040888963407u;
      sum += static_cast<float>(state >> 40) * 0x1p-24f - 0.5f;
    }
    y = T(sum * 1.732f);
  }
  return x;
}

/// Bits of all elements alike.
template <class T>
bool same_bits(const std::vector<T>& a, const std::vector<T>& b) {
  return a.size() == b.size() && __builtin_memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0;
}

/// A dense problem [batch, seqlen, heads, dim] with its inputs on both sides. `shift`: elements by
/// which all pointers are off.
template <class T, int D, int DV, class... Options>
struct device_problem {
  using attention = fa::attention<T, fa::head_dim<D, DV>, Options...>;
  using args = typename attention::forward_args;
  using out = std::remove_pointer_t<decltype(args::o.data)>;

  i64 batch, hq, hk, sq, sk, shift;
  std::vector<T> q, k, v;
  device_array<T> dq, dk, dv;
  device_array<out> o;
  device_array<float> lse;
  args a;

  device_problem(i64 b, i64 heads, i64 heads_kv, i64 queries, i64 keys, i64 off = 0)
      : batch(b),
        hq(heads),
        hk(heads_kv),
        sq(queries),
        sk(keys),
        shift(off),
        q(numbers<T>(b * queries * heads * D + off, 1)),
        k(numbers<T>(b * keys * heads_kv * D + off, 2)),
        v(numbers<T>(b * keys * heads_kv * DV + off, 3)),
        dq(q),
        dk(k),
        dv(v),
        o(b * queries * heads * DV + off),
        lse(b * heads * queries) {
    a = arguments<attention>(
        dense_call({b, heads, heads_kv, queries, keys}, D, DV)
            .at(dq.data() + off, dk.data() + off, dv.data() + off, o.data() + off, lse.data()));
    clear();
  }

  void clear() {
    o.fill(0xff);
    lse.fill(0xff);
  }

  fa::status run(gpu::stream_handle stream = nullptr) {
    return attention::forward(fa::on(stream), a);
  }

  /// What is wrong with the outputs, or nothing. The policies are those of the host: pointers in
  /// them are the host's.
  template <class Mask, class Score>
  std::string fault(const Mask& mask, const Score& score) {
    gpu::synchronize();
    std::vector<sequence_place> places;
    for (i64 b = 0; b < batch; ++b) places.push_back({b, 0, 0, sq, sk});
    const double scale = scale_of(a);
    const auto hq_ = fa::bshd(static_cast<const T*>(q.data() + shift), batch, sq, hq, D);
    const auto hk_ = fa::bshd(static_cast<const T*>(k.data() + shift), batch, sk, hk, D);
    const auto hv_ = fa::bshd(static_cast<const T*>(v.data() + shift), batch, sk, hk, DV);
    const auto want = naive<T>(hq_, hk_, hv_, places, scale, mask, score);
    const auto pt = in_input_type<T>(hq_, hk_, hv_, places, scale, mask, score);
    const auto got = o.get();
    const auto got_lse = lse.get();
    digest().add(got);
    digest().add(got_lse);
    const auto v1 = judge_o<T, out>(tolerance_id::a2, want, &pt, [&](i64 b, i64 h, i64 i, i64 c) {
      return value_of(got[static_cast<std::size_t>(shift + ((b * sq + i) * hq + h) * DV + c)]);
    });
    const auto v2 = judge_lse<T>(tolerance_id::a2, want, [&](i64 b, i64 h, i64 i) {
      return static_cast<double>(got_lse[static_cast<std::size_t>((b * hq + h) * sq + i)]);
    });
    const auto text = [](const verdict& x) {
      return x.rule + " " + std::to_string(x.error) + " > " + std::to_string(x.limit);
    };
    return !v1.good() ? text(v1) : !v2.good() ? text(v2) : "";
  }
};

/// Counts and prints what fails.
class checks {
 public:
  void operator()(bool good, const std::string& what) {
    ++done_;
    if (good) return;
    ++failed_;
    std::printf("FAILED: %s\n", what.c_str());
  }
  int result() const {
    std::printf("%d checks, %d failed\n", done_, failed_);
    digest().print();
    return failed_ == 0 ? 0 : 1;
  }

 private:
  int done_ = 0, failed_ = 0;
};

}  // namespace test
