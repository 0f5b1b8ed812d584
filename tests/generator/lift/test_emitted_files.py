# SPDX-License-Identifier: Apache-2.0
"""heddle-lift reads emitted kernels whole: nothing in them is unknown to it.

The smallest files are read that have every word and operator that any of them has; with HEDDLE_TESTS=full
(`./test.sh --full`) all are.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import pytest
from heddle.ir import source
from heddle.ir.visit import walk
from heddle.lift.front_end import read
from heddle.roundtrip.report import flags
from models import FULL

pytestmark = pytest.mark.slow  # needs all modules of the build dev
ROOT = Path(__file__).resolve().parents[3]
EMITTED = sorted(ROOT.glob("build/dev/generated/*/*.c*"), key=lambda path: (path.stat().st_size, path))
WORDS = re.compile(
    r"(?:std|heddle)::\w+|#pragma.*|__\w+|\b(?:for|if|else|return|template|const|auto|static_cast)\b"
    r"|\b(?:double|float|bool|u?int\d+_t)\b|[-+*/%&|<>=!?:]+"
)


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


GENERATED = EMITTED if FULL else with_every_word(EMITTED)


@pytest.mark.parametrize("path", GENERATED, ids=lambda path: "/".join(path.parts[-2:]))
def test_emitted_files_are_read(path: Path) -> None:
    """A template of a header has instances where it is launched."""
    is_template = path.suffix == ".cuh" and "typename Real" in path.read_text()
    unit = read(path.with_suffix(".cu") if is_template else path, flags())
    kernels = [each for each in unit.functions if each.main or (is_template and each.kind == "kernel")]
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
