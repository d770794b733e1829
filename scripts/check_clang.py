#!/usr/bin/env python3
"""Every source file of a build, once more through another compiler: the same flags,
warnings as errors, no code.

  check_clang.py --build build/host [--compiler clang++] [--jobs N]
"""
import argparse
import concurrent.futures
import json
import os
import pathlib
import shlex
import subprocess
import sys


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--compiler", default="clang++")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    options = parser.parse_args()
    entries = json.loads((options.build / "compile_commands.json").read_text())
    entries = {entry["file"]: entry for entry in entries}.values()  # one set of flags a file

    def check(entry):
        words = shlex.split(entry["command"])
        output = words.index("-o")
        del words[output:output + 2]
        words = [options.compiler, *words[1:], "-fsyntax-only", "-Werror",
                 "-Wno-unused-command-line-argument"]
        words = [word for word in words if word != "-c"]
        return entry["file"], subprocess.run(words, cwd=entry["directory"],
                                             capture_output=True, text=True)

    failed = 0
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for file, done in pool.map(check, entries):
            if done.returncode:
                failed += 1
                print(f"--- {file}\n{done.stderr[:8000]}")
    print(f"{options.compiler}: {len(entries)} files, {failed} failed")
    return 1 if failed or not entries else 0


if __name__ == "__main__":
    sys.exit(main())
