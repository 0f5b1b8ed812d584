# SPDX-License-Identifier: Apache-2.0
"""Lists of cells for kernels that run over them: their mask, and the tables that lead to neighbours. Tables
of one list take seconds: they are made once, before the processes that measure are forked."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import copy
from typing import Any

from heddle.emit.python_file import list_tables
from heddle.errors import KernelError
from heddle.explorer.memory import Values, library
from heddle.ir import nodes as ir
from heddle.ir.space import Sparse
from heddle.python.cell_list import CellList

SOLID = 0.3
"""About this share of a box lies in the balls of `balls`."""
_kept: dict[object, CellList] = {}


def dimensions(kernel: ir.Kernel) -> int:
    """Those of a kernel's box; of a list, of the box that its cells lie in."""
    if not kernel.space.is_index_list:
        return kernel.space.dimensions
    offsets = [len(link.offset) for link in kernel.space.links]
    return max([*offsets, *(field.rank for field in kernel.fields if field.layout.over_list)], default=3)


def balls(shape: tuple[int, ...]) -> Any:
    """The mask of a porous medium, periodic along all axes: all cells outside of balls at random places,
    which overlap; their radius is a twelfth of the shortest axis, and at least two cells."""
    np = library()
    random = np.random.default_rng(19)
    radius = max(2.0, min(shape) / 12)
    volume = {2: np.pi, 3: 4 / 3 * np.pi}.get(len(shape), 2.0) * radius ** len(shape)
    count = max(1, round(-np.log(1 - SOLID) * np.prod(shape) / volume))
    fluid = np.ones(shape, bool)
    reach = int(radius) + 1
    offsets = np.indices((2 * reach + 1,) * len(shape)).reshape(len(shape), -1) - reach
    for centre in random.uniform(0, 1, (count, len(shape))) * shape:
        whole = np.floor(centre).astype(int)
        apart = offsets + (whole - centre + 0.5)[:, None]
        inside = (apart**2).sum(axis=0) < radius**2
        near = (offsets[:, inside] + whole[:, None]) % np.array(shape)[:, None]
        fluid[tuple(near)] = False
    return fluid


def cell_list(kernels: Sequence[ir.Kernel], extent: Sequence[int], values: Values, gpu: bool) -> CellList:
    """The list of kernels over one, in memory of the host or of a GPU, periodic along all axes. values: for
    the name of the list a function of the shape [z, y, x] that gives its mask, in place of `balls`."""
    made = make_list(kernels, extent, values, gpu)
    return _on_device(made) if gpu else made


def make_list(kernels: Sequence[ir.Kernel], extent: Sequence[int], values: Values, gpu: bool) -> CellList:
    """The list with its tables in memory of the host, made at the first call. gpu: with the strides that a
    GPU likes."""
    spaces = [kernel.space for kernel in kernels if isinstance(kernel.space, Sparse)]
    links = next((space.links for space in spaces if space.links), ())
    name = spaces[0].name
    given = values.get(name, balls)
    if not callable(given):
        raise KernelError(
            "heddle.explore",
            f"'{name}' is a list of cells, not a number.",
            "give a function of the shape that returns a mask, or leave it out",
        )
    key = (name, links, tuple(extent), given, gpu)
    if key not in _kept:
        _kept[key] = _made(given, links, tuple(reversed(extent)), gpu)
    made = _kept[key]
    for name in {name for kernel in kernels for name in list_tables(kernel, gpu)}:
        made.words(name)
    return made


def _made(
    mask: Callable[[tuple[int, ...]], Any], links: Sequence[Any], shape: tuple[int, ...], gpu: bool
) -> CellList:
    """A list with its table. For a GPU with the strides of one, but still in memory of the host."""
    from heddle.python.list_tables import neighbour_table, strides

    np, axes = library(), "xyz"[: len(shape)]
    made = CellList(np.asarray(mask(shape)), links, axes)
    if gpu:
        made.slot_stride, made._stride = strides(len(made), on_device=True)
    if links:
        made._own = neighbour_table(
            shape, made._places, links, [True] * len(shape), made.slot_stride, made._stride
        )
    return made


def _on_device(made: CellList) -> CellList:
    """The same list for kernels of a GPU."""
    found, cupy = copy(made), library("cupy")
    found._library, found._calls, found._on_device = cupy, {}, True
    found._tables = {name: cupy.asarray(table) for name, table in made._tables.items()}
    return found
