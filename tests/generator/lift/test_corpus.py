# SPDX-License-Identifier: Apache-2.0
"""Each loop of tests/lift becomes what its expected.txt says, and does what the loop did.

HEDDLE_UPDATE_EXPECTED=1 writes the files anew; read what changes.
"""

from __future__ import annotations

import os

import pytest
from corpus import INPUTS, NAMES, outcome, recovered
from same_memory import differences

REFUSED = [name for name in NAMES if name.startswith("refused_")]
LIFTED = [path.parent.name for path in INPUTS if not path.parent.name.startswith("refused_")]
TOO_LARGE = {"npb_like_forcing", "pointer_to_array"}
"""PackRegions of fixed size that the interpreter takes long for."""


@pytest.mark.parametrize("name", NAMES)
def test_expected(name: str) -> None:
    (path,) = (path for path in INPUTS if path.parent.name == name)
    expected = path.parent / "expected.txt"
    found = outcome(name)
    if os.environ.get("HEDDLE_UPDATE_EXPECTED"):
        expected.write_text(found)
    assert found == expected.read_text()


@pytest.mark.parametrize("name", NAMES)
def test_refusals_are_where_they_should_be(name: str) -> None:
    assert outcome(name).startswith("refused: ") == (name in REFUSED)


@pytest.mark.parametrize("name", sorted(set(LIFTED) - TOO_LARGE))
def test_recovered_kernels_do_what_the_loop_does(name: str) -> None:
    """Both run in the interpreter on the same random memory; every bit of it agrees afterwards."""
    for function, kernels in recovered(name):
        assert differences(function, kernels) == []


def test_the_corpus_is_large_enough() -> None:
    assert len(LIFTED) >= 45
    assert len(REFUSED) >= 15
