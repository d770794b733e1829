# Shared by the scripts of this folder: steps with timings, and packages. Sourced, not run.

fa_root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
fa_jobs=${FA_JOBS:-$(nproc 2>/dev/null || echo 2)}
fa_install=${FA_INSTALL_PACKAGES:-1}

say() { printf '%s\n' "$*"; }
die() { printf 'error: %s\n' "$*" >&2; exit 1; }

# step NAME COMMAND...: runs it, says how long it took, stops the script where it failed.
step() {
  local name=$1 start=$SECONDS status=0
  shift
  say "==> $name"
  "$@" || status=$?
  if [ "$status" -ne 0 ]; then
    say "==> $name: FAILED after $((SECONDS - start)) s (exit status $status): $*"
    exit "$status"
  fi
  say "==> $name: $((SECONDS - start)) s"
}

# parse_arguments ARGUMENT...: options that all scripts of tests have; cmake_arguments and
# ctest_arguments are for those programs. Others go to own_option OPTION REST..., where the script
# has one: it returns 1 where it does not know it either, and sets used=2 where it has taken a value
# too. Help is the comment at the head of the script.
cmake_arguments=()
ctest_arguments=()
parse_arguments() {
  local used
  while [ $# -gt 0 ]; do
    used=1
    case $1 in
      --no-install) fa_install=0; export FA_INSTALL_PACKAGES=0 ;;
      --jobs) fa_jobs=${2:?--jobs needs a number}; used=2 ;;
      -D*) cmake_arguments+=("$1") ;;
      -h | --help) sed -n '2,/^[^#]/s/^# \{0,1\}//p' "$0"; exit 0 ;;
      --) shift; ctest_arguments+=("$@"); return ;;
      *) have own_option && own_option "$@" || die "unknown argument $1 (try --help)" ;;
    esac
    shift "$used"
  done
}

have() { command -v "$1" >/dev/null 2>&1; }
have_header() { printf '#include <%s>\n' "$1" | "${CXX:-c++}" -E -x c++ - >/dev/null 2>&1; }
have_file() { local f; for f in "$@"; do [ -e "$f" ] && return 0; done; return 1; }

# need PACKAGE COMMAND...: where the command fails, that Debian package is missing.
fa_missing=()
need() {
  local package=$1
  shift
  "$@" || fa_missing+=("$package")
}

# Installs what is missing, where apt-get may; else says what is missing and how to get it.
install_missing() {
  if [ ${#fa_missing[@]} -eq 0 ]; then
    say "nothing is missing"
    return
  fi
  local sudo=()
  if [ "$(id -u)" -ne 0 ]; then sudo=(sudo -n); fi
  if [ "$fa_install" = 1 ] && have apt-get &&
    { [ "$(id -u)" -eq 0 ] || sudo -n true 2>/dev/null; }; then
    say "installing: ${fa_missing[*]}"
    "${sudo[@]}" apt-get update -qq
    "${sudo[@]}" env DEBIAN_FRONTEND=noninteractive \
      apt-get install -y -qq --no-install-recommends "${fa_missing[@]}"
    fa_missing=()
  else
    say "missing: ${fa_missing[*]}"
    say "install them (the names are Debian's and Ubuntu's), then run this again:"
    say "  sudo apt-get install ${fa_missing[*]}"
    exit 1
  fi
}

# at_least WHAT FOUND WANTED
at_least() {
  if [ "$(printf '%s\n%s\n' "$3" "$2" | sort -V | head -n 1)" != "$3" ]; then
    die "$1 $3 or later is needed, found $2; ${4:-a newer release of the distribution has it}"
  fi
}

need_toolchain() {
  need g++ have "${CXX:-g++}"
  need cmake have cmake
  have ninja || need make have make
}

check_toolchain() {
  at_least cmake "$(cmake --version | sed -n '1s/[^0-9]*\([0-9.]*\).*/\1/p')" 3.24 \
    "python3 -m pip install cmake brings one"
  if "${CXX:-g++}" --version | grep -q clang; then
    at_least clang "$("${CXX:-g++}" -dumpversion)" 14
  else
    at_least g++ "$("${CXX:-g++}" -dumpfullversion)" 12 \
      "apt-get install g++-12, then CXX=g++-12 before this command"
  fi
  if have ninja; then export CMAKE_GENERATOR=${CMAKE_GENERATOR:-Ninja}; fi
}

have_venv() { python3 -c 'import venv, ensurepip' >/dev/null 2>&1; }
have_pip() { python3 -m pip --version >/dev/null 2>&1; }
have_catch() { have_header catch2/catch.hpp || have_header catch2/catch_all.hpp; }

# What configuring and building the tests needs.
need_tests() {
  need_toolchain
  need python3 have python3
  need python3-pip have_pip
  need python3-venv have_venv
  need catch2 have_catch
  need libbenchmark-dev have_header benchmark/benchmark.h
  need nlohmann-json3-dev have_header nlohmann/json.hpp
  need rocm-cmake have_file /usr/share/rocm/cmake/ROCMConfig.cmake \
    /opt/rocm/share/rocm/cmake/ROCMConfig.cmake
}

# What building programs for AMD GPUs and running them on the simulator needs.
need_amd() {
  need clang-19 have clang++-19
  need lld-19 have ld.lld-19
  need clang-tools-19 have clang-offload-bundler-19
  need llvm-19-dev have_file /usr/lib/llvm-19/include/llvm-c/Disassembler.h
  need libamdhip64-dev have_file /usr/include/hip/hip_runtime.h /opt/rocm/include/hip/hip_runtime.h
  need hipcc have hipcc
  need rocm-device-libs have_file /usr/lib/*/amdgcn/bitcode/ockl.bc /opt/rocm/amdgcn/bitcode/ockl.bc
}

# clang 22, which knows gfx950, out of a Python package: sets fa_zig, or stops.
fa_ziglang=0.17.1
install_ziglang() {
  local venv=$fa_root/build/ziglang
  local check="import importlib.metadata as m; assert m.version('ziglang') == '$fa_ziglang'"
  if ! "$venv/bin/python" -c "$check" >/dev/null 2>&1; then
    [ "$fa_install" = 1 ] || die "missing: the Python package ziglang==$fa_ziglang in $venv"
    python3 -m venv "$venv"
    "$venv/bin/python" -m pip install -q --disable-pip-version-check "ziglang==$fa_ziglang"
  fi
  fa_zig=$("$venv/bin/python" -c 'import ziglang; print(ziglang.__path__[0] + "/zig")')
}
