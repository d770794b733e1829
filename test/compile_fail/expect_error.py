#!/usr/bin/env python3
"""Compiles a file that must not compile, and matches what the compiler says.

  expect_error.py [--compiler g++] [--include folder] file.cpp

Lines `// expect: regex` in the file: the compiler must refuse it, its first error must match the
first expression, and the others must be somewhere in that message. A line `// expect nothing`
instead: the file must compile, without a warning.
"""
import argparse
import pathlib
import re
import subprocess
import sys


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--compiler", default="g++")
    parser.add_argument(
        "--include", default=str(pathlib.Path(__file__).resolve().parent.parent.parent / "include"))
    parser.add_argument("file", type=pathlib.Path)
    options = parser.parse_args()

    text = options.file.read_text()
    expected = re.findall(r"^// expect: (.+)$", text, re.M)
    compiles = re.search(r"^// expect nothing$", text, re.M) is not None
    if compiles == bool(expected):
        sys.exit(f"{options.file}: wants either lines '// expect: regex' or one line "
                 "'// expect nothing'")

    done = subprocess.run([options.compiler, "-std=c++20", "-Wall", "-Wextra", "-fsyntax-only",
                           "-I", options.include,
                           options.file], capture_output=True, text=True)
    if compiles:
        if done.returncode == 0 and not done.stderr:
            return 0
        sys.exit(f"this must compile without a word:\n{done.stderr}")
    if done.returncode == 0:
        sys.exit("this must not compile, but does")
    errors = [line for line in done.stderr.splitlines() if re.search(r"\berror: ", line)]
    first = errors[0] if errors else ""
    problems = []
    if not re.search(expected[0], first):
        problems.append(f"the first error is not /{expected[0]}/")
    problems += [f"nothing matches /{e}/" for e in expected[1:] if not re.search(e, done.stderr)]
    print("\n".join(errors))
    if problems:
        sys.exit("\n".join([*problems, "all that the compiler said:", done.stderr[:6000]]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
