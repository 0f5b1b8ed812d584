# SPDX-License-Identifier: Apache-2.0
"""Which emitted GPU kernels depend on how many threads run in lock step, and which of them are alike.

A wave of CUDA has 32 threads, one of AMD 64. Text that calls nothing in which the threads of a wave exchange
values is the same program for both: `meetings`. Of the others, those of one `Structure` differ in what a
thread computes by itself and in nothing that the length of a wave bears upon.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from compiled import ROOT
from heddle.ir.device_calls import DEVICE_CALLS

GENERATED = ROOT / "build" / "dev" / "generated"
"""What the build dev emits: all modules of the tree but those that only a CUDA compiler wants."""
MEETINGS = (*(row.function or name for name, row in DEVICE_CALLS.items() if row.depends_on_wave), "WarpCells")
"""What the text of a kernel names where the threads of a wave exchange values; the last one is that of the
schedule WarpPerCell."""
_MEETING = re.compile(rf"\bheddle::({'|'.join(MEETINGS)})\b(<\d+, \d+>)?")
_LAUNCH = re.compile(
    r"heddle::launch(?:_warps)?\(\s*[\w:<>]+,\s*heddle::Cells\{([^}]*)\},\s*(?:dim3\(([^)]*)\))?"
)
_CONTROL = re.compile(r" *(for|if|while|\} else)\b")


@dataclass(frozen=True)
class Structure:
    """What the length of a wave bears upon.

    meetings: the calls in which its threads exchange values; of lanes that share the work of a cell, how many
    cells they have under way and how many warps a block has. around: loops and conditions around these calls,
    from the outermost. ends: whether threads beyond the last row end before. space: the kind of the launch's
    cells. wave: how 64 threads lie in a block. coarsened: whether a thread has several cells. pieces: whether
    a block goes along its row.
    """

    meetings: frozenset[str]
    around: frozenset[str]
    ends: bool
    space: str
    wave: str
    coarsened: bool
    pieces: bool

    @property
    def warps(self) -> int:
        """Of a block in which lanes share the work of a cell; else 0."""
        shape = re.search(r"<\d+, (\d+)>", " ".join(self.meetings))
        return int(shape[1]) if shape else 0


def meetings(kernel: str) -> frozenset[str]:
    """In which calls the threads of a wave exchange values; nothing: its length has no effect."""
    return frozenset(name + shape for name, shape in _MEETING.findall(kernel))


def structures(kernel: str, launcher: str) -> Iterator[Structure]:
    """Of the text of a kernel that depends on the wave and of what launches it, for each precision."""
    launches = set(_LAUNCH.findall(launcher))
    assert launches, launcher
    for cells, block in launches:
        extents = re.split(r",\s*", cells)
        yield Structure(
            meetings(kernel),
            frozenset(_around(kernel.splitlines())),
            "return;" in kernel,
            _space(cells, launcher),
            _wave([int(size) for size in block.split(",")]) if block else "one warp",
            any("/" in extent for extent in extents[1:]),
            extents[0].isdigit(),
        )


def _around(lines: list[str]) -> Iterator[str]:
    for at, line in enumerate(lines):
        if _MEETING.search(line) and "Rows" not in line:
            indent, found = _indent(line), []
            for before in reversed(lines[:at]):
                control = _CONTROL.match(before)
                if control and _indent(before) < indent:
                    indent = _indent(before)
                    found.insert(0, control[1])
            yield " ".join(found)


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _space(cells: str, launcher: str) -> str:
    if "cell_count" in cells:
        return "places" if "cell_x" in launcher else "list"
    if "++colour" in launcher:
        return "split colours" if "n_i" in cells else "colours"
    return "box"


def _wave(block: list[int]) -> str:
    across = block[0]
    if across < 64:
        return f"{64 // across} rows"
    return "one row" if across % 64 == 0 else "one row, the last one half of it"


def emitted() -> Mapping[tuple[str, str], frozenset[Structure]]:
    """The kernels of the build dev that depend on the wave, by module and name."""
    found = {}
    for launcher in sorted(GENERATED.glob("*/*.cu")):
        kernel = launcher.with_suffix(".cuh").read_text()
        if meetings(kernel):
            found[launcher.parent.name, launcher.stem] = frozenset(structures(kernel, launcher.read_text()))
    return found


def model_of(path: Path) -> Path:
    """The model of which a file was emitted."""
    model = re.search(r"from (\S+\.py)\.", path.read_text())
    assert model is not None, path
    return ROOT / model[1]
