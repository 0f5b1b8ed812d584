# SPDX-License-Identifier: Apache-2.0
"""The flat entries from NumPy through ctypes: C and Fortran order, steps, negative strides, no copy.

Usage: from_numpy.py <shared library of the kernels>
"""

from __future__ import annotations

import ctypes
import itertools
import sys

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64] | NDArray[np.float32]
PRECISIONS = {"f64": (np.float64, ctypes.c_double), "f32": (np.float32, ctypes.c_float)}


def arguments(view: Array) -> tuple[object, object, object]:
    """A view of interior cells as pointer, extents and strides in elements. The memory is the caller's."""
    bytes_each = view.itemsize
    assert all(stride % bytes_each == 0 for stride in view.strides)
    numbers = ctypes.c_int64 * view.ndim
    return (
        ctypes.c_void_p(view.__array_interface__["data"][0]),
        numbers(*view.shape),
        numbers(*(stride // bytes_each for stride in view.strides)),
    )


def interior(array: Array, ghosts: int) -> Array:
    inner = slice(ghosts, -ghosts)
    return array[inner, inner, inner]


def shifted(array: Array, ghosts: int, dx: int, dy: int, dz: int) -> Array:
    """The interior moved by an offset, so that NumPy computes the same stencil by itself."""
    window = (slice(ghosts + d, array.shape[axis] - ghosts + d) for axis, d in enumerate((dx, dy, dz)))
    return array[tuple(window)]


def diffused(u: Array, ghosts: int, alpha: float) -> Array:
    unit = [(1, 0, 0), (-1, 0, 0), (0, 1, 0), (0, -1, 0), (0, 0, 1), (0, 0, -1)]
    own = shifted(u, ghosts, 0, 0, 0)
    return own + alpha * (sum(shifted(u, ghosts, *d) for d in unit) - 6 * own)


def mixed(f: Array, ghosts: int, beta: float) -> list[Array]:
    def component(q: int, *offset: int) -> Array:
        return shifted(f[..., q], ghosts, *offset)

    return [
        component(1, -1, 0, 0) + beta * component(0, 0, 0, 0),
        component(2, 0, 1, 0) - beta * component(1, 0, 0, 0),
        component(3, 0, 0, -1) + beta * component(2, 1, 0, 0),
        component(0, 0, 0, 1) - beta * component(3, 0, -1, 0),
    ]


def views(shape: tuple[int, ...], dtype: type) -> dict[str, Array]:
    """The same shape in unlike memory."""
    doubled = tuple(2 * n for n in shape)
    tripled = tuple(3 * n for n in shape)
    return {
        "C order": np.zeros(shape, dtype),
        "Fortran order": np.zeros(shape, dtype, order="F"),
        "every second": np.zeros(doubled, dtype)[tuple(slice(None, None, 2) for _ in shape)],
        "backwards": np.zeros(shape, dtype, order="F")[tuple(slice(None, None, -1) for _ in shape)],
        "every third backwards": np.zeros(tripled, dtype)[tuple(slice(None, None, -3) for _ in shape)],
        "mixed": np.zeros(doubled, dtype, order="F")[
            tuple(slice(None, None, -2 if axis % 2 else 2) for axis in range(len(shape)))
        ],
        "transposed": np.zeros(shape[::-1], dtype).transpose(),
    }


def fill(array: Array) -> None:
    array[...] = (np.arange(array.size) * 7919 % 1021).reshape(array.shape)


def main(path: str) -> int:
    library = ctypes.CDLL(path)
    wrong = calls = 0
    for precision, (dtype, scalar) in PRECISIONS.items():
        for ghosts in (1, 2):
            shape = (11 + 2 * ghosts, 6 + 2 * ghosts, 5 + 2 * ghosts)
            names = views(shape, dtype)
            for source, target in itertools.product(names, names):
                u, u_next = views(shape, dtype)[source], views(shape, dtype)[target]
                fill(u)
                entry = getattr(library, f"embedding_diffuse_{precision}")
                inner, inner_next = interior(u, ghosts), interior(u_next, ghosts)
                status = entry(*arguments(inner_next), *arguments(inner), scalar(0.25))
                wrong += status != 0
                wrong += int(np.count_nonzero(inner_next != diffused(u, ghosts, 0.25)))
                outside = u_next.copy()
                interior(outside, ghosts)[...] = 0
                wrong += int(np.count_nonzero(outside))

                f, g = views((*shape, 4), dtype)[source], views((*shape, 4), dtype)[target]
                fill(f)
                entry = getattr(library, f"embedding_mix_{precision}")
                status = entry(*arguments(interior(g, ghosts)), *arguments(interior(f, ghosts)), scalar(0.5))
                wrong += status != 0
                for q, expected in enumerate(mixed(f, ghosts, 0.5)):
                    wrong += int(np.count_nonzero(interior(g, ghosts)[..., q] != expected))
                calls += 2
    print(f"{calls} calls, {wrong} mismatches")
    return wrong != 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
