# SPDX-License-Identifier: Apache-2.0
"""The record does not depend on the version of Clang that writes the JSON, among those that are installed."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from heddle.lift import clang_json
from heddle.lift.front_end import compiler, read
from programs import ROOT, first_difference

COMPILERS = [name for name in ("clang++-14", "clang++-16", "clang++-19") if shutil.which(name)]
SOME = sorted(ROOT.glob("tests/lift/*/input.*"))[::8]


@pytest.mark.parametrize("path", SOME, ids=lambda path: path.parent.name)
@pytest.mark.parametrize("name", [name for name in COMPILERS if shutil.which(name) != compiler()])
def test_all_versions_give_one_record(name: str, path: Path) -> None:
    found, expected = clang_json.read(str(path), (), None, name), read(path)
    assert found is expected, first_difference(found, expected)
