#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# heddle_add_kernels(... SCHEDULES file): kernels get its schedules, a change of it generates anew, and what
# cannot work is refused.
# shellcheck source=common.sh
. "$(dirname "$0")/common.sh"
take_consumer
# rows <size of strips>: a file for one machine
rows() {
  printf '{"format": 2, "machines": {"mine": {"cpu": {"consumer": {"": {"scale": {"f64": [\n' \
    >consumer/schedules.json
  printf '{"extent": [64, 64], "schedule": {"cpu": {"kind": "Strips", "size": %s}}}]}}}}}}}\n' "$1" \
    >>consumer/schedules.json
}
rows 32
use() {
  cp "$HEDDLE_SOURCE/tests/cmake/consumer/CMakeLists.txt" consumer/CMakeLists.txt
  sed -i "s|MODEL model.py|MODEL model.py $1|" consumer/CMakeLists.txt
}
at="-D heddle_DIR=$HEDDLE_SOURCE/runtime/cmake"
use "SCHEDULES schedules.json MACHINE mine"
configure "$at" >configure.log
make_it >first.log
expect "scale 21 shift 12" build/consumer
expect "explored on mine" cat build/generated/consumer/scale.cpp
expect "_begin + 32" cat build/generated/consumer/scale.cpp

sleep 1.1 # Make compares times in whole seconds on some file systems
rows 48
make_it >changed.log
expect "_begin + 48" cat build/generated/consumer/scale.cpp
make_it >again.log
if grep -q "Generating kernels" again.log; then refuse "nothing changed, but the generator ran"; fi
sleep 1.1
rows -1
expect_refusal "size=-1 is out of range" make_it

use "SCHEDULES absent.json MACHINE mine"
expect_refusal "absent.json does not exist" configure "$at"
use "MACHINE mine"
expect_refusal "MACHINE chooses from a file of schedules; add SCHEDULES" configure "$at"
use "SCHEDULES schedules.json GENERATED_DIR committed"
expect_refusal "name the one of SCHEDULES whose rows are taken: MACHINE" configure "$at"
