#!/usr/bin/env python3
"""All C++ is what clang-format makes of it, and no line of any text has more than 100 columns.

  check_format.py [--fix] [--no-install] [--jobs N]

--fix formats the C++; lines that are too long elsewhere are for a human to break. clang-format
comes from PyPI, in the version that is named here, since others break lines elsewhere;
--no-install: say that it is missing instead of installing it. Data may have long lines: tables
(.csv) and results to compare with (expected_*.json).
"""
import argparse
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys

import python_packages

CLANG_FORMAT = "23.1.5"
MAX_COLUMNS = 100
CPP = {".cpp", ".hpp", ".hip", ".cu"}
DATA = re.compile(r"\.csv$|/expected_\w+\.json$")
ROOT = python_packages.ROOT


def files():
    """Files of the project: those that git knows or would add; without git, all but build/."""
    listed = subprocess.run(["git", "ls-files", "-z", "-co", "--exclude-standard"], cwd=ROOT,
                            capture_output=True, text=True)
    if listed.returncode == 0:
        names = sorted(ROOT / name for name in listed.stdout.split("\0") if name)
    else:
        names = sorted(p for p in ROOT.rglob("*")
                       if p.relative_to(ROOT).parts[0] not in ("build", ".git"))
    return [path for path in names if path.is_file() and "__pycache__" not in path.parts]


def long_lines(path):
    """Faults of one file. A file that is no text has none."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except UnicodeDecodeError:
        return []
    return [f"{path.relative_to(ROOT)}:{number}: {len(line)} columns; at most {MAX_COLUMNS}"
            for number, line in enumerate(lines, 1) if len(line) > MAX_COLUMNS]


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--fix", action="store_true")
    parser.add_argument("--no-install", action="store_true")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    options = parser.parse_args()
    clang_format = python_packages.program("clang-format", CLANG_FORMAT, not options.no_install)
    texts = files()
    sources = [path for path in texts if path.suffix in CPP]

    mode = ["-i"] if options.fix else ["--dry-run", "--Werror"]

    def clang_formatted(batch):
        """The files of a batch that clang-format would change; with --fix none is left."""
        done = subprocess.run([clang_format, *mode, *batch], capture_output=True, text=True)
        changed = re.findall(r"(?m)^(.+?):\d+:\d+: error: code should be clang-formatted",
                             done.stderr)
        if done.returncode and not changed:
            sys.exit(f"error: {clang_format} failed\n{done.stderr}")
        return changed

    batches = [sources[first::options.jobs] for first in range(options.jobs)]
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        changed = {name for names in pool.map(clang_formatted, batches) for name in names}
    for name in sorted(changed):
        print(f"{pathlib.Path(name).relative_to(ROOT)}: not formatted (check_format.py --fix)")
    faults = [fault for path in texts if not DATA.search(path.as_posix())
              for fault in long_lines(path)]
    print("\n".join(faults), end="\n" if faults else "")
    failed = len(faults) + len(changed)
    print(f"{len(sources)} C++ files, {len(texts)} texts, {failed} faults")
    return 1 if failed or not sources else 0


if __name__ == "__main__":
    sys.exit(main())
