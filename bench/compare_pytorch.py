#!/usr/bin/env python3
"""Times PyTorch's CPU attention and this library on the same tensors, in one process and
in turn, and prints ratios.

Each round times PyTorch, then this library, after a pause that lets the worker threads of the other
side fall asleep. The ratio is best time to best time; beside it stands the median of the rounds'
own ratios. A ratio above 1 means that this library is faster. PyTorch gets its best chance: where
there are several ways to call it, the fastest counts.
"""

import argparse
import ctypes
import datetime
import math
import os
import pathlib
import platform
import statistics
import sys
import time


class Problem(ctypes.Structure):
    """The twin of `problem` in fa_capi.cpp."""

    _fields_ = (
        [(name, ctypes.c_void_p) for name in "qkvo"]
        + [(name, ctypes.c_int64) for name in ("batch", "heads", "heads_kv", "queries", "keys")]
        + [(name + "_strides", ctypes.c_int64 * 3) for name in "qkvo"]
        + [(name, ctypes.c_int32) for name in ("type", "head_dim", "causal", "threads")]
    )


class Case:
    """One shape: its tensors, its work, and both ways to compute it."""

    def __init__(self, dtype, heads, heads_kv, queries, keys, causal, interleaved=False, dim=128):
        self.dtype, self.causal, self.interleaved = dtype, causal, interleaved
        self.heads, self.heads_kv = heads, heads_kv
        self.queries, self.keys, self.dim = queries, keys, dim
        self.decode = queries == 1

    def name(self):
        grouped = self.heads_kv != self.heads or self.decode
        shape = f"{self.heads}/{self.heads_kv} heads, " if grouped else ""
        what = f"{self.keys} tokens" + (", causal" if self.causal else "")
        if self.decode:
            what = f"one query row, {shape}{self.keys} keys"
        return what + (", heads interleaved" if self.interleaved else "")

    def prepare(self, torch, library, threads):
        """Makes the tensors, checks that both sides agree, and sets self.ours and self.theirs
        (a list of ways)."""
        torch.manual_seed(1)
        dtype = {"f32": torch.float32, "f16": torch.float16, "bf16": torch.bfloat16}[self.dtype]

        # [1, heads, tokens, dim]; interleaved: a view of [1, tokens, 32, dim]
        def tensor(heads, tokens):
            if self.interleaved:
                all_heads = torch.randn(1, tokens, max(heads, 32), self.dim).to(dtype)
                return all_heads[:, :, :heads].transpose(1, 2)
            return torch.randn(1, heads, tokens, self.dim).to(dtype)

        q = tensor(self.heads, self.queries)
        k, v = tensor(self.heads_kv, self.keys), tensor(self.heads_kv, self.keys)
        o = torch.empty_like(q)
        sdpa = torch.nn.functional.scaled_dot_product_attention
        group = self.heads // self.heads_kv
        if group == 1:
            ways = [lambda: sdpa(q, k, v, is_causal=self.causal)]
        else:
            # A single row sees all keys, so the heads of a group may also be passed as rows
            # of one head.
            rows = q.reshape(1, self.heads_kv, group, self.dim)
            ways = [lambda: sdpa(q, k, v, enable_gqa=True),
                    lambda: sdpa(rows, k, v).reshape(q.shape)]

        problem = Problem(q.data_ptr(), k.data_ptr(), v.data_ptr(), o.data_ptr(), 1, self.heads,
                          self.heads_kv, self.queries, self.keys)
        for name, t in zip("qkvo", (q, k, v, o)):
            setattr(problem, name + "_strides", (ctypes.c_int64 * 3)(*t.stride()[:3]))
        problem.type = {"f32": 0, "f16": 1, "bf16": 2}[self.dtype]
        problem.head_dim, problem.causal, problem.threads = self.dim, int(self.causal), threads
        message = ctypes.create_string_buffer(256)

        def ours():
            if library.fa_forward(ctypes.byref(problem), message, len(message)):
                raise RuntimeError(message.value.decode())

        ours()
        for way in ways:
            difference = (way().float() - o.float()).abs().max().item()
            if not difference < {"f32": 1e-4, "f16": 1e-2, "bf16": 6e-2}[self.dtype]:
                raise RuntimeError(
                    f"{self.name()} {self.dtype}: the results differ by {difference}")
        self.ours, self.theirs = ours, ways
        self.keep = (q, k, v, o, problem, message)

    def release(self):
        self.ours = self.theirs = self.keep = None

    def rate(self, seconds):
        """GFLOP/s, or GB/s of keys and values for one query row. Causal counts as half the work."""
        if self.decode:
            size = 4 if self.dtype == "f32" else 2
            return 2 * self.heads_kv * self.keys * self.dim * size / seconds * 1e-9
        operations = 4 * self.heads * self.queries * self.keys * self.dim
        return operations * (0.5 if self.causal else 1) / seconds * 1e-9


def seconds_of(call, repeat, clock):
    start = clock()
    for _ in range(repeat):
        call()
    return (clock() - start) / repeat


def time_in_turn(case, budget, clock):
    """Rounds of (fastest way of PyTorch, this library) until the budget is spent; two
    lists of seconds."""
    for call in (*case.theirs, case.ours):
        call()
    trial = [min(seconds_of(way, 1, clock) for _ in range(3)) for way in case.theirs]
    theirs = case.theirs[trial.index(min(trial))]
    once = max(min(trial), 1e-6)
    # Short calls in bursts of 20 ms, so that the pauses do not cool everything.
    repeat = max(1, math.ceil(0.02 / once))
    them, us, end = [], [], time.perf_counter() + budget
    while time.perf_counter() < end or len(us) < 5:
        time.sleep(0.005)
        them.append(seconds_of(theirs, repeat, clock))
        time.sleep(0.005)
        us.append(seconds_of(case.ours, repeat, clock))
    return them, us


def processor():
    try:
        for line in open("/proc/cpuinfo"):
            if line.startswith("model name"):
                return line.split(": ", 1)[1].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()


def cases():
    for dtype in ("f32", "bf16", "f16"):
        yield Case(dtype, 1, 1, 4096, 4096, False)
        yield Case(dtype, 1, 1, 4096, 4096, True)
        yield Case(dtype, 8, 8, 512, 512, True)
        yield Case(dtype, 2, 2, 4096, 4096, False, interleaved=True)
        yield Case(dtype, 32, 8, 1, 8192, False)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--library", required=True, help="the shared library made from fa_capi.cpp")
    parser.add_argument("--threads", default="1,all",
                        help="thread counts, comma-separated; default: %(default)s")
    parser.add_argument("--seconds", type=float, default=4,
                        help="per case and thread count; default: %(default)s")
    parser.add_argument("--clock", choices=("wall", "cpu"), default="wall",
                        help="cpu: the thread's CPU time, for one thread only, where others are at "
                             "work on the machine")
    parser.add_argument("--only", default="",
                        help="only cases whose description contains this, e.g. 'bf16' or 'causal'")
    parser.add_argument("--flags", default="",
                        help="compiler flags of the library, for the table's heading")
    parser.add_argument("--write", metavar="NAME", help="also write bench/results/NAME.md")
    args = parser.parse_args()

    import torch

    library = ctypes.CDLL(os.path.abspath(args.library))
    library.fa_build.restype = ctypes.c_char_p
    library.fa_forward.argtypes = (ctypes.c_void_p, ctypes.c_char_p, ctypes.c_int64)
    cpus = len(os.sched_getaffinity(0))
    counts = sorted({cpus if t == "all" else int(t) for t in args.threads.split(",")})

    lines = [
        "# This library and PyTorch's scaled_dot_product_attention on the CPU",
        "",
        f"- machine: {processor()}, {cpus} CPUs",
        f"- date: {datetime.date.today().isoformat()}",
        f"- this library: {library.fa_build().decode()}" +
        (f", `{args.flags}`" if args.flags else ""),
        f"- PyTorch {torch.__version__} ({torch.backends.cpu.get_cpu_capability()}), "
        f"Python {platform.python_version()}",
        "- clock: " +
        ("wall" if args.clock == "wall" else "CPU time of the thread (one thread), wall (several)"),
        "- head size 128; GFLOP/s of the best round, causal counted as half the work;",
        "  one query row in GB/s of keys and values. Ratio: this library to PyTorch by best",
        "  rounds; median: of the ratios of neighbouring rounds.",
        "",
        "| type | case | threads | PyTorch | this library | ratio | median |",
        "|---|---|---|---|---|---|---|",
    ]
    print("\n".join(lines), flush=True)
    for threads in counts:
        torch.set_num_threads(threads)
        clock = time.thread_time if args.clock == "cpu" and threads == 1 else time.perf_counter
        for case in cases():
            if args.only not in f"{case.dtype} {case.name()}":
                continue
            with torch.inference_mode():
                case.prepare(torch, library, threads)
                them, us = time_in_turn(case, args.seconds, clock)
            ratio, median = min(them) / min(us), statistics.median(t / u for t, u in zip(them, us))
            unit = " GB/s" if case.decode else ""
            line = (f"| {case.dtype} | {case.name()} | {threads}"
                    f" | {case.rate(min(them)):.1f}{unit} | {case.rate(min(us)):.1f}{unit}"
                    f" | {ratio:.2f} | {median:.2f} |")
            case.release()
            lines.append(line)
            print(line, flush=True)
    if args.write:
        target = pathlib.Path(__file__).resolve().parent / "results" / (args.write + ".md")
        target.parent.mkdir(exist_ok=True)
        target.write_text("\n".join(lines) + "\n")
        print(f"\nwritten: {target}", file=sys.stderr)


if __name__ == "__main__":
    main()
