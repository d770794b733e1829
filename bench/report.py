#!/usr/bin/env python3
"""Turns the JSON of fa_bench into Markdown tables.

    build/host/bench/fa_bench --quick --benchmark_out=quick.json
    bench/report.py quick.json                      prints them
    bench/report.py quick.json --write NAME         also writes bench/results/NAME.md

Each entry is the best round's GFLOP/s (GB/s) and, in brackets, its fraction of the roof that a loop
reached in the same process at the same time. With several files, or with --benchmark_repetitions,
the entry with the median fraction counts.
"""

import argparse
import json
import pathlib
import re
import sys

NAME = re.compile(r"(?P<family>\w+)/(?P<rest>.*)/threads:(?P<threads>\d+)")


def load(paths):
    """The context of the first file, and {name: [run, ...]}."""
    context, runs = None, {}
    for path in paths:
        data = json.loads(pathlib.Path(path).read_text())
        context = context or data["context"]
        for run in data["benchmarks"]:
            if run.get("run_type", "iteration") == "iteration":
                runs.setdefault(run["run_name"], []).append(run)
    return context, runs


def middle(runs, key):
    return sorted(runs, key=lambda r: r[key])[len(runs) // 2]


def heading(context):
    """Where, with what and when the figures were taken."""
    flags = context.get("flags")
    version = int(context.get("fa_version", 0))
    return [
        f"- machine: {context.get('processor', 'unknown')}, {context['num_cpus']} CPUs",
        f"- date: {context['date'][:10]}",
        f"- compiler: {context.get('compiler', 'unknown')}" + (f", `{flags}`" if flags else ""),
        f"- vectors: {context.get('instruction_set', 'unknown')}; "
        f"threads by {context.get('threading', 'unknown')}; clock: {context.get('clock', 'wall')}",
        f"- version {version // 10000}.{version // 100 % 100}.{version % 100}",
    ]


def pivot(title, rows, columns, cells, heads):
    """A table of cells[row, column]; columns as given, rows in order of appearance."""
    lines = [f"## {title}", "", "| " + " | ".join(heads + columns) + " |",
             "|" + "---|" * (len(heads) + len(columns))]
    for row in rows:
        entries = [cells.get((row, c), "") for c in columns]
        lines.append("| " + " | ".join([*row, *entries]) + " |")
    return lines + [""]


def tables(runs):
    out = []
    groups = {}
    for name, repeats in runs.items():
        if any(r.get("error_occurred") for r in repeats):
            print(f"{name}: {repeats[0].get('error_message')}", file=sys.stderr)
            continue
        if match := NAME.fullmatch(name):
            group = groups.setdefault((match["family"], int(match["threads"])), [])
            group.append((match["rest"].split("/"), repeats))

    for (family, threads), entries in sorted(groups.items()):
        some = f"{threads} thread{'s' if threads > 1 else ''}"
        rows, cells, columns = {}, {}, {}
        for parts, repeats in entries:
            if family == "forward":  # type, d, s, mask, layout
                kind, d, s, mask, layout = parts
                run = middle(repeats, "fraction")
                row, column = (kind, d[1:], mask, layout), s[1:]
                text = f"{run['GFLOPS']:.1f} ({run['fraction']:.2f})"
            elif family == "decode":  # type, d, heads, keys, layout
                kind, _, _, keys, layout = parts
                run = middle(repeats, "fraction")
                row, column = (kind, layout), keys[1:]
                text = f"{run['GBps']:.1f} ({run['fraction']:.2f})"
            elif family == "scaling":
                kind, d, s, mask = parts
                run = middle(repeats, "speedup")
                row, column = (kind, d[1:], mask), s[1:]
                text = f"{run['speedup']:.2f} ({run['roof_speedup']:.2f})"
            else:
                continue
            rows[row], columns[column], cells[row, column] = None, None, text
        columns = sorted(columns, key=int)
        if family == "forward":
            out += pivot(f"Forward, {some}: GFLOP/s (fraction of the roof) by sequence length",
                         rows, columns, cells, ["type", "head size", "mask", "layout"])
        elif family == "decode":
            out += pivot(f"One query row, 32/8 heads, head size 128, {some}: "
                         "GB/s (fraction of a read loop) by keys",
                         rows, columns, cells, ["type", "layout"])
        elif family == "scaling":
            out += pivot(f"Speed-up of {some} over one (of the roof loop) by sequence length", rows,
                         columns, cells, ["type", "head size", "mask"])
    return out


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("json", nargs="+")
    parser.add_argument("--title", default="Attention on the CPU: fa_bench")
    parser.add_argument("--write", metavar="NAME")
    args = parser.parse_args()
    context, runs = load(args.json)
    text = "\n".join([f"# {args.title}", "", *heading(context), "", *tables(runs)])
    print(text)
    if args.write:
        target = pathlib.Path(__file__).resolve().parent / "results" / (args.write + ".md")
        target.parent.mkdir(exist_ok=True)
        target.write_text(text)
        print(f"written: {target}", file=sys.stderr)


if __name__ == "__main__":
    main()
