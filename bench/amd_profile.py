#!/usr/bin/env python3
"""Modelled speed of the forward kernels on AMD GPUs: the work of one row of workgroups, counted by
the simulator, beside its targets and the kernels that people use.

    cmake --preset hip && cmake --build --preset hip --target amd_profile
    bench/amd_profile.py --amdsim build/host/test/amdsim/amdsim [--programs build/hip/bench]
                         [--chips gfx942,...] [--write]

Batch 1, one head, bf16, P rounded to nearest even. No mask: 2048 keys, and queries by the multiple
of the tile that is next to 384; causal: 1024 x 1024. share: what part of the time the matrix
unit is busy, if nothing overlaps with it (serial) and if everything does (overlapped); a kernel
lies between. LDS passes: beside what they were without bank conflicts. --write: the table in
bench/results/amd_profile.md.
"""
import argparse
import datetime
import json
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
CHIPS = ["gfx90a", "gfx942", "gfx950", "gfx1100", "gfx1201"]
SIZES = ["64/64", "128/128", "256/256", "192/128"]
MOST_LDS = 1.02

# What the project asks of itself: serial, overlapped.
TARGETS = {
    ("gfx942", "128/128", "none"): (0.60, 1.0),
    ("gfx942", "64/64", "none"): (0.46, 0.87),
    ("gfx942", "256/256", "none"): (0.69, 1.0),
    ("gfx942", "192/128", "none"): (0.60, 1.0),
    ("gfx942", "128/128", "causal"): (0.50, None),
    ("gfx950", "128/128", "none"): (0.48, 0.95),
    ("gfx90a", "128/128", "none"): (0.74, 1.0),
    ("gfx1100", "128/128", "none"): (0.76, 1.0),
    ("gfx1100", "64/64", "none"): (0.68, None),
    ("gfx1100", "256/256", "none"): (0.75, None),
    ("gfx1201", "128/128", "none"): (0.67, 1.0),
    ("gfx1201", "64/64", "none"): (0.57, None),
    ("gfx1201", "256/256", "none"): (0.66, None),
}

# The same of others' kernels, 2048 keys, taken with the same model: P rounded to nearest even (RNE)
# or truncated.
OTHERS = {
    ("gfx90a", "128/128", "none"): [("Triton", "0.508 / 1.0")],
    ("gfx942", "64/64", "none"): [("Triton", "0.324 / 0.478")],
    ("gfx942", "128/128", "none"): [
        ("AITER assembly, RNE", "0.444 / 0.797"),
        ("AITER assembly, truncating", "0.511 / 1.0"),
        ("MoonMath, truncating", "0.565 / 1.0"),
        ("Triton", "0.451 / 0.821"),
    ],
    ("gfx942", "128/128", "causal"): [("Triton", "0.451 / 0.821")],
    ("gfx942", "192/128", "none"): [("AITER assembly", "0.504 / 1.0")],
    ("gfx950", "64/64", "none"): [("Triton", "0.256 / 0.343")],
    ("gfx950", "128/128", "none"): [("AITER assembly", "0.416 / 0.712"),
                                    ("Triton", "0.368 / 0.583")],
    ("gfx1100", "128/128", "none"): [("Triton", "0.592 / 1.0")],
    ("gfx1201", "128/128", "none"): [("Triton", "0.446 / 0.79")],
}


def profile(arguments, chip, problems):
    """The profile's line of each problem."""
    program = arguments.programs / chip / "amd_profile"
    with tempfile.NamedTemporaryFile(mode="r", suffix=".jsonl") as file:
        words = [str(word) for problem in problems for word in problem]
        subprocess.run([arguments.amdsim, "--chip", chip, "--threads", "0", "--profile", file.name,
                        program, *words], check=True)
        lines = [json.loads(line) for line in file]
    launches, wanted = len(lines), len(problems)
    assert launches == wanted, f"{chip}: {launches} launches for {wanted} problems"
    return lines


def tile_of(arguments, chip, size):
    """Query rows of a workgroup: the most that still make one."""
    rows = list(range(16, 513, 16))
    lines = profile(arguments, chip, [(size, sq, 16, "none") for sq in rows])
    return max(sq for sq, line in zip(rows, lines) if line["groups"] == 1)


def measure(arguments, chip):
    for size in SIZES:
        if size == "192/128" and (chip, size, "none") not in TARGETS:
            continue
        tile = tile_of(arguments, chip, size)
        sq = tile * max(1, round(384 / tile))
        none, causal = profile(arguments, chip,
                               [(size, sq, 2048, "none"), (size, 1024, 1024, "causal")])
        yield chip, size, "none", f"{sq} x 2048", tile, none
        yield chip, size, "causal", "1024 x 1024", tile, causal


def row_of(chip, size, mask, problem, tile, line):
    """A line of the table, and whether the target is met."""
    serial, overlapped = line["matrix_share_serial"], line["matrix_share_overlapped"]
    ideal = line["lds_passes"]["ideal"]
    lds = line["lds_passes"]["with_conflicts"] / ideal if ideal else 1.0
    target = TARGETS.get((chip, size, mask))
    # Figures count as they are printed, to three digits.
    met = round(lds, 3) <= MOST_LDS
    if target:
        met = met and round(serial, 3) >= target[0]
        met = met and (target[1] is None or round(overlapped, 3) >= target[1])
    wanted = " / ".join(f"{share:.2f}" for share in target or () if share is not None)
    share = f"{serial:.3f} / {overlapped:.3f}"
    cells = [chip, size, mask, problem, str(tile), share, wanted, f"{lds:.3f}",
             str(line["vgpr"]), str(line["spills"]), "yes" if met else "NO"]
    return cells, met


def table(rows):
    """This library's rows, and below them those of others for the same problems."""
    head = ["chip", "D", "mask", "queries x keys", "tile", "share", "target", "LDS passes", "VGPR",
            "spills", "met"]
    other_head = ["chip", "D", "mask", "kernel", "share"]
    others = [[*cells[:3], *other] for cells in rows for other in OTHERS.get(tuple(cells[:3]), [])]
    return "\n\n".join([
        "Share and target: serial / overlapped.", markdown(head, rows),
        "Kernels that people use, in the same model:", markdown(other_head, others)])


def markdown(head, rows):
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    for chip, size, *cells in rows:
        key_size, value_size = size.split("/")
        size = key_size if key_size == value_size else size
        lines.append("| " + " | ".join([chip, size, *cells]) + " |")
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--amdsim", type=pathlib.Path,
                        default=ROOT / "build/host/test/amdsim/amdsim")
    parser.add_argument("--programs", type=pathlib.Path, default=ROOT / "build/hip/bench")
    parser.add_argument("--chips", default=",".join(CHIPS))
    parser.add_argument("--write", action="store_true", help="write bench/results/amd_profile.md")
    arguments = parser.parse_args()
    rows, missed = [], 0
    for chip in arguments.chips.split(","):
        for result in measure(arguments, chip):
            cells, met = row_of(*result)
            missed += not met
            rows.append(cells)
            print(" | ".join(cells), flush=True)
    text = table(rows)
    print(f"\n{text}\n\n{len(rows)} rows, {missed} below their target")
    if arguments.write:
        write(text)
    return 1 if missed else 0


def write(text):
    """The table goes between the marks; what is said around it stays."""
    path = ROOT / "bench/results/amd_profile.md"
    begin, end = "<!-- table -->\n", "\n<!-- end of table -->\n"
    dated = f"{begin}Taken {datetime.date.today()} by `bench/amd_profile.py`.\n\n{text}{end}"
    old = path.read_text() if path.exists() else f"# AMD GPUs, modelled\n\n{begin}{end}"
    head, _, rest = old.partition(begin)
    path.write_text(head + dated + rest.partition(end)[2])


if __name__ == "__main__":
    sys.exit(main())
