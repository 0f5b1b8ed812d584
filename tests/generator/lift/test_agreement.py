# SPDX-License-Identifier: Apache-2.0
"""Clang's JSON and heddle-lift give one record: of emitted kernels, of hand-written loops, of random text."""

from __future__ import annotations

from pathlib import Path

import pytest
from corners import CORNERS
from heddle.ir import source
from heddle.ir.visit import walk
from heddle.lift.front_end import read
from programs import KERNEL_FLAGS, LIFT, ROOT, both, first_difference
from random_source import Writer

GENERATED = sorted(ROOT.glob("generated/*/*.c*"))
BY_HAND = sorted(ROOT.glob("tests/lift/*/input.*"))
needs_lift = pytest.mark.skipif(LIFT is None, reason="heddle-lift is not built")


def _same(path: Path, flags: tuple[str, ...] = ()) -> source.Unit | None:
    ours, theirs = both(path, flags)
    assert ours is theirs, first_difference(ours, theirs)
    return ours


@pytest.mark.parametrize("path", GENERATED, ids=lambda path: "/".join(path.parts[-2:]))
def test_emitted_files_are_read(path: Path) -> None:
    flags = (*KERNEL_FLAGS, "-I", str(path.parent))
    unit = read(path, flags, front_end="clang-json") if LIFT is None else _same(path, flags)
    assert unit is not None
    kernels = [function for function in unit.functions if function.main]
    assert kernels
    unknown = [node for node in walk(kernels) if isinstance(node, (source.Unknown, source.UnknownStatement))]
    assert not unknown


@needs_lift
@pytest.mark.parametrize("path", BY_HAND, ids=lambda path: path.parent.name)
def test_hand_written_loops(path: Path) -> None:
    assert _same(path) is not None


@needs_lift
@pytest.mark.parametrize("name", CORNERS)
def test_corners(name: str, tmp_path: Path) -> None:
    path = tmp_path / ("corner.cu" if name.startswith("cuda") else "corner.cpp")
    path.write_text(CORNERS[name], encoding="utf-8")
    assert _same(path) is not None


@needs_lift
@pytest.mark.parametrize("seed", range(20))
def test_random_programs(seed: int, tmp_path: Path) -> None:
    path = tmp_path / "random.cpp"
    path.write_text(Writer(seed).program(), encoding="utf-8")
    _same(path)


@pytest.mark.parametrize("seed", range(20))
def test_random_programs_compile(seed: int, tmp_path: Path) -> None:
    path = tmp_path / "random.cpp"
    path.write_text(Writer(seed).program(), encoding="utf-8")
    unit = read(path, front_end="clang-json")
    assert len([function for function in unit.functions if function.main]) > 0
