#!/usr/bin/env bash
# Builds the kernels for AMD GPUs, checks what the compiler made of them, and runs the device tests
# on the simulator: no GPU is needed. Installs what is missing, on a fresh Debian 12 machine. On
# other systems: clang 19 and LLVM 19 under Debian's names.
#   scripts/test_amd.sh [--chips LIST] [--gpu] [--no-install] [--jobs N] [-D...]
#                       [-- CTEST ARGUMENTS]
#     --chips LIST    such as gfx942,gfx1100; the default is gfx90a,gfx942,gfx950,gfx1100,gfx1201
#     --gpu           run on this machine's GPU, which must be of the one chip that --chips names,
#                     and not on the simulator
#     --no-install    say what is missing instead of installing it
set -euo pipefail
. "$(dirname "$0")/lib.sh"

chips=gfx90a,gfx942,gfx950,gfx1100,gfx1201
gpu=0
own_option() {
  case $1 in
    --chips) chips=${2:?--chips needs a list}; used=2 ;;
    --gpu) gpu=1 ;;
    *) return 1 ;;
  esac
}
parse_arguments "$@"

cd "$fa_root"
need_tests
need_amd
need llvm-19 have llvm-objdump-19
step "packages" install_missing
check_toolchain
zig=()
if [[ $chips == *gfx950* ]]; then
  step "clang 22" install_ziglang
  zig=("-DAMD_ZIG=$fa_zig")
fi
launcher=
if [ "$gpu" = 0 ]; then
  step "configure the simulator" cmake --preset host -DFA_BUILD_AMDSIM=ON "${zig[@]}"
  step "build the simulator" cmake --build --preset host --parallel "$fa_jobs" --target amdsim
  launcher="$fa_root/build/host/test/amdsim/amdsim;--chip;{chip};--checks;all;--order;{order}"
fi
step "configure hip" cmake --preset hip "-DFA_HIP_ARCHITECTURES=${chips//,/;}" \
  "-DFA_DEVICE_LAUNCHER=$launcher" "${zig[@]}" "${cmake_arguments[@]}"
step "build hip" cmake --build --preset hip --parallel "$fa_jobs"
step "test hip" ctest --preset hip --parallel "$fa_jobs" "${ctest_arguments[@]}"
