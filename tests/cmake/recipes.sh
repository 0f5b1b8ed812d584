#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The recipes for Conan and Spack give CMake options that it has, and what they promise; and where files go
# in a distribution's package, with a folder of libraries for each architecture.
# shellcheck source=common.sh
. "$(dirname "$0")/common.sh"

# configure_as <folder> <option of recipe_options.py>...
configure_as() {
  local folder="$1" given=() line
  shift
  "$PYTHON" "$HEDDLE_SOURCE/tests/cmake/recipe_options.py" "$@" >"$folder.txt"
  while read -r line; do
    case "$line" in VERSION=*) ;; *) given+=(-D "$line") ;; esac
  done <"$folder.txt"
  [ ${#given[@]} -gt 8 ] || refuse "the recipe '$*' gives ${#given[@]} words"
  "$CMAKE" -S "$HEDDLE_SOURCE" -B "$folder" -G Ninja -D HEDDLE_PYTHON="$PYTHON" "${given[@]}" \
    -D CMAKE_INSTALL_PREFIX=/usr -D CMAKE_INSTALL_LIBDIR=lib/x86_64-linux-gnu >"$folder.log" 2>&1
  if grep -A 9 'not used by the project' "$folder.log"; then
    refuse "the recipe '$*' names options that CMake does not have"
  fi
}

configure_as conan conan mpi=off openmp=off
grep -q '^VERSION=0.1.0$' conan.txt || refuse "the recipe for Conan has another version"
grep -q 'set(PACKAGE_VERSION 0.1.0)' "$HEDDLE_SOURCE/runtime/cmake/heddleConfigVersion.cmake" ||
  refuse "Heddle has another version than the recipe for Conan"
targets=$(ninja -C conan -t targets all)
for library in core solvers poisson projection program; do
  grep -q "libheddle_$library.a" <<<"$targets" || refuse "Conan's build has no heddle::$library"
done
if grep -E 'libheddle_(mpi|plot|geometry|chemistry)|heddle-lift|gtest|/examples/' <<<"$targets"; then
  refuse "Conan's build has targets that the recipe leaves out"
fi
grep -q 'fopenmp\b[^-]' conan/build.ninja && refuse "openmp=off was not heard"

configure_as spack spack mpi=off generator=off
grep -q '^HEDDLE_CODEGEN=OFF$' spack.txt || refuse "the variant generator was not heard"
for recipe in conan spack; do
  grep -q '^HEDDLE_ARCH=$' $recipe.txt || refuse "the recipe for $recipe compiles for the machine that builds"
done
grep -q 'fopenmp\b[^-]' spack/build.ninja || refuse "the variant openmp was not heard"

# As in /usr of Debian: nothing outside these folders.
# shellcheck disable=SC2016 # a variable of CMake
find conan -name cmake_install.cmake \
  -exec sed -n 's/.*DESTINATION "${CMAKE_INSTALL_PREFIX}\/\([^"]*\)".*/\1/p' {} + | sort -u >places.txt
grep -qx lib/x86_64-linux-gnu/cmake/heddle places.txt || refuse "no package for CMake: $(cat places.txt)"
folders='bin|include|share/(heddle/(heddle|fortran)|doc/heddle)|lib/x86_64-linux-gnu'
if grep -vE "^($folders)(/|\$)" places.txt; then
  refuse "files go to other folders"
fi
exit 0
