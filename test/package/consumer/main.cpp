// Averages three values: with q = 0 every key weighs the same.
#include <fa/attention.hpp>

#include <cstdio>

#ifdef PACKAGE_VERSION
static_assert(FA_VERSION == PACKAGE_VERSION);
#endif

int main() {
  using attention = fa::attention<float, fa::head_dim<8>>;
  const float q[8] = {};
  float k[3 * 8], v[3 * 8], o[8] = {};
  for (int i = 0; i < 3 * 8; ++i) {
    k[i] = static_cast<float>(i);
    v[i] = static_cast<float>(i / 8);
  }
  attention::forward_args a;
  a.q = fa::bshd(q, 1, 1, 1, 8);
  a.k = fa::bshd(k, 1, 3, 1, 8);
  a.v = fa::bshd(v, 1, 3, 1, 8);
  a.o = fa::bshd(o, 1, 1, 1, 8);
  const fa::status s = attention::forward(fa::host{}, a);
  if (!s) std::fprintf(stderr, "%s\n", s.message());
  std::printf("o = %g\n", static_cast<double>(o[0]));
  return !(s && o[0] > 0.999f && o[0] < 1.001f);
}
