# SPDX-License-Identifier: Apache-2.0
"""What a normal run takes by turns: three turns have each case once, each row names a test."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections import Counter

import pytest
from compiled import ROOT
from turns import TURNS, by_turns, is_due, rows

ROWS = rows()
CTEST = [row[3] for row in ROWS if row[1] == "ctest"]


def test_rows_are_what_the_head_says() -> None:
    for row in ROWS:
        assert len(row) == 4, row
        assert row[1] in ("pytest", "ctest"), row
        assert row[0] in "012" or (row[0] == "*" and row[1] == "pytest"), row
        assert int(row[2]) > 0, row


def test_turns_take_about_as_long() -> None:
    for kind in ("pytest", "ctest"):
        seconds = Counter[str]()
        for row in ROWS:
            if row[1] == kind and row[0] != "*":
                seconds[row[0]] += int(row[2])
        assert max(seconds.values()) - min(seconds.values()) <= 20, seconds


@pytest.mark.parametrize("file", by_turns())
def test_a_file_is_there(file: str) -> None:
    assert (ROOT / "tests" / "generator" / file).is_file()


def test_a_test_of_ctest_is_there() -> None:
    assert len(CTEST) == len(set(CTEST))
    text = "".join(
        path.read_text()
        for path in (ROOT / "tests").rglob("*")
        if path.suffix in (".cpp", ".txt", ".cmake") and path.name != "by_turns.txt"
    )
    cases = {match[1] + "." + match[2] for match in re.finditer(r"TEST(?:_F|_P)?\((\w+), (\w+)\)", text)}
    words = set(re.findall(r"[\w-]+", text))
    for name in CTEST:
        *_, suite, case = re.sub(r"<.*>$", "", name).split(".")
        assert f"{suite}.{case}" in cases or case in words, name


def test_three_turns_have_each_case_once() -> None:
    turns = {"all.py": "*", "one.py": "1"}
    for file, case in [("all.py", f"test_a[{n}]") for n in range(50)] + [("one.py", "test_b")]:
        assert [is_due(file, case, turn, turns) for turn in range(TURNS)].count(True) == 1
    assert all(is_due("other.py", "test_c", turn, turns) for turn in range(TURNS))
    shares = [sum(is_due("all.py", f"test_a[{n}]", turn, turns) for n in range(300)) for turn in range(TURNS)]
    assert min(shares) > 70


def test_pytest_leaves_out_what_is_not_due() -> None:
    file = "lbm/test_slip.py"
    command = [sys.executable, "-m", "pytest", "--collect-only", "-p", "no:cacheprovider", "--rootdir", "."]
    command += ["-c", "generator/pyproject.toml", f"tests/generator/{file}"]
    environment = {**os.environ, "HEDDLE_TURN": "1"}
    result = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)
    assert result.returncode == 0, result.stdout + result.stderr
    cases = re.findall(r"^\S+\.py::(.+)$", result.stdout, re.M)
    collected = re.search(r"/(\d+) tests collected", result.stdout)
    assert collected is not None, result.stdout
    assert 0 < len(cases) < int(collected[1])
    assert all(is_due(file, case, 1, by_turns()) for case in cases)
