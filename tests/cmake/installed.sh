#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Install, move the prefix, and build a fresh project against it: find_package, heddle_add_kernels,
# heddle::runtime.
# shellcheck source=common.sh
. "$(dirname "$0")/common.sh"
take_consumer
"$CMAKE" --install "$HEDDLE_BINARY" --prefix "$WORK/first-prefix" >install.log
mkdir elsewhere
mv first-prefix elsewhere/prefix
if grep -rlI first-prefix elsewhere/prefix; then refuse "these installed files name the prefix"; fi
if grep -rlI "$HEDDLE_SOURCE" elsewhere/prefix; then refuse "these installed files name the source folder"; fi

configure -D CMAKE_PREFIX_PATH="$WORK/elsewhere/prefix" >configure.log
make_it >build.log
expect "scale 21 shift 12" build/consumer
expect "runtime" build/consumer_runtime
expect "ghosts 15 13 12 10" build/consumer_halo
# the generator came from the moved prefix
grep -q "$WORK/elsewhere/prefix" build/heddle-stamps/consumer.d ||
  refuse "the generator used is not that of the prefix"

# README's lines build README's model.
mkdir readme
cp "$HEDDLE_SOURCE"/examples/first_kernel/{model.py,main.cpp} readme
{
  echo 'cmake_minimum_required(VERSION 3.25)'
  echo 'project(readme LANGUAGES CXX)'
  # shellcheck disable=SC2016 # fences of a page
  sed -n '/^```cmake$/,/^```$/ { /^```/d; p }' "$HEDDLE_SOURCE/README.md"
} >readme/CMakeLists.txt
grep -q heddle_add_kernels readme/CMakeLists.txt || refuse "README has no lines of CMake"
"$CMAKE" -S readme -B readme/build -D HEDDLE_PYTHON="$PYTHON" -D CMAKE_PREFIX_PATH="$WORK/elsewhere/prefix" \
  >readme.log
"$CMAKE" --build readme/build >readme-build.log
expect "heat in all 1.000000" readme/build/first_kernel

# The command, in the moved prefix, also by a link to it; without its modules it says what to install.
ln -s "$WORK/elsewhere/prefix/bin/heddle" linked
expect "heat" env HEDDLE_PYTHON="$PYTHON" ./linked build readme/model.py --out mine
test -f mine/heat/step.cpp || refuse "the installed command wrote no step.cpp"
"$PYTHON" -m venv --without-pip bare
expect_refusal "it has no module sympy, jinja2, clang_format. Hint: install" \
  env HEDDLE_PYTHON=bare/bin/python ./linked build readme/model.py --out mine

# Without CMake, by pkg-config: the header of the kernels in C99 with no warning, and a library with those
# that it stands on.
PKG_CONFIG_PATH=$(echo "$WORK"/elsewhere/prefix/lib*/pkgconfig)
export PKG_CONFIG_PATH
cat >heat.c <<'END'
#include <stdio.h>

#include "heat.h"

int main(void) {
  double u[25] = {0}, next[25] = {0};
  const int64_t extent[2] = {3, 3}, stride[2] = {1, 5};
  int status;
  u[12] = 1;
  status = heat_step_f64(u + 6, extent, stride, next + 6, extent, stride, 0.25);
  printf("heat %d, %.2f %.2f\n", status, next[11], next[12]);
  return status;
}
END
read -ra headers <<<"$(pkg-config --cflags heddle)"
cc -std=c99 -pedantic-errors -Wall -Wextra -Wstrict-prototypes -Werror -Imine/heat "${headers[@]}" \
  -c heat.c
"$CXX" -std=c++20 -ffp-contract=off -Imine/heat "${headers[@]}" mine/heat/step.cpp heat.o -o heat_c
expect "heat 0, 0.25 0.00" ./heat_c
read -ra libraries <<<"$(pkg-config --cflags --libs heddle-halo)"
"$CXX" -std=c++20 consumer/with_halo.cpp "${libraries[@]}" -o halo_without_cmake
expect "ghosts 15 13 12 10" ./halo_without_cmake
pkg-config --exists 'heddle-runtime >= 0.1' 'heddle-runtime < 0.2' ||
  refuse "heddle-runtime.pc has another version"

# heddle::chemistry_cvode, where it was built, with SUNDIALS behind it: by CMake and by pkg-config.
if ls elsewhere/prefix/lib*/libheddle_chemistry_cvode.a >installed-cvode.log 2>&1; then
  mkdir cvode
  cat >cvode/main.cpp <<'END'
#include <cstdio>
#include <exception>

#include <heddle/chemistry_cvode/cvode.hpp>

int main() {
  try {
    (void)heddle::cvode_integrator({});
  } catch (const std::exception& error) {
    std::printf("%s\n", error.what());
  }
}
END
  {
    echo 'cmake_minimum_required(VERSION 3.25)'
    echo 'project(cvode LANGUAGES CXX)'
    echo 'find_package(heddle REQUIRED COMPONENTS chemistry_cvode)'
    echo 'add_executable(cvode main.cpp)'
    echo 'target_link_libraries(cvode PRIVATE heddle::chemistry_cvode)'
  } >cvode/CMakeLists.txt
  "$CMAKE" -S cvode -B cvode/build -D CMAKE_PREFIX_PATH="$WORK/elsewhere/prefix" >cvode.log
  "$CMAKE" --build cvode/build >cvode-build.log
  expect "a kernel is missing" cvode/build/cvode
  read -ra libraries <<<"$(pkg-config --cflags --libs heddle-chemistry_cvode)"
  "$CXX" -std=c++20 cvode/main.cpp "${libraries[@]}" -o cvode_without_cmake
  expect "a kernel is missing" ./cvode_without_cmake
fi

# Components: those that are there, one that nobody knows, and one that was not built.
component() { # <argument of find_package>...
  rm -rf asks && mkdir asks
  {
    echo 'cmake_minimum_required(VERSION 3.25)'
    echo 'project(asks LANGUAGES CXX)'
    echo "find_package(heddle $*)"
    # shellcheck disable=SC2016 # CMake's variables
    echo 'message(STATUS "grid ${heddle_grid_FOUND}, poison ${heddle_poison_FOUND}")'
  } >asks/CMakeLists.txt
  "$CMAKE" -S asks -B asks/build -D CMAKE_PREFIX_PATH="$WORK/elsewhere/prefix"
}
expect "grid TRUE, poison FALSE" component REQUIRED grid OPTIONAL_COMPONENTS poison
expect_refusal "has no library 'poison'. There is no component of that name; known are runtime, core," \
  component REQUIRED COMPONENTS poison
sed -i 's/heddle::poisson\b/heddle::not_built/' elsewhere/prefix/lib*/cmake/heddle/heddleTargets*.cmake
expect_refusal "has no library 'poisson'. Configure Heddle with HEDDLE_COMPONENTS that names it" \
  component REQUIRED COMPONENTS poisson

# heddle-lift, where it was built, is found by the moved package, with its declarations of CUDA
if [ -x "$HEDDLE_BINARY/bin/heddle-lift" ]; then
  printf '%s\n' '__global__ void twice(const float* u, float* v, int n) {' \
    '  int i = blockIdx.x * blockDim.x + threadIdx.x;' \
    '  if (i < n) v[i] = 2.0f * u[i];' '}' >twice.cu
  expect 'v[0], 2 * u[0]' env -u HEDDLE_LIFT PYTHONPATH="$WORK/elsewhere/prefix/share/heddle" "$PYTHON" \
    -m heddle lift twice.cu --function twice
  expect '"key":"twice(f32 const*, f32*, i32)"' "$WORK/elsewhere/prefix/bin/heddle-lift" twice.cu
fi
