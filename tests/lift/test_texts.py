# SPDX-License-Identifier: Apache-2.0
"""Texts from the corners of the language have the record that stands in `corners.txt`; random, truncated and
oddly encoded texts have a record, or an error of Clang.

HEDDLE_UPDATE_EXPECTED=1 writes `corners.txt` anew; read what changes.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from conftest import Lift, Run
from corners import CORNERS, FLAGS
from heddle.ir import source
from heddle.ir.json import from_json, to_json
from random_source import PREAMBLE, Writer
from record_text import body_text, signature_text, statement_text

EXPECTED = Path(__file__).with_name("corners.txt")


def _lines(unit: source.Unit) -> Iterator[str]:
    for function in unit.functions:
        yield signature_text(function)
        yield from (f"  {line}" for line in body_text(function))
    for constant in unit.constants:
        yield from statement_text(constant)


def test_corners(lift: Lift) -> None:
    found = []
    for name, text in CORNERS.items():
        file = "corner.cu" if name.startswith("cuda") else "corner.cpp"
        unit = lift(text, file, flags=FLAGS.get(name, ()))
        found.append("\n".join((f"== {name}", *_lines(unit), "")))
    if os.environ.get("HEDDLE_UPDATE_EXPECTED"):
        EXPECTED.write_text("\n".join(found), encoding="utf-8")
    assert "\n".join(found) == EXPECTED.read_text(encoding="utf-8")


@pytest.mark.parametrize("seed", range(20))
def test_random_programs(lift: Lift, seed: int) -> None:
    unit = lift(Writer(seed).program())
    assert any(function.main for function in unit.functions)
    assert from_json(to_json(unit)) is unit


def _record_or_error(run: Run, path: Path) -> None:
    result = run(path)
    if result.returncode == 0:
        assert isinstance(from_json(result.stdout), source.Unit)
    else:
        assert result.returncode == 1
        assert re.search(rf"^({path}:[1-9]\d*:\d+: |fatal )error: ", result.stderr, re.MULTILINE)


@pytest.mark.parametrize("cut", range(0, 1200, 97))
def test_truncated_files(run: Run, tmp_path: Path, cut: int) -> None:
    path = tmp_path / "input.cpp"
    path.write_text(PREAMBLE[:cut], encoding="utf-8")
    _record_or_error(run, path)


@pytest.mark.parametrize(
    "text",
    [
        b"\0",
        b"\xff\xfe\x00",
        b"int f\xc3\x28() { return 1; }",
        b"\xef\xbb\xbfint f() { return 1; }",
        b"int\r\nf() {\r}\r\n",
        "// ü\nint größe() { return 1; }".encode(),
        "// ü\n".encode("latin-1") + b"int f() { return 1; }",
    ],
)
def test_odd_encodings(run: Run, tmp_path: Path, text: bytes) -> None:
    path = tmp_path / "input.cpp"
    path.write_bytes(text)
    _record_or_error(run, path)
