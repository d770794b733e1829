#!/usr/bin/env bash
# Builds the shared library, brings PyTorch into a scratch environment, and runs compare_pytorch.py.
#
#   bench/compare_pytorch.sh [--venv DIR | --python PYTHON] [--library FILE]
#                            [options of compare_pytorch.py]
#
#   --venv DIR       the environment; made, and PyTorch installed into it, where missing
#                    (default: build/bench-venv)
#   --python PYTHON  an existing Python that has torch: nothing is installed
#   --library FILE   a library that is built already: nothing is compiled
# Environment: CXX (g++), FA_ARCH (native), TORCH (what pip installs, default torch), PIP_ARGS (more
# for pip: PyPI's x86-64 wheel brings gigabytes of CUDA libraries, so where it can be reached say
# PIP_ARGS="--index-url https://download.pytorch.org/whl/cpu").
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(dirname "$here")
venv=$root/build/bench-venv
python= library=
rest=()
while (($#)); do
  case $1 in
    --venv) venv=$2; shift 2 ;;
    --python) python=$2; shift 2 ;;
    --library) library=$2; shift 2 ;;
    *) rest+=("$1"); shift ;;
  esac
done

if [[ -z $python ]]; then
  if [[ ! -x $venv/bin/python ]]; then
    python3 -m venv "$venv"
  fi
  python=$venv/bin/python
  if ! "$python" -c 'import torch, numpy' 2> /dev/null; then
    # shellcheck disable=SC2086  # several words are meant
    "$python" -m pip install --quiet ${PIP_ARGS:-} "${TORCH:-torch}" numpy
  fi
fi

flags="-std=c++20 -O3 -march=${FA_ARCH:-native}"
if [[ -z $library ]]; then
  library=$root/build/bench-library/libfa_capi.so
  mkdir -p "$(dirname "$library")"
  # std::thread rather than OpenMP: two OpenMP run times in one process spin against each other.
  # shellcheck disable=SC2086
  "${CXX:-g++}" $flags -shared -fPIC -pthread -static-libstdc++ -static-libgcc \
    -I"$root/include" "$here/fa_capi.cpp" -o "$library"
  rest+=("--flags=$flags")
fi
exec "$python" "$here/compare_pytorch.py" --library "$library" "${rest[@]}"
