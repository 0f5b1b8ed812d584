# SPDX-License-Identifier: Apache-2.0
"""Clang's JSON and heddle-lift give one record: of emitted kernels, of hand-written loops, of random text.

Of the emitted kernels, the smallest are read that have every word and operator that any of them has; with
HEDDLE_TESTS=full (`./test.sh --full`) all are.
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from pathlib import Path

import pytest
from corners import CORNERS
from heddle.ir import source
from heddle.ir.visit import walk
from heddle.lift.front_end import read
from programs import KERNEL_FLAGS, LIFT, ROOT, both, first_difference
from random_source import Writer

EMITTED = sorted(ROOT.glob("generated/*/*.c*"), key=lambda path: (path.stat().st_size, path))
WORDS = re.compile(
    r"(?:std|heddle)::\w+|#pragma.*|__\w+|\b(?:for|if|else|return|template|const|auto|static_cast)\b"
    r"|\b(?:double|float|bool|u?int\d+_t)\b|[-+*/%&|<>=!?:]+"
)
BY_HAND = sorted(ROOT.glob("tests/lift/*/input.*"))
needs_lift = pytest.mark.skipif(LIFT is None, reason="heddle-lift is not built")


def with_every_word(paths: Sequence[Path]) -> list[Path]:
    """Those files in which a word, operator or pragma of C++ stands that is in none before them; each kind of
    file on its own."""
    seen: dict[str, set[str]] = {}
    chosen = []
    for path in paths:
        known = seen.setdefault("_reference" if "_reference." in path.name else path.suffix, set())
        words = set(WORDS.findall(re.sub(r"//.*", "", path.read_text())))
        if words - known:
            chosen.append(path)
        known |= words
    return chosen


GENERATED = EMITTED if os.environ.get("HEDDLE_TESTS") == "full" else with_every_word(EMITTED)


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


def test_every_module_and_kind_of_file_is_there() -> None:
    """Of what is left out, another file with the same words is read."""
    chosen = with_every_word(EMITTED)
    assert {path.suffix for path in chosen} == {".cpp", ".cu", ".cuh"}
    assert len(chosen) > 30
    words = set().union(*(WORDS.findall(path.read_text()) for path in chosen))
    assert words >= {"heddle::combine_max", "heddle::launch", "heddle::load_run", "std::fma"}


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
