#!/usr/bin/env bash
# Builds and runs the main example, examples/010_forward.cpp, on a fresh Debian or Ubuntu machine:
# on the GPU if there is one that this version runs on, else on the CPU.
#   scripts/quickstart.sh [--no-install]     (--no-install: say what is missing instead of installing it)
set -euo pipefail
. "$(dirname "$0")/lib.sh"

for argument in "$@"; do
  case $argument in
    --no-install) fa_install=0 ;;
    -h | --help) sed -n '2,4s/^# \{0,1\}//p' "$0"; exit 0 ;;
    *) die "unknown argument $argument (try --help)" ;;
  esac
done

cd "$fa_root"
need_toolchain
step "packages" install_missing
check_toolchain
if have_file /dev/kfd /dev/nvidiactl; then
  say "a GPU is here; this example runs on the CPU (NVIDIA: README.md says how fa::on(stream) is built; AMD: not in this version)"
fi
build=build/quickstart
step "configure" cmake --preset host -B $build -DFA_BUILD_TESTS=OFF -DFA_BUILD_BENCH=OFF -DFA_INSTALL=OFF
step "build" cmake --build $build --target 010_forward --parallel "$fa_jobs"
step "examples/010_forward" $build/examples/010_forward
