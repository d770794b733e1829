#!/usr/bin/env python3
"""The rules of include/fa that no compiler knows.

  check_layers.py [include folder]

  layers    core <- machine <- tile <- policy <- kernel <- launch: a file includes its own layer
            or a lower one
  machines  a machine's folder knows no other machine; tile, policy and kernel know none
  chips     architecture macros and intrinsics stand in machine/ and core/config.hpp only, vendor
            headers in machine/<name>/
  threads   no thread, lane, warp or wave number in tile, policy, kernel or launch
  macros    defined in core/ and machine/select.hpp only, elsewhere undefined again in the same file
  kernels   at most 3 "if constexpr" in a file of kernel/: it reads like the paper
  size      fewer than 400 lines a file, at most 100 columns
"""
import pathlib
import re
import sys

LAYERS = ["core", "machine", "tile", "policy", "kernel", "launch"]
MACHINES = ["host", "amd", "nv"]
MAX_LINES, MAX_COLUMNS = 400, 100

CHIP_MACRO = re.compile(
    r"\b(__AVX\w*|__SSE\w*|__FMA__|__F16C__|__x86_64__|__i386__|__aarch64__|__ARM_\w+"
    r"|__AMDGCN\w*|__gfx\w+|__GFX\w+|__HIP\w*|__CUDA\w*|__NVCC__)\b")
INTRINSIC = re.compile(
    r"\b(_mm\d*_\w+|__m(128|256|512)\w*|__builtin_(amdgcn|ia32|nvvm)_\w+|asm|__asm__)\b")
VENDOR_HEADER = re.compile(
    r"^(hip/|hip_|cuda|mma\.h|rocwmma|cute/|cutlass/|\w+intrin\.h|arm_\w+\.h)")
# Numbers of threads, such as `threads` or `warps`, are no thread's number: the plural is free.
THREAD = re.compile(
    r"\b(threadIdx|blockIdx|blockDim|gridDim|__lane_id|__shfl\w*|__syncthreads"
    r"|(\w+_)?(lane|warp|wave|thread)(_id|_index|_number|_in_\w+)?|this_(lane|warp|wave|thread)\w*"
    r"|(lane|warp|wave|thread)\(\))\b")


def without_comments(text):
    """Comments and string literals blanked out, line by line as before."""
    pattern = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"', re.S)
    return pattern.sub(lambda m: re.sub(r"[^\n]", " ", m.group()), text)


def check(root):
    found = []
    for path in sorted((root / "fa").rglob("*.hpp")):
        name = path.relative_to(root / "fa")
        parts = name.parts
        layer = parts[0] if len(parts) > 1 else "launch"  # the umbrella headers stand on top
        machine = parts[1] if layer == "machine" and len(parts) > 2 else None
        text = path.read_text(encoding="utf-8")
        lines = text.splitlines()

        def fault(number, message):
            found.append(f"include/fa/{name}:{number}: {message}")

        if layer not in LAYERS:
            fault(1, f"folder {layer} is no layer ({' -> '.join(LAYERS)})")
            continue
        if machine and machine not in MACHINES:
            fault(1, f"folder machine/{machine} is no machine ({', '.join(MACHINES)})")
        if "#pragma once" not in text:
            fault(1, "no #pragma once")
        if len(lines) >= MAX_LINES:
            fault(len(lines),
                  f"{len(lines)} lines; fewer than {MAX_LINES} are wanted: split it by idea")

        code = without_comments(text).splitlines()
        if layer == "kernel" and sum("if constexpr" in line for line in code) > 3:
            fault(1, 'more than 3 "if constexpr": move cases into verbs or policies')
        for number, (line, raw) in enumerate(zip(code, lines), 1):
            if len(raw) > MAX_COLUMNS:
                fault(number, f"{len(raw)} columns; at most {MAX_COLUMNS}")
            include = re.match(r'\s*#\s*include\s*([<"])([^>"]+)[>"]', raw)
            if include:
                quote, target = include.groups()
                if quote == '"':
                    fault(number, f'"{target}": say <fa/...>')
                if target.startswith("fa/") and target.count("/") > 1:
                    other = target.split("/")
                    if other[1] not in LAYERS:
                        fault(number, f"<{target}> is in no layer")
                    elif LAYERS.index(other[1]) > LAYERS.index(layer):
                        fault(number, f"layer {layer} includes <{target}>, a higher layer")
                    if not (root / target).exists():
                        fault(number, f"<{target}> does not exist")
                    other_machine = other[2] if other[1] == "machine" and len(other) > 3 else None
                    if other_machine and machine and other_machine != machine:
                        fault(number, f"machine {machine} includes <{target}>, another machine")
                    if other_machine and layer in ("core", "tile", "policy", "kernel"):
                        fault(number, f"layer {layer} includes <{target}>, one machine: "
                                      "go by <fa/machine/select.hpp>")
                elif target.startswith("fa/") and len(parts) > 1:
                    fault(number, f"<{target}> is an umbrella header, for users only")
                elif VENDOR_HEADER.match(target) and not machine and not target.startswith("fa/"):
                    fault(number, f"vendor header <{target}> outside machine/<name>/")
            if layer != "machine" and name.as_posix() != "core/config.hpp":
                for rule, kind in ((CHIP_MACRO, "architecture macro"), (INTRINSIC, "intrinsic")):
                    hit = rule.search(line)
                    if hit:
                        fault(number, f"{kind} {hit.group()} outside machine/")
            if layer in ("tile", "policy", "kernel", "launch"):
                # std::thread of the host is a thread, not its number.
                hit = THREAD.search(re.sub(r"std::(this_)?thread", "std::", line))
                if hit:
                    fault(number, f"{hit.group()}: no number of a thread, lane, warp or wave "
                                  "above machine/")
            hit = re.match(r"\s*#\s*define\s+(\w+)", line)
            if hit and layer != "core" and name.as_posix() != "machine/select.hpp" and \
                    not re.search(rf"^\s*#\s*undef\s+{hit.group(1)}\b", text, re.M):
                fault(number, f"macro {hit.group(1)} outside core/ and machine/select.hpp "
                              "is not undefined again")
    return found


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1
                        else pathlib.Path(__file__).resolve().parent.parent / "include")
    files = list((root / "fa").rglob("*.hpp"))
    found = check(root)
    print("\n".join(found) if found else f"{len(files)} files keep the rules")
    return 1 if found or not files else 0


if __name__ == "__main__":
    sys.exit(main())
