#!/usr/bin/env python3
"""What the compiler made of the kernels for an AMD GPU, against the limits that they must keep.
Prints a table, a kernel a line.

    check_code_objects.py --chip gfx942 [--limits FILE] OBJECT...

No kernel may spill, use scratch or move data through AGPRs, have more than 256 vector registers or
more LDS than a workgroup may have. The file of limits (code_object_limits.csv beside this script)
adds what each kernel must reach: its matrix instruction, waves on a SIMD, and how far ahead its
main loop loads, in parts of the loop's products. Of its lines the first that fits a kernel counts.

  waves     on a SIMD, that registers and LDS leave room for
  products  matrix instructions in the main loop; multiply-adds where a type has none
  ahead     of these, how many pass between a load from memory in that loop and the wait for it: the
            load with the fewest
"""
import argparse
import csv
import fnmatch
import pathlib
import re
import sys

import amd_code_objects
import amd_prefetch

COLUMNS = ["kernel", "vgpr", "sgpr", "agpr", "spills", "scratch", "lds", "waves", "instruction",
           "count", "products", "ahead"]


def template_arguments(text, name):
    """The arguments of the first template of that name, or None."""
    found = re.search(rf"\b{name}<", text)
    if not found:
        return None
    arguments, depth, current = [], 0, ""
    for letter in text[found.end():]:
        if depth == 0 and letter in ",>":
            arguments.append(current.strip())
            current = ""
            if letter == ">":
                break
            continue
        depth += {"<": 1, "(": 1, ">": -1, ")": -1}.get(letter, 0)
        current += letter
    return arguments


def kernel_name(demangled):
    """"bf16 128/128 window to f32" of amd_entry<forward_kernel, forward_call<forward_shape<bf16,
    bf16, 128, 128, 0, void>, float, window, no_score, true>>, or None. A kernel serves dense and
    packed tensors, and built-in masks that differ by their numbers are one mask."""
    plain = demangled.replace("fa::", "").replace("detail::", "")
    shape = template_arguments(plain, "forward_shape")
    call = template_arguments(plain, "forward_call")
    if not shape or not call or len(shape) < 5 or len(call) < 4:
        return None
    query, element, d, dv, rounding = shape[:5]
    _, out, mask, score = call[:4]
    words = [element, f"{d}/{dv}", mask]
    words += [score] if score != "no_score" else []
    words += ["queries of " + query] if query != element else []
    words += ["to " + out] if out != element else []
    words += ["rounding " + rounding] if not rounding.endswith(")0") else []
    return " ".join(words).replace("float", "f32")


def limits_for(rows, chip, kernel):
    for row in rows:
        if fnmatch.fnmatchcase(chip, row["chip"]) and fnmatch.fnmatchcase(kernel, row["kernel"]):
            return row
    return None


def measure(chip, kernel, notes, code):
    """A line of the table."""
    matrix = [i.name for i in code if amd_code_objects.is_matrix(i.name)]
    ahead = amd_prefetch.prefetch(code, not chip.startswith("gfx9"))
    return {
        "kernel": kernel,
        "vgpr": notes[".vgpr_count"],
        "sgpr": notes[".sgpr_count"],
        "agpr": notes.get(".agpr_count", 0),
        "spills": notes[".vgpr_spill_count"] + notes[".sgpr_spill_count"],
        "scratch": notes[".private_segment_fixed_size"],
        "lds": notes[".group_segment_fixed_size"],
        "waves": amd_code_objects.occupancy(chip, notes),
        "instruction": max(set(matrix), key=matrix.count) if matrix else "none",
        "count": len(matrix),
        "products": ahead.products,
        "ahead": ahead.least if ahead.loads else 0,
        "moves": sum(i.name.startswith("v_accvgpr") for i in code),
        "loads": ahead.loads,
    }


def broken(chip, row, limits):
    """The rules that a kernel breaks."""
    rules = [
        (row["spills"] > 0, f"{row['spills']} spilled registers"),
        (row["scratch"] > 0, f"{row['scratch']} bytes of scratch"),
        (row["agpr"] > 0 or row["moves"] > 0,
         f"{row['agpr']} AGPRs, {row['moves']} moves to or from them"),
        (row["vgpr"] > 256, f"{row['vgpr']} vector registers"),
        (row["lds"] > amd_code_objects.CHIPS[chip].group_lds, f"{row['lds']} bytes of LDS"),
    ]
    if limits is None:
        return [text for bad, text in rules if bad] + ["no line of the limits fits it"]
    wanted, share = limits["instruction"], float(limits["ahead"])
    rules += [
        (not fnmatch.fnmatchcase(row["instruction"], wanted),
         f"matrix instruction {row['instruction']} instead of {wanted}"),
        (row["products"] == 0, "no loop with products"),
        (row["waves"] < float(limits["waves"]),
         f"{row['waves']} waves on a SIMD instead of {limits['waves']}"),
        (row["loads"] == 0 and share > 0, "no load in the main loop"),
        (row["ahead"] < share * row["products"],
         f"loads only {row['ahead']} of {row['products']} products ahead, {share} of them wanted"),
    ]
    return [text for bad, text in rules if bad]


def print_table(rows):
    width = {c: max([len(c)] + [len(str(r[c])) for r in rows]) for c in COLUMNS}
    for row in [{c: c for c in COLUMNS}] + rows:
        cells = [f"{row[c]:{'<' if c in ('kernel', 'instruction') else '>'}{width[c]}}"
                 for c in COLUMNS]
        print("  ".join(cells))


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--chip", required=True, choices=sorted(amd_code_objects.CHIPS))
    parser.add_argument("--limits",
                        default=pathlib.Path(__file__).with_name("code_object_limits.csv"))
    parser.add_argument("objects", nargs="+")
    arguments = parser.parse_args()
    with open(arguments.limits) as file:
        limits = list(csv.DictReader(line for line in file if not line.startswith("#")))
    rows, faults = {}, []
    for path in arguments.objects:
        for demangled, notes, code in amd_code_objects.read(path, arguments.chip):
            kernel = kernel_name(demangled)
            if kernel is None:
                faults.append(f"{demangled}: not a name that this script knows")
            elif kernel not in rows:
                rows[kernel] = measure(arguments.chip, kernel, notes, code)
    def by_number(row):
        return [int(x) if x.isdigit() else x for x in re.split(r"(\d+)", row["kernel"])]

    ordered = sorted(rows.values(), key=by_number)
    print(arguments.chip)
    print_table(ordered)
    for row in ordered:
        wanted = limits_for(limits, arguments.chip, row["kernel"])
        faults += [f"{row['kernel']}: {text}" for text in broken(arguments.chip, row, wanted)]
    for fault in faults:
        print(f"FAILED: {fault}")
    print(f"{len(rows)} kernels, {len(faults)} faults")
    return 1 if faults or not rows else 0


if __name__ == "__main__":
    sys.exit(main())
