#!/usr/bin/env python3
"""What nvcc makes of the Hopper kernels (sm_90a), without a GPU:

  advisories   none of ptxas' C75xx: no product is serialised
  registers    no spill, no local memory
  order        in the main loop both products are issued before softmax
  meetings     behind a branch that only some lanes take no instruction waits for all lanes: the
               others never come

The last two need cuobjdump and nvdisasm (of the CUDA toolkit, or pip install nvidia-cuda-cuobjdump
nvidia-cuda-nvdisasm), else they are left out.

  check_hopper_build.py [--nvcc nvcc] [--cuobjdump cuobjdump] [--jobs N]
"""
import argparse
import concurrent.futures
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
SIZES = [(32, 32), (64, 64), (96, 96), (128, 128), (192, 192), (256, 256), (192, 128), (64, 256)]
SOURCE = """#include <fa/attention.hpp>
struct slope {{
  static constexpr bool same_for_all_heads = true;
  float cap = 50;
  FA_FN slope bind(const fa::sequence&) const {{ return *this; }}
  FA_FN float operator()(float x, int i, int j) const {{
    return x * cap + 0.01f * static_cast<float>(i - j);
  }}
}};
template <class... O>
fa::status run(const typename fa::attention<O...>::forward_args& a) {{
  return fa::attention<O...>::forward(fa::on(nullptr), a);
}}
#define FORWARD(...) \\
  template fa::status run<__VA_ARGS__>(const typename fa::attention<__VA_ARGS__>::forward_args&);
FORWARD(fa::bf16, fa::head_dim<{d}, {dv}>, fa::window)
FORWARD(fa::bf16, fa::head_dim<{d}, {dv}>, fa::window, fa::varlen)
FORWARD(fa::f16, fa::head_dim<{d}, {dv}>, fa::window, fa::output<float>)
FORWARD(fa::bf16, fa::head_dim<{d}, {dv}>, fa::causal_top_left, slope)
"""


def hopper_kernels(listing):
    """{name: [(address, instruction)]} of a disassembly."""
    kernels, name = {}, None
    for line in listing.splitlines():
        if found := re.search(r"Function : (\S+)", line):
            name = found.group(1)
        elif name and "hopper" in name and (
                found := re.match(r"\s+/\*([0-9a-f]{4,})\*/\s+(.*?);", line)):
            kernels.setdefault(name, []).append((int(found.group(1), 16), found.group(2)))
    return kernels


def letter(text):
    """The kind of an instruction: S and V products, W a wait for them, E an exponential."""
    if "gdesc" in text and ".tnspB" not in text:
        return "S"
    if "HGMMA" in text:
        return "V"
    return "W" if "DEPBAR" in text else "E" if "MUFU.EX2" in text else ""


def issues_ahead(code):
    """Whether there is a loop in which products, of scores and of values, precede softmax."""
    place = {address: i for i, (address, _) in enumerate(code)}
    for i, (address, text) in enumerate(code):
        back = re.search(r"\bBRA\b.*?(0x[0-9a-f]+)", text)
        if not back or int(back.group(1), 16) not in place or int(back.group(1), 16) > address:
            continue
        body = "".join(letter(t) for _, t in code[place[int(back.group(1), 16)]:i + 1])
        if re.fullmatch(r"S+V+WE*(W?E*)*", body) and body.count("E") >= 16:
            return True
    return False


def meets_behind_branch(code):
    return any(re.match(r"@!?P\d\s+BRA\b", text) and "WARPSYNC.ALL" in after
               for (_, text), (_, after) in zip(code, code[1:]))


def code_faults(listing):
    kernels = hopper_kernels(listing)
    faults = []
    if len(kernels) != 4:
        faults.append(f"{len(kernels)} kernels in the disassembly instead of 4")
    faults += [f"no loop that issues both products before softmax: {name}"
               for name, code in kernels.items() if not issues_ahead(code)]
    faults += [f"lanes that branched off are waited for: {name}"
               for name, code in kernels.items() if meets_behind_branch(code)]
    return faults


def check(job):
    nvcc, cuobjdump, folder, (d, dv) = job
    source = folder / f"hopper_{d}_{dv}.cu"
    source.write_text(SOURCE.format(d=d, dv=dv))
    command = [nvcc, "-std=c++20", "-O3", "-I", ROOT / "include", "-gencode",
               "arch=compute_90a,code=sm_90a", "-Xptxas", "-v",
               "-c", source, "-o", source.with_suffix(".o")]
    done = subprocess.run(command, capture_output=True, text=True)
    log = done.stdout + done.stderr
    if done.returncode:
        return [f"D {d}/{dv} does not compile\n{log}"]
    faults = [f"D {d}/{dv}: {line}" for line in log.splitlines() if re.search(r"\(C75\d\d\)", line)]
    kernels = re.findall(r"Compiling entry function '(\S*hopper\S*)'.*?\n.*?\n"
                         r"\s*(\d+) bytes stack frame, (\d+) bytes spill stores", log)
    if len(kernels) != 4:
        faults.append(f"D {d}/{dv}: {len(kernels)} kernels in the report of ptxas instead of 4")
    faults += [f"D {d}/{dv}: {stack} bytes of stack, {spills} of spills: {name}"
               for name, stack, spills in kernels
               if int(stack) or int(spills)]
    if cuobjdump:
        listing = subprocess.run([cuobjdump, "-sass", source.with_suffix(".o")],
                                 capture_output=True, text=True).stdout
        faults += [f"D {d}/{dv}: {fault}" for fault in code_faults(listing)]
    return faults


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--nvcc", default="nvcc")
    parser.add_argument("--cuobjdump", default=None)
    parser.add_argument("--jobs", type=int, default=1)
    options = parser.parse_args()
    beside = pathlib.Path(shutil.which(options.nvcc) or options.nvcc).with_name("cuobjdump")
    cuobjdump = options.cuobjdump or shutil.which("cuobjdump") or (str(beside)
                                                                   if beside.exists() else None)
    with tempfile.TemporaryDirectory() as folder:
        jobs = [(options.nvcc, cuobjdump, pathlib.Path(folder), size) for size in SIZES]
        with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
            faults = [fault for found in pool.map(check, jobs) for fault in found]
    print("\n".join(faults))
    print(f"{4 * len(SIZES)} Hopper kernels, {len(faults)} faults" +
          ("" if cuobjdump else "; no cuobjdump: order and meetings not checked"))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
