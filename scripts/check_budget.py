#!/usr/bin/env python3
"""What <fa/attention.hpp> costs its user: preprocessed lines, processor time of a syntax check
(the best of several runs, since a busy machine does not count), processor time and memory
of compiling one kernel.

  check_budget.py [--compiler g++] [--include folder]
"""
import argparse
import pathlib
import resource
import subprocess
import sys


UMBRELLA = "#include <fa/attention.hpp>\n"
KERNEL = UMBRELLA + """
using attention = fa::attention<fa::bf16, fa::head_dim<128>, fa::causal>;
fa::status forward(const attention::forward_args& a) { return attention::forward(fa::host{}, a); }
"""


def cpu_seconds(command, text):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True, input=text, text=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


def main():
    here = pathlib.Path(__file__).resolve().parent.parent
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--compiler", default="g++")
    parser.add_argument("--include", default=str(here / "include"))
    parser.add_argument("--max-lines", type=int, default=20000)
    parser.add_argument("--max-seconds", type=float, default=0.5)
    parser.add_argument("--max-kernel-seconds", type=float, default=10)
    parser.add_argument("--max-kernel-mib", type=float, default=1024)
    options = parser.parse_args()
    base = [options.compiler, "-std=c++20", "-I", options.include, "-x", "c++", "-"]

    text = subprocess.run([*base, "-E"], check=True, input=UMBRELLA, text=True, capture_output=True)
    lines = text.stdout.count("\n")
    seconds = min(cpu_seconds([*base, "-fsyntax-only"], UMBRELLA) for _ in range(7))
    kernel_seconds = cpu_seconds([*base, "-O2", "-march=native", "-c", "-o", "/dev/null"], KERNEL)
    # The largest of all so far.
    kernel_mib = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024

    good = True
    for what, value, limit, unit in (("preprocessed lines", lines, options.max_lines, ""),
                                     ("syntax check", seconds, options.max_seconds, " s"),
                                     ("one kernel, time", kernel_seconds,
                                      options.max_kernel_seconds, " s"),
                                     ("one kernel, memory", kernel_mib,
                                      options.max_kernel_mib, " MiB")):
        good = good and value < limit
        print(f"{what:20} {value:8.5g}{unit} (less than {limit:g}{unit} wanted)" +
              ("" if value < limit else "  FAILED"))
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
