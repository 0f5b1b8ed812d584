# SPDX-License-Identifier: Apache-2.0
"""Random memory for kernels: fields of several sizes and strides, lists of cells with walls, parameters."""

from __future__ import annotations

import copy
import itertools
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from heddle.errors import KernelError
from heddle.ir import nodes as ir
from heddle.ir.compressed_neighbours import compressed
from heddle.ir.interpret import Array
from heddle.ir.rounding import Number, rounded
from heddle.ir.space import PLACES, Link
from heddle.roundtrip.equivalence.row_assumptions import has_same_strides, has_unit_rows, row_cells_of

BOXES = {
    0: ((),),
    1: ((1,), (2,), (7,), (67,)),
    2: ((1, 1), (2, 1), (3, 5), (19, 2)),
    3: ((1, 1, 1), (2, 1, 3), (5, 3, 2), (17, 1, 2)),
}
"""One cell, two, odd and prime numbers of cells, and rows longer than a short strip."""


@dataclass(frozen=True)
class Sample:
    """Memory and scalars by the names of the arguments; enough for both kernels of a comparison."""

    arrays: dict[str, Array]
    scalars: dict[str, Number]
    about: str = ""

    def copied(self) -> dict[str, Array]:
        """The arrays with memory of their own; those that share memory do so in the copy."""
        values = {id(array.values): copy.copy(array.values) for array in self.arrays.values()}
        return {
            name: Array(values[id(a.values)], a.origin, a.extent, a.stride) for name, a in self.arrays.items()
        }


def random_inputs(a: ir.Kernel, b: ir.Kernel, seed: int = 0) -> Iterator[Sample]:
    """Memory of every size for what two kernels take. The first half of the values is positive and near 1,
    so that roots and quotients are defined; the rest has both signs."""
    fields = tuple({field.name: field for kernel in (b, a) for field in kernel.fields}.values())
    parameters = tuple({s.name: s for kernel in (b, a) for s in kernel.parameters}.values())
    rank = max((field.rank for field in fields if not field.layout.along_axis), default=0)
    if rank not in BOXES:
        raise KernelError(
            a.name, f"it has {rank} dimensions, which is not supported.", "use one, two or three dimensions"
        )
    split = any(field.layout.split for field in fields)
    around = max(field.ghost_layers for field in fields) if has_same_strides(a, b) else None
    sizes = BOXES[rank][:2] if a.space.packs else BOXES[rank]  # ghost cells are many
    for number, cells in enumerate(sizes * 2):
        together = 2 if split else row_cells_of(a, b)  # cells of both colours, or of a vector
        box = (together * cells[0], *cells[1:]) if together > 1 else cells
        generator = random.Random(seed + number)
        shortest = max(min(box, default=1), 1)
        drawn = _Draw(generator, number < len(sizes), shortest, has_unit_rows(a, b), around)
        scalars = {s.name: drawn.number(_scalar(s)) for s in parameters}
        if a.space.colours > 1:
            scalars |= {"first_colour": 0, "last_colour": a.space.colours}
        if a.space.walls:
            scalars["walls"] = generator.randrange(64)
        if a.space.box:
            yield _placed(fields, box, drawn, scalars)
        elif a.space.is_list:
            yield _listed(a, b, fields, box, drawn, scalars)
        elif a.space.packs:
            yield _boxed(fields, box, drawn, scalars)
        else:
            arrays = {field.name: drawn.field(field, box) for field in fields}
            yield Sample(arrays, scalars, f"{' x '.join(map(str, box))} cells")


def _scalar(symbol: ir.Symbol) -> ir.Scalar:
    assert isinstance(symbol.type, ir.Scalar)
    return symbol.type


@dataclass(frozen=True)
class _Draw:
    """around: so many ghost layers have all fields, and the same strides; None: each has its own."""

    generator: random.Random
    positive: bool
    extent: int
    unit: bool = False
    around: int | None = None

    def number(self, scalar: ir.Scalar) -> Number:
        """Integers are valid positions in every field, and flags."""
        if scalar.kind == "b":
            return self.generator.random() < 0.5
        if not scalar.is_float:
            return self.generator.randrange(self.extent if self.extent > 1 else 2)
        value = self.generator.uniform(0.5, 1.5) if self.positive else self.generator.gauss(0.0, 1.5)
        return rounded(value, scalar)

    def field(self, field: ir.Field, box: Sequence[int]) -> Array:
        """Axes in any order, some with gaps, some backwards; of a field that is split by colour, half a row
        for each colour."""
        alike = self.around is not None
        ghosts, parts = field.ghost_layers, field.components
        if self.around is not None and not field.layout.along_axis:
            ghosts = self.around
        if field.layout.table:
            return Array([self.number(field.type) for _ in range(field.size)], 0, (field.size,), (1,))
        if field.layout.along_axis:
            n = box[field.axis]
            values = [self.number(field.type) for _ in range(n + 2 * ghosts)]
            return Array(values, ghosts, (n,), (1,))
        extent = tuple(n + field.layout.other_grid for n in box[: field.rank])
        if field.layout.split:
            extent, parts = (extent[0] // 2, *extent[1:]), 2
        whole = [n + 2 * ghosts for n in extent] + ([parts] if parts else [])
        axes = list(range(len(whole)))
        if not self.positive and not alike:
            self.generator.shuffle(axes)
            axes.sort(key=lambda axis: self.unit and axis > 0)  # the cells of a row follow each other
        stride, size = [0] * len(whole), 1
        for axis in axes:
            step = (
                1 if self.positive or alike or (self.unit and not axis) else self.generator.choice((1, 1, 2))
            )
            stride[axis] = size * step
            size *= whole[axis] * step
        values = [self.number(field.type) for _ in range(size)]
        origin = sum(ghosts * stride[axis] for axis in range(len(extent)))
        for axis in range(1 if self.unit else 0, len(extent)):
            if not (self.positive or alike) and self.generator.random() < 0.3:
                origin += (whole[axis] - 1 - 2 * ghosts) * stride[axis]
                stride[axis] = -stride[axis]
        return Array(values, origin, (*extent, *((parts,) if parts else ())), tuple(stride))


def _boxed(
    fields: Sequence[ir.Field], box: Sequence[int], drawn: _Draw, scalars: dict[str, Number]
) -> Sample:
    """A box with ghost cells, all of which cross: those of each component of each field in three boxes, the
    last of them empty."""
    arrays = {f.name: drawn.field(f, box) for f in fields if not f.layout.per_entry}
    table: list[int] = []
    place, longest = 3, 0
    for number, field in enumerate(f for f in fields if not f.layout.per_entry):
        ghosts = field.ghost_layers
        whole = [*(n + 2 * ghosts for n in box[: field.rank]), *[1] * (3 - field.rank)]
        begin = [*[-ghosts] * field.rank, *[0] * (3 - field.rank)]
        for component in range(max(field.components, 1)):
            cut = drawn.generator.randrange(whole[0]) + 1
            for first, length in ((begin[0], cut), (begin[0] + cut, whole[0] - cut), (begin[0], 0)):
                table += [number, component, first, *begin[1:], length, *whole[1:], place]
                place += length * whole[1] * whole[2]
                longest = max(longest, length * whole[1] * whole[2])
    (buffer,) = (f for f in fields if f.name == "buffer")
    arrays["buffer"] = Array([drawn.number(buffer.type) for _ in range(place)], 0, (place,), (1,))
    arrays["boxes"] = Array(table, 0, (len(table),), (1,))
    sizes: dict[str, Number] = {"box_count": len(table) // 9, "longest": longest}
    return Sample(arrays, scalars | sizes, f"boxes of {' x '.join(map(str, box))} cells")


def _placed(
    fields: Sequence[ir.Field], box: Sequence[int], drawn: _Draw, scalars: dict[str, Number]
) -> Sample:
    """Some cells of a box, each once."""
    arrays = {field.name: drawn.field(field, box) for field in fields if not field.layout.per_entry}
    places = [place for place in itertools.product(*map(range, box)) if drawn.generator.random() < 0.3]
    places = places or [tuple(0 for _ in box)]
    for field in (f for f in fields if f.layout.per_entry):
        values = [drawn.number(field.type) for _ in places]
        if field.name in PLACES:
            values = [place[PLACES.index(field.name)] for place in places]
        arrays[field.name] = Array(values, 0, (len(places),), (1,))
    return Sample(arrays, scalars, f"{len(places)} cells of {' x '.join(map(str, box))}")


def _listed(
    a: ir.Kernel,
    b: ir.Kernel,
    fields: Sequence[ir.Field],
    box: Sequence[int],
    drawn: _Draw,
    scalars: dict[str, Number],
) -> Sample:
    """A box with some solid cells: a table that leads to neighbours, and at walls to the current cell or to
    cells that the list holds there."""
    space = a.space
    generator = drawn.generator
    places = [place for place in itertools.product(*map(range, box)) if generator.random() < 0.8]
    places = places or [tuple(0 for _ in box)]
    number = {place: n for n, place in enumerate(places)}
    cells = len(places)
    _hold(number, space.links, box)
    slot_stride, row = len(number) + 3, len(number) + 5
    entries = max(cells // 3, 1)
    arrays: dict[str, Array] = {}
    for field in fields:
        if field.layout.per_entry:
            arrays[field.name] = Array(
                [drawn.number(field.type) for _ in range(entries)], 0, (entries,), (1,)
            )
            continue
        values = [drawn.number(field.type) for _ in range(slot_stride * max(field.components, 1))]
        shape = ((len(number), field.components), (1, slot_stride)) if field.components else ((cells,), (1,))
        arrays[field.name] = Array(values, 0, *shape)
    table = [0] * (row * max(len(space.links), 1))
    for position, link in enumerate(space.links):
        for place, n in number.items():
            to = _along(place, link, box)
            slot, cell = (link.slot, number[to]) if to in number else (max(link.wall_slot, 0), n)
            table[position * row + n] = slot * slot_stride + cell
    arrays["neighbour"] = Array(table, 0, (len(number), len(space.links)), (1, row))
    strip = max(kernel.space.strip_size for kernel in (a, b) if kernel.space.is_list)
    if strip:
        arrays["neighbour_run"] = _runs(arrays["neighbour"], strip)
    if any(kernel.space.compressed for kernel in (a, b) if kernel.space.is_list):
        words = compressed(
            lambda link, n: table[link * row + n],
            lambda link, n: space.links[link].wall_slot * slot_stride + n,
            len(space.links),
            cells,
        )
        arrays["neighbour_chunk"] = Array(words, 0, (len(words),), (1,))
    if space.listed:
        listed = generator.sample(range(cells), entries)
        arrays["cells"] = Array(listed, 0, (entries,), (1,))
        return Sample(arrays, scalars, f"{entries} of {cells} cells of a list")
    first = min(1, cells - 1)
    return Sample(arrays, scalars | {"first": first, "last": cells}, f"cells {first} to {cells} of a list")


def _along(place: tuple[int, ...], link: Link, box: Sequence[int]) -> tuple[int, ...]:
    return tuple((p + d) % m for p, d, m in zip(place, link.offset, box, strict=True))


def _hold(number: dict[tuple[int, ...], int], links: Sequence[Link], box: Sequence[int]) -> None:
    """Number the cells behind walls that rows lead to, row after row where rows are followed in turn."""
    stores_solid = [link for link in links if link.stores_solid]
    in_turn = all(sum(map(bool, link.offset)) == 1 for link in stores_solid)
    listed = list(number)
    for link in stores_solid:
        for place in list(number) if in_turn else listed:
            number.setdefault(_along(place, link, box), len(number))


def _runs(table: Array, strip: int) -> Array:
    """The first entry of each strip of each row where the whole strip's entries follow each other."""
    cells, rows = table.extent
    values = []
    for begin in range(0, cells, strip):
        for row in range(rows):
            start = row * table.stride[1]
            entries = table.values[start + begin : start + min(begin + strip, cells)]
            whole = list(entries) == list(range(entries[0], entries[0] + strip))
            values.append(entries[0] if whole else 0xFFFFFFFF)
    return Array(values, 0, (len(values),), (1,))
