// Address space for tests that need pages of their own: huge and sparse, or forbidden
// to touch. POSIX.
#pragma once

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>

namespace test {

/// Zeroed pages that cost nothing until they are touched. `data` is null where the system has not
/// that much address space.
class mapped {
 public:
  explicit mapped(std::size_t bytes) : bytes_(bytes) {
    void* p = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    data_ = p == MAP_FAILED ? nullptr : static_cast<std::byte*>(p);
  }
  ~mapped() {
    if (data_) ::munmap(data_, bytes_);
  }
  mapped(const mapped&) = delete;

  template <class T>
  T* as() const {
    return reinterpret_cast<T*>(data_);
  }

  /// From now on any access to these bytes (whole pages) ends the process.
  bool forbid(std::size_t first, std::size_t count) const {
    return count == 0 || ::mprotect(data_ + first, count, PROT_NONE) == 0;
  }

 private:
  std::byte* data_ = nullptr;
  std::size_t bytes_;
};

inline std::size_t page_bytes() { return static_cast<std::size_t>(::sysconf(_SC_PAGESIZE)); }

/// Runs body in a child process: true if it returned true there, false if it
/// returned false or died.
template <class Body>
bool survives(const Body& body) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(body() ? 0 : 1);
  if (child < 0) return false;
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

}  // namespace test
