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

# heddle-lift, where it was built, is found by the moved package, with its declarations of CUDA
if [ -x "$HEDDLE_BINARY/bin/heddle-lift" ]; then
  printf '%s\n' '__global__ void twice(const float* u, float* v, int n) {' \
    '  int i = blockIdx.x * blockDim.x + threadIdx.x;' \
    '  if (i < n) v[i] = 2.0f * u[i];' '}' >twice.cu
  expect 'v[0], 2 * u[0]' env -u HEDDLE_LIFT PYTHONPATH="$WORK/elsewhere/prefix/share/heddle" "$PYTHON" \
    -m heddle lift twice.cu --function twice
  expect '"key":"twice(f32 const*, f32*, i32)"' "$WORK/elsewhere/prefix/bin/heddle-lift" twice.cu
fi
