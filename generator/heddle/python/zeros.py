# SPDX-License-Identifier: Apache-2.0
"""Arrays that lie as kernels are fastest with: as `heddle::Field` lays out a block."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from heddle.errors import KernelError

HOST_LINE, DEVICE_LINE = 64, 256
"""Bytes at whose multiples rows begin. GPUs move less where streams begin elsewhere."""
_SETS = 64
"""Lines of a way of a CPU's first cache: rows, planes or components that far apart displace each other."""


def zeros(
    shape: Sequence[int],
    dtype: Any,
    *,
    ghosts: int | Sequence[int] = 1,
    axes: str = "",
    interleaved: int = 1,
    library: Any = None,
    **options: Any,
) -> Any:
    """An array of zeros with ghost cells, which kernels take with the same `ghosts=`.

    shape: of the interior, x last, such as (19, 64, 64, 64) for 19 components in space. dtype: as the library
    names it: "f4", cupy.float64, torch.float32. ghosts: layers at each side, or one number for each axis of
    space in the order of the arrays. axes: those of space, such as "xyz"; without it all axes, three at most.
    library: a module with `zeros` (NumPy by default, CuPy, PyTorch); options go to it: device="cuda".

    The result is a view of a larger allocation: the first inner cell of each row begins a line of the cache
    (64 bytes, on a GPU 256), and on a CPU neither rows nor components lie a power of two apart. Raises
    KernelError for a shape without cells, or with more axes than space.
    """
    if library is None:
        import numpy as library
    cells = [int(n) for n in shape]
    space = len(axes) or len(cells)
    if not 1 <= space <= min(3, len(cells)):
        raise KernelError(
            "heddle.zeros",
            f"an array of shape {tuple(shape)} has other axes than those of space.",
            'name these: axes="xyz"',
        )
    widths = [ghosts] * space if isinstance(ghosts, int) else [int(g) for g in ghosts]
    if len(widths) != space or min(widths) < 0 or min(cells) < 1:
        raise KernelError(
            "heddle.zeros",
            f"shape {tuple(shape)} with ghosts={ghosts!r} is no array of {space} axes of space.",
            "give at least one cell along each axis, and one number of layers or one per axis",
        )
    components, inner = cells[:-space], cells[-space:]
    if interleaved not in (1, 2, 4, 8):
        raise KernelError(
            "heddle.zeros", f"{interleaved} blocks are not interleaved.", "interleaved= is 1, 2, 4 or 8"
        )
    size, on_device = element(dtype, library, options)
    line = (DEVICE_LINE if on_device else HOST_LINE) // size
    vectors = line // interleaved  # cells of a line, with all blocks of each

    whole = [n + 2 * g for n, g in zip(inner, widths, strict=True)]
    before = -(-widths[-1] // vectors)  # lines that hold the ghost cells before the first row
    pitch, rows = -(-whole[-1] // vectors), whole[:-1]
    if not on_device:
        pitch |= 1
        if space == 3 and rows[-1] % _SETS == 0:
            rows[-1] += 1
    lines = before + pitch * math.prod(rows)
    if not on_device and components:
        lines += (45 - lines) % _SETS  # multiples of 45 keep 27 components two lines apart
    count = math.prod(components)

    flat = library.zeros((count * lines + before + 1) * line, dtype=dtype, **options)
    first = to_line(flat, size, line) + before * line - widths[-1] * interleaved
    flat = flat[first : first + count * lines * line].reshape(count, lines * line)
    flat = flat[:, : pitch * line * math.prod(rows)].reshape(*components, *rows, pitch * vectors, interleaved)
    flat = flat[(..., *(slice(0, n) for n in whole), slice(None))]
    return flat if interleaved > 1 else flat[..., 0]


def element(dtype: Any, library: Any, options: dict[str, Any]) -> tuple[int, bool]:
    """The bytes of an element, and whether a library puts arrays into the memory of a GPU."""
    probe = library.zeros(1, dtype=dtype, **options)
    size = int(getattr(probe, "itemsize", 0) or probe.element_size())
    return size, hasattr(probe, "__cuda_array_interface__")


def to_line(flat: Any, size: int, line: int) -> int:
    """How many elements of an array lie before the first that begins a line."""
    return -(address(flat) // size) % line


def address(array: Any) -> int:
    """Where the first element of an array of NumPy, CuPy or PyTorch lies."""
    if hasattr(array, "data_ptr"):  # PyTorch
        return int(array.data_ptr())
    if hasattr(array, "__cuda_array_interface__"):
        return int(array.__cuda_array_interface__["data"][0])
    return int(array.__array_interface__["data"][0])
