# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# What ./demo.sh, ./test.sh and ./heddle share: progress lines, Debian packages, the Python environment in
# build/venv, the CUDA compiler. Sourced with HEDDLE_ROOT set. Everything here may be run again at any time
# and then does nothing.

# Each of some hundred processes of the generator would compile it anew; images of Python often set this.
unset PYTHONDONTWRITEBYTECODE

build="$HEDDLE_ROOT/build"
venv="$build/venv"
logs="$build/log"
started=$SECONDS
export DEBIAN_FRONTEND=noninteractive PIP_DISABLE_PIP_VERSION_CHECK=1

say() { printf '[%4d s] %s\n' "$((SECONDS - started))" "$*"; }

# fail <sentence>...: the last thing that is printed says what to do.
fail() {
  printf '\n%s\n' "$*" >&2
  exit 1
}

# logged <name> <command>...: runs it with its output in build/log/<name>.log; shows the end of that on
# failure.
logged() {
  local log="$logs/$1.log"
  shift
  mkdir -p "$logs"
  if "$@" >"$log" 2>&1 </dev/null; then return 0; fi
  printf -- '----- the end of %s\n' "$log" >&2
  tail -n 40 "$log" >&2
  printf -- '-----\n' >&2
  return 1
}

# ---------------------------------------------------------------- Debian packages

is_debian() { command -v apt-get >/dev/null && command -v dpkg-query >/dev/null; }

# A version of a program at least as new: at_least 3.25 "$(cmake --version)"
at_least() { [ "$(printf '%s\n%s\n' "$1" "$2" | sort -V | head -n 1)" = "$1" ]; }

has_package() { [ "$(dpkg-query -W -f '${Status}' "$1" 2>/dev/null)" = "install ok installed" ]; }

# Programs count as present wherever they come from; only libraries and data are asked for as packages.
is_present() {
  case "$1" in
    cmake)
      command -v cmake >/dev/null && at_least 3.25 "$(cmake --version | sed -n 's/^cmake version //p')"
      ;;
    ninja-build) command -v ninja >/dev/null ;;
    g++) command -v c++ >/dev/null || command -v g++ >/dev/null ;;
    chromium-headless-shell)
      command -v chromium-headless-shell >/dev/null || command -v chromium >/dev/null
      ;;
    gfortran | clang | make | pkg-config | git) command -v "$1" >/dev/null ;;
    python3) find_python ;;
    python3-venv) find_python && "$python" -c 'import venv, ensurepip' 2>/dev/null ;;
    *) has_package "$1" ;;
  esac
}

# need_packages <package>...: installs those that are missing with one call of apt-get; none missing, no call.
need_packages() {
  local name missing=() root=()
  if ! is_debian; then
    say "not a Debian system: taking for granted that these are installed: $*"
    return 0
  fi
  for name in "$@"; do is_present "$name" || missing+=("$name"); done
  if [ ${#missing[@]} -eq 0 ]; then
    say "Debian packages: nothing is missing"
    return 0
  fi
  if [ "$(id -u)" -ne 0 ]; then
    if ! command -v sudo >/dev/null; then
      fail "These Debian packages are missing, and there is neither root nor sudo here. Ask somebody who" \
        "has it to run: apt-get install --no-install-recommends ${missing[*]}"
    fi
    root=(sudo)
  fi
  say "Debian packages: installing ${missing[*]}"
  logged apt-update "${root[@]}" apt-get -o DPkg::Lock::Timeout=600 update ||
    fail "apt-get update failed. Check the network and /etc/apt/sources.list, then run this again."
  logged apt-install "${root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=600 -y \
    --no-install-recommends install "${missing[@]}" ||
    fail "apt-get could not install ${missing[*]}. Read $logs/apt-install.log, put it right, then run this" \
      "again."
}

# ---------------------------------------------------------------- Python

# find_python: sets python to an interpreter of 3.11 or newer, HEDDLE_PYTHON first.
find_python() {
  local candidate
  for candidate in ${HEDDLE_PYTHON:+"$HEDDLE_PYTHON"} python3 python3.13 python3.12 python3.11 \
    /usr/bin/python3; do
    if "$candidate" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
      python=$(command -v "$candidate")
      return 0
    fi
  done
  return 1
}

# requirements <group>: what generator/pyproject.toml asks for; the empty group is what the generator itself
# needs.
requirements() {
  "$python" - "$HEDDLE_ROOT/generator/pyproject.toml" "$1" <<'END'
import sys, tomllib
with open(sys.argv[1], "rb") as file:
    project = tomllib.load(file)["project"]
group = sys.argv[2]
print("\n".join(project["optional-dependencies"][group] if group else project["dependencies"]))
END
}

# pins <name>: the versions and hashes in place of requirements of pyproject.toml. Written by
# .ci/pin_requirements.sh.
pins() { printf '%s/.ci/requirements/%s.txt' "$HEDDLE_ROOT" "$1"; }

# pip_install <folder of an environment> <name of its pins> <requirement>...: pinned for Python 3.11, that of
# Debian 12 and of continuous integration; elsewhere what the requirements allow. What Python does
# not import is never compiled: a clone waits for 6 s less.
pip_install() {
  local folder="$1" name="$2"
  shift 2
  if "$folder/bin/python" -c 'import sys; sys.exit(sys.version_info[:2] != (3, 11))'; then
    set -- --only-binary :all: --require-hashes --requirement "$(pins "$name")"
  fi
  logged pip "$folder/bin/python" -m pip install --quiet --no-input --no-compile "$@"
}

# wanted <name of pins> <requirement>...: what an environment has to have; another text, another installation.
wanted() {
  local name="$1"
  shift
  printf '%s\n' "$@" "$(cksum <"$(pins "$name")")"
}

# need_venv <group>...: the environment in build/venv with the requirements of these groups ("" the
# generator's own).
need_venv() {
  local group list name stamp
  find_python || fail "No Python 3.11 or newer was found. Install it (Debian: apt-get install python3" \
    "python3-venv) or name one: HEDDLE_PYTHON=/path/to/python3 $0"
  if ! "$venv/bin/python" -c '' 2>/dev/null; then
    rm -rf "$venv"
    mkdir -p "$build"
    logged venv "$python" -m venv "$venv" ||
      fail "The Python environment $venv could not be made. Install the module venv (Debian: apt-get" \
        "install python3-venv), then run this again."
  fi
  for group in "$@"; do
    list=$(requirements "$group") name="${group:-generator}"
    stamp="$venv/heddle-$name.txt"
    if [ "$(cat "$stamp" 2>/dev/null)" = "$(wanted "$name" "$list")" ]; then continue; fi
    say "Python environment: installing ${list//$'\n'/ }"
    # shellcheck disable=SC2086 # one requirement a word
    pip_install "$venv" "$name" $list || return 1
    wanted "$name" "$list" >"$stamp"
  done
}

# need_oldest_venv: the environment in build/venv-oldest with the oldest versions that pyproject.toml allows.
need_oldest_venv() {
  local list
  list=$(requirements "" | sed 's/>=/==/')
  if [ "$(cat "$venv-oldest/heddle.txt" 2>/dev/null)" = "$(wanted oldest "$list")" ]; then return 0; fi
  rm -rf "$venv-oldest"
  logged venv "$venv/bin/python" -m venv "$venv-oldest" || return 1
  # shellcheck disable=SC2086 # one requirement a word
  pip_install "$venv-oldest" oldest $list || return 1
  wanted oldest "$list" >"$venv-oldest/heddle.txt"
}

need_venv_or_fail() {
  need_venv "$@" || fail "pip could not install what Heddle needs into $venv. Check the network (and pip's" \
    "settings for a proxy or an index), then run this again; the whole output is in $logs/pip.log."
}

# ---------------------------------------------------------------- CUDA

# compiles_cuda <nvcc>: does it make an object file for sm_90 here?
compiles_cuda() {
  local folder="$build/probe-cuda"
  mkdir -p "$folder"
  printf '%s\n' '#include <cuda_runtime.h>' '__global__ void probe(float* a) { a[threadIdx.x] = 1.0F; }' \
    >"$folder/probe.cu"
  logged probe-cuda "$1" -std=c++20 -arch=sm_90 -c "$folder/probe.cu" -o "$folder/probe.o" 2>/dev/null
}

# complete_toolkit <folder>: the names under which CMake looks for the run-time library, which the wheels
# leave out.
complete_toolkit() {
  local library
  [ -e "$1/lib64" ] || ln -s lib "$1/lib64"
  for library in "$1"/lib/libcudart.so.*; do
    [ -e "$1/lib/libcudart.so" ] || ln -s "${library##*/}" "$1/lib/libcudart.so"
  done
}

# shellcheck disable=SC2034 # nvcc and nvcc_reason are read by the caller
# find_nvcc: sets nvcc, from the machine or from its wheels inside the environment; else nvcc_reason.
find_nvcc() {
  local candidate
  nvcc="" nvcc_reason="no nvcc on this machine"
  for candidate in ${CUDACXX:+"$CUDACXX"} nvcc /usr/local/cuda/bin/nvcc; do
    candidate=$(command -v "$candidate") || continue
    if compiles_cuda "$candidate"; then
      nvcc="$candidate"
      return 0
    fi
    nvcc_reason="$candidate does not compile for sm_90"
  done
  if ! need_venv cuda; then
    nvcc_reason="$nvcc_reason, and pip could not install its wheels"
    return 1
  fi
  for candidate in "$venv"/lib/python3*/site-packages/nvidia/*/bin/nvcc; do
    if [ -x "$candidate" ] && compiles_cuda "$candidate"; then
      nvcc="$candidate"
      complete_toolkit "${candidate%/bin/nvcc}"
      return 0
    fi
  done
  nvcc_reason="$nvcc_reason, and the one from its wheels does not compile here (see $logs/probe-cuda.log)"
  return 1
}

# ---------------------------------------------------------------- building

jobs=$(nproc 2>/dev/null || echo 2)

# use_ccache: compilers keep what they make, where ccache is installed: below build/, or in CCACHE_DIR. The
# sloppiness is what ccache's manual asks for where headers are precompiled, as those of the tests are. What
# is not in the cache yet is not preprocessed for it alone (CCACHE_DEPEND), a twentieth of the time: ccache
# knows its headers from the compiler.
use_ccache() {
  command -v ccache >/dev/null || return 0
  export CMAKE_C_COMPILER_LAUNCHER=ccache CMAKE_CXX_COMPILER_LAUNCHER=ccache
  export CMAKE_CUDA_COMPILER_LAUNCHER=ccache CCACHE_DIR="${CCACHE_DIR:-$build/ccache}"
  export CCACHE_SLOPPINESS="${CCACHE_SLOPPINESS:-pch_defines,time_macros}" CCACHE_DEPEND=1
}

# watched <name> <command>...: as logged; on a terminal one moving line says how far Ninja or ctest is.
watched() {
  local name="$1" job step
  if [ ! -t 1 ]; then
    logged "$@"
    return
  fi
  mkdir -p "$logs"
  : >"$logs/$name.log"
  logged "$@" &
  job=$!
  while kill -0 "$job" 2>/dev/null; do
    step=$(grep -oE '^(\[[0-9]+/[0-9]+\]|[0-9]+/[0-9]+ Test)' "$logs/$name.log" 2>/dev/null |
      tail -n 1 || true)
    printf '\r[%4d s]   %-30s' "$((SECONDS - started))" "$step"
    sleep 1
  done
  printf '\r%-40s\r' ''
  wait "$job"
}

configure_preset() {
  local preset="$1"
  shift
  logged "configure-$preset" cmake --preset "$preset" -S "$HEDDLE_ROOT" "$@"
}

build_preset() {
  local preset="$1"
  shift
  watched "build-$preset" cmake --build "$build/$preset" --parallel "$jobs" "$@"
}
