// The outcome of a call: fine, or which argument breaks which rule with which value. No exception,
// no allocation.
#pragma once

#include <cstdint>

#include <fa/core/numeric.hpp>

namespace fa {

/// What kind of rule was broken, if any.
enum class status_code {
  ok,
  null_pointer,            ///< a pointer is null where there are elements
  shape_mismatch,          ///< sizes of two arguments disagree, or with the kernel's
  bad_value,               ///< a number out of its range
  bad_stride,              ///< a stride that is not honoured
  misaligned,              ///< a pointer not aligned to its element
  bad_offsets,             ///< sequence offsets or lengths that do not fit
  no_device,               ///< no GPU, or no driver for it
  no_image,                ///< the program holds no kernel for this GPU
  too_much_shared_memory,  ///< the kernel needs more than this GPU has
  launch_failed,           ///< the runtime refused a launch, or reports an earlier error
};

/// The word for a code, such as "bad_stride".
constexpr const char* name_of(status_code code) {
  switch (code) {
    case status_code::ok: return "ok";
    case status_code::null_pointer: return "null_pointer";
    case status_code::shape_mismatch: return "shape_mismatch";
    case status_code::bad_value: return "bad_value";
    case status_code::bad_stride: return "bad_stride";
    case status_code::misaligned: return "misaligned";
    case status_code::bad_offsets: return "bad_offsets";
    case status_code::no_device: return "no_device";
    case status_code::no_image: return "no_image";
    case status_code::too_much_shared_memory: return "too_much_shared_memory";
    case status_code::launch_failed: return "launch_failed";
  }
  return "unknown";
}

/// What a call returns. True if it did what was asked; else nothing was written anywhere.
class [[nodiscard]] status {
 public:
  constexpr status() = default;

  /// An error: `argument` (a member of the arguments) must satisfy `rule`, and is `value`, or
  /// `shown` where a number would say nothing. Texts must outlive the status.
  constexpr status(status_code code, const char* argument, const char* rule, i64 value,
                   const char* shown = nullptr)
      : code_(code), argument_(argument), rule_(rule), value_(value) {
    begin();
    if (shown != nullptr) append(shown);
    else append(value);
    append(")");
  }

  /// The same where the rule speaks of another number: `other`, which is `other_value`.
  constexpr status(status_code code, const char* argument, const char* rule, i64 value,
                   const char* other, i64 other_value)
      : code_(code), argument_(argument), rule_(rule), value_(value) {
    begin();
    append(value);
    append(", ");
    append(other);
    append(" is ");
    append(other_value);
    append(")");
  }

  constexpr explicit operator bool() const { return ok(); }
  constexpr bool ok() const { return code_ == status_code::ok; }
  constexpr status_code code() const { return code_; }
  /// The argument at fault, such as "k.heads"; what it must satisfy; what it was.
  constexpr const char* argument() const { return argument_; }
  constexpr const char* rule() const { return rule_; }
  constexpr i64 value() const { return value_; }
  /// "argument: rule (is value)", or "ok".
  constexpr const char* message() const { return length_ == 0 ? "ok" : text_; }

 private:
  constexpr void begin() {
    append(argument_);
    append(": ");
    append(rule_);
    append(" (is ");
  }

  constexpr void append(const char* text) {
    while (*text != '\0' && length_ + 1 < capacity) text_[length_++] = *text++;
    text_[length_] = '\0';
  }

  constexpr void append(i64 number) {
    char digits[24] = {};
    int at = 23;
    const bool negative = number < 0;
    auto rest = negative ? 0 - static_cast<std::uint64_t>(number)
                         : static_cast<std::uint64_t>(number);
    do {
      digits[--at] = static_cast<char>('0' + rest % 10);
      rest /= 10;
    } while (rest != 0);
    if (negative) digits[--at] = '-';
    append(digits + at);
  }

  static constexpr int capacity = 256;
  status_code code_ = status_code::ok;
  const char* argument_ = "";
  const char* rule_ = "";
  i64 value_ = 0;
  int length_ = 0;
  char text_[capacity] = {};
};

}  // namespace fa
