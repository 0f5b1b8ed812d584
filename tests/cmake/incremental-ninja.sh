#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# shellcheck source=incremental.sh
. "$(dirname "$0")/incremental.sh"
incremental "Ninja"
