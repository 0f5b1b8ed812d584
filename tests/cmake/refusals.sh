#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What cannot work is refused while configuring, with a sentence that says what to do.
# shellcheck source=common.sh
. "$(dirname "$0")/common.sh"
take_consumer
mkdir bin
printf '#!/bin/sh\necho "there is no interpreter here" >&2\nexit 1\n' >bin/python3
chmod +x bin/python3
at="-D heddle_DIR=$HEDDLE_SOURCE/runtime/cmake"

# attempt <options>...: configures in a build folder of its own
attempt() {
  rm -rf "$WORK/build"
  "$CMAKE" -S "$WORK/consumer" -B "$WORK/build" "$at" "$@"
}
expect_refusal "there is no interpreter here. Do one of three things" \
  attempt -D HEDDLE_PYTHON="$WORK/bin/python3"
expect_refusal "HEDDLE_CODEGEN is 'MAYBE'" attempt -D HEDDLE_CODEGEN=MAYBE
expect_refusal "lacks scale.cpp" attempt -D HEDDLE_CODEGEN=OFF
expect_refusal "lacks scale.cpp" attempt -D HEDDLE_CODEGEN=MISSING -D HEDDLE_PYTHON="$PYTHON"

# edit <from> <to>: changes the call of heddle_add_kernels and tries that
edit() {
  cp "$HEDDLE_SOURCE/tests/cmake/consumer/CMakeLists.txt" consumer/CMakeLists.txt
  sed -i "s|$1|$2|" consumer/CMakeLists.txt
  attempt -D HEDDLE_PYTHON="$PYTHON"
}
expect_refusal "KERNELS is missing" edit "KERNELS scale shift" ""
expect_refusal "unknown argument 'SPEED'" edit "MODEL model.py" "MODEL model.py SPEED"
expect_refusal "TARGETS has 'gpu'; known are" edit "KERNELS scale shift" "KERNELS scale shift TARGETS gpu"
expect_refusal "leave PRECISIONS out" edit "MODEL model.py" "MODEL model.py PRECISIONS f64"
expect_refusal "WIDE_VECTORS has 'shape', and KERNELS has not" \
  edit "MODEL model.py" "MODEL model.py WIDE_VECTORS scale shape"
expect_refusal "FORTRAN has 'cuda'; known are" edit "MODEL model.py" "MODEL model.py FORTRAN cuda"
expect_refusal "FORTRAN needs this language" edit "KERNELS scale shift" "KERNELS scale shift FORTRAN"
expect_refusal "the model $WORK/consumer/absent.py does not exist" edit "model.py" "absent.py"
expect_refusal "no such target" edit "heddle_add_kernels(consumer" "heddle_add_kernels(absent"

# what is left out is said, once
expect "emitted .cu files are not compiled" edit "KERNELS scale shift" "KERNELS scale shift TARGETS cpu cuda"
expect_refusal "CMAKE_CUDA_FLAGS has --use_fast_math" \
  attempt -D HEDDLE_PYTHON="$PYTHON" -D CMAKE_CUDA_FLAGS="-O3 --use_fast_math"

# names that CMake was told and the model does not have: seen by the generator, while building
edit "KERNELS scale shift" "KERNELS scale shape" >configure.log
expect_refusal "shape" make_it
