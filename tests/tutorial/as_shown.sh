#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# as_shown.sh PROGRAM PAGE: the program returns 0, and its last line stands on the page, but for the digits of
# rounding errors (1.4e-15, hexadecimal numbers).
set -euo pipefail
rounded() { sed -E 's/[0-9](\.[0-9])?e-[0-9]+|-?0x[0-9a-fp.+-]+/small/g'; }
line=$("$1" | tail -n 1 | rounded)
rounded <"$2" | grep -qxF -- "$line" || { echo "not in $2: $line"; exit 1; }
