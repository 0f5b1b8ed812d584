# SPDX-License-Identifier: Apache-2.0
"""Blocks of a box beside a list of cells, as a variant of a search: a block of which most cells are fluid is
updated as a whole, solid cells included, by a kernel over a box; all other cells by a kernel over a list.
heddle::HybridField does this in C++, with memory of its own for each block; here all blocks lie in one array
over the box, so that nothing crosses between two of them.

What a cell reads or writes of another one is an element of the field: that of a link. It has a home, where
the cell that owns it is stored. Where the kernel of the other cell does not look there, it has a ghost, too:
in the other part, in a ghost cell beyond a periodic side, or in a solid cell. Before a kernel that reads
through links ghosts become what their homes hold, after one that writes homes become what their ghosts hold.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from heddle.emit.cost import cost
from heddle.emit.python_file import list_tables
from heddle.errors import KernelError
from heddle.explorer.lists import PartOfBox, mask_of
from heddle.explorer.memory import Array, Memory, Values, library
from heddle.ir import nodes as ir
from heddle.ir.schedule import Schedule
from heddle.ir.space import Link
from heddle.ir.visit import evaluated, statements
from heddle.module import Module

BLOCK = 16
"""Cells of a block along y and z."""
LONG = 4
"""So many times as many it has along x: on short rows kernels over a box are slow."""
_kept: dict[object, Parts] = {}


@dataclass(frozen=True)
class Hybrid:
    """A variant for `heddle.explore(variants=...)`.

    module: has each kernel of a step twice, over a box and over a list. listed: the names of those over a
    list by the names of those over a box. block: cells of a block along y and z; along x it has LONG times as
    many; along each axis at most half of it. Schedules that are tried are those of the kernels over a box;
    the others keep theirs. A mask comes from values={"<name of the list>": ...}, as for lists; all axes are
    periodic.
    """

    module: Module
    listed: Mapping[str, str]
    block: int = BLOCK

    def alone(self, names: Sequence[str], precision: str, schedule: Schedule, target: str) -> Module:
        """Some kernels over a box and those that go with them, in one precision, the former with a schedule.
        Raises KernelError where they cannot run so on a target."""
        found = self.module.alone(names, precision, schedule, target)
        for name in names:
            twin = self.listed[name]
            own = self.module.schedule(twin, precision)
            alike = dataclasses.replace(own, fma=schedule.fma, math=schedule.math)
            found.kernels |= self.module.alone([twin], precision, alike, target).kernels
        return found


def checked(name: str, hybrid: Hybrid) -> Hybrid:
    """A hybrid that can run. Raises KernelError where a kernel is missing, or does more than a step over the
    fields of a box."""
    kernels = hybrid.module.kernels

    def refuse(what: str, hint: str) -> KernelError:
        return KernelError("heddle.explore", f"the hybrid '{name}' {what}", hint)

    for dense, listed in hybrid.listed.items():
        if dense not in kernels or listed not in kernels:
            missing = dense if dense not in kernels else listed
            raise refuse(f"has no kernel '{missing}'.", f"its kernels are: {', '.join(kernels)}")
        over_box, over_list = (
            hybrid.module.typed(one, hybrid.module.precisions[0]) for one in (dense, listed)
        )
        if over_box.space.is_list or not over_list.space.is_index_list:
            raise refuse(
                f"pairs '{dense}' with '{listed}'.", "the first runs over a box, the second over a list"
            )
        if over_box.outputs or over_list.outputs:
            raise refuse(f"has '{dense}', which reduces values.", "explore its parts one by one")
    if any(link.stores_solid for link in hybrid.module.links):
        raise refuse("has links to stored cells behind walls.", "use lbm.Pull, lbm.Push or lbm.AA")
    return hybrid


# --- Which cells run how ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Parts:
    """Cells of a box [z, y, x], periodic along all axes. mask: those that are fluid; dense: those of blocks
    that are updated as a whole; boxes: these blocks, neighbours as one. links: of the kernels."""

    mask: Any
    dense: Any
    boxes: tuple[tuple[slice, ...], ...]
    links: tuple[Link, ...]
    gpu: bool

    @cached_property
    def places(self) -> Any:
        """The numbers in the box of all fluid cells."""
        return library().flatnonzero(self.mask)

    @cached_property
    def own(self) -> Any:
        """Those of listed cells."""
        return library().flatnonzero(self.mask & ~self.dense)

    @cached_property
    def list(self) -> PartOfBox | None:
        """The list: its own cells, behind them those of blocks that links lead to. None without cells."""
        np = library()
        if not len(self.own):
            return None
        reached = np.zeros(self.mask.shape, bool)
        for link in self.links:
            _, there = self._across(self.own, link)
            reached.reshape(-1)[there] = True
        ghosts = np.flatnonzero(reached & self.mask & self.dense)
        return PartOfBox(
            self.mask.shape, np.concatenate([self.own, ghosts]), len(self.own), self.links, self.gpu
        )

    def _across(self, cells: Any, link: Link) -> tuple[Any, Any]:
        """Where a link leads from some cells: coordinates [axis, cell] that may lie beyond the box, and
        numbers of cells of the box."""
        np, shape = library(), self.mask.shape
        offset = np.array(link.offset[::-1])[:, None]
        beside = np.array(np.unravel_index(cells, shape)) + offset
        return beside, np.ravel_multi_index(tuple(beside), shape, mode="wrap")

    def crossings(self) -> Iterator[tuple[Link, str, Any, Any, Any]]:
        """Of each link: where the home of what crosses is stored, "wall", "box" or "list" for cells of blocks
        and "own" for listed ones; the cells whose kernel looks for it; where it does, as coordinates that may
        lie beyond the box; and the numbers of the cells that own it."""
        mask, dense = self.mask.reshape(-1), self.dense.reshape(-1)
        inside = library().flatnonzero(self.mask & self.dense)
        shape = library().array(self.mask.shape)[:, None]
        for link in self.links:
            beside, there = self._across(inside, link)
            wall = ~mask[there]
            wrapped = ((beside < 0) | (beside >= shape)).any(axis=0)
            kinds = {
                "wall": wall,
                "list": ~wall & ~dense[there],
                "box": ~wall & dense[there] & wrapped,
            }
            for kind, chosen in kinds.items():
                owner = inside if kind == "wall" else there
                yield link, kind, inside[chosen], beside[:, chosen], owner[chosen]
            beside, there = self._across(self.own, link)
            chosen = mask[there] & dense[there]
            yield link, "own", self.own[chosen], beside[:, chosen], there[chosen]


def parts(
    hybrid: Hybrid,
    kernels: Sequence[ir.Kernel],
    extent: Sequence[int],
    values: Values,
    gpu: bool,
    alternate: bool = False,
) -> Parts:
    """Which cells of a box run how; made at the first call. A block is dense where that moves fewer bytes, by
    the cost lines of the kernels; alternate: each second one, which any mask bears."""
    name, given = mask_of(kernels, values)
    links = hybrid.module.links
    moved = {
        listed: sum(_bytes(one) for one in kernels if one.space.is_index_list == listed)
        for listed in (True, False)
    }
    key = (name, links, tuple(extent), given, gpu, hybrid.block, alternate, *moved.values())
    if key not in _kept:
        mask = library().asarray(given(tuple(reversed(extent)))) != 0
        least = moved[False] / moved[True]
        _kept[key] = _parts(mask, hybrid.block, None if alternate else least, links, gpu)
    return _kept[key]


def prepare(
    hybrid: Hybrid, kernels: Sequence[ir.Kernel], extent: Sequence[int], values: Values, gpu: bool
) -> None:
    """Make the parts of a box and the tables of its list, which take seconds, before processes are forked."""
    made = parts(hybrid, kernels, extent, values, gpu).list
    if made is not None:
        for name in {name for kernel in kernels for name in list_tables(kernel, gpu)}:
            made.words(name)


def _bytes(kernel: ir.Kernel) -> float:
    moved = cost(kernel, kernel)
    return moved.bytes_read + moved.bytes_written


def _parts(mask: Any, block: int, least: float | None, links: tuple[Link, ...], gpu: bool) -> Parts:
    """least: the share of fluid cells from which on a block is dense; None: each second one is."""
    np = library()
    wanted = (*[block] * (mask.ndim - 1), LONG * block)
    size = tuple(min(b, max(1, n // 2)) for b, n in zip(wanted, mask.shape, strict=True))
    begins = [np.arange(0, n, b) for n, b in zip(mask.shape, size, strict=True)]
    fluid, whole = mask.astype(np.int64), np.ones(mask.shape, np.int64)
    for axis, begin in enumerate(begins):
        fluid, whole = (np.add.reduceat(one, begin, axis) for one in (fluid, whole))
    if least is None:
        kinds = (np.indices(fluid.shape).sum(axis=0) % 2 == 0) & (fluid > 0)
    else:
        kinds = (fluid >= least * whole) & (fluid > 0)
    dense = np.zeros(mask.shape, bool)
    boxes = []
    for merged in _merged(kinds):
        box = tuple(
            slice(one.start * b, min(one.stop * b, n))
            for one, b, n in zip(merged, size, mask.shape, strict=True)
        )
        dense[box] = True
        boxes.append(box)
    return Parts(mask, dense, tuple(boxes), links, gpu)


def _merged(kinds: Any) -> Iterator[tuple[slice, ...]]:
    """Boxes of all blocks that are dense: rows as long as they can be, then those with the same ends beside
    each other along y and z."""
    np = library()
    left = kinds.copy()
    begins = kinds & ~np.roll(kinds, 1, -1)
    begins[..., 0] = kinds[..., 0]
    ends = kinds & ~np.roll(kinds, -1, -1)
    ends[..., -1] = kinds[..., -1]
    for at in np.argwhere(kinds):
        if not left[tuple(at)]:
            continue
        end = at + 1
        end[-1] += np.argmax(ends[(*at[:-1], slice(at[-1], None))])
        for axis in reversed(range(left.ndim - 1)):
            while end[axis] < left.shape[axis]:
                more = [slice(first, last) for first, last in zip(at, end, strict=True)]
                more[axis] = slice(end[axis], end[axis] + 1)
                rows = tuple(more[:-1])
                same = begins[(*rows, at[-1])].all() and ends[(*rows, end[-1] - 1)].all()
                if not (same and left[tuple(more)].all()):
                    break
                end[axis] += 1
        box = tuple(slice(int(first), int(last)) for first, last in zip(at, end, strict=True))
        left[box] = False
        yield box


# --- Running them -------------------------------------------------------------------------------------------

Copy = tuple[Any, Any, Any, Any]
"""Memory with ghosts, their numbers, memory with homes, their numbers."""


@dataclass(frozen=True)
class _Kernel:
    """One kernel of a step. before, after: what crosses. calls: functions and what they get."""

    before: Sequence[Copy]
    calls: Sequence[tuple[Callable[..., Any], dict[str, Any]]]
    after: Sequence[Copy]


class HybridRun:
    """The kernels of a step with arrays of their own, as heddle.explorer.measure.Runnable: its own `memory`.

    functions: by name. kernels: of a candidate, typed, those over a box and those over a list. cells: of all
    that are fluid, in the order of a list of them.
    """

    def __init__(
        self,
        hybrid: Hybrid,
        functions: Mapping[str, Callable[..., Any]],
        kernels: Sequence[ir.Kernel],
        divided: Parts,
        values: Values,
        xp: Any,
    ) -> None:
        self.xp, self.parts, self.cells = xp, divided, divided.places
        self._copy = _copying(xp)
        self.memory = self
        extent = tuple(reversed(divided.mask.shape))
        named = {kernel.name: kernel for kernel in kernels}
        over_box = [kernel for kernel in kernels if not kernel.space.is_index_list]
        over_list = [named[hybrid.listed[kernel.name]] for kernel in over_box]
        self.functions = tuple(functions[kernel.name] for kernel in over_box)
        self._box = Memory(over_box, extent, values, xp)
        made = divided.list
        self._list = None if made is None else Memory(over_list, extent, values, xp, made.on(xp))
        self._first_values(over_list)
        copies = {name: self._copies(name) for name in self._box.arrays}
        self.steps = [
            self._kernel(number, functions, dense, listed, copies)
            for number, (dense, listed) in enumerate(zip(over_box, over_list, strict=True))
        ]
        self.costs = self._costs(over_box, over_list)
        whole = math.fsum(map(_bytes, over_box)) / len(over_box) * divided.mask.size
        moved = (self.costs["bytes_read"] + self.costs["bytes_written"]) * len(self.cells)
        self.stream_share = moved / whole
        """By what the time of a stream over the whole box is multiplied, so that it is one of as many bytes
        as the run moves."""

    def once(self) -> list[Any]:
        """Update all cells by each kernel."""
        for kernel in self.steps:
            for to, ghosts, source, homes in kernel.before:
                self._copy(to, ghosts, source, homes)
            for function, given in kernel.calls:
                function(**given)
            for source, ghosts, to, homes in kernel.after:
                self._copy(to, homes, source, ghosts)
        return [None] * len(self.steps)

    def reset(self) -> None:
        """The written fields as they were at first."""
        for memory in (self._box, self._list):
            if memory is not None:
                memory.reset()

    def written(self) -> Iterator[Array]:
        """The fields that the kernels write, as one list of all cells."""
        for array in self._box.written():
            whole = self._gathered(array)
            yield dataclasses.replace(array, whole=whole, inner=whole, start=whole)

    # --- values

    def _first_values(self, over_list: Sequence[ir.Kernel]) -> None:
        """What a list of all cells would hold at first."""
        for field in {field.name: field for kernel in over_list for field in kernel.fields}.values():
            if not field.layout.over_list:
                continue
            components = (field.components,) if field.components else ()
            first = self.xp.asarray(self._box.first(field, (*components, len(self.cells))))
            for to, numbers, chosen in self._stored(self._box.arrays[field.name]):
                to[numbers] = first[..., chosen].reshape(-1)
            for memory in (self._box, self._list):
                if memory is not None:
                    memory.arrays[field.name].keep()

    def _gathered(self, array: Array) -> Any:
        components = array.whole.shape[: array.whole.ndim - self.parts.mask.ndim]
        found = self.xp.empty((*components, len(self.cells)), array.whole.dtype)
        for source, numbers, chosen in self._stored(array):
            found[..., chosen] = source[numbers].reshape(*components, -1)
        return found

    def _stored(self, array: Array) -> Iterator[tuple[Any, Any, Any]]:
        """Where values of all cells are stored: memory, the numbers of elements, component after component,
        and of which cells, counted in `cells`."""
        np = library()
        inside = np.flatnonzero(self.parts.mask & self.parts.dense)
        at = np.array(np.unravel_index(inside, self.parts.mask.shape))
        slots = range(max(1, array.field.components))
        numbers = np.concatenate([self._element(array, slot, at) for slot in slots])
        yield _flat(self.xp, array.whole)[0], self._there(numbers), self._there(self._rank(inside))
        if self._list is not None:
            own = np.arange(len(self.parts.own))
            numbers = np.concatenate([own + slot * self._slot_stride for slot in slots])
            flat = self._flat_list(array.field.name)
            yield flat, self._there(numbers), self._there(self._rank(self.parts.own))

    @property
    def _slot_stride(self) -> int:
        return 0 if self.parts.list is None else self.parts.list.slot_stride

    def _flat_list(self, name: str) -> Any:
        """All memory of a field of the list: of its cells, and those behind them."""
        assert self._list is not None
        whole = self._list.arrays[name].whole
        elements = (whole.shape[0] if whole.ndim > 1 else 1) * self._slot_stride
        return self.xp.lib.stride_tricks.as_strided(whole, (elements,), (whole.itemsize,))

    def _rank(self, places: Any) -> Any:
        return library().searchsorted(self.cells, places)

    def _there(self, numbers: Any) -> Any:
        """Numbers where the arrays lie."""
        return self.xp.asarray(numbers)

    def _element(self, array: Array, slot: int, at: Any) -> Any:
        """The number of an element of an array over the box. at: coordinates [axis, cell]."""
        _, strides = _flat(self.xp, array.whole)
        ghosts = array.field.ghost_layers
        own = strides[-len(at) :]
        return slot * strides[0] + sum((at[axis] + ghosts) * stride for axis, stride in enumerate(own))

    # --- what crosses

    def _copies(self, name: str) -> list[Copy]:
        """All that crosses of a field with a component for each slot."""
        np, array = library(), self._box.arrays[name]
        if not array.field.components:
            return []
        found: dict[str, list[tuple[Any, Any]]] = {}
        in_list = self._numbers_in_list()
        for link, kind, _, beside, owners in self.parts.crossings():
            at = np.array(np.unravel_index(owners, self.parts.mask.shape))
            listed = link.slot * self._slot_stride + in_list[owners]
            stored = self._element(array, link.wall_slot if kind == "wall" else link.slot, at)
            if kind == "own":  # the ghost lies in the list, the home in the box
                pair = listed, stored
            else:
                pair = self._element(array, link.slot, beside), listed if kind == "list" else stored
            found.setdefault("box" if kind == "wall" else kind, []).append(pair)
        result: list[Copy] = []
        for kind, pairs in found.items():
            ghosts, homes = (self._there(np.concatenate(ends)) for ends in zip(*pairs, strict=True))
            if not len(ghosts):
                continue
            box = _flat(self.xp, array.whole)[0]
            other = box if kind == "box" else self._flat_list(name)
            result.append((other, ghosts, box, homes) if kind == "own" else (box, ghosts, other, homes))
        return result

    def _numbers_in_list(self) -> Any:
        """Of each cell of the box."""
        np = library()
        found = np.zeros(self.parts.mask.size, np.int64)
        if self.parts.list is not None:
            found[self.parts.list.places] = np.arange(len(self.parts.list.places))
        return found

    def _kernel(
        self,
        number: int,
        functions: Mapping[str, Callable[..., Any]],
        dense: ir.Kernel,
        listed: ir.Kernel,
        copies: Mapping[str, Sequence[Copy]],
    ) -> _Kernel:
        before, after = ([copy for name in names for copy in copies[name]] for names in _beside(dense))
        given = self._box.calls[number]
        calls = []
        for box in self.parts.boxes:
            own = {
                name: self._box.arrays[name].inner[(..., *box)] if name in self._box.arrays else value
                for name, value in given.items()
            }
            calls.append((functions[dense.name], own))
        if self._list is not None:
            calls.append((functions[listed.name], self._list.calls[number]))
        return _Kernel(before, calls, after)

    def _costs(self, over_box: Sequence[ir.Kernel], over_list: Sequence[ir.Kernel]) -> dict[str, float]:
        """Per fluid cell and update: bytes and operations of cost lines, solid cells of blocks included, and
        the bytes of what crosses."""
        cells = {False: int(self.parts.dense.sum()), True: len(self.parts.own)}
        found = {"bytes_read": 0.0, "bytes_written": 0.0, "flops": 0.0}
        for kernel in (*over_box, *over_list):
            one = cost(kernel, kernel)
            share = cells[kernel.space.is_index_list] / len(self.cells) / len(over_box)
            for name in found:
                found[name] += share * getattr(one, name)
        for step in self.steps:
            for _, ghosts, memory, _ in (*step.before, *step.after):
                moved = len(ghosts) * memory.itemsize / len(self.cells) / len(over_box)
                found["bytes_read"] += moved
                found["bytes_written"] += moved
        return found


def _beside(kernel: ir.Kernel) -> tuple[list[str], list[str]]:
    """The fields of which a kernel over a box reads, and writes, elements of other cells."""
    read = [node for node in evaluated(kernel.body) if isinstance(node, ir.Access)]
    written = [s.target for s in statements(kernel.body) if isinstance(s, ir.Store)]

    def fields(accesses: Sequence[object]) -> list[str]:
        beside = (one for one in accesses if isinstance(one, ir.Access) and any(one.offsets))
        return list(dict.fromkeys(one.field.name for one in beside))

    return fields(read), fields(written)


def _copying(xp: Any) -> Callable[[Any, Any, Any, Any], object]:
    """What sets elements `to[there]` to `source[here]`; on a GPU one kernel, without memory between."""
    if hasattr(xp, "ElementwiseKernel"):
        kernel = xp.ElementwiseKernel(
            "raw T source, I here, I there", "raw T to", "to[there] = source[here]", "copy_elements"
        )
        return lambda to, there, source, here: kernel(source, here, there, to)

    def copy(to: Any, there: Any, source: Any, here: Any) -> None:
        to[there] = source[here]

    return copy


def _flat(xp: Any, array: Any) -> tuple[Any, tuple[int, ...]]:
    """All memory from the first element of an array on, as one axis, and its strides in elements."""
    strides = tuple(int(stride) // array.itemsize for stride in array.strides)
    span = 1 + sum((n - 1) * stride for n, stride in zip(array.shape, strides, strict=True))
    return xp.lib.stride_tricks.as_strided(array, (span,), (array.itemsize,)), strides
