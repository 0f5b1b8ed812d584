# SPDX-License-Identifier: Apache-2.0
"""The usual mistakes get an error of ours, at the line that has them."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import sympy
from errors.mistakes import MISTAKES, right
from heddle import KernelError, lbm


@pytest.mark.parametrize(("mistake", "message"), MISTAKES, ids=range(len(MISTAKES)))
def test_words(mistake: Callable[[], Any], message: str) -> None:
    with pytest.raises(KernelError, match=r"^mistakes\.py:\d+: " + re.escape(message) + "$"):
        mistake()


def test_what_is_right_is_taken() -> None:
    right()


def test_vectors_and_flags_of_other_libraries_are_taken() -> None:
    wall = lbm.VelocityBounceBack(sympy.Matrix([0, sympy.Symbol("v")]))  # type: ignore[arg-type]
    assert wall.velocity == (0, sympy.Symbol("v"))
    lbm.BGK(lbm.Lattice("D2Q9"), compressible=np.bool_(False))  # type: ignore[arg-type]
