#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The wheel carries templates, device headers and the CMake function; python -m heddle --cmake-dir says where.
# A wheel that is made from a source distribution, as `python -m build` does it, has the same files.
# shellcheck source=common.sh
. "$(dirname "$0")/common.sh"
take_consumer
"$PYTHON" -m pip wheel --quiet --no-deps --no-build-isolation --wheel-dir "$WORK/wheel" \
  "$HEDDLE_SOURCE/generator"
(cd "$HEDDLE_SOURCE/generator" && "$PYTHON" -m hatchling build -t sdist -d "$WORK/sdist" >"$WORK/sdist.log")
tar -xzf sdist/heddle-*.tar.gz
(cd heddle-* && "$PYTHON" -m hatchling build -t wheel -d "$WORK/again" >"$WORK/again.log")
contents() { "$PYTHON" -m zipfile -l "$1"/heddle-*.whl | awk 'NR > 1 && !/RECORD/ { print $1, $NF }' | sort; }
[ "$(contents wheel)" = "$(contents again)" ] || refuse "a wheel from the source distribution has other files"
mkdir "$WORK/site"
"$PYTHON" -m zipfile -e wheel/heddle-*.whl "$WORK/site"
[ -e "$WORK/site/heddle/py.typed" ] || refuse "the wheel does not say that it has types"
folder=$(PYTHONPATH="$WORK/site" "$PYTHON" -P -m heddle --cmake-dir)
[ "$folder" = "$WORK/site/heddle/data/runtime/cmake" ] || refuse "--cmake-dir printed '$folder'"
configure -D heddle_DIR="$folder" >configure.log
make_it >build.log
expect "scale 21 shift 12" build/consumer
grep -q "$WORK/site" build/heddle-stamps/consumer.d || refuse "the generator used is not that of the wheel"
# the same from the checkout
folder=$(PYTHONPATH="$HEDDLE_SOURCE/generator" "$PYTHON" -P -m heddle --cmake-dir)
[ "$folder" = "$HEDDLE_SOURCE/runtime/cmake" ] || refuse "--cmake-dir of the checkout printed '$folder'"
