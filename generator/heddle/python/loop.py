# SPDX-License-Identifier: Apache-2.0
"""What a loop over time steps in Python needs beside kernels: periodic ghost layers, and a progress bar."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator, Sequence
from typing import Any, TextIO

from heddle.errors import KernelError

_AXES = "xyz"


def periodic(*arrays: Any, ghosts: int | Sequence[int] = 1, axes: str = "") -> None:
    """Fill the ghost layers of arrays by copies from the opposite side, so that the domain is periodic.

    arrays: with slices that can be assigned (NumPy, CuPy, PyTorch), x the last axis. ghosts: how many layers,
    or one number for each axis in the order of the arrays. axes: which are periodic, such as "xy"; without it
    all axes of an array, which has at most three then. Axes before these, such as components, stay as they
    are. Raises KernelError for an array with fewer cells than ghost layers.
    """
    for array, axis, width, cells in _periodic_axes("heddle.periodic", arrays, ghosts, axes):
        behind = (slice(None),) * axis
        array[(..., slice(0, width), *behind)] = array[(..., slice(cells, cells + width), *behind)]
        end = cells + width
        array[(..., slice(end, end + width), *behind)] = array[(..., slice(width, 2 * width), *behind)]


def fold_periodic(*arrays: Any, ghosts: int | Sequence[int] = 1, axes: str = "") -> None:
    """The adjoint of `periodic`: add the values of ghost layers to the cells from which `periodic` copies
    them, and set the layers to zero.

    For all a and b, the sum of periodic(a) * b is that of a * fold_periodic(b). Arguments and errors: as for
    `periodic`.
    """
    found = list(_periodic_axes("heddle.fold_periodic", arrays, ghosts, axes))
    for array, axis, width, cells in reversed(found):
        behind = (slice(None),) * axis
        for ghost, inner in ((0, cells), (cells + width, width)):
            layers = (..., slice(ghost, ghost + width), *behind)
            array[(..., slice(inner, inner + width), *behind)] += array[layers]
            array[layers] = 0


def _periodic_axes(
    name: str, arrays: Sequence[Any], ghosts: int | Sequence[int], axes: str
) -> Iterator[tuple[Any, int, int, int]]:
    """Each array with each periodic axis that has ghost layers: how many at a side, and the cells between."""
    for array in arrays:
        chosen = axes or _AXES[: array.ndim]
        if array.ndim > 3 and not axes:
            raise KernelError(
                name,
                f"an array of shape {tuple(array.shape)} has more axes than space.",
                'name those that are periodic: axes="xyz"',
            )
        for axis in sorted(_AXES.index(letter) for letter in chosen):
            width = ghosts if isinstance(ghosts, int) else ghosts[len(ghosts) - 1 - axis]
            cells = array.shape[array.ndim - 1 - axis] - 2 * width
            if cells < width:
                raise KernelError(
                    name,
                    f"an array of shape {tuple(array.shape)} has {cells} cells along {_AXES[axis]}, fewer "
                    f"than its {width} ghost layers.",
                    "ghosts counts the layers at one side, which the array contains",
                )
            if width:
                yield array, axis, width, cells


def steps(count: int, about: str = "", every: float = 0.2, file: TextIO | None = None) -> Iterator[int]:
    """The numbers 0 to count - 1, with a progress bar: `for step in heddle.steps(10_000): ...`.

    On a terminal one line shows how far the loop is, how many steps a second it makes, and how long the rest
    will take; elsewhere one line is printed at the end. about: a word before it. every: seconds between two
    updates. file: by default the standard error.
    """
    out = sys.stderr if file is None else file
    moving = out.isatty()
    name = f"{about}: " if about else ""
    started = shown = time.perf_counter()
    for step in range(count):
        yield step
        now = time.perf_counter()
        if moving and now - shown >= every:
            shown = now
            rate = (step + 1) / (now - started)
            filled = 24 * (step + 1) // count
            bar = "#" * filled + "-" * (24 - filled)
            left = _clock((count - step - 1) / rate)
            out.write(f"\r{name}[{bar}] {step + 1}/{count}, {rate:.0f} steps/s, {left} left  ")
            out.flush()
    seconds = time.perf_counter() - started
    rate = count / seconds if seconds else 0.0
    end = f"{name}{count} steps in {seconds:.1f} s, {rate:.0f} steps/s"
    out.write((f"\r{end}{' ' * 40}" if moving else end) + "\n")


def _clock(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes}:{rest:02d}"
