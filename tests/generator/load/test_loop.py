# SPDX-License-Identifier: Apache-2.0
"""Periodic ghost layers are what NumPy's `wrap` gives; the progress bar counts."""

from __future__ import annotations

import io
from typing import Any

import heddle
import numpy as np
import pytest
from heddle import KernelError


@pytest.mark.parametrize("ghosts", [1, 2, (0, 1, 2)])
def test_all_axes(ghosts: Any) -> None:
    inner = np.random.default_rng(5).random((3, 4, 5))
    widths = [(g, g) for g in ((ghosts,) * 3 if isinstance(ghosts, int) else ghosts)]
    expected = np.pad(inner, widths, mode="wrap")
    array = np.pad(inner, widths)
    heddle.periodic(array, ghosts=ghosts)
    np.testing.assert_array_equal(array, expected)


def test_some_axes_of_components() -> None:
    inner = np.random.default_rng(5).random((2, 3, 4, 5))
    array, other = np.pad(inner, [(0, 0), (1, 1), (1, 1), (1, 1)]), np.zeros((3, 3, 3))
    heddle.periodic(array, other, axes="xz")
    expected = np.pad(inner, [(0, 0), (1, 1), (0, 0), (1, 1)], mode="wrap")
    np.testing.assert_array_equal(array[:, :, 1:-1, :], expected)
    assert not array[:, :, (0, -1), :].any()


def test_what_is_refused() -> None:
    with pytest.raises(KernelError, match="more axes than space"):
        heddle.periodic(np.zeros((9, 4, 4, 4)))
    with pytest.raises(KernelError, match="1 cells along x, fewer than its 2 ghost layers"):
        heddle.periodic(np.zeros((9, 5)), ghosts=2)


def test_steps_count() -> None:
    out = io.StringIO()
    assert list(heddle.steps(5, "box", file=out)) == [0, 1, 2, 3, 4]
    assert out.getvalue().startswith("box: 5 steps in 0.0 s, ")

    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    terminal = Terminal()
    assert sum(1 for _ in heddle.steps(4, every=0, file=terminal)) == 4
    assert "\r[######------------------] 1/4" in terminal.getvalue()
    assert "[########################] 4/4" in terminal.getvalue()
