# SPDX-License-Identifier: Apache-2.0
"""Call compiled kernels with NumPy arrays that have ghost cells: [component, z, y, x], x fastest."""

from __future__ import annotations

import ctypes
from collections.abc import Mapping
from typing import Any

import numpy as np
from compiled import SCALARS, SUFFIXES
from heddle.emit.signature import arguments
from heddle.emit.targets import TARGETS
from heddle.module import Module

Array = Any


class Kernels:
    """The kernels of one module in one precision and one target. ghosts: of all fields."""

    def __init__(
        self,
        library: ctypes.CDLL,
        module: Module,
        precision: str,
        target: str,
        ghosts: int = 3,
    ) -> None:
        self.library, self.module, self.precision, self.target = (
            library,
            module,
            precision,
            target,
        )
        self.ghosts = ghosts
        self.type = {"f64": np.float64, "f32": np.float32}[precision]
        self.arguments = {name: arguments(module.typed(name, precision)) for name in module.kernels}

    def __call__(
        self,
        kernel: str,
        arrays: Mapping[str, Array],
        scalars: Mapping[str, float],
        tile: tuple[slice, slice, slice] | None = None,
    ) -> None:
        """Run over the interior, or over some cells of it (x, y, z)."""
        g, passed = self.ghosts, []
        for argument in self.arguments[kernel]:
            name = argument.name
            if argument.role not in ("extent", "stride") and name in arrays:
                array, field = arrays[name], argument.field
                assert array.dtype == self.type
                if array.ndim == 1:
                    first = (g + (tile[field.axis].start if tile else 0),)
                else:
                    start = [s.start for s in tile[::-1]] if tile else [0, 0, 0]
                    first = tuple(g + s for s in start[-min(array.ndim, 3) :])
                    first = (0,) * (array.ndim - len(first)) + first
                offset = sum(a * b for a, b in zip(first, array.strides, strict=True))
                passed.append(ctypes.c_void_p(array.ctypes.data + offset))
            elif argument.role in ("extent", "stride"):
                array = arrays[argument.field.name]
                if argument.role == "stride":
                    numbers = [s // array.itemsize for s in array.strides]
                else:
                    numbers = [n - 2 * g for n in array.shape[-3:]]
                    if tile:
                        numbers = [s.stop - s.start for s in tile[::-1]][-len(numbers) :]
                    numbers = [*array.shape[:-3], *numbers]
                numbers = [*numbers[-3:][::-1], *numbers[:-3]]
                passed.append((ctypes.c_int64 * len(numbers))(*numbers))
            else:
                passed.append(SCALARS[str(argument.kind)](scalars[name]))
        if TARGETS[self.target].threads:
            passed.append(ctypes.c_void_p(None))
        entry = f"{self.module.name}_{kernel}_{self.precision}{SUFFIXES[self.target]}"
        status = int(getattr(self.library, entry)(*passed))
        assert status == 0, f"{entry} returns {status}"


def interior(array: Array, ghosts: int = 3) -> Array:
    """Without ghost cells: [..., z, y, x] or [y, x]."""
    inner = slice(ghosts, -ghosts)
    return array[(..., *[inner] * min(array.ndim, 3))]


def wrap(array: Array, ghosts: int = 3) -> None:
    """Fill the ghost cells along x and y periodically."""
    g = ghosts
    for axis in (-1, -2):
        view = np.moveaxis(array, axis, 0)
        n = view.shape[0] - 2 * g
        for layer in range(g):
            view[layer] = view[g + (layer - g) % n]
            view[g + n + layer] = view[g + layer % n]
