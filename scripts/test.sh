#!/usr/bin/env bash
# Installs what the tests need, builds the project and runs all its tests, on a fresh
# Debian or Ubuntu machine.
#   scripts/test.sh [--preset NAME] [--fast] [--no-install] [--jobs N] [-- CTEST ARGUMENTS]
#     --preset NAME   host (the default), host-clang, host-asan: built in build/NAME
#     --fast          leave out what is slow: consumers of the package, large rows of the matrix
#     --no-install    say what is missing instead of installing it
set -euo pipefail
. "$(dirname "$0")/lib.sh"

preset=host
own_option() {
  case $1 in
    --preset) preset=${2:?--preset needs a name}; used=2 ;;
    --fast) ctest_arguments+=(--label-exclude "package|slow") ;;
    *) return 1 ;;
  esac
}
parse_arguments "$@"

cd "$fa_root"
need_tests
if [ "$preset" = host-clang ] || [ "$preset" = host ]; then need clang have clang++; fi
step "packages" install_missing
check_toolchain
step "configure $preset" cmake --preset "$preset" "${cmake_arguments[@]}"
step "build $preset" cmake --build --preset "$preset" --parallel "$fa_jobs"
step "test $preset" ctest --preset "$preset" --parallel "$fa_jobs" "${ctest_arguments[@]}"
