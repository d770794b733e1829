// Memory for tests: guarded, poisoned, filled with reproducible numbers.
#pragma once

#include <fa/attention.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

namespace test {

/// A small generator (splitmix64): the same numbers on every machine and standard library.
class random_numbers {
 public:
  explicit random_numbers(std::uint64_t seed) : state_(seed * 0x9e3779b97f4a7c15u + 0x1234567u) {}

  std::uint64_t bits() {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }

  /// Uniform in [0, 1).
  double uniform() { return static_cast<double>(bits() >> 11) * 0x1p-53; }

  /// Uniform in [low, high], both ends included.
  std::int64_t between(std::int64_t low, std::int64_t high) {
    return low + static_cast<std::int64_t>(bits() % static_cast<std::uint64_t>(high - low + 1));
  }

  /// Standard normal (Box and Muller).
  double normal() {
    if (spare_) {
      spare_ = false;
      return other_;
    }
    const double radius = std::sqrt(-2 * std::log(1 - uniform())),
                 angle = 6.283185307179586 * uniform();
    other_ = radius * std::sin(angle);
    spare_ = true;
    return radius * std::cos(angle);
  }

 private:
  std::uint64_t state_;
  double other_ = 0;
  bool spare_ = false;
};

/// A NaN that no arithmetic makes: it marks memory that must never be written, or must
/// never matter when read.
template <class T>
T poison() {
  T x{};
  if constexpr (sizeof(T) == 4) {
    constexpr std::uint32_t bits = 0x7fcabadau;
    std::memcpy(&x, &bits, sizeof x);
  } else {
    constexpr std::uint16_t bits = 0x7fedu;  // a NaN in both 16-bit formats
    std::memcpy(&x, &bits, sizeof x);
  }
  return x;
}

/// True where x holds exactly the bits of `poison`.
template <class T>
bool is_poison(const T& x) {
  const T p = poison<T>();
  return std::memcmp(&x, &p, sizeof x) == 0;
}

/// `count` elements between two guard zones, everything poisoned at first.
template <class T>
class buffer {
 public:
  static constexpr std::size_t guard = 64;

  explicit buffer(std::int64_t count = 0)
      : all_(static_cast<std::size_t>(count) + 2 * guard, poison<T>()) {}

  T* data() { return all_.data() + guard; }
  const T* data() const { return all_.data() + guard; }
  std::int64_t size() const { return static_cast<std::int64_t>(all_.size() - 2 * guard); }
  T& operator[](std::int64_t i) { return data()[i]; }
  const T& operator[](std::int64_t i) const { return data()[i]; }

  /// Bit for bit equal, guards included.
  bool operator==(const buffer& other) const {
    return all_.size() == other.all_.size() &&
           std::memcmp(all_.data(), other.all_.data(), all_.size() * sizeof(T)) == 0;
  }

  bool guards_untouched() const {
    for (std::size_t i = 0; i < guard; ++i) {
      if (!is_poison(all_[i]) || !is_poison(all_[all_.size() - 1 - i])) return false;
    }
    return true;
  }

  bool untouched() const {
    for (const T& x : all_) {
      if (!is_poison(x)) return false;
    }
    return true;
  }

  /// Every element drawn from the standard normal distribution, times `factor`, rounded to T.
  buffer& normal(std::uint64_t seed, double factor = 1) {
    random_numbers r(seed);
    for (std::int64_t i = 0; i < size(); ++i)
      (*this)[i] = T(static_cast<float>(factor * r.normal()));
    return *this;
  }

  buffer& fill(float x) {
    for (std::int64_t i = 0; i < size(); ++i) (*this)[i] = T(x);
    return *this;
  }

 private:
  std::vector<T> all_;
};

}  // namespace test
