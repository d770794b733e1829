#!/usr/bin/env bash
# Installs what the simulator of AMD GPUs and its tests need, builds both in build/host and runs
# the tests, on a fresh Debian 12 machine. No GPU is needed. On other systems: clang 19 and
# LLVM 19 under Debian's names.
#   scripts/test_amdsim.sh [--no-install] [--jobs N] [-D...] [-- CTEST ARGUMENTS]
#     --no-install    say what is missing instead of installing it
set -euo pipefail
. "$(dirname "$0")/lib.sh"

parse_arguments "$@"

cd "$fa_root"
need_tests
need_amd
step "packages" install_missing
check_toolchain
step "clang 22" install_ziglang
cmake_arguments+=(-DFA_BUILD_AMDSIM=ON -DAMDSIM_REQUIRE_COMPILERS=ON -DAMD_ZIG="$fa_zig")
step "configure host with amdsim" cmake --preset host "${cmake_arguments[@]}"
step "build amdsim" cmake --build --preset host --parallel "$fa_jobs" --target amdsim_tests
step "test amdsim" ctest --preset host --parallel "$fa_jobs" --label-regex '^amdsim$' \
  "${ctest_arguments[@]}"
