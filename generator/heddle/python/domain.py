# SPDX-License-Identifier: Apache-2.0
"""heddle.Domain: kernels over a box that exchange what crosses its borders by themselves: periodic axes, and
blocks that are interleaved in memory."""

from __future__ import annotations

import itertools
import math
import operator
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from numbers import Integral, Number
from typing import Any

from heddle.emit.targets import TARGETS
from heddle.errors import KernelError
from heddle.halo.dense import Exchange, HaloRegion, exchanges
from heddle.ir import nodes as ir
from heddle.ir.hash_consing import Node
from heddle.ir.schedule import Interleaved
from heddle.module import KernelModel, Module
from heddle.python.frames import Frame, Wanted
from heddle.python.load import Kernels
from heddle.python.zeros import zeros

_WHERE = "heddle.Domain"
_COUNTED = ("x", "y", "z", "n_x", "n_y", "n_z")
_SIDES = {"w": "x", "e": "x", "s": "y", "n": "y", "b": "z", "t": "z"}
Index = tuple[int | slice, ...]
Copy = tuple[Index, Index]
"""Which elements of an array are set, and from which ones of it."""


class Domain:
    """The kernels of a module on one box of cells, each a function with keywords: domain.step(f=f, omega=1);
    domain["set"] is a kernel that is called like a method.

    A call fills the ghost cells that the kernel reads, and afterwards brings to their cells what it wrote
    beyond the box, as a pattern in place does. Exactly what crosses is copied, as it follows from the kernel
    (heddle.halo.dense), along axes that are periodic and between blocks. Ghost cells beyond other sides are
    the caller's; walls of a kernel need none.

    cells: of the box, in the order of arrays: (z, y, x). periodic: axes, such as "xy". ghosts: layers at each
    side that arrays have, or one number for each axis in that order. blocks: so many along each axis, in that
    order; then arrays have the shape of a block and a last axis with all blocks, which kernels with an
    Interleaved schedule need on a GPU; all others run block by block. block: the cells of one; lanes: the
    number of all. Raises KernelError for what no kernel can run on; calls do so like those of the kernels.
    """

    def __init__(
        self,
        kernels: Kernels,
        cells: Sequence[int],
        *,
        periodic: str = "",
        blocks: Sequence[int] = (),
        ghosts: int | Sequence[int] = 1,
    ) -> None:
        self._model, self._target = kernels.loaded
        self._kernels = kernels
        self._made: dict[str, DomainKernel] = {}
        self.cells = _whole_numbers(cells)
        rank = len(self.cells)
        none = isinstance(blocks, Sequence) and not blocks
        self.blocks = (1,) * rank if none else _whole_numbers(blocks)
        self.ghosts = _whole_numbers((ghosts,) * rank if isinstance(ghosts, Integral) else ghosts)
        self.axes = "zyx"[3 - rank :] if 1 <= rank <= 3 else ""
        self.periodic = periodic
        if not self.axes or not len(self.blocks) == len(self.ghosts) == rank or min(self.ghosts) < 0:
            raise KernelError(
                _WHERE,
                f"cells={cells!r} with blocks={blocks!r} and ghosts={ghosts!r} is no box.",
                "give one whole number for each of at most three axes, in the order of arrays: (z, y, x)",
            )
        if not isinstance(periodic, str):
            raise KernelError(
                _WHERE, f"periodic={periodic!r} names no axes.", f'write a string of axes: "{self.axes}"'
            )
        strange = sorted(set(periodic) - set(self.axes))
        if strange:
            raise KernelError(
                _WHERE, f"'{strange[0]}' in periodic= is no axis of the box.", f"its axes are {self.axes}"
            )
        if math.prod(self.blocks) not in (1, 2, 4, 8) or any(
            n < 1 or b < 1 or n % b for n, b in zip(self.cells, self.blocks, strict=True)
        ):
            raise KernelError(
                _WHERE,
                f"{self.cells} cells are not cut into blocks={self.blocks}.",
                "1, 2, 4 or 8 blocks in all, each number a divisor of the cells along its axis",
            )
        self.block = tuple(n // b for n, b in zip(self.cells, self.blocks, strict=True))
        self.lanes = math.prod(self.blocks)

    def zeros(self, dtype: Any, components: int = 0, *, library: Any = None, **options: Any) -> Any:
        """An array of zeros that the kernels take, laid out as heddle.zeros does. components: 0 for none."""
        shape = (components, *self.block) if components else self.block
        axes = "".join(sorted(self.axes))
        return zeros(
            shape,
            dtype,
            ghosts=self.ghosts,
            axes=axes,
            interleaved=self.lanes,
            library=library,
            **options,
        )

    def whole(self, array: Any) -> Any:
        """The cells of an array over the whole box, without ghost cells: (..., z, y, x). A view of it without
        blocks, else a copy."""
        inner = self._inner(array)
        if self.lanes == 1:
            return inner
        before = len(inner.shape) - len(self.axes) - 1
        cut = inner.reshape(*inner.shape[:-1], *self.blocks)
        kinds = range(len(self.axes))
        moved = _library(array).moveaxis(
            cut, [before + len(self.axes) + k for k in kinds], [before + 2 * k for k in kinds]
        )
        return moved.reshape(*inner.shape[:before], *self.cells)

    def set(self, array: Any, values: Any) -> None:
        """Set the cells of an array to values over the whole box, of the same library: (..., z, y, x), or
        (z, y, x) for all components alike; or to one number. Raises KernelError for values of other cells."""
        before = tuple(self._inner(array).shape)[: -len(self._around())]
        shape = () if isinstance(values, Number) else getattr(values, "shape", None)
        if shape is None or tuple(shape) not in ((), self.cells, (*before, *self.cells)):
            raise KernelError(
                _WHERE,
                f"the values to set have {'no shape' if shape is None else f'the shape {tuple(shape)}'}, but "
                f"the box has {self.cells} cells"
                + (f", and the array {before[0]} components." if before else "."),
                "give an array over the box without ghost cells, or a number",
            )
        for lane, at in enumerate(self._places()):
            part = tuple(slice(k * n, k * n + n) for k, n in zip(at, self.block, strict=True))
            there = self._inner(array) if self.lanes == 1 else self._inner(array)[..., lane]
            there[...] = values[(..., *part)] if len(shape) else values

    def __getattr__(self, name: str) -> Callable[..., Any]:
        if name.startswith("_"):
            raise AttributeError(name)
        return self[name]

    def __getitem__(self, name: str) -> Callable[..., Any]:
        if name not in self._made:
            function = self._kernels[name]
            self._made[name] = DomainKernel(self, self._model, name, self._target, function)
        return self._made[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._kernels)

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self._kernels]

    def _places(self) -> Iterator[tuple[int, ...]]:
        """Where each block lies, counted in blocks along each axis."""
        return itertools.product(*map(range, self.blocks))

    def _around(self) -> tuple[int, ...]:
        """The axes of an array behind that of components: ghost cells included, and blocks last."""
        around = (n + 2 * g for n, g in zip(self.block, self.ghosts, strict=True))
        return (*around, self.lanes) if self.lanes > 1 else tuple(around)

    def _inner(self, array: Any) -> Any:
        """The cells of an array without ghost cells. Raises KernelError for one of another shape."""
        shape, wanted = tuple(getattr(array, "shape", ())), self._around()
        if shape[-len(wanted) :] != wanted:
            raise KernelError(
                _WHERE,
                f"an array has the shape {shape}, but the domain needs {wanted}, with components before.",
                "Domain.zeros makes such arrays",
            )
        cells = (slice(g, g + n) for g, n in zip(self.ghosts, self.block, strict=True))
        return array[(..., *cells)] if self.lanes == 1 else array[(..., *cells, slice(None))]

    def _neighbour(self, place: tuple[int, ...], side: tuple[int, ...]) -> int | None:
        """The number of the block on a side of another one; None where the box ends."""
        found = []
        for axis, at, step, count in zip(self.axes, place, side, self.blocks, strict=True):
            there = at + step
            if not 0 <= there < count and axis not in self.periodic:
                return None
            found.append(there % count)
        return sum(at * math.prod(self.blocks[k + 1 :]) for k, at in enumerate(found))

    def _copies(self, exchange: Exchange) -> dict[str, list[Copy]]:
        """What an exchange copies, for each array. Raises KernelError for blocks that are too small."""
        result: dict[str, list[Copy]] = {}
        for region in exchange.regions:
            side = region.side[: len(self.axes)][::-1]
            for lane, place in enumerate(self._places()):
                other = self._neighbour(place, side)
                if other is None:
                    continue
                least = max(exchange.min_block_extent, *region.far)
                if min(n for n, s in zip(self.block, side, strict=True) if s) < least:
                    raise KernelError(
                        _WHERE,
                        f"a block has {self.block} cells, but '{exchange.kernel}' exchanges with blocks of "
                        f"at least {least} along each axis.",
                        "take fewer blocks, or more cells",
                    )
                ghost, owner = self._box(region, side, exchange.kernel)
                if self.lanes > 1:
                    ghost, owner = (*ghost, lane), (*owner, other)
                pair = (ghost, owner) if exchange.direction == "before" else (owner, ghost)
                result.setdefault(region.field.name, []).append(pair)
        return result

    def _box(self, region: HaloRegion, side: tuple[int, ...], kernel: str) -> tuple[Index, Index]:
        """The ghost cells of a region, and the cells of the block beside it whose values they have."""
        ghost: list[int | slice] = [region.component] if region.field.components else []
        owner = list(ghost)
        kinds = range(len(self.axes) - region.field.rank, len(self.axes))
        for k in kinds:
            axis, n, around = len(self.axes) - 1 - k, self.block[k], self.ghosts[k]
            anchor, near, far = region.anchor[axis], region.near[axis], region.far[axis]
            first, last = {0: (near, n - far), 1: (n + near, n + far), -1: (-far, -near)}[anchor]
            if first < -around or last > n + around:
                raise KernelError(
                    _WHERE,
                    f"'{kernel}' accesses {max(-first, last - n)} cells beyond a block, but arrays have "
                    f"{around} ghost layers along {self.axes[k]}.",
                    "ghosts= says how many layers arrays have",
                )
            ghost.append(slice(around + first, around + last))
            owner.append(slice(around + first - side[k] * n, around + last - side[k] * n))
        return tuple(ghost), tuple(owner)


class DomainKernel:
    """A kernel on a domain, as a function. Raises KernelError where it cannot run on that."""

    def __init__(
        self, domain: Domain, model: Module, name: str, target: str, function: Callable[..., Any]
    ) -> None:
        entry = model.kernels[name]
        assert isinstance(entry, KernelModel)
        self.domain, self.entry, self.function = domain, entry, function
        self.place = f"{model.name}.{name}"
        if entry.space.is_list:
            raise KernelError(
                self.place, "it runs over a list of cells, not over a box.", "call it with cells=, a CellList"
            )
        self.frame = Frame(model, name)
        if entry.space.dimensions != len(domain.axes):
            raise KernelError(
                self.place,
                f"it has {entry.space.dimensions} axes of space, but the domain has {len(domain.axes)}.",
                "give cells= one number for each axis",
            )
        if entry.layer is not None and not entry.layer.block_by_block:
            raise KernelError(
                self.place,
                "it writes to cells beside a face, which may be another block's.",
                "call the function of heddle.load",
            )
        walled = {_SIDES[side] for side in (*entry.space.walls, *(entry.layer.sides if entry.layer else ()))}
        self._refuse_walls(walled)
        self._refuse_cut()
        schedules = [model.schedule(name, p).gpu for p in model.precisions]
        lanes = {s.lanes if isinstance(s, Interleaved) else 1 for s in schedules}
        most = max(lanes) if TARGETS[target].gpu is not None else 1
        if most > 1 and len(lanes) > 1:
            each = " or ".join(map(str, sorted(lanes)))
            raise KernelError(
                self.place,
                f"its schedules interleave {each} blocks, which differs between precisions.",
                "load one of them: heddle.load(..., precisions=[...])",
            )
        if most not in (1, domain.lanes):
            raise KernelError(
                self.place,
                f"its schedule interleaves {most} blocks, but the domain has {domain.lanes}.",
                f"blocks= with {most} in all, such as {(most, *(1,) * (len(domain.axes) - 1))}",
            )
        self.launches = 1 if most > 1 else domain.lanes
        if domain.lanes > 1 and self.frame.outputs:
            raise KernelError(
                self.place,
                "it reduces values, whose order over blocks is not that over the box.",
                "take Domain.whole(array), and a kernel over that",
            )
        self.moved: dict[object, tuple[Any, Any]] = {}
        self.shapes = {w.name: self._shape(w) for w in self.frame.wanted if w.kind == "array"}

    def _refuse_walls(self, walled: set[str]) -> None:
        for axis in sorted(walled & self._cut()):
            raise KernelError(
                self.place,
                f"it has a wall at a side along {axis}, where the box is cut into blocks, of which only some "
                "end there.",
                "cut the box along another axis",
            )
        for axis in sorted(walled & set(self.domain.periodic)):
            raise KernelError(
                self.place, f"it has a wall at a side along {axis}, which is periodic.", "choose one of both"
            )

    def _cut(self) -> set[str]:
        """The axes along which the box is cut."""
        return {axis for axis, count in zip(self.domain.axes, self.domain.blocks, strict=True) if count > 1}

    def _refuse_cut(self) -> None:
        """Raise KernelError for what a block cannot know alone, along an axis that is cut."""
        cut = self._cut()
        for axis, what, why in _bound_to_axes(self.frame.kernels[0]):
            if axis in cut:
                raise KernelError(
                    self.place,
                    f"it has {what}, but the box is cut into blocks along {axis}: {why}.",
                    "cut the box along another axis",
                )

    @cached_property
    def copies(self) -> tuple[dict[str, list[Copy]], dict[str, list[Copy]]]:
        """Before and after the kernel."""
        before, after = exchanges(self.frame.kernels[0], self.place)
        if self.entry.layer is None:
            return self.domain._copies(before), self.domain._copies(after)
        # What a cell at a wall writes beyond it, along its own links, no other cell reads.
        return self.domain._copies(before), {}

    def __call__(self, **given: Any) -> Any:
        if "ghosts" in given:
            raise self.frame.refused(
                "the domain says how many ghost layers arrays have.", "leave out ghosts="
            )
        if "stream" in given:
            raise self.frame.refused(
                "the copies around the kernel run in the stream in which the library of the arrays works.",
                "leave out stream=, and enter the stream in that library: with torch.cuda.stream(stream):",
            )
        for name, shape in self.shapes.items():
            if name in given and tuple(getattr(given[name], "shape", ())) != shape:
                found = tuple(getattr(given[name], "shape", ()))
                raise self.frame.refused(
                    f"'{name}' has the shape {found}, but the domain needs {shape}.",
                    "Domain.zeros makes such arrays",
                )
        if not self.shapes.keys() <= given.keys():
            return self.function(**given)  # which says what the call lacks
        before, after = self.copies
        self._exchange(before, given)
        result = None
        if self.domain.lanes == 1:
            result = self.function(**given, ghosts=self.domain.ghosts)
        else:
            for lane in range(self.launches):
                views = {name: given[name][..., lane] for name in self.shapes}
                self.function(**(given | views), ghosts=self.domain.ghosts)
        self._exchange(after, given)
        return result

    def _shape(self, wanted: Wanted) -> tuple[int, ...]:
        """Of an array, with its ghost layers. Raises KernelError for one that blocks do not have."""
        domain = self.domain
        if domain.lanes > 1 and len(wanted.space) < len(domain.axes):
            raise self.frame.refused(
                f"'{wanted.name}' has fewer axes than the box, which is cut into blocks.",
                "leave the box whole: blocks=()",
            )
        space = domain._around()[len(domain.axes) - len(wanted.space) :]
        return (wanted.components, *space) if wanted.components else space

    def _exchange(self, copies: Mapping[str, list[Copy]], given: Mapping[str, Any]) -> None:
        for name, pairs in copies.items():
            array = given[name]
            if not hasattr(array, "__cuda_array_interface__"):
                for there, here in pairs:
                    array[there] = array[here]
                continue
            flat, strides = _flat(array)  # one launch each instead of one for each box
            key = name, id(copies), strides
            if key not in self.moved:
                self.moved[key] = (_numbers(pairs, 0, strides, array), _numbers(pairs, 1, strides, array))
            there, here = self.moved[key]
            flat[there] = flat[here]


def _whole_numbers(values: Any) -> tuple[int, ...]:
    """These as numbers; none for what is no sequence of whole numbers."""
    try:
        return tuple(map(operator.index, values))
    except TypeError:
        return ()


def _bound_to_axes(kernel: ir.Kernel) -> Iterator[tuple[str, str, str]]:
    """What of a kernel needs an axis whole: the axis, what it is, and what a block would do wrong."""
    for field in kernel.fields:
        if field.layout.along_axis:
            yield "xyz"[field.axis], f"the profile '{field.name}'", "each would take the same values of it"
    todo: list[Node] = list(kernel.body)
    seen: set[Node] = set()
    while todo:
        node = todo.pop()
        if node in seen:
            continue
        seen.add(node)
        if isinstance(node, ir.Scan):
            yield "xyz"[node.axis], f"a Scan along {'xyz'[node.axis]}", "each would begin anew"
        if isinstance(node, ir.Symbol) and node.name in _COUNTED:
            yield node.name[-1], f"'{node.name}', of block_coordinates or block_extents", "each counts anew"
        if isinstance(node, ir.Gather) and node.in_column:
            todo += [*node.position[2:], node.component]  # x and y are those of the cell, wherever it lies
        else:
            todo += node.children


def _library(array: Any) -> Any:
    return sys.modules[type(array).__module__.partition(".")[0]]


def _flat(array: Any) -> tuple[Any, tuple[int, ...]]:
    """All memory from the first element of an array on, as one axis, and the array's strides in elements."""
    if hasattr(array, "as_strided"):  # PyTorch
        strides = tuple(int(s) for s in array.stride())
    else:
        strides = tuple(int(s) // array.itemsize for s in array.strides)
    span = 1 + sum((n - 1) * s for n, s in zip(array.shape, strides, strict=True))
    if hasattr(array, "as_strided"):
        return array.as_strided((span,), (1,)), strides
    made = _library(array).lib.stride_tricks.as_strided(array, (span,), (array.itemsize,))
    return made, strides


def _numbers(pairs: Sequence[Copy], which: int, strides: tuple[int, ...], array: Any) -> Any:
    """The numbers of the elements of one end of all copies, in the memory of the array's device."""
    import numpy as np

    parts = []
    for pair in pairs:
        total = np.zeros((), np.int64)
        for index, stride in zip(pair[which], strides, strict=True):
            along = np.arange(index.start, index.stop) if isinstance(index, slice) else np.array([index])
            total = total[..., None] + along * stride
        parts.append(total.ravel())
    found = np.concatenate(parts)
    library = _library(array)
    return (
        library.as_tensor(found, device=array.device)
        if hasattr(array, "as_strided")
        else library.asarray(found)
    )
