#!/usr/bin/env python3
"""Times this library and PyTorch's attention backends side by side on an NVIDIA GPU, and prints a table in Markdown.

usage: compare_cuda.py build/cuda/bench/libfa_cuda_capi.so

bf16, batch x sequence = 16384, 2048 / D heads. TFLOP/s of 4 b h s^2 D (half of it under the causal mask): from the median of single
launches, timed by events after a warm-up, and after the stroke under sustained load, from launches one after the other over 60 ms.
Every result of ours is compared with that of the flash backend first. The sides take turns within a row.
"""
import ctypes
import math
import sys

import torch
import torch.nn.functional as functional
from torch.nn.attention import SDPBackend, sdpa_kernel

BACKENDS = {"flash": SDPBackend.FLASH_ATTENTION, "cuDNN": SDPBackend.CUDNN_ATTENTION}
LAUNCHES = 21


def median_ms(launch):
    for _ in range(5):
        launch()
    times = []
    for _ in range(LAUNCHES):
        start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        start.record()
        launch()
        end.record()
        end.synchronize()
        times.append(start.elapsed_time(end))
    return sorted(times)[LAUNCHES // 2]


def sustained_ms(launch, single):
    start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    launches = max(8, int(60 / single))
    start.record()
    for _ in range(launches):
        launch()
    end.record()
    end.synchronize()
    return start.elapsed_time(end) / launches


def ours(library, q, k, v, o, lse, causal):
    pointers = [ctypes.c_void_p(x.data_ptr()) for x in (q, k, v, o, lse)]
    sizes = [ctypes.c_int64(x) for x in (q.shape[0], q.shape[1], k.shape[1], q.shape[2], k.shape[2])]
    stream = ctypes.c_void_p(torch.cuda.current_stream().cuda_stream)
    if library.fa_forward_bf16(q.shape[3], *pointers, *sizes, int(causal), stream):
        sys.exit("refused")


def theirs(backend, q, k, v, causal):
    with sdpa_kernel(backend):
        return functional.scaled_dot_product_attention(*(x.transpose(1, 2) for x in (q, k, v)), is_causal=causal).transpose(1, 2)


def random_tensors(*shapes):
    return [torch.randn(*s, device="cuda", dtype=torch.bfloat16) for s in shapes]


def prefill(library):
    print("| D | sequence | mask | fa | flash | cuDNN | fa / cuDNN |\n|---|---|---|---|---|---|---|")
    for d in (64, 128, 256):
        for s in (512, 1024, 2048, 4096, 8192, 16384):
            b, h = 16384 // s, 2048 // d
            torch.manual_seed(s + d)
            q, k, v = random_tensors(*[(b, s, h, d)] * 3)
            o, lse = torch.full_like(q, math.nan), torch.full((b, h, s), math.nan, device="cuda")
            for causal in (False, True):
                want = theirs(SDPBackend.FLASH_ATTENTION, q, k, v, causal).float()
                ours(library, q, k, v, o, lse, causal)
                error = ((o.float() - want).norm() / want.norm()).item()
                if not error < 5e-3:
                    sys.exit(f"D {d}, sequence {s}: differs from flash by {error}")
                flop = 4 * b * h * s * s * d * (0.5 if causal else 1) / 1e9
                sides = {"fa": lambda: ours(library, q, k, v, o, lse, causal)}
                for name, backend in BACKENDS.items():
                    sides[name] = lambda backend=backend: theirs(backend, q, k, v, causal)
                single = {name: median_ms(launch) for name, launch in sides.items()}
                loaded = {name: sustained_ms(launch, single[name]) for name, launch in sides.items()}
                cells = " | ".join(f"{flop / single[x]:.0f} / {flop / loaded[x]:.0f}" for x in sides)
                ratios = f"{single['cuDNN'] / single['fa']:.2f} / {loaded['cuDNN'] / loaded['fa']:.2f}"
                print(f"| {d} | {s} | {'causal' if causal else 'none'} | {cells} | {ratios} |", flush=True)


def single_row(library):
    print("\n| batch | keys | TB/s of K and V | copy, TB/s read and written |\n|---|---|---|---|")
    for b, s in ((64, 8192), (256, 2048), (16, 32768)):
        q, k, v = random_tensors((b, 1, 32, 128), (b, s, 8, 128), (b, s, 8, 128))
        o, lse = torch.empty_like(q), torch.empty(b, 32, 1, device="cuda")
        size = 2 * k.numel() * 2
        time, copy = median_ms(lambda: ours(library, q, k, v, o, lse, False)), median_ms(lambda: v.copy_(k))
        print(f"| {b} | {s} | {size / time / 1e9:.2f} | {size / copy / 1e9:.2f} |", flush=True)


def main():
    library = ctypes.CDLL(sys.argv[1])
    print(f"{torch.cuda.get_device_name()}, PyTorch {torch.__version__}\n")
    prefill(library)
    single_row(library)


if __name__ == "__main__":
    main()
