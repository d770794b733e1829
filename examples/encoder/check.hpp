#pragma once
// The least that a test program needs: counts checks, says which failed and where. (clang 14 has no
// std::source_location.)
#include <cstdio>
#include <exception>
#include <string>

namespace encoder {

class checks {
 public:
  /// `what` tells the failure to a person.
  void expect(bool holds, const std::string& what, const char* file = __builtin_FILE(),
              int line = __builtin_LINE()) {
    ++(holds ? passed_ : failed_);
    if (!holds) std::printf("%s:%d: FAILED: %s\n", file, line, what.c_str());
  }

  /// Runs `action`, which must throw with all of `part` in its message.
  template <class Action>
  void expect_error(const std::string& part, Action action, const char* file = __builtin_FILE(),
                    int line = __builtin_LINE()) {
    std::string message = "(none)";
    try {
      action();
    } catch (const std::exception& error) {
      message = error.what();
    }
    expect(message.find(part) != std::string::npos,
           "expected an error with '" + part + "', got: " + message, file, line);
  }

  /// Prints the sum; returns the exit status of the program.
  int finish() const {
    std::printf("%d passed, %d failed\n", passed_, failed_);
    return failed_ == 0 && passed_ > 0 ? 0 : 1;
  }

 private:
  int passed_ = 0, failed_ = 0;
};

}  // namespace encoder
