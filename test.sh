#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# All tests: ./test.sh. Installs what is missing, then runs stage by stage, goes on after a failed stage, and
# ends with a table. Needs Debian 12 with root or sudo (other systems: see CONTRIBUTING.md), a compiler and
# Python 3.11.
#   --fast   while working: the checks that compile nothing, clang-tidy on what a change touches, the runtime
#            with its tests, and those of the generator's tests that are quick and compile nothing
#   --full   also every kernel under the address sanitizer and through nvcc, the thread sanitizer, clang with
#            all warnings, heddle-lift with each version of LLVM, cppcheck, two minutes of libFuzzer for each
#            reader, 150 kills of a running program, every emitted file and every boundary on every target in
#            the generator's tests, and a thousand faults for the proof to find
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
passed=0 failed=0 absent=0 unknown=() lost=""

# row <name> <outcome> <passed> <failed> <remark>
row() {
  rows+=("$1|$2|$3|$4|$((SECONDS - begin))|$5")
  if [ "$2" = FAILED ]; then lost+=", $1"; fi
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
  local status=0
  watched "${name// /-}" "$@" || status=$?
  checked_row "$name" "$advice" "$status"
}

# counted <name> <JUnit file> <what to do> <command>...: a stage whose tests are counted from the file that it
# writes.
counted() {
  local status=0
  begin_stage "$1"
  watched "${1// /-}" "${@:4}" || status=$?
  counted_row "$1" "$2" "$3" "$status"
}

# counted_row <name> <JUnit file> <what to do> <exit status>
counted_row() {
  local name="$1" file="$2" advice="$3" status="$4" counts p f a
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

# What the build with sanitizers compiles and runs, and that without does not, but for --fast and --full.
sanitized="test_runtime test_geometry test_lagged_tasks test_lagged_streams halo_test multigrid_test"
sanitized+=" poisson_test poisson_emulated_test projection_test"

# left_out: an expression for what ctest does not run: these programs, and what has its turn on another day
# (a point stands for any character).
left_out() {
  if [ -z "${HEDDLE_TURN:-}" ]; then
    echo '^$'
    return
  fi
  awk -v turn="$HEDDLE_TURN" -v names="(${sanitized// /|})_NOT_BUILT" '
    $2 == "ctest" && $1 != turn { names = names "|" $4 }
    END { print "^(" names ")$" }' tests/by_turns.txt
}

# ctest_stage <name> <preset> [argument of ctest]...
ctest_stage() {
  local name="$1" preset="$2"
  shift 2
  counted "$name" "$results/$preset.xml" \
    "read $logs/${name// /-}.log; one test again: ctest --preset $preset -R <name>" \
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

# The runtime, its tests, and heddle-lift for those of the generator.
build_core() {
  local lift=()
  cmake --preset dev -S "$HEDDLE_ROOT" || return 1
  if [ -d "$build/dev/generator/lift" ]; then lift=(generator/lift/all); fi # where LLVM was found
  cmake --build "$build/dev" --parallel "$jobs" --target tests/runtime/all "${lift[@]}"
}

# late <stage>: whether HEDDLE_TEST_MINUTES are over; then the table says that the stage was not begun.
late() {
  if [ -z "${HEDDLE_TEST_MINUTES:-}" ] || [ $SECONDS -lt $((60 * HEDDLE_TEST_MINUTES)) ]; then return 1; fi
  begin_stage "$1"
  row "$1" "NOT RUN" 0 0 "$HEDDLE_TEST_MINUTES minutes are over (HEDDLE_TEST_MINUTES)"
}

# checked_row <name> <what to do> <exit status>: that of a stage that counts as one test.
checked_row() {
  if [ "$3" -eq 0 ]; then
    passed=$((passed + 1))
    row "$1" passed 1 0 ""
  else
    failed=$((failed + 1))
    row "$1" FAILED 0 1 "$2"
    return 1
  fi
}

# beside <name> <JUnit file, or nothing> <what to do> <command>...: a stage of one core, beside what follows.
# Such stages run one after another, as soon as the Python environment is there, so also while Debian's
# packages are installed. settle waits for them and gives each its row.
beside_names=() beside_files=() beside_advice=() beside_pids=()
beside() {
  local turn=${#beside_names[@]}
  beside_names+=("$1") beside_files+=("$2") beside_advice+=("$3")
  (
    trap 'touch "$results/beside-$turn.over"' EXIT
    begin=$SECONDS status=0
    stands_by "$results/environment" || exit 1
    if [ "$turn" -gt 0 ]; then stands_by "$results/beside-$((turn - 1)).over" || exit 1; fi
    begin=$SECONDS
    logged "${1// /-}" "${@:4}" || status=$?
    echo "$status $((SECONDS - begin))" >"$results/beside-$turn"
  ) &
  beside_pids+=($!)
}

# stands_by <file>: until it is there; an error if this script has ended.
stands_by() {
  until [ -e "$1" ]; do
    kill -0 $$ 2>/dev/null || return 1
    sleep 0.2
  done
}

settle() {
  local i status took
  for i in "${!beside_names[@]}"; do
    wait "${beside_pids[i]}" || :
    status=1 took=0
    read -r status took 2>/dev/null <"$results/beside-$i" || :
    begin=$((SECONDS - took))
    if [ -n "${beside_files[i]}" ]; then
      counted_row "${beside_names[i]}" "${beside_files[i]}" "${beside_advice[i]}" "$status" || :
    else
      checked_row "${beside_names[i]}" "${beside_advice[i]}" "$status" || :
    fi
  done
}

# static <name>: a check of .ci/static_checks.py.
static() {
  beside "$1" "" "run: build/venv/bin/python .ci/static_checks.py $1" "$bin/python" .ci/static_checks.py "$1"
}

# What needs the Python environment and nothing of Debian's. Of the generator's tests the longest file that
# neither compiles anything nor calls a program.
passes=tests/generator/passes/test_passes.py
python_alone() {
  static format
  static text
  beside mypy "" "run: build/venv/bin/mypy --config-file generator/pyproject.toml generator/heddle" \
    "$bin/mypy" --config-file generator/pyproject.toml --cache-dir "$build/mypy" generator/heddle
  if [ $mode != fast ]; then
    beside "tests of passes" "$results/passes.xml" \
      "run: build/venv/bin/python -m pytest -c generator/pyproject.toml $passes" \
      "$bin/python" -m pytest -c generator/pyproject.toml --rootdir . -o cache_dir="$build/pytest-passes" \
      --junitxml "$results/passes.xml" "$passes"
  fi
}

# generator_tests [argument of pytest]... Files come in the order of conftest.py, the longest first, not those
# of few tests last: such a file can be among the longest.
generator_tests() {
  counted "generator tests" "$results/pytest.xml" \
    "run: build/venv/bin/python -m pytest -c generator/pyproject.toml tests/generator" \
    "$bin/python" -m pytest -c generator/pyproject.toml --rootdir . -o cache_dir="$build/pytest" \
    --numprocesses "$jobs" --dist loadfile --no-loadscope-reorder --max-worker-restart 0 \
    --junitxml "$results/pytest.xml" "$@" tests/generator || :
}

# The pages as a site, with each link and each docstring of the Python reference; with --full its HTML, too.
documentation() {
  local how=(--check)
  if [ $mode = full ]; then how=(); fi
  local found='import sys, importlib.util as u; sys.exit(not all(map(u.find_spec, sys.argv[1:])))'
  if ! /usr/bin/python3 -c "$found" furo myst_parser pytest sphinx sympy \
    || ! command -v doxygen >/dev/null; then
    begin_stage documentation
    row documentation "NOT RUN" 0 0 "Sphinx, MyST, Furo, SymPy, pytest or Doxygen is missing"
  else
    beside documentation "" "run: /usr/bin/python3 generator/docs/site/build.py" \
      /usr/bin/python3 generator/docs/site/build.py --out "$build/site" "${how[@]}"
  fi
}

# clang-tidy on what a change touches; what the time did not suffice for is said.
tidy() {
  check tidy "read $logs/tidy.log, or run: build/venv/bin/python .ci/tidy.py --build build/dev" \
    "$bin/python" .ci/tidy.py --build "$build/dev" --minutes "$1" || :
  sed -n 's/^\(left out: .*\|tidy: .*\)/  \1/p' "$logs/tidy.log"
}

# The .cu files of the tree through nvcc, sixteen of a module at once, the hand-written files of libraries as
# they are with CUDA, and the files of heddle-bench that time a GPU. Programs are not linked: they would be
# compiled a second time for it. Emitted C++ is as in the build dev, which has compiled it. Nothing of this is
# run: what g++ compiles is not optimised, device code is as always.
compile_cuda() {
  local objects
  cmake --preset cuda -S "$HEDDLE_ROOT" -D CMAKE_CUDA_COMPILER="$nvcc" -D HEDDLE_DEVICE_TESTS=ON \
    -D CMAKE_CXX_FLAGS_RELEASE="-O0 -DNDEBUG" -D HEDDLE_OPTIMISE=-O0 -D HEDDLE_CODEGEN=OFF \
    -D HEDDLE_GENERATED_DIR="$build/dev/generated" -D HEDDLE_CUDA_TOGETHER=16 -D CMAKE_UNITY_BUILD=ON \
    || return 1
  mapfile -t objects < <(ninja -C "$build/cuda" -t targets all | LC_ALL=C sort \
    | sed -nE '/\/generated\/.*\.cpp\.o: /d; s/^(runtime\/.*\.o|.*(\.cu|_cuda\.cpp)\.o): .*/\1/p')
  # Of emitted kernels every third group, by turns: g++ compiles and runs their text through the emulation.
  if [ $mode != full ]; then
    mapfile -t objects < <(printf '%s\n' "${objects[@]}" \
      | awk -v turn="$HEDDLE_TURN" '!/heddle-together/ || n++ % 3 == turn')
  fi
  echo "${#objects[@]} objects"
  [ ${#objects[@]} -gt 0 ] && ninja -C "$build/cuda" -j "$jobs" "${objects[@]}"
}

# A sample of emitted kernels, compiled for a GPU of AMD; the registers that each takes: build/hip/report.txt
compile_hip() {
  "$bin/python" .ci/hip.py --build "$build/dev" --out "$build/hip" --jobs "$jobs"
}

# Emitted kernels, read back by heddle-lift, are the kernels that they were printed from: those of every
# third module, by turns; with --full all.
heddle_check() {
  local part=(${HEDDLE_TURN:+--part "$((HEDDLE_TURN + 1))/3"})
  "$bin/python" -m heddle check --build "$build/dev" --jobs "$jobs" "${part[@]}"
}

# What cppcheck finds in hand-written C++; .ci/cppcheck.txt says why some of it is wrong.
run_cppcheck() {
  cppcheck -j "$jobs" --std=c++20 --language=c++ --enable=warning,portability --quiet \
    --suppressions-list=.ci/cppcheck.txt --error-exitcode=1 -I runtime/include -I runtime/src \
    runtime/src examples generator/lift
}

# Every reader of files and command lines under libFuzzer, two minutes each.
fuzz() {
  cmake --preset fuzz -S "$HEDDLE_ROOT" && cmake --build --preset fuzz --parallel "$jobs" \
    && "$bin/python" .ci/fuzz.py --build "$build/fuzz" --seconds 120 --jobs "$jobs"
}

# heddle-lift with the other versions of LLVM that it supports: all write the same, byte for byte.
lift_with_all_versions() {
  local version programs="$build/dev/bin/heddle-lift"
  for version in 14 16; do
    cmake --preset dev -S "$HEDDLE_ROOT" -B "$build/lift-$version" -D HEDDLE_LIFT=ON \
      -D HEDDLE_LLVM_VERSION=$version \
      && cmake --build "$build/lift-$version" --parallel "$jobs" --target heddle-lift || return 1
    programs+=":$build/lift-$version/bin/heddle-lift"
  done
  HEDDLE_LIFT="$programs" "$bin/python" -m pytest -q -c generator/pyproject.toml --rootdir . \
    -p no:cacheprovider tests/lift
}

# digests <interpreter> <file>: of what it emits for models of pytest's, below its SymPy's version.
digests() {
  PYTHONWARNINGS=ignore "$1" tests/generator/emit_everything.py >"$2"
}

# The oldest SymPy and Jinja that we support emit the same: for models in no module, random ones among them,
# and for every second module of the build dev; with --full for all.
with_oldest() {
  local first every=1 new="$build/digests.txt" old="$build/digests-oldest.txt"
  need_oldest_venv || return 1
  digests "$bin/python" "$new" &
  first=$!
  digests "$venv-oldest/bin/python" "$old" && wait "$first" || return 1
  if cmp -s <(head -n 1 "$new") <(head -n 1 "$old"); then
    echo "build/venv has the oldest SymPy itself: nothing is compared"
    return 1
  fi
  diff <(tail -n +2 "$new") <(tail -n +2 "$old") || return 1
  if [ $mode != full ]; then every=2; fi
  # With another hash seed than everywhere else: an order that leaks from a set shows up.
  PYTHONHASHSEED=20011 LC_ALL=C.UTF-8 "$venv-oldest/bin/python" -P .ci/compare_modules.py \
    --build "$build/dev" --out "$build/oldest" --every $every --jobs "$jobs"
}

# load_wheels: those of this environment, of the one with the oldest versions, and nvcc where there is none.
load_wheels() {
  need_venv "" test jax && touch "$results/environment" || return 1
  if [ $mode != fast ]; then
    need_oldest_venv || return 1
    command -v "${CUDACXX:-nvcc}" || [ -x /usr/local/cuda/bin/nvcc ] || need_venv cuda
  fi
}

# ---------------------------------------------------------------- what is needed
say "Heddle: tests ($mode)"
packages=(g++ clang git cmake make ninja-build pkg-config python3 python3-venv gfortran zlib1g-dev
  libcairo2-dev libnetcdf-dev libgdal-dev libgtest-dev libbenchmark-dev libopenmpi-dev openmpi-bin
  python-matplotlib-data python3-vtk9 libclang-19-dev llvm-19-dev clang-19 libclang-rt-19-dev libomp-19-dev
  libfftw3-double3 libfftw3-single3 ccache shellcheck libcli11-dev binutils lld rocm-device-libs
  libamdhip64-dev libc++-19-dev libtrilinos-kokkos-dev libpetsc-real-dev python3-petsc4py python3-torch
  libsundials-dev python3-sphinx python3-myst-parser furo python3-sympy python3-pytest zsh doxygen
  chromium-headless-shell)
if [ $mode = full ]; then
  packages+=(libclang-rt-dev libclang-14-dev llvm-14-dev clang-14 libclang-16-dev llvm-16-dev clang-16
    cppcheck)
fi
export PYTHONPATH="$HEDDLE_ROOT/generator" PYTHONNOUSERSITE=1
bin="$venv/bin"
# What takes longest has its turn every third day (tests/by_turns.txt): the day of the commit decides.
if [ $mode = full ]; then
  unset HEDDLE_TURN
  export HEDDLE_TESTS=full HEDDLE_MUTANTS=1000
else
  export HEDDLE_TURN="${HEDDLE_TURN:-$(($(git log -1 --format=%ct 2>/dev/null || echo 0) / 86400 % 3))}"
fi
# Wheels are loaded beside Debian's packages, and so are first checks made; what has gone wrong with wheels is
# done again, and said, behind the packages.
wheels="" early=no
if is_present python3-venv && is_present git; then
  load_wheels >/dev/null 2>&1 &
  wheels=$! early=yes
  python_alone
fi
need_packages "${packages[@]}"
[ -z "$wheels" ] || wait "$wheels" || :
need_venv_or_fail "" test jax
touch "$results/environment"
say "Python environment: ready in build/venv"
use_ccache

# ---------------------------------------------------------------- what compiles nothing
if [ $early = no ]; then python_alone; fi
static lint
documentation

# ---------------------------------------------------------------- one build
# nvcc, and headers of CUDA for a test: of the machine, or of wheels that are installed here.
if [ $mode != fast ]; then find_nvcc || :; fi
# Built first: the generator's tests read emitted text back with heddle-lift.
if [ $mode = fast ]; then
  if check "build core" "read $logs/build-core.log" build_core; then
    tidy 1
    # Not those of examples, which are not built.
    ctest_stage "runtime tests" dev --tests-regex '^runtime\.' --exclude-regex 'help_of_' || :
  else
    unknown+=("runtime tests")
  fi
  generator_tests -m "not compiles and not slow"
  settle
else
  built=yes
  # Emitted kernels: the preset's -Og takes a third of the time of -O2, and its -O0 of those with thousands of
  # statements 5 s instead of 100 s; no bit differs.
  how=(-D "HEDDLE_TESTED_ELSEWHERE=${sanitized// /;}")
  if [ $mode = full ]; then how=(-D HEDDLE_OPTIMISE=-O3 -D HEDDLE_OPTIMISE_LARGE=); fi
  build_stage "build dev" dev "${how[@]}" || built=no
  # Also the kernels of programs that are built on demand: stages below read all of build/dev/generated.
  check generate "read $logs/generate.log" \
    cmake --build "$build/dev" --parallel "$jobs" --target heddle-modules || :
  if [ $built = yes ]; then tidy 5; fi
  generator_tests --ignore "$passes" # which is run beside
  settle
  if [ $built = yes ]; then
    ctest_stage "C++ tests" dev --exclude-regex "$(left_out)" || :
  else
    unknown+=("C++ tests")
  fi
fi

if [ $mode != fast ]; then
  # The address and the undefined-behaviour sanitizer, with the same kernels. All of them with --full; else
  # the runtime, and kernels that call hand-written code: what emitted text accesses is proved to be what the
  # interpreter checks. First of all that may be left out: the build dev has not the programs in $sanitized.
  parts=()
  if [ $mode != full ]; then
    parts=(-D HEDDLE_TEST_KERNELS="halo;mathematics;multigrid;poisson;projection" -D HEDDLE_EXAMPLES=OFF)
  fi
  if late "build asan"; then
    :
  elif build_stage "build asan" asan -D HEDDLE_CODEGEN=OFF -D HEDDLE_GENERATED_DIR="$build/dev/generated" \
    "${parts[@]}"; then
    ctest_stage "C++ tests asan" asan || :
  else
    unknown+=("C++ tests asan")
  fi
fi

if [ $mode != fast ] && [ -d "$build/dev/heddle-modules" ] && ! late "heddle check"; then
  check "heddle check" "run: ./heddle check --build build/dev" heddle_check || :
  tail -n 1 "$logs/heddle-check.log"
fi

if [ $mode != fast ]; then
  late "oldest SymPy" || check "oldest SymPy" \
    "the oldest versions in generator/pyproject.toml must generate the same; read $logs/oldest-SymPy.log" \
    with_oldest || :

  if late "CUDA compile step"; then
    :
  elif [ -n "$nvcc" ]; then
    check "CUDA compile step" "read $logs/CUDA-compile-step.log" compile_cuda || :
  else
    begin_stage "CUDA compile step"
    row "CUDA compile step" "NOT RUN" 0 0 "$nvcc_reason"
  fi

  if late "HIP compile step"; then
    :
  elif compgen -G "/usr/lib/*/amdgcn/bitcode/ockl.bc" >/dev/null && command -v clang++-19 >/dev/null; then
    check "HIP compile step" "read $logs/HIP-compile-step.log" compile_hip || :
    tail -n 1 "$logs/HIP-compile-step.log"
  else
    begin_stage "HIP compile step"
    row "HIP compile step" "NOT RUN" 0 0 "no clang++-19, or no ROCm device libraries below /usr/lib"
  fi
fi

if [ $mode = full ]; then
  if build_stage "build tsan" tsan; then
    ctest_stage "C++ tests tsan" tsan || :
  else
    unknown+=("C++ tests tsan")
  fi
  check cppcheck "mend what $logs/cppcheck.log says; .ci/cppcheck.txt is for what is wrong" run_cppcheck || :
  check fuzz "mend the reader, and put what it was given into tests/fuzz/corpus: $logs/fuzz.log" fuzz || :
  sed -n 's/^.*: [0-9]* runs, /  &/p' "$logs/fuzz.log"
  check "LLVM 14, 16, 19" "read $logs/LLVM-14,-16,-19.log" lift_with_all_versions || :
  # A newer PyTorch than Debian's is no part of the environment: 4 GB with the libraries of CUDA.
  torch_python="${HEDDLE_TORCH_PYTHON:-$bin/python}"
  if "$torch_python" -c 'import torch' 2>/dev/null; then
    check PyTorch "run: $torch_python tests/generator/load/in_pytorch.py" \
      "$torch_python" tests/generator/load/in_pytorch.py || :
  else
    begin_stage PyTorch
    row PyTorch "NOT RUN" 0 0 "$torch_python cannot import torch; HEDDLE_TORCH_PYTHON names another Python"
  fi
  check "build clang" "read $logs/build-clang.log" bash -c \
    "cmake --preset dev -S . -B build/clang -D CMAKE_CXX_COMPILER=clang++-19 -D CMAKE_C_COMPILER=clang-19 \
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
  fail "The number of tests is not known: these did not come to their end:" \
    "$(printf '%s; ' "${unknown[@]}")put right what the table says, then run ./test.sh again. Known so far:" \
    "$passed passed, $failed failed"
fi
if [ -n "${nvcc_reason:-}" ] && [ -z "${nvcc:-}" ]; then
  printf 'CUDA compile step: NOT RUN (%s)\n' "$nvcc_reason"
fi
printf '%s: %d passed, %d failed in %d min %02d s%s\n' "$mode" "$passed" "$failed" $((SECONDS / 60)) \
  $((SECONDS % 60)) "${lost:+; failed: ${lost#, }}"
[ "$failed" -eq 0 ]
