# SPDX-License-Identifier: Apache-2.0
"""What a normal run of ./test.sh takes by turns: tests/by_turns.txt."""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from pathlib import Path

HERE = Path(__file__).parent
TURNS = 3


def rows() -> list[list[str]]:
    """Turn, kind, seconds and name in each row of tests/by_turns.txt."""
    lines = (HERE.parent / "by_turns.txt").read_text().splitlines()
    return [line.split() for line in lines if line and not line.startswith("#")]


def by_turns() -> dict[str, str]:
    """The turn, 0 to 2 or *, of each file of tests that tests/by_turns.txt names."""
    return {row[3]: row[0] for row in rows() if row[1] == "pytest"}


def is_due(file: str, case: str, turn: int, turns: Mapping[str, str]) -> bool:
    """Whether a normal run of this turn has a case, by its name without the folder."""
    own = turns.get(file)
    if own == "*":
        return zlib.crc32(case.encode()) % TURNS == turn
    return own is None or int(own) == turn
