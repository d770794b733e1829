#!/usr/bin/env bash
# Builds and runs the main example, examples/010_forward.cpp, on a fresh Debian or Ubuntu machine:
# on the GPU where an AMD GPU and hipcc, or an NVIDIA GPU and nvcc, are there; else on the CPU.
#   scripts/quickstart.sh [--cpu] [--no-install]
#     --cpu           on the CPU in any case
#     --no-install    say what is missing instead of installing it
set -euo pipefail
. "$(dirname "$0")/lib.sh"

gpu=1
own_option() {
  case $1 in
    --cpu) gpu=0 ;;
    *) return 1 ;;
  esac
}
parse_arguments "$@"

# amd_chip: the name of this machine's first AMD GPU, such as gfx942, from the kernel's driver. It
# has the version as a number, 90402: two digits each for minor version and stepping, of which the
# name has one (hexadecimal) digit each.
amd_chip() {
  local version
  version=$(sed -n 's/^gfx_target_version \([1-9][0-9]*\)$/\1/p' \
    /sys/class/kfd/kfd/topology/nodes/*/properties 2>/dev/null | head -n 1)
  [ -n "$version" ] &&
    printf 'gfx%d%x%x\n' $((version / 10000)) $((version / 100 % 100)) $((version % 100))
}

# nv_architecture: that of this machine's first NVIDIA GPU, such as 80; 90a with Hopper's own
# instructions.
nv_architecture() {
  local capability
  capability=$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader 2>/dev/null | head -n 1)
  capability=${capability/./}
  [ "$capability" != 90 ] || capability=90a
  [ -n "$capability" ] && echo "$capability"
}

cd "$fa_root"
source=examples/010_forward.cpp
program=build/quickstart/010_forward_gpu
compile=()
if [ "$gpu" = 1 ] && [ -e /dev/kfd ] && chip=$(amd_chip); then
  case $chip in
    gfx90a | gfx942 | gfx950 | gfx110[0-3] | gfx115[0-2] | gfx120[01])
      if have hipcc; then
        compile=(hipcc -x hip "--offload-arch=$chip" -O3 -std=c++20
          -I include "$source" -o "$program")
      else
        say "an AMD GPU is here ($chip), but no hipcc (ROCm, or Debian's package hipcc): on the CPU"
      fi
      ;;
    *) say "the AMD GPU here ($chip) is none that this version has kernels for: on the CPU" ;;
  esac
elif [ "$gpu" = 1 ] && have nvidia-smi && architecture=$(nv_architecture); then
  PATH=$PATH:/usr/local/cuda/bin
  if [ "${architecture%a}" -lt 80 ]; then
    say "the NVIDIA GPU here (sm_$architecture) is older than sm_80: on the CPU"
  elif have nvcc; then
    compile=(nvcc -x cu -gencode "arch=compute_$architecture,code=sm_$architecture" -O3 -std=c++20
      -I include "$source" -o "$program")
  else
    say "an NVIDIA GPU is here, but no nvcc (CUDA 12 or newer): on the CPU"
  fi
fi

if [ ${#compile[@]} -gt 0 ]; then
  mkdir -p build/quickstart
  step "build" "${compile[@]}"
  step "examples/010_forward" "$program"
  exit
fi

need_toolchain
step "packages" install_missing
check_toolchain
build=build/quickstart
step "configure" cmake --preset host -B $build \
  -DFA_BUILD_TESTS=OFF -DFA_BUILD_BENCH=OFF -DFA_INSTALL=OFF
step "build" cmake --build $build --target 010_forward --parallel "$fa_jobs"
step "examples/010_forward" $build/examples/010_forward
