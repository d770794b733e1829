// Forward attention on the GPU, tile shape by tile shape: ragged lengths, masks, merged heads,
// packed tokens between poisoned ones. All elements are compared with a reference in double on the
// GPU, within the rounding of P and O; then bit by bit with repetitions.
//   device_tiles [repetitions, 500]
#include "device.hpp"

#include <cmath>
#include <cstdlib>

namespace {

using namespace test;
using T = fa::FA_TEST_ELEMENT;

/// Where a sequence's rows start, and how many there are.
struct places {
  i64 q_token, k_token;
  int sq, sk;
};

__device__ double wide(T x) { return static_cast<double>(static_cast<float>(x)); }

/// A row of O, its weighted mean of |V| and its LSE, in double; one block a row. `w`: a row of
/// scores for each block.
__global__ void reference(const T* q, const T* k, const T* v, double* o, double* scale_of_o,
                          double* lse, double* w, int d, int dv, int hq, int hk, places p,
                          double scale, fa::window mask) {
  const int i = static_cast<int>(blockIdx.x), h = static_cast<int>(blockIdx.y), kv = h / (hq / hk);
  const auto bound = mask.bind({p.sq, p.sk, 0, h});
  double* s = w + (static_cast<i64>(h) * p.sq + i) * p.sk;
  for (int j = static_cast<int>(threadIdx.x); j < p.sk; j += static_cast<int>(blockDim.x)) {
    double x = 0;
    for (int c = 0; c < d; ++c)
      x += wide(q[((p.q_token + i) * hq + h) * d + c]) *
           wide(k[((p.k_token + j) * hk + kv) * d + c]);
    s[j] = bound.keep(i, j) ? x * scale : -fa::infinity;
  }
  __syncthreads();
  double top = -fa::infinity, sum = 0;
  for (int j = 0; j < p.sk; ++j) top = ::fmax(top, s[j]);
  for (int j = 0; j < p.sk; ++j) sum += top == -fa::infinity ? 0. : ::exp(s[j] - top);
  const i64 row = (p.q_token + i) * hq + h;
  if (threadIdx.x == 0) lse[row] = top + ::log(sum);
  for (int c = static_cast<int>(threadIdx.x); c < dv; c += static_cast<int>(blockDim.x)) {
    double x = 0, y = 0;
    for (int j = 0; j < p.sk && sum > 0; ++j) {
      if (s[j] == -fa::infinity) continue;
      const double weight = ::exp(s[j] - top) / sum,
                   value = wide(v[((p.k_token + j) * hk + kv) * dv + c]);
      x += weight * value;
      y += weight * ::fabs(value);
    }
    o[row * dv + c] = x;
    scale_of_o[row * dv + c] = y;
  }
}

/// Counts elements that are further off than the roundings of P and O allow.
__global__ void compare(const T* got, const double* want, const double* scale_of_o, i64 count,
                        double unit, unsigned* bad) {
  for (i64 i = blockIdx.x * static_cast<i64>(blockDim.x) + threadIdx.x; i < count;
       i += static_cast<i64>(gridDim.x) * blockDim.x) {
    const double limit = 1.1 * unit * (::fabs(want[i]) + scale_of_o[i]) + 2e-5;
    if (!(::fabs(wide(got[i]) - want[i]) <= limit)) atomicAdd(bad, 1u);
  }
}

/// Counts words that differ.
__global__ void differ(const std::uint16_t* a, const std::uint16_t* b, i64 count, unsigned* bad) {
  for (i64 i = blockIdx.x * static_cast<i64>(blockDim.x) + threadIdx.x; i < count;
       i += static_cast<i64>(gridDim.x) * blockDim.x) {
    if (a[i] != b[i]) atomicAdd(bad, 1u);
  }
}

unsigned take(const device_array<unsigned>& bad) {
  gpu::synchronize();
  const unsigned n = bad.get()[0];
  gpu::fill(bad.data(), 0, sizeof(unsigned));
  return n;
}

constexpr double unit = std::is_same_v<T, fa::bf16> ? 0x1p-8
                                                    : 0x1p-11;  // half a step of a rounding

/// One call, dense (sequences of equal length) or packed, with `gap` poisoned tokens
/// between packed sequences.
template <int D, int DV, bool Packed>
void run(checks& check, int hq, int hk, const std::vector<std::pair<int, int>>& lengths,
         fa::window mask, int repetitions) {
  const int gap = Packed ? 3 : 0, count = static_cast<int>(lengths.size());
  std::vector<places> at;
  std::vector<std::int32_t> cu_q{0}, cu_k{0}, used_q, used_k;
  for (const auto& [sq, sk] : lengths) {
    at.push_back({cu_q.back(), cu_k.back(), sq, sk});
    used_q.push_back(sq);
    used_k.push_back(sk);
    cu_q.push_back(cu_q.back() + sq + gap);
    cu_k.push_back(cu_k.back() + sk + gap);
  }
  const i64 tq = cu_q.back(), tk = cu_k.back();
  auto k = numbers<T>(tk * hk * D, 2), v = numbers<T>(tk * hk * DV, 3);
  for (int b = 0; b < count; ++b) {  // what no sequence uses is NaN
    const auto from = static_cast<std::size_t>(at[static_cast<std::size_t>(b)].k_token +
                                               at[static_cast<std::size_t>(b)].sk);
    for (std::size_t x = from * hk * D; x < (from + gap) * hk * D; ++x) k[x] = T(NAN);
    for (std::size_t x = from * hk * DV; x < (from + gap) * hk * DV; ++x) v[x] = T(NAN);
  }
  const device_array<T> dq(numbers<T>(tq * hq * D, 1)), dk(k), dv(v);
  const i64 outputs = tq * hq * DV, rows = tq * hq;
  device_array<T> o(outputs), again(outputs);
  device_array<float> lse(rows);
  device_array<double> want(outputs), size(outputs), want_lse(rows);
  device_array<unsigned> bad(1);
  const device_array<std::int32_t> dcq(cu_q), dck(cu_k), duq(used_q), duk(used_k);
  gpu::fill(bad.data(), 0, sizeof(unsigned));
  for (auto* x : {&want, &size}) x->fill(0);
  i64 most = 1;
  for (const places& p : at) most = std::max(most, i64{p.sq} * p.sk * hq);
  device_array<double> w(most);
  for (const places& p : at) {
    if (p.sq == 0) continue;
    reference<<<dim3(static_cast<unsigned>(p.sq), static_cast<unsigned>(hq)), 128>>>(
        dq.data(), dk.data(), dv.data(), want.data(), size.data(), want_lse.data(), w.data(), D, DV,
        hq, hk, p, 1 / std::sqrt(static_cast<double>(D)), mask);
    gpu::must(cudaGetLastError());
  }
  using options =
      std::conditional_t<Packed, fa::attention<T, fa::head_dim<D, DV>, fa::window, fa::varlen>,
                         fa::attention<T, fa::head_dim<D, DV>, fa::window>>;
  plain_call given = Packed ? packed_call({count, hq, hk, tq, tk}, D, DV)
                            : dense_call({count, hq, hk, at[0].sq, at[0].sk}, D, DV);
  if (Packed) {
    given.cu_q = dcq.data(), given.cu_k = dck.data();
    given.used_q = duq.data(), given.used_k = duk.data();
  }
  given.left = mask.left, given.right = mask.right;
  const auto call = [&](device_array<T>& out) {
    given.at(dq.data(), dk.data(), dv.data(), out.data(), lse.data());
    return static_cast<bool>(options::forward(fa::on(nullptr), arguments<options>(given)));
  };
  const std::string name = "D " + std::to_string(D) + "/" + std::to_string(DV) +
                           (Packed ? " packed " : " dense ") + std::to_string(at[0].sq) + " x " +
                           std::to_string(at[0].sk) + " heads " + std::to_string(hq) + "/" +
                           std::to_string(hk) + " right " + std::to_string(mask.right);
  o.fill(0);
  check(call(o), name + ": status");
  compare<<<256, 256>>>(o.data(), want.data(), size.data(), outputs, unit, bad.data());
  const unsigned off = take(bad);
  check(off == 0, name + ": " + std::to_string(off) + " elements are off");
  const auto got_lse = lse.get();
  const auto ref_lse = want_lse.get();
  int wrong = 0;
  for (std::size_t b = 0; b < at.size(); ++b) {
    for (int i = 0; i < at[b].sq; ++i) {
      for (int h = 0; h < hq; ++h) {
        const double x = ref_lse[static_cast<std::size_t>((at[b].q_token + i) * hq + h)];
        const i64 place = Packed ? h * tq + at[b].q_token + i
                                 : (static_cast<i64>(b) * hq + h) * at[0].sq + i;
        const double y = static_cast<double>(got_lse[static_cast<std::size_t>(place)]);
        if (!(x == y || std::fabs(x - y) <= 2e-5 * (1 + std::fabs(x)))) ++wrong;
      }
    }
  }
  check(wrong == 0, name + ": " + std::to_string(wrong) + " LSE are off");
  for (int i = 0; i < repetitions; ++i) {
    again.fill(0);
    call(again);
    differ<<<256, 256>>>(reinterpret_cast<const std::uint16_t*>(o.data()),
                         reinterpret_cast<const std::uint16_t*>(again.data()), outputs, bad.data());
  }
  const unsigned others = take(bad);
  check(others == 0,
        name + ": " + std::to_string(others) + " elements have other bits in repetitions");
}

template <int D, int DV = D>
void check_head_sizes(checks& check, int repetitions) {
  const fa::window masks[] = {{-1, -1}, {-1, 0}, {60, 17}};
  for (const fa::window& mask : masks) {
    for (const auto& [sq, sk] :
         {std::pair{1, 1}, {64, 64}, {191, 257}, {513, 385}, {300, 1300}, {1300, 300}, {3, 700}}) {
      run<D, DV, false>(check, 6, 2, {{sq, sk}, {sq, sk}}, mask, repetitions);
    }
    run<D, DV, true>(check, 6, 2,
                     {{5, 333}, {130, 129}, {1, 64}, {0, 10}, {10, 0}, {400, 700}, {64, 64}}, mask,
                     repetitions);
  }
}

}  // namespace

int main(int argc, char* argv[]) {
  const int repetitions = argc > 1 ? std::atoi(argv[1]) : 500;
  checks check;
  check_head_sizes<32>(check, repetitions);
  check_head_sizes<64>(check, repetitions);
  check_head_sizes<96>(check, repetitions);
  check_head_sizes<128>(check, repetitions);
  check_head_sizes<160>(check, repetitions);
  check_head_sizes<192>(check, repetitions);
  check_head_sizes<256>(check, repetitions);
  check_head_sizes<192, 128>(check, repetitions);
  check_head_sizes<64, 256>(check, repetitions);
  check_head_sizes<256, 64>(check, repetitions);
  check_head_sizes<40, 24>(check, repetitions);
  return check.result();
}
