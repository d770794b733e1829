// Built for another GPU than this one: a call says so and writes nothing.
#include "device.hpp"

#include <cstring>

#if !defined(FA_TEST_BUILT_FOR)
#define FA_TEST_BUILT_FOR "built for sm_"
#endif

int main() {
#if !defined(__HIP__)  // for HIP, the build chooses a chip that it is not tested on
  int major = 0;
  gpu::must(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0));
  if (major == 8) return 77;  // built for this one
#endif
  test::checks check;
  test::device_problem<fa::bf16, 64, 64> p(1, 1, 1, 16, 16);
  const auto before = p.o.get();
  const fa::status s = p.run();
  std::printf("%s\n", s.message());
  check(s.code() == fa::status_code::no_image, "the code is no_image");
  check(std::strstr(s.message(), FA_TEST_BUILT_FOR) != nullptr, "the message names what was built");
  check(gpu::no_error_stays(), "no error stays behind");
  gpu::synchronize();
  check(test::same_bits(p.o.get(), before), "outputs are untouched");
  return check.result();
}
