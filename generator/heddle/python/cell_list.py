# SPDX-License-Identifier: Apache-2.0
"""Lists of cells in Python: what heddle::IndexList is in C++, made from a mask.

NumPy is imported when the first list is made.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Sequence
from copy import copy
from typing import Any

from heddle.errors import KernelError
from heddle.ir.space import Link
from heddle.python.zeros import DEVICE_LINE, HOST_LINE, element, to_line

_AXES = "xyz"
_LAST_ELEMENT = 0xFFFFFFFE
_WHERE = "heddle.CellList"


class CellList:
    """The cells of a box in which a mask is not 0, and the table that leads to their neighbours.

    mask: of NumPy, bool or whole numbers, [z, y, x] or [y, x]. Its cells are numbered row by row, x fastest.
    kernels: what heddle.load gave for a model with kernels over a list, or its Module, or links. Where a link
    leads to a cell that is not in the list, or out of the box along an axis that is not periodic, is a wall:
    populations bounce back half-way. periodic: axes, such as "xy". library: the module whose arrays the
    kernels take (NumPy by default, CuPy, PyTorch); options go to its functions: device="cuda".

    The table is that of heddle::IndexList, 4 bytes for each cell and link, without free-slip faces. Raises
    KernelError for a mask without cells, of other dimensions than the links or with too many cells for
    32 bits, and for the links of EsoTwist and EsoPull, which store cells behind walls.

    shape: of the mask. slot_stride: elements between two components of a field that links lead to. separate:
    whether no two links lead to one element. `len()` is the number of cells.
    """

    shape: tuple[int, ...]
    slot_stride: int
    separate: bool

    def __init__(
        self,
        mask: Any,
        kernels: Any,
        periodic: str = "",
        *,
        library: Any = None,
        **options: Any,
    ) -> None:
        import numpy

        found = numpy.asarray(mask)
        self.links = _links_of(kernels)
        _check(found, self.links, periodic)
        self.shape = found.shape
        self._periodic = [axis in periodic for axis in _AXES[: found.ndim]]
        self._places = numpy.flatnonzero(found)
        self._library, self._options = numpy if library is None else library, options
        self._tables: dict[str, Any] = {}
        self._calls: dict[object, dict[str, Any]] = {}
        self._own: Any = None
        self.separate = True
        _, self._on_device = element(self._library.float32, self._library, options)
        if not len(self._places):
            raise KernelError(
                _WHERE,
                f"no cell of the mask of shape {self.shape} is listed.",
                "cells are listed where the mask is not 0: check that not all of them are solid",
            )
        from heddle.python import list_tables

        self.slot_stride, self._stride = list_tables.strides(len(self), self._on_device)
        highest = max((max(link.slot, link.wall_slot) for link in self.links), default=0)
        if (highest + 1) * self.slot_stride > _LAST_ELEMENT:
            raise KernelError(
                _WHERE,
                f"the elements of {highest + 1} slots of {len(self)} cells have no numbers of 32 bits.",
                f"a list has at most {_LAST_ELEMENT // (highest + 1)} cells here: use heddle::IndexList in "
                "C++, with several blocks",
            )

    def __len__(self) -> int:
        return len(self._places)

    def __repr__(self) -> str:
        return f"CellList of {len(self)} cells in a box of shape {self.shape}, {len(self.links)} links"

    # ---------------------------------------------------------------- values

    def zeros(self, dtype: Any, components: int = 0) -> Any:
        """An array of zeros, one for each cell: of shape (cells,), or (components, cells).

        Components lie `slot_stride` elements apart, which links count on. dtype: as the library names it.
        """
        size, on_device = element(dtype, self._library, self._options)
        line = (DEVICE_LINE if on_device else HOST_LINE) // size
        whole = max(components, 1) * self.slot_stride
        flat = self._library.zeros(whole + line, dtype=dtype, **self._options)
        first = to_line(flat, size, line)
        flat = flat[first : first + whole]
        if components:
            flat = flat.reshape(components, self.slot_stride)
        return flat[..., : len(self)]

    def scatter(self, values: Any, fill: float = math.nan) -> Any:
        """Values of the cells as an array over the box, of shape `shape` or (components, *shape), with `fill`
        in all other cells."""
        self._check_last(values, (len(self),), "scatter")
        before = tuple(values.shape[:-1])
        box = self._library.zeros((*before, math.prod(self.shape)), dtype=values.dtype, **self._options)
        box[...] = fill
        box[..., self._on_library("places", self._places)] = values
        return box.reshape(*before, *self.shape)

    def gather(self, box: Any) -> Any:
        """Values of an array over the box in the cells, of shape (cells,) or (components, cells): an array of
        `zeros`."""
        self._check_last(box, self.shape, "gather")
        before = tuple(box.shape[: len(box.shape) - len(self.shape)])
        result = self.zeros(box.dtype, *before)
        flat = box.reshape(*before, math.prod(self.shape))
        result[...] = flat[..., self._on_library("places", self._places)]
        return result

    def select(self, mask: Any) -> CellSelection:
        """Those cells in which another mask of the box is not 0, for kernels over `Sparse(..., listed=True)`:
        boundaries. It may be empty."""
        import numpy

        found = numpy.asarray(mask)
        self._check_last(found, self.shape, "select", components=False)
        numbers = numpy.flatnonzero(found.reshape(-1)[self._places]).astype(numpy.uint32)
        return CellSelection(self, self._library.asarray(numbers, **self._options))

    def links_to(self, outside: Any, velocities: Sequence[Sequence[int]]) -> CellSelection:
        """The cells with a link to where `outside`, an array over the box, is not 0: solid cells that are an
        inlet or a moving wall. The `mask` of the result has bit q where f_q comes from there, as sweeps of
        lbm.VelocityBounceBack and others take it. velocities: lattice.velocities, at most 32."""
        import numpy

        found = numpy.asarray(outside) != 0
        self._check_last(found, self.shape, "links_to", components=False)
        rank = len(self.shape)
        if len(velocities) > 32 or any(len(velocity) != rank for velocity in velocities):
            raise KernelError(
                f"{_WHERE}.links_to",
                f"{len(velocities)} velocities, {tuple(map(tuple, velocities))[:2]} and so on, do not fit a "
                f"box of shape {self.shape}.",
                "pass lattice.velocities of a lattice with as many dimensions and at most 32 velocities",
            )
        position = numpy.unravel_index(self._places, self.shape)[::-1]  # x first
        mask = numpy.zeros(len(self), numpy.uint32)
        for q, velocity in enumerate(velocities):
            inside = numpy.full(len(self), any(velocity))
            from_there = []
            for axis, (at, n) in enumerate(zip(position, self.shape[::-1], strict=True)):
                there = at - velocity[axis]
                if not self._periodic[axis]:
                    inside &= (there >= 0) & (there < n)
                from_there.append(there % n)
            mask |= (inside & found[tuple(from_there[::-1])]).astype(numpy.uint32) << numpy.uint32(q)
        numbers = numpy.flatnonzero(mask)
        words = (numbers.astype(numpy.uint32), mask[numbers])
        return CellSelection(self, *(self._library.asarray(w, **self._options) for w in words))

    def _check_last(self, values: Any, last: tuple[int, ...], where: str, components: bool = True) -> None:
        before = len(values.shape) - len(last)
        if tuple(values.shape[before:]) != last or before not in ((0, 1) if components else (0,)):
            several = f" or (components, {', '.join(map(str, last))})" if components else ""
            raise KernelError(
                f"{_WHERE}.{where}",
                f"the values have the shape {tuple(values.shape)}, but {last}{several} is needed.",
                "pass an array over the whole box" if where != "scatter" else "pass an array over this list",
            )

    # ---------------------------------------------------------------- tables

    @property
    def neighbour(self) -> Any:
        """The table: entry [r, n] is slot * slot_stride + cell of what link r of cell n leads to."""
        if "neighbour" not in self._tables:
            self._tables["neighbour"] = self._library.asarray(self._entries(), **self._options)
        return self._tables["neighbour"][:, : len(self)]

    def with_table(self, table: Any) -> CellList:
        """The same cells with links of your own, such as walls that slip: a changed copy of `neighbour`, as
        an array of NumPy [link, cell]. It is checked now, and kept as a copy. Raises KernelError for an entry
        that is no element of the list's fields. Kernels that write through links take no table that leads
        to one element twice, or to one that the cell itself writes."""
        import numpy

        given = numpy.asarray(table)
        where, shape = f"{_WHERE}.with_table", (len(self.links), len(self))
        if given.shape != shape or given.dtype.kind not in "ui":
            raise KernelError(
                where,
                f"the table has the shape {given.shape} and elements of {given.dtype}.",
                f"pass whole numbers of the shape {shape}: one for each link and cell",
            )
        given = given.astype(numpy.int64)
        slots = max((max(link.slot, link.wall_slot) for link in self.links), default=0) + 1
        wrong = (given < 0) | (given >= slots * self.slot_stride) | (given % self.slot_stride >= len(self))
        if wrong.any():
            row, cell = numpy.argwhere(wrong)[0]
            raise KernelError(
                where,
                f"entry [{row}, {cell}] is {given[row, cell]}, which is no element of {slots} slots of "
                f"{len(self)} cells.",
                f"an entry is slot * slot_stride + cell, with slot_stride = {self.slot_stride}",
            )
        result = copy(self)
        result._tables, result._calls = {}, {}
        result._own = self._entries().copy()
        usual = result._own[:, : len(self)]
        result.separate = numpy.unique(given).size == given.size and bool(numpy.isin(given, usual).all())
        usual[...] = given
        return result

    @property
    def neighbour_run(self) -> Any:
        """What CPUs read instead where entries follow each other (heddle/device/run.hpp)."""
        if "runs" not in self._tables:
            from heddle.python.list_tables import run_table

            self._tables["runs"] = self._library.asarray(
                run_table(self._entries(), len(self)), **self._options
            )
        return self._tables["runs"]

    @property
    def neighbour_chunk(self) -> Any:
        """What GPUs read instead (heddle/device/compressed_neighbours.hpp)."""
        if "chunks" not in self._tables:
            from heddle.python.list_tables import compressed_table

            words = compressed_table(self._entries(), len(self), self.links, self.slot_stride)
            self._tables["chunks"] = self._library.asarray(words, **self._options)
        return self._tables["chunks"]

    def _entries(self) -> Any:
        """The table in memory of the host: with all its padding."""
        if self._own is not None:
            return self._own
        if not self._on_device and "neighbour" in self._tables:
            return self._tables["neighbour"]
        from heddle.python.list_tables import neighbour_table

        shape, axes = self.shape, self._periodic
        return neighbour_table(shape, self._places, self.links, axes, self.slot_stride, self._stride)

    def _on_library(self, name: str, values: Any) -> Any:
        if name not in self._tables:
            self._tables[name] = self._library.asarray(values, **self._options)
        return self._tables[name]

    def words(self, name: str) -> Any:
        """What a kernel over lists takes by a name."""
        if name == "last":
            return len(self)
        return getattr(self, name)


class CellSelection:
    """Some cells of a list, which CellList.select or links_to made. cells: their numbers. mask: of links_to.
    `len()` says how many there are."""

    def __init__(self, whole: CellList, cells: Any, mask: Any = None) -> None:
        self.whole, self.cells, self.mask = whole, cells, mask
        self._calls: dict[object, dict[str, Any]] = {}

    @property
    def links(self) -> tuple[Link, ...]:
        return self.whole.links

    @property
    def separate(self) -> bool:
        return self.whole.separate

    def __len__(self) -> int:
        return len(self.cells)

    def words(self, name: str) -> Any:
        """What a kernel over listed cells takes by a name."""
        if name == "cells":
            return self.cells
        return len(self) if name == "cell_count" else self.whole.words(name)


def _links_of(kernels: Any) -> tuple[Link, ...]:
    """Of kernels that were loaded, of a package, of a Module, or as they are."""
    links = vars(kernels).get("_links") if hasattr(kernels, "__dict__") else None
    if links is not None:
        return tuple(links())
    found = kernels if isinstance(kernels, Sequence) else getattr(kernels, "links", ".")
    if isinstance(found, Sequence) and all(isinstance(link, Link) for link in found):
        return tuple(found)
    raise KernelError(
        _WHERE,
        f"{type(kernels).__name__} has no links.",
        "pass what heddle.load gave, the Module, or module.links",
    )


def _check(mask: Any, links: tuple[Link, ...], periodic: str) -> None:
    """Raise KernelError for a mask, links or axes of which no list can be made."""
    if mask.dtype.kind not in "bui":
        raise KernelError(
            _WHERE,
            f"the mask has elements of {mask.dtype}.",
            "pass bool or whole numbers, such as porosity > 0.5",
        )
    ranks = {len(link.offset) for link in links} or {2, 3}
    if mask.ndim not in ranks:
        dimensions = " or ".join(map(str, sorted(ranks)))
        raise KernelError(
            _WHERE,
            f"the mask has the shape {mask.shape}, but the links have {dimensions} dimensions.",
            "pass a mask [z, y, x] in space, [y, x] in the plane, without ghost layers",
        )
    axes = _AXES[: mask.ndim]
    if any(letter not in axes or periodic.count(letter) > 1 for letter in periodic):
        raise KernelError(
            _WHERE,
            f"periodic={periodic!r} does not name axes of a box of shape {mask.shape}.",
            f'name each of "{axes}" at most once',
        )
    if any(link.stores_solid for link in links):
        raise KernelError(
            _WHERE,
            "the links lead to stored cells behind walls, as those of EsoTwist and EsoPull do.",
            "use lbm.Pull, lbm.Push or lbm.AA, or heddle::IndexList in C++",
        )


class ListKernel:
    """A kernel over a list of cells as a function of Python: with the keyword `cells`.

    function: what takes the tables, too. tables: which of them. links: of its list. writes: whether it stores
    through links.
    """

    def __init__(
        self,
        module: str,
        name: str,
        function: Any,
        tables: Sequence[str],
        links: tuple[Link, ...],
        writes: bool,
    ) -> None:
        self.__name__, self._where, self._function = name, f"{module}.{name}", function
        self._tables, self._links, self._writes = tuple(tables), links, writes
        self._kind: type[CellList] | type[CellSelection]
        self._kind = CellSelection if "cells" in tables else CellList
        self.__doc__ = function.__doc__

    @property
    def __signature__(self) -> inspect.Signature:
        return inspect.signature(self._function)

    def __call__(self, *, cells: Any = None, **arguments: Any) -> Any:
        if type(cells) is not self._kind:
            raise self._refusal(cells)
        given = cells._calls.get(self)
        if given is None:
            if "neighbour" in self._tables and cells.links != self._links:
                raise self._error(
                    "the links of 'cells' are not those of the kernel.",
                    "make the list with the kernels of this module: CellList(mask, kernels)",
                )
            if self._writes and not cells.separate:
                raise self._error(
                    "the table of 'cells' leads to one element twice, but the kernel writes through links.",
                    "let all entries of CellList.with_table differ, and exchange those of the usual table",
                )
            given = cells._calls[self] = {f"cells.{name}": cells.words(name) for name in self._tables}
        return self._function(**arguments, **given)

    def _refusal(self, cells: Any) -> KernelError:
        if cells is None:
            return self._error("the call lacks 'cells'.", self._wanted)
        return self._error(f"'cells' is of type {type(cells).__name__}.", self._wanted)

    @property
    def _wanted(self) -> str:
        if self._kind is CellList:
            return "pass a list: heddle.CellList(mask, kernels)"
        return "pass some cells of a list: heddle.CellList(mask, kernels).select(other_mask)"

    def _error(self, what: str, hint: str) -> KernelError:
        usage = (self.__doc__ or "").rpartition("\n")[2]
        return KernelError(self._where, what, f"{hint}\n  call {usage}")
