#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Writes .ci/requirements/*.txt anew: versions and hashes of what generator/pyproject.toml asks for, the
# newest ones, and those of the oldest versions that it allows. Needs Python 3.11 and the network; then run
# ./test.sh.
set -euo pipefail
HEDDLE_ROOT=$(cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/.." && pwd)
# shellcheck source=environment.sh
. "$HEDDLE_ROOT/.ci/environment.sh"
find_python || fail "No Python 3.11 was found."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$python" -m venv "$work/venv"
"$work/venv/bin/python" -m pip install --quiet pip-tools

# pin <name> <requirement>...: those in its file, with what they need
pin() {
  local file name="$1"
  shift
  file=$(pins "$name")
  printf '%s\n' "$@" >"$work/$name.in"
  say "$name: $*"
  (cd "$work" && venv/bin/pip-compile --quiet --generate-hashes --no-header --no-annotate --no-emit-options \
    --no-emit-index-url --no-emit-find-links --no-emit-trusted-host --allow-unsafe --strip-extras \
    --output-file "$name.txt" "$name.in")
  {
    echo "# SPDX-License-Identifier: Apache-2.0"
    echo "# Written by .ci/pin_requirements.sh for Python 3.11: every file that pip may take, by its hash."
    cat "$work/$name.txt"
  } >"$file"
}

# shellcheck disable=SC2046 # one requirement a word
{
  pin test $(requirements "") $(requirements test)
  sed -n 's/^\([a-z].*==[^ ]*\).*/\1/p' "$work/test.txt" >"$work/same.txt" # one environment has both
  pin generator $(requirements "") -c\ same.txt
  grep -E '^(mpmath|markupsafe)' "$work/same.txt" >"$work/other.txt" # SymPy 1.11 knows no newer mpmath
  pin oldest $(requirements "" | sed 's/>=/==/') -c\ other.txt
  pin jax $(requirements jax) -c\ same.txt
  pin cuda $(requirements cuda)
}
