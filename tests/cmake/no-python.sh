#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# From committed files, on a machine whose only Python is one that reports being called.
# shellcheck source=common.sh
. "$(dirname "$0")/common.sh"
mkdir bin
for name in python python3 python3.11 python3.12; do
  printf '#!/bin/sh\necho called >>"%s/python-was-called"\nexit 1\n' "$WORK" >bin/$name
  chmod +x bin/$name
done
export PATH="$WORK/bin:$PATH"

# libraries and examples configure: every committed file is there; tests and benchmarks are left out, with a
# sentence
expect "without tests and benchmarks, whose kernels are not committed" "$CMAKE" -S "$HEDDLE_SOURCE" -B build \
  -G Ninja -D HEDDLE_CODEGEN=OFF -D HEDDLE_CUDA=OFF -D CMAKE_BUILD_TYPE=Release
for flag in _GLIBCXX_ASSERTIONS _FORTIFY_SOURCE=2 -z,relro,-z,now; do
  grep -q -- "$flag" build/build.ninja || refuse "Release is not hardened: no $flag"
done
"$CMAKE" --build build --parallel 2 --target first_kernel >build.log
expect "heat in all" build/bin/first_kernel
[ ! -e python-was-called ] || refuse "a build with HEDDLE_CODEGEN=OFF called Python"
grep -q Python3_EXECUTABLE build/CMakeCache.txt && refuse "a build with HEDDLE_CODEGEN=OFF looked for Python"

# AUTO falls back to the committed files, and says so
cp -r "$HEDDLE_SOURCE/tests/cmake/consumer" "$WORK/consumer"
"$CMAKE" -S consumer -B with -D heddle_DIR="$HEDDLE_SOURCE/runtime/cmake" -D HEDDLE_PYTHON="$PYTHON" >with.log
"$CMAKE" --build with --target heddle-generate >>with.log
"$CMAKE" --build with --parallel 2 >>with.log
(cd with && expect "100% tests passed" "$CTEST")
expect "consumer' from" "$CMAKE" -S consumer -B without -D heddle_DIR="$HEDDLE_SOURCE/runtime/cmake" \
  -D HEDDLE_PYTHON="$WORK/bin/python3"
"$CMAKE" --build without --parallel 2 >without.log
expect "scale 21 shift 12" without/consumer

# whether a module can be had: it is in the folder of another build, or it is not
mkdir asks
{
  echo 'cmake_minimum_required(VERSION 3.25)'
  echo 'project(asks LANGUAGES CXX)'
  echo 'find_package(heddle REQUIRED)'
  echo 'heddle_can_generate(consumer MODULE consumer)'
  echo 'heddle_can_generate(other why MODULE other)'
  echo 'heddle_can_generate(all)'
  # shellcheck disable=SC2016 # CMake's variables
  echo 'message(STATUS "${consumer}, ${other} (${why}), ${all}")'
} >asks/CMakeLists.txt
expect "TRUE, FALSE (HEDDLE_CODEGEN is OFF), FALSE" "$CMAKE" -S asks -B asks/build \
  -D heddle_DIR="$HEDDLE_SOURCE/runtime/cmake" -D HEDDLE_CODEGEN=OFF \
  -D HEDDLE_GENERATED_DIR="$WORK/consumer/generated"

# a committed file that was edited by hand, one that is missing and one too many are all drift
printf '// by hand\n' >>consumer/generated/consumer/scale.cpp
printf 'old\n' >consumer/generated/consumer/old.cpp
mkdir consumer/generated/forgotten
printf 'old\n' >consumer/generated/forgotten/old.cpp
expect_refusal "consumer/scale.cpp differs" "$CMAKE" --build with --target heddle-check-generated
expect_refusal "old.cpp is committed, but nothing generates it" \
  "$CMAKE" --build with --target heddle-check-generated
(cd with && expect_refusal "forgotten/old.cpp is committed, but no model" "$CTEST" --output-on-failure)
rm consumer/generated/consumer/shift.cpp
expect_refusal "lacks shift.cpp" "$CMAKE" -S consumer -B again -D heddle_DIR="$HEDDLE_SOURCE/runtime/cmake" \
  -D HEDDLE_CODEGEN=OFF
"$CMAKE" --build with --target heddle-generate >>with.log
rm -r consumer/generated/forgotten
(cd with && expect "100% tests passed" "$CTEST")
