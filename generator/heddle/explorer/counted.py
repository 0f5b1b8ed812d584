# SPDX-License-Identifier: Apache-2.0
"""python -m heddle.explorer.counted STEP.json COUNT: runs a step that heddle.explorer.counters describes, for
a tool that counts what it moves."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from heddle.explorer.counters import FILLED
from heddle.explorer.memory import library
from heddle.python.load import functions_of
from heddle.python.zeros import address


def _flat(xp: Any, facts: Mapping[str, Any]) -> tuple[Any, int]:
    """Memory of an array, and where its first element lies."""
    span = [step * (n - 1) for step, n in zip(facts["strides"], facts["shape"], strict=True)]
    before = -sum(min(0, one) for one in span)
    line = 256 // xp.dtype(facts["dtype"]).itemsize
    memory = xp.zeros(before + sum(max(0, one) for one in span) + 1 + 2 * line, facts["dtype"])
    own = address(memory) % 256 // memory.itemsize
    first = before + (facts["residue"] - before - own) % line
    if "file" in facts:
        _view(xp, memory, first, facts)[...] = xp.asarray(library().load(facts["file"]))
    else:
        memory[...] = FILLED
    return memory, first


def _view(xp: Any, memory: Any, first: int, facts: Mapping[str, Any]) -> Any:
    size = memory.itemsize
    strides = [step * size for step in facts["strides"]]
    if hasattr(memory, "__array_interface__"):
        return xp.ndarray(facts["shape"], memory.dtype, memory, first * size, strides)
    return xp.ndarray(facts["shape"], memory.dtype, memory.data + first * size, strides)


class _View:
    """A view of CuPy that says of what memory it is one."""

    def __init__(self, array: Any, memory: Any) -> None:
        self.array, self.base = array, memory

    def __dlpack__(self, **words: Any) -> Any:
        return self.array.__dlpack__(**words)

    def __dlpack_device__(self) -> Any:
        return self.array.__dlpack_device__()


def main(spec: Path, count: int) -> None:
    """Run the step so many times, after one that is not counted by ncu."""
    step = json.loads(spec.read_text())
    xp = library("cupy" if step["gpu"] else "numpy")
    flats = [_flat(xp, facts) for facts in step["flats"]]
    functions = functions_of(Path(step["library"]), step["entry"])

    def value(name: str, given: Any, whole: list[str]) -> Any:
        if not isinstance(given, dict):
            return int(given) if name in whole else given
        memory, first = flats[given["flat"]]
        view = _view(xp, memory, first + given["offset"], given)
        return _View(view, memory) if step["gpu"] else view

    calls = [
        (
            functions[call["kernel"]],
            {name: value(name, given, call["whole"]) for name, given in call["given"].items()},
        )
        for call in step["calls"]
    ]

    def once() -> None:
        for function, given in calls:
            function(**given)

    once()
    if step["gpu"]:
        xp.cuda.Device().synchronize()
        xp.cuda.profiler.start()
    for _ in range(count):
        once()
    if step["gpu"]:
        xp.cuda.Device().synchronize()
        xp.cuda.profiler.stop()


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))
