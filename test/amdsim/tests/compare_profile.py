#!/usr/bin/env python3
"""compare_profile.py AMDSIM OTHER CHIP PROGRAM [ARGS]: runs a program on the simulator and on a
second emulator that writes profiles of the same format, and compares them line by line.

OTHER is that emulator's folder, with run.sh in it. All fields must agree, and so must the
counts of instructions that both list among their most frequent under the same name. That
emulator counts dual instructions (VOPD) as scalar ones, at the same cost; here they are vector
instructions, so on RDNA the two classes are compared by their sum. Needs nothing but Python; exit
status 1 if anything differs.
"""
import collections
import json
import os
import re
import subprocess
import sys
import tempfile


def profile(command, env, file):
    out = subprocess.run(command, env=env, capture_output=True, text=True)
    if out.returncode:
        sys.exit(f"{' '.join(command)}: exit status {out.returncode}\n{out.stdout}{out.stderr}")
    with open(file) as lines:
        return [json.loads(line) for line in lines]


def by_name(top):
    """Counts by name without encodings; those near the end of a full list left out, since the list
    may have cut some off."""
    least = min(top.values()) if len(top) >= 40 else 0
    out = collections.Counter()
    for name, count in top.items():
        out[re.sub(r"_(E32|E64|DPP|SDWA|E64_DPP)$", "", name)] += count
    return {name: count for name, count in out.items() if count > 2 * least}


def main():
    if len(sys.argv) < 5:
        sys.exit(__doc__)
    amdsim, other, chip, *program = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        here, there = os.path.join(folder, "here"), os.path.join(folder, "there")
        a = profile([amdsim, "--chip", chip, "--profile", here, *program], os.environ, here)
        env = dict(os.environ, GCN_ARCH=chip, GCN_PROFILE=there)
        b = profile([os.path.join(other, "run.sh"), *program], env, there)
    if not chip.startswith("gfx9"):
        for z in a + b:
            for part in ("instructions", "cycles"):  # one cycle each either way
                z[part]["valu or salu"] = z[part].pop("valu", 0) + z[part].pop("salu", 0)
    different = len(a) != len(b)
    for n, (x, y) in enumerate(zip(a, b)):
        for key in sorted((set(x) | set(y)) - {"top"}):
            if x.get(key) != y.get(key):
                different = True
                print(f"launch {n} {x.get('kernel')}: {key}: {x.get(key)} / {y.get(key)}")
        counts = [by_name(z.get("top", {})) for z in (x, y)]
        for name in sorted(counts[0].keys() & counts[1].keys()):
            if counts[0][name] != counts[1][name]:
                different = True
                print(
                    f"launch {n} {x.get('kernel')}: {name}: {counts[0][name]} / {counts[1][name]}")
    print(f"{chip}: {len(a)} and {len(b)} launches: {'different' if different else 'equal'}")
    sys.exit(different)


if __name__ == "__main__":
    main()
