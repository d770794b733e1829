#!/usr/bin/env python3
"""clang-tidy over include/fa, with the checks of .clang-tidy: no finding may be left.

  check_tidy.py [--no-install] [-- COMPILER FLAGS]

It reads one source that includes every header and calls a few variants on the CPU, so that the
templates are seen as they are compiled; once with AVX2, once without any vector extension, which
chooses other verbs. What only a compiler for GPUs sees is not covered. clang-tidy comes from PyPI,
in the version that is named here: a newer one has more checks.
"""
import argparse
import concurrent.futures
import pathlib
import platform
import re
import subprocess
import sys
import tempfile

import python_packages

CLANG_TIDY = "23.1.4"
ROOT = python_packages.ROOT

# One dense and one packed variant, f32 and a 16-bit type; whoever calls them is not seen, so no
# argument is known.
CALLS = """
template <class Attention>
extern fa::status call(const typename Attention::forward_args& a) {
  return Attention::forward(fa::host{}, a);
}
#define CALL(...)                                     \\
  template fa::status call<fa::attention<__VA_ARGS__>>( \\
      const typename fa::attention<__VA_ARGS__>::forward_args&);
CALL(fa::bf16, fa::head_dim<40>, fa::causal)
CALL(float, fa::head_dim<64>, fa::window, fa::varlen)
"""


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--no-install", action="store_true")
    parser.add_argument("flags", nargs="*")
    options = parser.parse_args()
    clang_tidy = python_packages.program("clang-tidy", CLANG_TIDY, not options.no_install)
    headers = sorted(p.relative_to(ROOT / "include").as_posix()
                     for p in (ROOT / "include").rglob("*.hpp"))
    machines = [[]]
    if platform.machine() in ("x86_64", "AMD64"):
        machines.append(["-mavx2", "-mfma", "-mf16c"])

    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(folder) / "all.cpp"
        source.write_text("".join(f"#include <{name}>\n" for name in headers) + CALLS)

        def tidy(flags):
            command = [clang_tidy, "--quiet", f"--config-file={ROOT / '.clang-tidy'}",
                       "--warnings-as-errors=*", source, "--", "-std=c++20", "-I", ROOT / "include",
                       *flags, *options.flags]
            return subprocess.run(command, cwd=ROOT, capture_output=True, text=True)

        with concurrent.futures.ThreadPoolExecutor() as pool:
            results = list(pool.map(tidy, machines))
    found = {}  # both machines have most findings in common
    for done in results:
        for finding in re.split(r"(?m)^(?=\S+:\d+:\d+: (?:warning|error))", done.stdout):
            if re.match(r"\S+:\d+:\d+: ", finding):
                found[finding.replace(f"{ROOT}/", "").strip()] = None
    print("\n".join(found), end="\n" if found else "")
    failed = any(done.returncode for done in results)
    if failed and not found:
        print(results[0].stdout + results[0].stderr)
    print(f"{len(headers)} headers, {len(found)} findings")
    return 1 if failed or found or not headers else 0


if __name__ == "__main__":
    sys.exit(main())
