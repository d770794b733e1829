#!/usr/bin/env python3
"""Runs a test program several times and wants success and the same outputs, bit for bit, each time.

    same_bits.py [LAUNCHER...] -- PROGRAM [ARGUMENT...]

The program prints "digest HASH". Where "{order}" stands in the launcher, a simulator's, it becomes
each order of waves in turn; without, the program runs twice. Exit status: the program's if it
fails, 77 (skipped) included; 1 where the outputs differ.
"""
import re
import subprocess
import sys
import time

ORDERS = ["forward", "reverse", "random:1"]


def digest_of(text):
    """The hash that the program printed last, or nothing."""
    found = re.findall(r"^digest ([0-9a-f]+)$", text, re.M)
    return found[-1] if found else None


def main(arguments):
    at = arguments.index("--")
    launcher, program = arguments[:at], arguments[at + 1:]
    orders = ORDERS if any("{order}" in word for word in launcher) else [None, None]
    digests = []
    for order in orders:
        command = [word.replace("{order}", order or "") for word in launcher] + program
        print("$", " ".join(command), flush=True)
        begin = time.monotonic()
        run = subprocess.run(command, stdout=subprocess.PIPE, text=True)
        print(run.stdout, end="")
        print(f"{time.monotonic() - begin:.1f} s", flush=True)
        if run.returncode != 0:
            return run.returncode
        digests.append(digest_of(run.stdout))
        if digests[-1] is None:
            print("FAILED: the program printed no digest")
            return 1
        if digests[-1] != digests[0]:
            print(f"FAILED: other bits than in the first run ({order})")
            return 1
    print(f"{len(digests)} runs, the same bits")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
