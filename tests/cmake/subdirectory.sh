#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Heddle as a subfolder of another project: same function, same target names; its own tests and examples stay
# out.
# shellcheck source=common.sh
. "$(dirname "$0")/common.sh"
take_consumer
quick=(-D CMAKE_BUILD_TYPE=Debug -D CMAKE_CXX_FLAGS_DEBUG=-O0 -D CMAKE_UNITY_BUILD=ON # only to compile
  -D CMAKE_UNITY_BUILD_BATCH_SIZE=12)
expect_refusal "HEDDLE_COMPONENTS has 'poison'; known are mpi, program," \
  configure -G Ninja -D HEDDLE_SOURCE="$HEDDLE_SOURCE" -D HEDDLE_COMPONENTS="poison"
expect_refusal "HEDDLE_COMPONENTS has projection, which needs poisson" \
  configure -G Ninja -D HEDDLE_SOURCE="$HEDDLE_SOURCE" -D HEDDLE_COMPONENTS="projection"
configure -G Ninja -D HEDDLE_SOURCE="$HEDDLE_SOURCE" -D HEDDLE_COMPONENTS="program" "${quick[@]}" \
  >configure.log
if ninja -C build -t targets all | grep -E 'libheddle_(poisson|projection|plot|geometry|mpi)'; then
  refuse "libraries that HEDDLE_COMPONENTS does not name have targets"
fi
# A program that links heddle::halo builds what that stands on, and nothing above.
make_it --target consumer_halo >halo.log
expect "ghosts 15 13 12 10" build/consumer_halo
built=$(find build -name 'libheddle_*.a' -printf '%f ' | tr ' ' '\n' | sort | tr '\n' ' ')
expected="libheddle_core.a libheddle_grid.a libheddle_halo.a libheddle_sparse.a libheddle_transport.a "
[ "$built" = "$expected" ] || refuse "heddle::halo made Heddle build '$built'"

# The same by FetchContent, from a checkout that takes the place of the download.
"$CMAKE" -S consumer -B fetched -G Ninja -D HEDDLE_PYTHON="$PYTHON" -D HEDDLE_FETCH=nowhere \
  -D FETCHCONTENT_SOURCE_DIR_HEDDLE="$HEDDLE_SOURCE" -D HEDDLE_COMPONENTS="program" "${quick[@]}" >fetched.log
"$CMAKE" --build fetched --parallel 2 --target consumer >fetched-build.log
expect "scale 21 shift 12" fetched/consumer

make_it >build.log
expect "scale 21 shift 12" build/consumer
expect "runtime" build/consumer_runtime
if ninja -C build -t targets all | grep -E 'terrain_wind|heddle-bench|gtest'; then
  refuse "targets of Heddle's own examples and tests were added to the project"
fi
grep -q '_FORTIFY_SOURCE' build/build.ninja && refuse "flags of hardening were forced upon the project"
grep -q 'march=native' build/build.ninja && refuse "-march=native was forced upon the project"
exit 0
