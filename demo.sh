#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Wind over a real mountain range, or cumulus clouds (./demo.sh clouds), from a page of mathematics to
# pictures: installs what is missing, generates the kernels, builds them, runs them. Needs Debian 12 with root
# or sudo (other systems: see CONTRIBUTING.md), a compiler and Python 3.11. May be run again at any time.
# Further arguments go to the program: ./demo.sh --help, ./demo.sh clouds --help
set -euo pipefail
HEDDLE_ROOT=$(cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")" && pwd)
cd "$HEDDLE_ROOT"
# shellcheck source=.ci/environment.sh
. "$HEDDLE_ROOT/.ci/environment.sh"
program=terrain_wind title="wind over the Jacksboro Fault" out="$build/demo" ours=() preset=demo-wind
if [ "${1:-}" = clouds ]; then
  shift
  program=clouds title="shallow cumulus clouds" out="$build/demo_clouds" preset=demo-clouds
  ours=(bomex --cells 32x32x75 --spacing 100 --hours 2 --precision f32)
fi

say "Heddle: $title"
need_packages g++ cmake ninja-build pkg-config python3 python3-venv zlib1g-dev libcairo2-dev \
  libcli11-dev python-matplotlib-data
need_venv_or_fail ""
say "Python environment: ready in build/venv"

say "configuring (preset $preset)"
# The machine's graphics card takes part where there is one; without it the CUDA kernels would only be
# compiled.
cuda=OFF
if [ -e /dev/nvidia0 ] && find_nvcc; then cuda=ON; fi
configure_preset "$preset" -D HEDDLE_CUDA=$cuda ${nvcc:+-D CMAKE_CUDA_COMPILER="$nvcc"} \
  -D HEDDLE_PYTHON="$venv/bin/python" ||
  fail "Configuring failed. The message above says why; the whole output is in" \
    "$logs/configure-$preset.log. If it is an old build folder, remove build/$preset and run this again."

say "generating and compiling the kernels and the program"
build_preset "$preset" --target "$program" ||
  fail "The build failed. The whole output is in $logs/build-$preset.log. If this is a fresh clone on" \
    "Debian 12, it is a fault of ours: please report it with that file."

say "running build/$preset/bin/$program"
"$build/$preset/bin/$program" "${ours[@]}" --out "$out" "$@" ||
  fail "The program stopped; its message above says why. Nothing of an earlier run in $out was lost."

printf '\n'
say "done. The output lies in $out:"
(cd "$out" && find . -maxdepth 1 -type f \( -name '*.png' -o -name '*.pvd' \) | sort |
  sed 's|^\./|           |')
if [ "$program" = clouds ]; then
  cat <<END
           Look at the picture; clouds.nc has all profiles over time.
           The mathematics: examples/clouds/model.py
END
  exit
fi
cat <<END
           Look at the picture, or open the .pvd file in ParaView.
           The kernels that computed it: generated/wind; the mathematics: examples/terrain_wind/model.py
END
