#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The version number is written in three places; they agree.
# shellcheck source=common.sh
. "$(dirname "$0")/common.sh"
package=$(sed -n 's/^version = "\(.*\)"$/\1/p' "$HEDDLE_SOURCE/generator/pyproject.toml")
config=$(sed -n 's/^set(PACKAGE_VERSION \(.*\))$/\1/p' \
  "$HEDDLE_SOURCE/runtime/cmake/heddleConfigVersion.cmake")
if [ -z "$package" ] || [ "$package" != "$config" ]; then
  refuse "pyproject.toml says '$package', heddleConfigVersion '$config'"
fi
expect "$package" env PYTHONPATH="$HEDDLE_SOURCE/generator" \
  "$PYTHON" -c 'import heddle; print(heddle.__version__)'
