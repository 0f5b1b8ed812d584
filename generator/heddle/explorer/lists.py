# SPDX-License-Identifier: Apache-2.0
"""Lists of cells for kernels that run over them: their mask, and the tables that lead to neighbours. Tables
of one list take seconds: they are made once, before the processes that measure are forked."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import copy
from typing import Any, TypeAlias

from heddle.emit.python_file import list_tables
from heddle.errors import KernelError
from heddle.explorer.memory import Values, library
from heddle.ir import nodes as ir
from heddle.ir.space import Sparse
from heddle.python.cell_list import CellList

SOLID = 0.3
"""About this share of a box lies in the balls of `balls`."""
_kept: dict[object, CellList] = {}
Mask: TypeAlias = Callable[[tuple[int, ...]], Any]
"""Gives, for a shape [z, y, x], which cells a list has."""


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


class PartOfBox(CellList):
    """A list of the first cells of `places`; fields have memory for those behind them, too, which links lead
    to.

    shape: of the box, periodic along all axes. own: how many cells the list has. gpu: with the strides that a
    GPU likes.
    """

    def __init__(
        self, shape: tuple[int, ...], places: Any, own: int, links: Sequence[Any], gpu: bool
    ) -> None:
        mask = library().zeros(shape, bool)
        mask.reshape(-1)[places] = True
        self.places, self._own_cells = places, own
        super().__init__(mask, links, "xyz"[: len(shape)])
        self._places = places
        _lay_out(self, gpu)

    def __len__(self) -> int:
        return self._own_cells

    def on(self, xp: Any) -> CellList:
        """The same list for arrays of a library."""
        return _on_device(self) if hasattr(xp, "cuda") else self


def cell_list(kernels: Sequence[ir.Kernel], extent: Sequence[int], values: Values, gpu: bool) -> CellList:
    """The list of kernels over one, in memory of the host or of a GPU, periodic along all axes. values: for
    the name of the list a function of the shape [z, y, x] that gives its mask, in place of `balls`."""
    made = make_list(kernels, extent, values, gpu)
    return _on_device(made) if gpu else made


def mask_of(kernels: Sequence[ir.Kernel], values: Values) -> tuple[str, Mask]:
    """The name of the list of kernels over one, and the function that gives its mask."""
    name = next(kernel.space.name for kernel in kernels if isinstance(kernel.space, Sparse))
    given = values.get(name, balls)
    if not callable(given):
        raise KernelError(
            "heddle.explore",
            f"'{name}' is a list of cells, not a number.",
            "give a function of the shape that returns a mask, or leave it out",
        )
    return name, given


def make_list(kernels: Sequence[ir.Kernel], extent: Sequence[int], values: Values, gpu: bool) -> CellList:
    """The list with its tables in memory of the host, made at the first call. gpu: with the strides that a
    GPU likes."""
    links = next((k.space.links for k in kernels if isinstance(k.space, Sparse) and k.space.links), ())
    name, given = mask_of(kernels, values)
    key = (name, links, tuple(extent), given, gpu)
    if key not in _kept:
        shape = tuple(reversed(extent))
        made = CellList(library().asarray(given(shape)), links, "xyz"[: len(shape)])
        _lay_out(made, gpu)
        _kept[key] = made
    made = _kept[key]
    for name in {name for kernel in kernels for name in list_tables(kernel, gpu)}:
        made.words(name)
    return made


def _lay_out(made: CellList, gpu: bool) -> None:
    """Give a list its table. For a GPU with the strides of one, but still in memory of the host."""
    from heddle.python.list_tables import neighbour_table, strides

    made.slot_stride, made._stride = strides(len(made._places), on_device=gpu)
    if made.links:
        around = [True] * len(made.shape)
        made._own = neighbour_table(
            made.shape, made._places, made.links, around, made.slot_stride, made._stride
        )


def _on_device(made: CellList) -> CellList:
    """The same list for kernels of a GPU."""
    found, cupy = copy(made), library("cupy")
    found._library, found._calls, found._on_device = cupy, {}, True
    found._tables = {name: cupy.asarray(table) for name, table in made._tables.items()}
    return found
