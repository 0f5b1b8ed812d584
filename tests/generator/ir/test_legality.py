# SPDX-License-Identifier: Apache-2.0
"""Which options of a schedule each kind of space takes, written down once more as a grid."""

from __future__ import annotations

from typing import Any

import pytest
from heddle import CacheLines, CompressedList, Interleaved, KernelError, Rows, Schedule, Strips, Threads
from heddle.errors import NOWHERE
from heddle.ir.default_schedule import plain
from heddle.ir.legality import REFUSALS, check_space
from heddle.ir.space import Dense, Link, Sparse

OPTIONS: dict[str, dict[str, Any]] = {
    "strips": {"cpu": Strips(16)},
    "fixed_nx": {"cpu": Rows(fixed_nx=8)},
    "unchecked_entry": {"cpu": Rows(unchecked_entry=True)},
    "unit_stride": {"cpu": Rows(unit_stride=True)},
    "Interleaved": {"gpu": Interleaved(4)},
    "threads_per_vector": {"gpu": Interleaved(4, threads_per_vector=2)},
    "CompressedList": {"gpu": CompressedList()},
    "coarsening": {"gpu": Threads(coarsening=2)},
    "same_strides": {"gpu": Threads(same_strides=True)},
    "row_cells": {"gpu": Threads(unit_stride=True, same_strides=True, row_cells=2)},
    "levels_first": {"gpu": Threads(levels_first=True)},
    "level_by_level": {"gpu": Threads(unit_stride=True, same_strides=True, level_by_level=True)},
    "colours": {"colours": 2},
    "specialise": {"specialise": ("open", 63)},
}
TAKEN = {
    # one letter per option, in their order
    "box": "yyyyyy-yyyyyyy",
    "list": "y-----y-------",
    "cells": "--------------",
    "solid": "--------------",
    "walls": "-yyyyy--------",
    "colours": "--yyy--yy---yy",
    "specialise": "-yyy---yy---yy",
}
LINK, SOLID = Link(1, (1, 0), 2), Link(1, (1, 0), -1)
SPACES = {
    "box": Dense(2),
    "list": Sparse("fluid", links=(LINK,)),
    "cells": Sparse("body", True, box=2),
    "solid": Sparse("fluid", links=(SOLID,)),
    "walls": Dense(2, walls=("w",), links=(LINK,)),
    "colours": Dense(2, colours=2),
    "specialise": Dense(2),
}


@pytest.mark.parametrize("option", OPTIONS)
@pytest.mark.parametrize("kind", SPACES)
def test_what_a_space_takes(kind: str, option: str) -> None:
    schedule = plain(Schedule(**(OPTIONS.get(kind, {}) | OPTIONS[option])))
    if TAKEN[kind][list(OPTIONS).index(option)] == "y":
        check_space("k", SPACES[kind], schedule, NOWHERE)
    else:
        shared = option == "threads_per_vector" and kind != "colours"  # then no vectors at all
        named = "Interleaved" if shared else option
        if option in ("row_cells", "level_by_level") and kind not in ("colours", "specialise"):
            named = f"{option}|same_strides"
        with pytest.raises(KernelError, match=f"'k' .*, which does not support {named}: "):
            check_space("k", SPACES[kind], schedule, NOWHERE)


def test_the_grid_is_complete() -> None:
    assert TAKEN.keys() == SPACES.keys() == REFUSALS.keys()
    assert {option for refusal in REFUSALS.values() for option in refusal.options} == OPTIONS.keys()


def test_cache_lines_are_strips() -> None:
    with pytest.raises(KernelError, match="does not support strips"):
        check_space("k", SPACES["walls"], plain(Schedule(cpu=CacheLines(4))), NOWHERE)
