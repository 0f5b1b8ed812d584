#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# lifted.sh PYTHON LESSON: the lesson's model is what Heddle lifts from its loop, and its kernels are proved
# equal to the loop.
set -euo pipefail
python=$1 lesson=$2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$lesson"
"$python" -m heddle lift legacy.cpp --function transport --module tracer --out "$folder" \
  --targets cpu cuda --prove | tee "$folder/report"
diff model.py "$folder/model.py"
grep -q "cpu *equal: structural" "$folder/report"
grep -q "cuda *equal: structural" "$folder/report"
