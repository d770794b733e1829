// One number of everything that a test program's kernels wrote, bit by bit. Runs that must give the
// same bits must print the same.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <vector>

namespace test {

/// A hash of bytes (FNV-1a, 64 bits).
class output_digest {
 public:
  void add(const void* data, std::size_t bytes) {
    const auto* at = static_cast<const unsigned char*>(data);
    for (std::size_t i = 0; i < bytes; ++i) hash_ = (hash_ ^ at[i]) * 0x100000001b3u;
  }
  template <class T>
  void add(const std::vector<T>& x) {
    add(x.data(), x.size() * sizeof(T));
  }

  void print() const { std::printf("digest %016llx\n", static_cast<unsigned long long>(hash_)); }

 private:
  std::uint64_t hash_ = 0xcbf29ce484222325u;
};

/// The program's.
inline output_digest& digest() {
  static output_digest one;
  return one;
}

}  // namespace test
