// Built for another GPU than this one: a call says so and writes nothing.
#include "device.hpp"

#include <cstring>

int main() {
  int major = 0;
  test::must(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0));
  if (major == 8) return 77;                               // built for this one
  test::checks check;
  test::device_problem<fa::bf16, 64, 64> p(1, 1, 1, 16, 16);
  const auto before = p.o.get();
  const fa::status s = p.run();
  std::printf("%s\n", s.message());
  check(s.code() == fa::status_code::no_image, "the code is no_image");
  check(std::strstr(s.message(), "built for sm_") != nullptr, "the message names what was built");
  check(cudaGetLastError() == cudaSuccess, "no error stays behind");
  test::must(cudaDeviceSynchronize());
  check(test::same_bits(p.o.get(), before), "outputs are untouched");
  return check.result();
}
