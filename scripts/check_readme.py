#!/usr/bin/env python3
"""Every C++ block of README.md is a piece of a compiled example: its lines stand, in that order and
indentation apart, in one file under examples/. The files and folders that the README names exist.

  check_readme.py [root of the project]
"""
import pathlib
import re
import sys


def lines_of(text):
    return [line.strip() for line in text.splitlines() if line.strip()]


def main():
    root = pathlib.Path(sys.argv[1]
                        if len(sys.argv) > 1 else pathlib.Path(__file__).resolve().parent.parent)
    readme = (root / "README.md").read_text(encoding="utf-8")
    examples = {p: lines_of(p.read_text(encoding="utf-8"))
                for p in sorted((root / "examples").rglob("*.[ch]pp"))}
    failed = 0

    blocks = re.findall(r"^```(?:cpp|c\+\+)\n(.*?)^```", readme, re.M | re.S)
    for block in blocks:
        wanted = lines_of(block)
        found = any(lines[i:i + len(wanted)] == wanted for lines in examples.values()
                    for i in range(len(lines)))
        if not found:
            failed += 1
            print(f"this block of README.md is in no example:\n{block}")
    for name in sorted(set(re.findall(
            r"`((?:scripts|examples|test|bench|cmake|include|\.ci)/[\w./-]+)`", readme)) |
                       set(re.findall(r"\]\(((?!https?:|#)[\w./-]+)\)", readme))):
        if not (root / name).exists() and not (root / name).with_suffix(".cpp").exists():
            failed += 1
            print(f"README.md names {name}, which does not exist")
    print(f"README.md: {len(blocks)} C++ blocks, {failed} faults")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
