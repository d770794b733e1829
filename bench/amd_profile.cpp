// Launches for a simulator's profile, one for each problem on the command line: HEAD/VALUE
// QUERIES KEYS none|causal, batch and heads 1, bf16. A result that is wrong in one of a few
// rows ends the program.
#include "../test/arguments.hpp"
#include "../test/buffer.hpp"
#include "../test/device/runtime.hpp"
#include "../test/reference.hpp"

#include <fa/attention.hpp>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>

namespace {

using T = fa::bf16;
using test::i64;

/// A buffer of normal numbers on both sides.
struct both {
  test::buffer<T> host;
  T* device;
  both(i64 count, unsigned seed) : host(count), device(static_cast<T*>(gpu::allocate(bytes()))) {
    host.normal(seed);
    gpu::to_device(device, host.data(), bytes());
  }
  std::size_t bytes() const { return static_cast<std::size_t>(host.size()) * sizeof(T); }
  both(const both&) = delete;
  ~both() { gpu::release(device); }
};

template <int D, int DV, class Mask>
bool run(i64 sq, i64 sk) {
  using attn = fa::attention<T, fa::head_dim<D, DV>, Mask>;
  const both q(sq * D, 1), k(sk * D, 2), v(sk * DV, 3);
  both o(sq * DV, 4);
  const auto a = test::arguments<attn>(
      test::dense_call({1, 1, 1, sq, sk}, D, DV).at(q.device, k.device, v.device, o.device));
  if (const fa::status s = attn::forward(fa::on(nullptr), a); !s) {
    std::fprintf(stderr, "amd_profile: %s\n", s.message());
    return false;
  }
  gpu::synchronize();
  gpu::to_host(o.host.data(), o.device, o.bytes());
  const auto tensor = [](const both& x, i64 rows, i64 dim) {
    return fa::bshd(x.host.data(), 1, rows, 1, dim);
  };
  const i64 step = sq / 8 + 1;
  const auto want = test::naive<T>(tensor(q, sq, D), tensor(k, sk, D), tensor(v, sk, DV),
                                   {{0, 0, 0, sq, sk}}, 1 / std::sqrt(static_cast<double>(D)),
                                   Mask{}, fa::no_score{}, step);
  for (i64 i = 0; i < sq; ++i) {
    for (i64 c = 0; want.known_at(0, 0, i) && c < DV; ++c) {
      const double x = want.o_at(0, 0, i, c),
                   y = static_cast<double>(static_cast<float>(o.host[i * DV + c]));
      if (!(std::fabs(x - y) <= 0.004 + 0.01 * std::fabs(x))) {
        std::fprintf(stderr, "amd_profile: D %d: row %d, column %d is %g instead of %g\n", D,
                     static_cast<int>(i), static_cast<int>(c), y, x);
        return false;
      }
    }
  }
  return true;
}

template <class Mask>
bool run(std::string_view size, i64 sq, i64 sk) {
  if (size == "64/64") return run<64, 64, Mask>(sq, sk);
  if (size == "128/128") return run<128, 128, Mask>(sq, sk);
  if (size == "192/128") return run<192, 128, Mask>(sq, sk);
  if (size == "256/256") return run<256, 256, Mask>(sq, sk);
  std::fprintf(stderr, "amd_profile: head sizes are 64/64, 128/128, 192/128, 256/256\n");
  return false;
}

}  // namespace

int main(int argc, char* argv[]) {
  for (int i = 1; i + 3 < argc; i += 4) {
    const i64 sq = std::atoll(argv[i + 1]), sk = std::atoll(argv[i + 2]);
    const bool causal = std::strcmp(argv[i + 3], "causal") == 0;
    if (!(causal ? run<fa::causal>(argv[i], sq, sk) : run<fa::no_mask>(argv[i], sq, sk))) return 1;
  }
  return 0;
}
