# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# What a change costs. Touching costs one generation, changing one kernel costs one object, a deleted file
# comes back.
# shellcheck source=common.sh
. "$(dirname "$0")/common.sh"

# objects <log>: names of the object files compiled; generations <log>: how often the generator ran
objects() { grep -oE 'Building CXX object .*' "$1" | sed 's|.*/||' | sort | tr '\n' ' '; }
generations() { grep -c 'Generating kernels' "$1" || true; }

# costs <log> <generations> <objects>
costs() {
  [ "$(generations "$1")" = "$2" ] ||
    refuse "$1: the generator ran $(generations "$1") times, not $2: $(cat "$1")"
  [ "$(objects "$1")" = "$3" ] || refuse "$1: compiled '$(objects "$1")', not '$3'"
}

incremental() {
  take_consumer
  configure -G "$1" -D heddle_DIR="$HEDDLE_SOURCE/runtime/cmake" >configure.log
  make_it >first.log
  costs first.log 1 "main.cpp.o scale.cpp.o shift.cpp.o "
  expect "scale 21 shift 12" build/consumer

  make_it >nothing.log
  costs nothing.log 0 ""

  sleep 1.1 # Make compares times in whole seconds on some file systems
  touch consumer/helper.py
  make_it >touched.log
  costs touched.log 1 ""
  make_it >touched-again.log
  costs touched-again.log 0 ""

  sleep 1.1
  sed -i 's/^distance = 5$/distance = 6/' consumer/model.py
  make_it >one-kernel.log
  costs one-kernel.log 1 "shift.cpp.o "
  expect "scale 21 shift 13" build/consumer

  sleep 1.1
  sed -i 's/Integer(3)/Integer(4)/' consumer/helper.py
  make_it >helper.log
  costs helper.log 1 "scale.cpp.o "
  expect "scale 28 shift 13" build/consumer

  rm build/generated/consumer/scale.cpp
  make_it >deleted-source.log
  [ -f build/generated/consumer/scale.cpp ] || refuse "a deleted source did not come back"
  sleep 1.1
  rm build/generated/consumer/consumer.h
  make_it >deleted-header.log
  [ -f build/generated/consumer/consumer.h ] || refuse "a deleted header did not come back"
  expect "scale 28 shift 13" build/consumer
  make_it >last.log
  costs last.log 0 ""
}
