#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Lift the loops of legacy.cpp, generate C++ and CUDA, prove both equal to the loops: lift.sh FOLDER
set -euo pipefail
here=$(cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")" && pwd)
out=${1:?usage: $0 FOLDER}
"$here/../../heddle" lift "$here/legacy.cpp" --function advect sor diffuse_column receive --module lifted \
  --out "$out" --targets cpu cuda --prove
