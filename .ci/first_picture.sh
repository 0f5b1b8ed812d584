#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# From an empty environment to a picture: python -m venv, pip install ./generator numpy matplotlib, and
# examples/python/gray_scott.py with an empty cache. Prints the seconds of each; fails where they are more
# than 180, where the program has more than 25 lines of code, or where there is no picture.
set -euo pipefail
root=$(cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/.." && pwd)
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
unset PYTHONPATH CXXFLAGS HEDDLE_CACHE
export XDG_CACHE_HOME=$place/cache MPLCONFIGDIR=$place/matplotlib MPLBACKEND=Agg PIP_NO_CACHE_DIR=1

lines=$(grep -cvE '^(# SPDX.*)?$' "$root/examples/python/gray_scott.py")
SECONDS=0
python3 -m venv "$place/env"
echo "an environment: $SECONDS s"
"$place/env/bin/pip" install --quiet "$root/generator" numpy matplotlib
echo "pip install: $SECONDS s"
cd "$place"
env/bin/python "$root/examples/python/gray_scott.py"
test -s gray_scott.png
echo "a picture: $SECONDS s, by $lines lines"
[ "$SECONDS" -le 180 ] && [ "$lines" -le 25 ]
