#pragma once
// The little of Unicode that a BERT tokenizer needs: UTF-8 both ways, character classes, and case
// and accent folding.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>

#include "unicode_tables.hpp"

namespace encoder {

constexpr char32_t replacement_character = 0xFFFD;

/// Takes one character off the front of `text`, which is not empty. What is not UTF-8 (a stray or
/// missing continuation byte, an overlong form, a surrogate, a number past U+10FFFF) costs one byte
/// and reads as U+FFFD.
inline char32_t take_character(std::string_view& text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned lead = byte(0);
  const std::size_t length = lead < 0x80   ? 1
                             : lead < 0xC2 ? 0
                             : lead < 0xE0 ? 2
                             : lead < 0xF0 ? 3
                             : lead < 0xF5 ? 4
                                           : 0;
  char32_t code = length == 1 ? lead : lead & (0x7Fu >> length);
  bool valid = length != 0 && length <= text.size();
  for (std::size_t i = 1; valid && i < length; ++i) {
    valid = (byte(i) & 0xC0u) == 0x80u;
    code = code << 6 | (byte(i) & 0x3Fu);
  }
  constexpr char32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};
  if (!valid || code < smallest[length] || code > 0x10FFFF || (code >= 0xD800 && code <= 0xDFFF)) {
    text.remove_prefix(1);
    return replacement_character;
  }
  text.remove_prefix(length);
  return code;
}

/// Appends one character as UTF-8.
inline void append_character(std::string& text, char32_t code) {
  const auto put = [&](char32_t byte) {
    text += static_cast<char>(static_cast<unsigned char>(byte));
  };
  if (code < 0x80) return put(code);
  const int tail_bytes = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
  constexpr char32_t lead[] = {0, 0xC0, 0xE0, 0xF0};
  put(lead[tail_bytes] | code >> (6 * tail_bytes));
  for (int i = tail_bytes - 1; i >= 0; --i) put(0x80u | (code >> (6 * i) & 0x3Fu));
}

/// Is `code` in one of the ranges of a sorted table?
template <std::size_t N>
bool contains(const unicode_tables::range (&table)[N], char32_t code) {
  const auto past = std::upper_bound(
      std::begin(table), std::end(table), code,
      [](char32_t c, const unicode_tables::range& r) { return c < r.first; });
  return past != std::begin(table) && code <= std::prev(past)->last;
}

inline bool is_space(char32_t c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == 0xA0 || c == 0x1680 ||
         (c >= 0x2000 && c <= 0x200A) || c == 0x2028 || c == 0x2029 || c == 0x202F || c == 0x205F ||
         c == 0x3000;
}

/// Control characters in the tokenizer's sense: dropped, but for the three that count as spaces.
inline bool is_control(char32_t c) { return !is_space(c) && contains(unicode_tables::controls, c); }

inline bool is_punctuation(char32_t c) { return contains(unicode_tables::punctuation, c); }

/// Han ideographs: each is a word of its own. Kana and Hangul are not, as they are written with
/// spaces or in runs.
inline bool is_han(char32_t c) {
  return (c >= 0x4E00 && c <= 0x9FFF) || (c >= 0x3400 && c <= 0x4DBF) ||
         (c >= 0x20000 && c <= 0x2A6DF) || (c >= 0x2A700 && c <= 0x2CEAF) ||
         (c >= 0xF900 && c <= 0xFAFF) || (c >= 0x2F800 && c <= 0x2FA1F);
}

/// Zero to three characters.
struct folded {
  std::array<char32_t, 3> characters;
  std::size_t count;
  const char32_t* begin() const { return characters.data(); }
  const char32_t* end() const { return characters.data() + count; }
};

/// Lower case without accents: canonical decomposition (NFD), then nonspacing marks dropped, then
/// lower-cased. Covers all of Unicode but the CJK compatibility ideographs, which stay as they are.
/// Marks that are not dropped keep their order: NFD would sort a few rare ones.
inline folded fold(char32_t c) {
  if (c < 0x80) return {{c >= 'A' && c <= 'Z' ? c + 32 : c}, 1};
  // A Hangul syllable is a lead, a vowel and perhaps a tail consonant: 19 x 21 x 28.
  if (c >= 0xAC00 && c <= 0xD7A3) {
    const char32_t index = c - 0xAC00, tail = index % 28;
    return {{0x1100 + index / 588, 0x1161 + index % 588 / 28, 0x11A7 + tail}, tail == 0 ? 2u : 3u};
  }
  if (contains(unicode_tables::marks, c)) return {{}, 0};
  const auto past = std::upper_bound(
      std::begin(unicode_tables::folds), std::end(unicode_tables::folds), c,
      [](char32_t code, const unicode_tables::run& r) { return code < r.first; });
  if (past != std::begin(unicode_tables::folds)) {
    const unicode_tables::run& r = *std::prev(past);
    const char32_t steps = (c - r.first) / r.step;
    if (steps < r.count && (c - r.first) % r.step == 0) return {{r.to + steps * r.to_step}, 1};
  }
  for (const unicode_tables::sequence& s : unicode_tables::long_folds) {
    if (s.from == c) return {{s.to0, s.to1, s.to2}, s.to2 == 0 ? 2u : 3u};
  }
  return {{c}, 1};
}

}  // namespace encoder
