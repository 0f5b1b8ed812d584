#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# All tests: ./test.sh. Installs what is missing, then runs stage by stage, goes on after a failed stage, and ends with a
# table. Needs Debian 12 with root or sudo (other systems: see CONTRIBUTING.md), a compiler and Python 3.11.
#   --fast   lint, types, generator tests, and the C++ tests of one build: while working
#   --full   also clang with all warnings, the thread sanitizer, and a second Python environment with the oldest SymPy
set -euo pipefail
HEDDLE_ROOT=$(cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")" && pwd)
cd "$HEDDLE_ROOT"
# shellcheck source=.ci/environment.sh
. "$HEDDLE_ROOT/.ci/environment.sh"

mode=normal
for argument in "$@"; do
  case "$argument" in
    --fast) mode=fast ;;
    --full) mode=full ;;
    *) fail "usage: $0 [--fast | --full]   (not known: $argument)" ;;
  esac
done

results="$build/results"
rm -rf "$results"
mkdir -p "$results"
rows=()          # name | outcome | passed | failed | seconds | remark
passed=0 failed=0 absent=0 unknown=()

# row <name> <outcome> <passed> <failed> <remark>
row() {
  rows+=("$1|$2|$3|$4|$((SECONDS - begin))|$5")
  say "$1: $2${5:+ ($5)}"
}

begin_stage() {
  begin=$SECONDS
  say "$1 ..."
}

# check <name> <what to do> <command>...: a stage that counts as one test.
check() {
  local name="$1" advice="$2"
  shift 2
  begin_stage "$name"
  if watched "${name// /-}" "$@"; then
    passed=$((passed + 1))
    row "$name" passed 1 0 ""
  else
    failed=$((failed + 1))
    row "$name" FAILED 0 1 "$advice"
    return 1
  fi
}

# counted <name> <JUnit file> <what to do> <command>...: a stage whose tests are counted from the file that it writes.
counted() {
  local name="$1" file="$2" advice="$3" status=0 counts
  shift 3
  begin_stage "$name"
  watched "${name// /-}" "$@" || status=$?
  if ! counts=$("$venv/bin/python" "$HEDDLE_ROOT/.ci/results.py" "$file" 2>/dev/null); then
    unknown+=("$name")
    row "$name" FAILED "?" "?" "it stopped before it had counted its tests: $logs/${name// /-}.log"
    return 1
  fi
  read -r p f a <<<"$counts"
  passed=$((passed + p)) failed=$((failed + f)) absent=$((absent + a))
  local remark=""
  if [ "$a" -gt 0 ]; then remark="$a not run; "; fi
  if [ "$status" -eq 0 ] && [ "$f" -eq 0 ] && [ "$p" -gt 0 ]; then
    row "$name" passed "$p" "$f" "${remark%; }"
  else
    if [ "$f" -eq 0 ]; then unknown+=("$name"); fi
    row "$name" FAILED "$p" "$f" "$remark$advice"
    return 1
  fi
}

# ctest_stage <name> <preset> [argument of ctest]...
ctest_stage() {
  local name="$1" preset="$2"
  shift 2
  counted "$name" "$results/$preset.xml" "read $logs/${name// /-}.log; one test again: ctest --preset $preset -R <name>" \
    ctest --preset "$preset" --output-junit "$results/$preset.xml" --parallel "$jobs" "$@"
}

# build_stage <name> <preset> [argument of the configuration]...
build_stage() {
  local name="$1" preset="$2"
  shift 2
  check "$name" "read $logs/${name// /-}.log" configure_and_build "$preset" "$@"
}

configure_and_build() {
  local preset="$1"
  shift
  cmake --preset "$preset" -S "$HEDDLE_ROOT" "$@" && cmake --build "$build/$preset" --parallel "$jobs"
}

# ---------------------------------------------------------------- what is needed
say "Heddle: tests ($mode)"
packages=(g++ git cmake ninja-build pkg-config python3 python3-venv gfortran zlib1g-dev libcairo2-dev libgtest-dev
  libbenchmark-dev python-matplotlib-data python3-vtk9)
if [ $mode = full ]; then packages+=(clang libomp-dev); fi
need_packages "${packages[@]}"
need_venv_or_fail "" test
say "Python environment: ready in build/venv"
export PYTHONPATH="$HEDDLE_ROOT/generator" PYTHONNOUSERSITE=1
bin="$venv/bin"

# ---------------------------------------------------------------- the generator
python_files=(generator .ci)
for folder in tests examples; do if [ -d $folder ]; then python_files+=("$folder"); fi; done
check ruff "run: build/venv/bin/ruff check --config generator/pyproject.toml ${python_files[*]}" \
  "$bin/ruff" check --config generator/pyproject.toml "${python_files[@]}" || :
check mypy "run: build/venv/bin/mypy --config-file generator/pyproject.toml generator/heddle" \
  "$bin/mypy" --config-file generator/pyproject.toml --cache-dir "$build/mypy" generator/heddle || :
counted "generator tests" "$results/pytest.xml" "run: build/venv/bin/python -m pytest -c generator/pyproject.toml tests/generator" \
  "$bin/python" -m pytest -c generator/pyproject.toml --rootdir . -o cache_dir="$build/pytest" \
  --junitxml "$results/pytest.xml" tests/generator || :

# ---------------------------------------------------------------- C++
if build_stage "build dev" dev; then ctest_stage "C++ tests" dev || :; else unknown+=("C++ tests"); fi

if [ $mode != fast ]; then
  if build_stage "build asan" asan; then ctest_stage "C++ tests asan" asan || :; else unknown+=("C++ tests asan"); fi

  begin_stage "CUDA compile step"
  if find_nvcc; then
    build_stage "CUDA compile step" cuda -D CMAKE_CUDA_COMPILER="$nvcc" || :
  else
    row "CUDA compile step" "NOT RUN" 0 0 "$nvcc_reason"
  fi
fi

if [ $mode = full ]; then
  if build_stage "build tsan" tsan; then ctest_stage "C++ tests tsan" tsan || :; else unknown+=("C++ tests tsan"); fi
  check "build clang" "read $logs/build-clang.log" bash -c \
    "cmake --preset dev -S . -B build/clang -D CMAKE_CXX_COMPILER=clang++ -D CMAKE_C_COMPILER=clang \
     && cmake --build build/clang --parallel $jobs" || :
fi

# ---------------------------------------------------------------- the end
printf '\n%-22s %-8s %7s %7s %8s  %s\n' stage outcome passed failed seconds remark
for line in "${rows[@]}"; do
  IFS='|' read -r name outcome p f seconds remark <<<"$line"
  printf '%-22s %-8s %7s %7s %8s  %s\n' "$name" "$outcome" "$p" "$f" "$seconds" "$remark"
done
printf '\n'
if [ "$absent" -gt 0 ]; then printf '%d tests were not run.\n' "$absent"; fi
if [ ${#unknown[@]} -gt 0 ]; then
  fail "The number of tests is not known: these did not come to their end: $(printf '%s; ' "${unknown[@]}")put right what" \
    "the table says, then run ./test.sh again. Known so far: $passed passed, $failed failed"
fi
printf '%d passed, %d failed\n' "$passed" "$failed"
[ "$failed" -eq 0 ]
