# SPDX-License-Identifier: Apache-2.0
"""The arrays of a loop nest as fields: what is touched where, how each array lies in memory, and the node
that stands for each access."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Sequence

from heddle.errors import KernelError, Place
from heddle.ir import nodes as ir
from heddle.ir.build import add, integer
from heddle.ir.layout import STRIDED
from heddle.ir.visit import statements
from heddle.lift.array_parts import Box, Range, grouped, sentences, unused
from heddle.lift.delinearise import Placement, Position, Touch, placed
from heddle.lift.elements import cast
from heddle.lift.lifted import Lifted, refuse
from heddle.lift.polynomial import Polynomial, polynomial
from heddle.lift.recovered import RESERVED, TYPES


class Arrays:
    """singles: the segments of a body that work in a single cell of the column along the axis `sweep`."""

    def __init__(self, lifted: Lifted, place: Place, singles: frozenset[int]) -> None:
        self.lifted, self.place, self.singles = lifted, place, singles
        self.sweep = -1
        self.rank = 0
        self.touches: dict[str, list[Touch]] = {}
        self.pointers: dict[str, ir.Symbol] = {}
        self.found: dict[tuple[str, Polynomial, int], Position] = {}
        self.parts: dict[tuple[str, Polynomial], str] = {}  # of arrays that are several fields
        self.wholes: dict[str, str] = {}  # their arrays
        self.gathers: dict[str, str] = {}  # parts that are read at computed indices
        self.notes: list[str] = []
        self.placements: dict[str, Placement] = {}
        self.fields: dict[str, ir.Field] = {}
        self.gathered: set[str] = set()
        self.cells_at: dict[int, Polynomial] = {}
        self.begins: list[Polynomial] = []  # of the counters, in the order of the axes

    @property
    def stores(self) -> bool:
        return any(touch.store for touches in self.touches.values() for touch in touches)

    def put(self, order: Sequence[ir.Symbol], sweep: int, ranges: Sequence[Range] | None = None) -> None:
        """Find out how the arrays lie along the axes: the counters `order`, x first; `sweep` is swept.
        ranges: of the counters, where they do not depend on what is found out here: in a box without a sweep.
        """
        self.check_objects()
        self.sweep, self.rank = sweep, len(order)
        self.begins = [begin for begin, _ in ranges or ()]
        if ranges is not None:
            for name in list(self.touches):
                self.divide(name, order, ranges)
        if sweep >= 0 and (both := self.gathered & self.touches.keys()):
            raise refuse(
                self.place,
                f"'{min(both)}' is read both at computed indices and at neighbours within a column sweep.",
            )
        for name, touches in self.touches.items():
            own = [
                dataclasses.replace(t, fixed=frozenset({sweep} if t.segment in self.singles else ()))
                for t in touches
            ]
            self.placements[name], positions = placed(name, own, order)
            for touch, position in zip(own, positions, strict=True):
                self.found[name, touch.index, touch.segment] = position
                if touch.fixed and (touch.store or touch.segment not in self.cells_at):
                    self.cells_at[touch.segment] = position.offsets[sweep]
        for name in sorted(self.gathered & self.placements.keys()):
            self.divide_gathered(name)
        for name in sorted(self.touches, key=self.rank_of):
            self.declare(name)
        for name in sorted(self.gathered - self.touches.keys(), key=self.rank_of):
            if self.rank > 1:
                raise refuse(
                    self.place,
                    f"'{name}' is read at computed indices in a loop nest of several axes; only one axis is "
                    "supported.",
                )
            self.declare(name)

    def divide(self, name: str, order: Sequence[ir.Symbol], ranges: Sequence[Range]) -> None:
        """An array whose accesses no cell explains becomes several fields, if they share no element that is
        written."""
        extents = [end - begin for begin, end in ranges]

        def fit(touches: Sequence[Touch]) -> None:
            placement, _ = placed(name, touches, order)
            self.check_apart(name, placement, touches, extents)

        touches = self.touches[name]
        try:
            fit(touches)
        except KernelError:
            groups = grouped(touches, fit)
            if len(groups) == 1:
                return
            box = Box.of(order, ranges, touches)
            needed: list[Polynomial] = []
            for one, other in itertools.combinations(groups, 2):
                found = box.disjoint(one, other)
                if found is None:
                    raise
                needed += found
            place = groups[0][0].place
            self.notes += [f"{place}: {note}, as parts of '{name}' are written" for note in sentences(needed)]
            taken = {self.field_name(each) for each in self.pointers}
            taken |= {p.symbol.name for p in self.lifted.parameters}
            for group in groups[1:]:
                part = unused(name, taken | self.wholes.keys())
                self.wholes[part] = name
                self.pointers[part] = self.pointers[name]
                self.touches[part] = group
                self.parts |= {(name, touch.index): part for touch in group}
            self.touches[name] = groups[0]

    def divide_gathered(self, name: str) -> None:
        """An array that is only read, at computed indices and in cells that do not lie side by side, becomes
        two fields."""
        placement = self.placements[name]
        plain = placement.strides == (polynomial(1),) and not placement.size
        if any(touch.store for touch in self.touches[name]) or self.rank > 1:
            return
        if not plain or placement.first(self.begins).constant is None:
            taken = {self.field_name(each) for each in self.pointers}
            taken |= {p.symbol.name for p in self.lifted.parameters}
            part = self.gathers[name] = unused(name, taken | self.wholes.keys())
            self.wholes[part] = name
            self.pointers[part] = self.pointers[name]
            self.gathered = self.gathered - {name} | {part}

    def part(self, name: str, index: Polynomial) -> str:
        """The array, or the part of it, that has an index."""
        return self.parts.get((name, index), name)

    def whole(self, name: str) -> str:
        """The array of a part; other arrays are their own."""
        return self.wholes.get(name, name)

    def check_objects(self) -> None:
        """Numbers of several types in one array of objects lie between each other: as arrays they overlap."""
        seen: dict[str, str] = {}
        for name in self.touches.keys() | self.gathered:
            whole, is_part, kind = name.rpartition(".of_")
            other = seen.setdefault(whole, kind) if is_part else kind
            written = [
                t for n, ts in self.touches.items() if n.startswith(f"{whole}.of_") for t in ts if t.store
            ]
            if is_part and other != kind and written:
                raise refuse(
                    written[0].place,
                    f"Objects of '{whole}' are written that contain numbers of different types, "
                    f"{' and '.join(sorted((kind, other)))}.",
                    "keep them in arrays of their own",
                )

    def declare(self, name: str) -> None:
        pointer = self.pointers[name]
        assert isinstance(pointer.type, ir.Pointer)
        scalar = pointer.type.element
        if scalar not in TYPES:
            raise refuse(self.place, f"'{name}' has elements of type {scalar}, which fields do not support.")
        reach = [
            abs(entry.number)
            for (owner, _, segment), position in self.found.items()
            for axis, entry in enumerate(self.offsets(position, segment))
            if owner == name
        ]
        if name in self.gathered and name in self.placements:
            reach.append(abs(self.placements[name].first(self.begins).constant or 0))
        size = self.placements[name].size if name in self.placements else 0
        self.fields[name] = ir.Field(
            self.field_name(name), scalar, self.rank, size, max(reach, default=0), STRIDED
        )

    def rank_of(self, name: str) -> int:
        """Where an argument stands in the source."""
        names = [p.symbol.name for p in self.lifted.parameters]
        own = self.whole(name).split(".")[0]
        return names.index(own) if own in names else len(names)

    def field_name(self, name: str) -> str:
        """The source's name, made free: the data of a view has the view's name."""
        if name in self.wholes:
            whole = self.wholes[name]
            return self.field_name(whole) + name.removeprefix(whole)
        if name.startswith("this."):
            plain = name.removeprefix("this.").replace(".", "_")
            return f"field_{plain}" if plain in RESERVED else plain
        own = name.split(".")[0]
        alone = sum(p.split(".")[0] == own for p in self.pointers if p not in self.wholes) == 1
        plain = own if alone else name.replace(".", "_")
        return f"field_{plain}" if plain in RESERVED else plain

    def offsets(self, position: Position, segment: int) -> list[Polynomial]:
        """Offsets from the current cell; in a single cell of a column, from that one."""
        entries = list(position.offsets)
        if segment in self.singles:
            entries[self.sweep] -= self.cells_at[segment]
        return entries

    def check_components(self, extents: Sequence[Polynomial]) -> None:
        """Parts of an array that is written must not overlap: their distance is at least the extent."""
        for name, placement in self.placements.items():
            self.check_apart(self.whole(name), placement, self.touches[name], extents)

    def check_apart(
        self, name: str, placement: Placement, touches: Sequence[Touch], extents: Sequence[Polynomial]
    ) -> None:
        """The same of one array."""
        written = next((touch for touch in touches if touch.store), None)
        if placement.size == 0 or written is None:
            return
        axis = max(range(len(extents)), key=lambda a: placement.strides[a].order)
        apart, rest = placement.component_stride.divided(placement.strides[axis])
        room = (apart - extents[axis]).constant
        if placement.component_stride.constant != 1 and (rest != Polynomial() or room is None or room < 0):
            raise refuse(
                written.place,
                f"'{name}' is written, and also accessed {placement.component_stride} elements away, "
                "which may be another cell.",
                "pass the two parts as separate arrays",
            )

    def check_rows(self, extents: Sequence[Polynomial]) -> list[str]:
        """Cells of an array that is written must not share elements: along each axis the cells along those
        with smaller strides fit between two. What sizes decide is assumed."""
        notes: list[str] = []
        for name, placement in self.placements.items():
            written = next((touch for touch in self.touches[name] if touch.store), None)
            axes = sorted(
                (a for a in range(self.rank) if placement.strides[a] != Polynomial()),
                key=lambda a: placement.strides[a].order,
            )
            for small, large in itertools.pairwise(axes):
                if written is None:
                    break
                row = placement.strides[small] * (extents[small] - 1)
                room = _size(placement.strides[large]) - _size(row) - 1
                numbers = [factor for monomial, factor in room.terms.items() if monomial]
                smallest = sum(room.terms.values())  # where each size is 1
                if min(numbers, default=0) >= 0 and smallest >= 0:
                    continue
                if max(numbers, default=0) <= 0 and smallest < 0:
                    raise refuse(
                        written.place,
                        f"'{name}' is written by rows of {extents[small]} cells that begin "
                        f"{placement.strides[large]} elements apart, so two cells write one element.",
                        "make the stride as long as the row",
                    )
                notes.append(
                    f"{written.place}: rows of {extents[small]} cells of '{name}', "
                    f"{placement.strides[large]} elements apart, do not overlap"
                )
        return notes

    def aliases(self, body: Sequence[ir.Statement]) -> list[str]:
        """What restrict would have said."""
        restricted = {p.symbol.name for p in self.lifted.parameters if p.restrict}
        written = {s.target.field.name for s in statements(body) if isinstance(s, ir.Store)}  # type: ignore[union-attr]
        source = {f.name: self.whole(name) for name, f in self.fields.items()}
        open_names = [name for name in self.fields if name not in restricted | self.wholes.keys()]
        pairs = [
            (source[w], other)
            for w in sorted(written)
            for other in open_names
            if source[w] in open_names and other != source[w]
        ]
        together = sorted({name for pair in pairs for name in pair})
        return [f"{self.lifted.place}: {', '.join(together)} do not overlap"] if together else []


def _size(stride: Polynomial) -> Polynomial:
    """A stride without its direction."""
    return -stride if stride.terms and stride.ordered()[0][1] < 0 else stride


class Noting:
    """First walk: collects accesses."""

    def __init__(self, arrays: Arrays, segment: int) -> None:
        self.arrays, self.segment = arrays, segment

    def element(self, pointer: ir.Symbol, index: Polynomial, store: bool, place: Place) -> ir.Expression:
        own = self.arrays
        own.pointers.setdefault(pointer.name, pointer)
        own.touches.setdefault(pointer.name, []).append(Touch(index, store, place, segment=self.segment))
        return ir.Load(pointer, index.expression())

    def gather(self, pointer: ir.Symbol, position: ir.Expression, store: bool, place: Place) -> ir.Expression:
        if store:
            raise refuse(
                place,
                f"'{pointer.name}' is written at an index known only at run time, so two cells may write "
                "the same element.",
                "rewrite the loop so that each cell gathers what it needs",
            )
        self.arrays.pointers.setdefault(pointer.name, pointer)
        self.arrays.gathered.add(pointer.name)
        return ir.Load(pointer, position)


class Placing:
    """Second walk: puts fields in."""

    def __init__(self, arrays: Arrays, segment: int) -> None:
        self.arrays, self.segment = arrays, segment

    def element(self, pointer: ir.Symbol, index: Polynomial, store: bool, place: Place) -> ir.Expression:
        own = self.arrays
        name = own.part(pointer.name, index)
        position = own.found[name, index, self.segment]
        entries = [entry.constant for entry in own.offsets(position, self.segment)]
        if None in entries:
            raise refuse(
                place,
                f"'{pointer.name}' is accessed in two cells of a column whose distance, {entries}, is not "
                "constant.",
            )
        return ir.Access(own.fields[name], tuple(int(e or 0) for e in entries), position.component)

    def gather(self, pointer: ir.Symbol, position: ir.Expression, store: bool, place: Place) -> ir.Expression:
        """Positions count from the first cell; the source's from the array's first element."""
        name = self.arrays.gathers.get(pointer.name, pointer.name)
        placement = self.arrays.placements.get(name)
        if placement is not None:
            first = placement.first(self.arrays.begins)
            if placement.strides != (polynomial(1),) or placement.size or first.constant is None:
                raise refuse(
                    place,
                    f"'{pointer.name}' is read at computed indices, and also at neighbours that are not "
                    "contiguous.",
                    "pass the array twice, under two names",
                )
            position = add(cast(position, ir.I64), integer(-first.constant))
        return ir.Gather(self.arrays.fields[name], (position,), ir.Const(0, ir.I64))
