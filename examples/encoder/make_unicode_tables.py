#!/usr/bin/env python3
"""Writes unicode_tables.hpp from Python's own Unicode database: python3 make_unicode_tables.py
> unicode_tables.hpp"""
import unicodedata

WIDTH = 100


def category(code):
    return unicodedata.category(chr(code))


# Surrogates are no characters, Hangul syllables are computed, and CJK compatibility ideographs (two
# blocks) are not worth a table.
LEFT_OUT = [(0xD800, 0xDFFF), (0xAC00, 0xD7A3), (0xF900, 0xFAFF), (0x2F800, 0x2FA1F)]


def left_out(code):
    """Whether the tables leave a character out."""
    return any(first <= code <= last for first, last in LEFT_OUT)


def fold(code):
    """What the tokenizer makes of one character: canonical decomposition, no nonspacing
    marks, lower case."""
    parts = [c for c in unicodedata.normalize("NFD", chr(code)) if unicodedata.category(c) != "Mn"]
    return [ord(c) for part in parts for c in part.lower()]


def ranges(wanted):
    """[first, last] of each run of wanted characters."""
    found = []
    for code in range(0x110000):
        if wanted(code):
            if found and found[-1][1] == code - 1:
                found[-1][1] = code
            else:
                found.append([code, code])
    return found


def runs(folded):
    """{first, count, step, to, to_step} such that first + i * step becomes to + i * to_step;
    runs never overlap."""
    found, end = [], 0
    for code in sorted(folded):
        if code < end:
            continue
        best = (0, 0, 0)
        for step in (1, 2):
            for to_step in (0, 1, 2):
                count = 1
                while (count < 255
                       and folded.get(code + count * step) == folded[code] + count * to_step
                       and not (step == 2 and code + count * step - 1 in folded)):
                    count += 1
                best = max(best, (count, -step, -to_step))
        count, step, to_step = best[0], -best[1], -best[2]
        end = code + (count - 1) * step + 1
        found.append((code, count, step, folded[code], to_step))
    return found


def table(comment, kind, name, rows):
    print(f"\n// {comment}\ninline constexpr {kind} {name}[] = {{")
    line = "   "
    for row in rows:
        entry = " {" + ", ".join(hex(v) if v > 9 else str(v) for v in row) + "},"
        if len(line) + len(entry) > WIDTH:
            print(line)
            line = "   "
        line += entry
    print(line + "\n};")


def main():
    characters = [c for c in range(0x110000) if not left_out(c) and category(c) != "Mn"]
    folded = {c: fold(c) for c in characters}
    folded = {c: to for c, to in folded.items() if to != [c]}
    print(f"""\
#pragma once
// Made by make_unicode_tables.py from Unicode {unicodedata.unidata_version}: do not edit.
// Each table is sorted by its first column.
// clang-format off
#include <cstdint>

namespace encoder::unicode_tables {{

struct range {{ std::uint32_t first, last; }};
// first + i * step becomes to + i * to_step, for 0 <= i < count; runs do not overlap.
struct run {{
  std::uint32_t first;
  std::uint8_t count, step;
  std::uint32_t to;
  std::uint8_t to_step;
}};
struct sequence {{ std::uint32_t from, to0, to1, to2; }};""")
    table("Control, format and private use: general categories Cc, Cf, Co.", "range", "controls",
          ranges(lambda c: category(c) in ("Cc", "Cf", "Co")))
    table("Nonspacing marks, general category Mn.", "range", "marks",
          ranges(lambda c: category(c) == "Mn"))
    table("Punctuation: general categories P*, and every ASCII symbol, as BERT has it.",
          "range", "punctuation",
          ranges(lambda c: category(c).startswith("P") or
                 (c < 128 and category(c).startswith("S"))))
    table("Characters that fold to one other.", "run", "folds",
          runs({c: to[0] for c, to in folded.items() if len(to) == 1}))
    table("Characters that fold to two or three (0: none).", "sequence", "long_folds",
          [(c, *(to + [0, 0])[:3]) for c, to in folded.items() if len(to) > 1])
    print("\n}  // namespace encoder::unicode_tables\n// clang-format on")


main()
