# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# What the cases share. HEDDLE_SOURCE, HEDDLE_BINARY, PYTHON, WORK, CXX, CMAKE, CTEST come from ctest.
set -eEuo pipefail
: "${HEDDLE_SOURCE:?}" "${HEDDLE_BINARY:?}" "${PYTHON:?}" "${WORK:?}" "${CMAKE:?}" "${CTEST:?}"
export CXX
unset PYTHONPATH

rm -rf "$WORK"
mkdir -p "$WORK"
cd "$WORK"

# A step that fails unexpectedly shows what it wrote.
trap 'echo "stopped in: $BASH_COMMAND" >&2; tail -n 30 $(ls -t "$WORK"/*.log | head -n 1) >&2' ERR

refuse() {
  printf 'FAILED: %s\n' "$*" >&2
  exit 1
}

# expect <text> <command>...: the command succeeds and its output contains the text.
expect() {
  local text="$1" output
  shift
  output=$("$@" 2>&1) || refuse "'$*' failed: $output"
  case "$output" in
    *"$text"*) ;;
    *) refuse "'$*' printed: $output"$'\n'"but '$text' was expected" ;;
  esac
}

# expect_refusal <text> <command>...: the command fails and says so. Line breaks of CMake's messages do not
# count.
expect_refusal() {
  local text="$1" output
  shift
  if output=$("$@" 2>&1); then refuse "'$*' succeeded, a refusal was expected: $output"; fi
  output=$(tr -s ' \n' ' ' <<<"$output")
  case "$output" in
    *"$text"*) ;;
    *) refuse "'$*' printed: $output"$'\n'"but '$text' was expected" ;;
  esac
}

# A copy of the consumer, so that a case may edit it.
take_consumer() { cp -r "$HEDDLE_SOURCE/tests/cmake/consumer" "$WORK/consumer"; }

configure() { "$CMAKE" -S "$WORK/consumer" -B "$WORK/build" -D HEDDLE_PYTHON="$PYTHON" "$@"; }
make_it() { "$CMAKE" --build "$WORK/build" --parallel 2 "$@"; }
