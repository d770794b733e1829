#!/usr/bin/env python3
"""Times this library, PyTorch's attention backends and, where it is installed, FlashAttention-4
side by side on an NVIDIA GPU, and prints tables in Markdown.

usage: compare_cuda.py build/cuda/bench/libfa_cuda_capi.so [--quick]

bf16, batch x sequence = 16384, 2048 / D heads. TFLOP/s of 4 b h s^2 D, half of it under the causal
mask. Every side is recorded as a CUDA graph of some launches, so that only the GPU is timed:

  burst       one graph of about 2 ms after a pause of 30 ms, the median of 3
  sustained   graphs one after the other for 40 ms, when the GPU has worked at the same for 10 ms;
              the median of as many rounds as there are sides, in which each comes once in each
              place: who works behind a side that heats more finds a slower GPU

The results of all sides are compared with each other first. --quick: one burst, one round.
FlashAttention-4 is taken where Python finds it: README.md says how to bring it along.
"""
import argparse
import ctypes
import math
import statistics
import sys
import time
import warnings

import torch
import torch.nn.functional as functional
from torch.nn.attention import SDPBackend, sdpa_kernel

HEAD_SIZES = (64, 128, 256)
SEQUENCES = (512, 1024, 2048, 4096, 8192, 16384)


def milliseconds(work):
    start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    start.record()
    work()
    end.record()
    end.synchronize()
    return start.elapsed_time(end)


class Side:
    """Launches of one library, as a graph; from the host where they cannot be recorded,
    which is said."""

    def __init__(self, launch):
        launch()
        once = min(milliseconds(launch) for _ in range(3))
        self.launches = max(2, round(2 / max(once, 0.05)))
        self.times = []
        graph = torch.cuda.CUDAGraph()
        try:
            with torch.cuda.graph(graph):
                for _ in range(self.launches):
                    launch()
            self.replay = graph.replay
        except RuntimeError as fault:
            print(f"not recorded: {str(fault).splitlines()[0]}")
            self.replay = lambda: [launch() for _ in range(self.launches)]

    def burst(self, rounds):
        times = []
        for _ in range(rounds):
            torch.cuda.synchronize()
            time.sleep(0.03)
            times.append(milliseconds(self.replay))
        return statistics.median(times) / self.launches

    def load(self):
        once = milliseconds(self.replay)
        for _ in range(math.ceil(10 / once)):
            self.replay()
        replays = math.ceil(40 / once)
        took = milliseconds(lambda: [self.replay() for _ in range(replays)])
        self.times.append(took / replays / self.launches)

    def sustained(self):
        return statistics.median(self.times)


def ours(library, q, k, v, o, lse, causal):
    pointers = [ctypes.c_void_p(x.data_ptr()) for x in (q, k, v, o, lse)]
    sizes = [ctypes.c_int64(x)
             for x in (q.shape[0], q.shape[1], k.shape[1], q.shape[2], k.shape[2])]
    stream = ctypes.c_void_p(torch.cuda.current_stream().cuda_stream)
    forward = library.fa_forward_bf16 if q.dtype == torch.bfloat16 else library.fa_forward_f16
    if forward(q.shape[3], *pointers, *sizes, int(causal), stream):
        sys.exit("refused")


def of_pytorch(backend):
    def run(q, k, v, causal):
        with sdpa_kernel(backend):
            heads_first = (x.transpose(1, 2) for x in (q, k, v))
            return functional.scaled_dot_product_attention(*heads_first,
                                                           is_causal=causal).transpose(1, 2)
    return run


def others():
    """{name: function of q, k, v, causal}, tensors [batch, sequence, heads, D]."""
    sides = {"cuDNN": of_pytorch(SDPBackend.CUDNN_ATTENTION)}
    try:
        warnings.filterwarnings("ignore", message=".*cannot be converted to a JitArgument.*")
        from flash_attn.cute import flash_attn_func

        def flash_attention_4(q, k, v, causal):
            result = flash_attn_func(q, k, v, causal=causal)
            return result[0] if isinstance(result, tuple) else result
        sides["FA-4"] = flash_attention_4
    except ImportError as missing:
        print(f"no FlashAttention-4: {missing}\n")
    sides["flash"] = of_pytorch(SDPBackend.FLASH_ATTENTION)
    return sides


def random_tensors(*shapes):
    return [torch.randn(*s, device="cuda", dtype=torch.bfloat16) for s in shapes]


def distance(a, b):
    return ((a.float() - b.float()).norm() / b.float().norm()).item()


def in_turns(sides, rounds):
    for i in range(rounds):
        first = i % len(sides)
        yield from sides[first:] + sides[:first]


def prefill(library, sides, rounds):
    rivals = [name for name in sides if name != "flash"]
    columns = ["D", "sequence", "mask", "fa", *sides, *(f"fa / {name}" for name in rivals)]
    print("| " + " | ".join(columns) + " |\n" + "|---" * len(columns) + "|")
    for d in HEAD_SIZES:
        for s in SEQUENCES:
            b, h = 16384 // s, 2048 // d
            torch.manual_seed(s + d)
            q, k, v = random_tensors(*[(b, s, h, d)] * 3)
            o, lse = torch.full_like(q, math.nan), torch.full((b, h, s), math.nan, device="cuda")
            for causal in (False, True):
                o.fill_(math.nan)
                ours(library, q, k, v, o, lse, causal)
                for name, run in sides.items():
                    if not (error := distance(o, run(q, k, v, causal))) < 5e-3:
                        sys.exit(f"D {d}, sequence {s}: differs from {name} by {error}")
                all_sides = {"fa": Side(lambda: ours(library, q, k, v, o, lse, causal))}
                for name, run in sides.items():
                    all_sides[name] = Side(lambda run=run: run(q, k, v, causal))
                burst = {name: side.burst(rounds) for name, side in all_sides.items()}
                for side in in_turns(list(all_sides.values()),
                                     1 if rounds == 1 else len(all_sides)):
                    side.load()
                loaded = {name: side.sustained() for name, side in all_sides.items()}
                flop = 4 * b * h * s * s * d * (0.5 if causal else 1) / 1e9
                cells = [f"{flop / burst[x]:.0f} / {flop / loaded[x]:.0f}" for x in all_sides]
                cells += [f"{burst[x] / burst['fa']:.2f} / {loaded[x] / loaded['fa']:.2f}"
                          for x in rivals]
                mask = "causal" if causal else "none"
                print(f"| {d} | {s} | {mask} | " + " | ".join(cells) + " |", flush=True)


def element_types(library, rounds):
    print("\n| D | bf16 | f16 | f16 / bf16 |\n|---|---|---|---|")
    for d in HEAD_SIZES:
        s, h = 8192, 2048 // d
        tensors = random_tensors(*[(2, s, h, d)] * 3)
        lse = torch.empty(2, h, s, device="cuda")
        sides = {}
        for dtype in (torch.bfloat16, torch.float16):
            q, k, v = (x.to(dtype) for x in tensors)
            o = torch.empty_like(q)
            sides[dtype] = Side(lambda q=q, k=k, v=v, o=o: ours(library, q, k, v, o, lse, False))
        for side in in_turns(list(sides.values()), 2 * rounds):
            side.load()
        times = [side.sustained() for side in sides.values()]
        rates = " | ".join(f"{8 * h * s * s * d / t / 1e9:.0f}" for t in times)
        print(f"| {d} | {rates} | {times[0] / times[1]:.3f} |", flush=True)


def single_row(library):
    print("\n| batch | keys | TB/s of K and V | copy, TB/s read and written |\n|---|---|---|---|")
    for b, s in ((64, 8192), (256, 2048), (16, 32768)):
        q, k, v = random_tensors((b, 1, 32, 128), (b, s, 8, 128), (b, s, 8, 128))
        o, lse = torch.empty_like(q), torch.empty(b, 32, 1, device="cuda")
        size = 2 * k.numel() * 2
        row = Side(lambda: ours(library, q, k, v, o, lse, False)).burst(5)
        # No graph: a node of it copies more slowly.
        copy = statistics.median(milliseconds(lambda: v.copy_(k)) for _ in range(21))
        print(f"| {b} | {s} | {size / row / 1e9:.2f} | {size / copy / 1e9:.2f} |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("library")
    parser.add_argument("--quick", action="store_true")
    options = parser.parse_args()
    library = ctypes.CDLL(options.library)
    print(f"{torch.cuda.get_device_name()}, PyTorch {torch.__version__}, "
          f"cuDNN {torch.backends.cudnn.version()}\n")
    rounds = 1 if options.quick else 3
    prefill(library, others(), rounds)
    element_types(library, rounds)
    single_row(library)


if __name__ == "__main__":
    main()
