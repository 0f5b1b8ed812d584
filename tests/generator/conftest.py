# SPDX-License-Identifier: Apache-2.0
"""Its folder is on the path of every generator test: running.py, models.py and compiled.py are shared."""

from __future__ import annotations

import gc
import os

import pytest
from turns import HERE, by_turns, is_due

LONGEST = (
    "roundtrip/equivalence/test_models.py",
    "roundtrip/test_constructs.py",
    "emit/test_compiled.py",
    "passes/test_passes.py",
)
"""Files that begin first. Each file stays on one core, so that one of them at the end would leave the others
idle."""

# Before a compiled kernel starts OpenMP: threads that wait sleep (see tests/environment.cmake).
os.environ.setdefault("OMP_WAIT_POLICY", "passive")
# What tests load is not kept in the cache of the user.
os.environ.setdefault("HEDDLE_CACHE", "off")
# Nodes live long and are in no circle: looking for those takes a tenth of the time.
gc.set_threshold(200_000, 20, 20)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if "HEDDLE_TURN" in os.environ:
        turn, turns = int(os.environ["HEDDLE_TURN"]), by_turns()

        def due(item: pytest.Item) -> bool:
            return is_due(item.path.relative_to(HERE).as_posix(), item.name, turn, turns)

        config.hook.pytest_deselected(items=[item for item in items if not due(item)])
        items[:] = filter(due, items)
    place = {HERE / name: number for number, name in enumerate(LONGEST)}
    items.sort(key=lambda item: place.get(item.path, len(LONGEST)))
