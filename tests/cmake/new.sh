#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What `heddle new` writes builds, runs and passes its own test, in C++ and in Python; both kinds draw the
# same picture, to the last bit.
# shellcheck source=common.sh
. "$(dirname "$0")/common.sh"
export HEDDLE_CACHE="$WORK/cache"
heddle() { PYTHONPATH="$HEDDLE_SOURCE/generator" "$PYTHON" -P -m heddle "$@"; }

heddle new warm >new.log
"$CMAKE" -S warm -B warm/build -G Ninja -D HEDDLE_PYTHON="$PYTHON" -D heddle_DIR="$(heddle --cmake-dir)" \
  -D CMAKE_CXX_FLAGS="-Wall -Wextra -Werror" >configure.log
"$CMAKE" --build warm/build --parallel 2 >build.log
expect "100% tests passed, 0 tests failed out of 1" "$CTEST" --test-dir warm/build
expect "picture: warm.pgm" warm/build/warm
grep -q "Release" warm/build/CMakeCache.txt || refuse "the project is not optimised"

mkdir there
heddle new there/warm --kind python >new-python.log
export PYTHONPATH="$HEDDLE_SOURCE/generator"
(cd there/warm && expect "picture: warm.pgm" "$PYTHON" run.py \
  && expect "1 passed" "$PYTHON" -m pytest -q -p no:cacheprovider)
cmp warm.pgm there/warm/warm.pgm || refuse "C++ and Python draw different pictures"
git -C warm init -q
[ "$(git -C warm check-ignore build/x warm.pgm __pycache__/x main.cpp | wc -l)" = 3 ] \
  || refuse "git would not ignore what is built"
