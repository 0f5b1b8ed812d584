# SPDX-License-Identifier: Apache-2.0
"""From flat indices to cells and offsets: each index is a sum of counters times strides, plus a rest; the
rest is divided by the strides, from the largest to the smallest.

before   u[(i + gl) + (j + gl)*sx - sx]        counters i, j
after    u[x, y - 1]                           strides 1, sx; own cell at gl in both directions

Strides and rests are polynomials: with a stride of nx - 1, an index of -nx + 1 is one row down.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import gcd

from heddle.errors import Place
from heddle.ir import nodes as ir
from heddle.lift.lifted import refuse
from heddle.lift.polynomial import Polynomial, polynomial

FARTHEST = 16
"""Cells that an access may reach; what is farther is no neighbour, it is another part of the array."""
LARGEST_TABLE = 512
"""Elements that are the same for all cells, and chosen by numbers."""


@dataclass(frozen=True)
class Touch:
    """One access to an array. fixed: axes on which its place is given by a number, not by a counter. segment:
    the part of the loop's body that it stands in."""

    index: Polynomial
    store: bool
    place: Place
    fixed: frozenset[int] = frozenset()
    segment: int = 0


@dataclass(frozen=True)
class Placement:
    """How an array lies in memory, seen from the cells of a nest. strides: of the axes, 0 where it has one
    value for all cells along an axis. origin: where the current cell lies relative to the counters.
    component_stride: between components; `size` of them, 0 for a scalar. rest: elements from there that are
    no whole cells, such as to the last element of a row."""

    strides: tuple[Polynomial, ...]
    origin: tuple[Polynomial, ...]
    component_stride: Polynomial
    size: int
    rest: Polynomial = field(default_factory=Polynomial)

    @property
    def same_along(self) -> str:
        """The axes along which all cells have one value: "xz"."""
        return "".join(
            axis for axis, stride in zip("xyz", self.strides, strict=False) if stride == Polynomial()
        )

    def first(self, begins: Sequence[Polynomial]) -> Polynomial:
        """The index of the first interior cell."""
        result = self.rest
        for stride, origin, begin in zip(self.strides, self.origin, begins, strict=True):
            result += stride * (origin + begin)
        return result


@dataclass(frozen=True)
class Position:
    """Where an access goes: offsets from the current cell along each axis (from the counter 0 where `fixed`)
    and a component."""

    offsets: tuple[Polynomial, ...]
    component: int


def axis_order(counters: Sequence[ir.Symbol], touches: Mapping[str, Sequence[Touch]]) -> list[ir.Symbol]:
    """The counters by stride in the first array that all of them index, the smallest first: x, y, z; in an
    array that is written, if there is one. Between strides of which neither is known to be larger, the inner
    loop's comes first."""
    first: dict[bool, list[ir.Symbol]] = {}
    for touch in (touch for each in touches.values() for touch in each):
        factors = {c: touch.index.coefficient(c) for c in counters}
        if touch.store not in first and all(f != Polynomial() for f in factors.values()):
            first[touch.store] = sorted(counters[::-1], key=lambda c: factors[c].order)
    return first.get(True, first.get(False, []))


def strides_of(name: str, touches: Sequence[Touch], counters: Sequence[ir.Symbol]) -> tuple[Polynomial, ...]:
    """The strides of an array along the axes, the same in all accesses."""
    result: list[Polynomial] = []
    for axis, counter in enumerate(counters):
        found = {t.index.coefficient(counter): t for t in touches if axis not in t.fixed}
        if len(found) > 1:
            raise refuse(
                list(found.values())[-1].place,
                f"'{name}' is accessed along '{counter.name}' with different strides, "
                f"{' and '.join(map(str, found))}.",
                "index an array with one stride per axis",
            )
        stride = next(iter(found), Polynomial())
        written = next((touch for touch in touches if touch.store), None)
        if stride == Polynomial() and written is not None:
            raise refuse(
                written.place,
                f"'{name}' is written, but its index does not depend on '{counter.name}', so many cells "
                "write the same element.",
                "write one value per cell, or accumulate in a variable",
            )
        result.append(stride)  # 0: the same for all cells along the axis
    return tuple(result)


def rest_of(touch: Touch, name: str, counters: Sequence[ir.Symbol]) -> Polynomial:
    """The part of an index that no counter is in."""
    rest = touch.index
    for counter in counters:
        parts = rest.linear(counter)
        if parts is None or any(c in parts[0].atoms for c in counters):
            raise refuse(
                touch.place,
                f"The index {touch.index} of '{name}' is not a sum of counters times strides.",
                "lift loops whose indices grow by a constant stride per cell",
            )
        rest = parts[1]
    return rest


def offsets_of(rest: Polynomial, strides: Sequence[Polynomial]) -> tuple[list[Polynomial], Polynomial]:
    """The offsets whose sum with the strides is `rest`, and what is left."""
    least = min((s.constant for s in strides if s.constant), key=abs, default=0)
    if abs(least) < 2:
        return rest.mixed_radix(strides)
    offsets, rest = rest.mixed_radix([Polynomial() if s.constant == least else s for s in strides])
    cells = next(axis for axis, stride in enumerate(strides) if stride.constant == least)
    offsets[cells], rest = rest.floored(least)  # components lie behind the first one of their cell
    return offsets, rest


def placed(
    name: str, touches: Sequence[Touch], counters: Sequence[ir.Symbol]
) -> tuple[Placement, list[Position]]:
    """How an array lies in memory, and where each access goes. counters: x, y, z."""
    rests = [rest_of(touch, name, counters) for touch in touches]
    strides = strides_of(name, touches, counters)
    split = [offsets_of(rest, strides) for rest in rests]
    rest = _common_rest(touches, split, strides)
    split = [(offsets, remaining - rest) for offsets, remaining in split]
    components, component_stride, size = _components(name, touches, split, strides)
    axes = range(len(strides))
    origin: list[Polynomial] = []
    for axis in axes:
        moving = [
            (offsets[axis] - _part(component_stride, component, strides, axis), touch)
            for (offsets, _), touch, component in zip(split, touches, components, strict=True)
            if axis not in touch.fixed
        ]
        if not moving:
            raise refuse(
                touches[0].place,
                f"'{name}' is touched in single cells of the column only, not along it.",
                "pass what it holds there as an array of its own",
            )
        origin.append(_own(moving))
    positions: list[Position] = []
    for (offsets, _), touch, component in zip(split, touches, components, strict=True):
        entries = [
            offsets[axis] - origin[axis] - _part(component_stride, component, strides, axis) for axis in axes
        ]
        for axis in axes:
            reach = entries[axis].constant
            if axis not in touch.fixed and (reach is None or abs(reach) > FARTHEST):
                raise refuse(
                    touch.place,
                    f"'{name}' is accessed {entries[axis]} cells away along axis {'xyz'[axis]}, which is "
                    "not a neighbour.",
                    "pass the other part as an array of its own",
                )
        positions.append(Position(tuple(entries), component))
    return Placement(strides, tuple(origin), component_stride, size, rest), positions


def _common_rest(
    touches: Sequence[Touch],
    split: Sequence[tuple[list[Polynomial], Polynomial]],
    strides: Sequence[Polynomial],
) -> Polynomial:
    """What all accesses are away from whole cells, in a box of which no stride is a number, or, where nothing
    moves with the cells, from elements with numbers."""
    first = split[0][1]
    moving = [stride for stride in strides if stride != Polynomial()]
    if not moving:  # a few elements, the same for all cells
        if first.constant is not None or any(rest.unknown != first.unknown for _, rest in split):
            return Polynomial()
        return first.unknown + min(rest.number for _, rest in split)
    if any(stride.constant is not None for stride in moving):
        return Polynomial()
    if any(touch.fixed for touch in touches) or any(rest != first for _, rest in split):
        return Polynomial()
    return first


def _components(
    name: str,
    touches: Sequence[Touch],
    split: Sequence[tuple[list[Polynomial], Polynomial]],
    strides: Sequence[Polynomial],
) -> tuple[list[int], Polynomial, int]:
    """The component of each access. Side by side in memory, they are what is left; one array behind the
    other, they are offsets that differ by a multiple of the array's size."""
    smallest = min((abs(s.constant) for s in strides if s.constant), default=0)
    left = [rest.constant for _, rest in split]
    if smallest > 1:
        for touch, rest in zip(touches, left, strict=True):
            if rest is None:
                raise refuse(
                    touch.place, f"'{name}' is accessed between its cells, whose stride is {smallest}."
                )
        return [rest or 0 for rest in left], polynomial(1), smallest
    if not any(stride.terms for stride in strides):
        return _table(name, touches, left)
    for touch, (_, remaining) in zip(touches, split, strict=True):
        if remaining != Polynomial():
            raise refuse(
                touch.place,
                f"The index {touch.index} of '{name}' is not a whole number of cells away from the "
                "current cell.",
                "pass what lies there as an array of its own",
            )
    for axis, stride in enumerate(strides):
        symbolic = [offsets[axis].unknown for offsets, _ in split]
        apart = [s - symbolic[0] for s, t in zip(symbolic, touches, strict=True) if axis not in t.fixed]
        apart = [d for d in apart if d != Polynomial()]
        if not apart or stride == Polynomial():
            continue
        unit = _unit(apart)
        numbers: list[int] = []
        for touch, value in zip(touches, symbolic, strict=True):
            quotient, remaining = (value - symbolic[0]).divided(unit)
            if remaining != Polynomial() or quotient.constant is None:
                raise refuse(
                    touch.place,
                    f"'{name}' is accessed {value - symbolic[0]} cells away along axis {'xyz'[axis]}, "
                    "which is not a neighbour.",
                    "pass the other part as an array of its own",
                )
            numbers.append(quotient.constant)
        least = min(numbers)
        return [n - least for n in numbers], unit * stride, max(numbers) - least + 1
    return [0] * len(touches), Polynomial(), 0


def _table(
    name: str, touches: Sequence[Touch], left: Sequence[int | None]
) -> tuple[list[int], Polynomial, int]:
    """The same few elements for all cells, at numbers: components."""
    for touch, number in zip(touches, left, strict=True):
        if number is None or not 0 <= number < LARGEST_TABLE:
            raise refuse(
                touch.place, f"The element {touch.index} of '{name}' is the same for all cells.",
                "pass constants as arguments",
            )  # fmt: skip
    numbers = [number or 0 for number in left]
    return numbers, polynomial(1), max(numbers) + 1


def _unit(distances: Sequence[Polynomial]) -> Polynomial:
    """The largest polynomial of which distances are integer multiples, if they are all multiples of one."""
    first = distances[0]
    sign = 1 if first.ordered()[0][1] > 0 else -1
    primitive, _ = first.floored(sign * first.content)
    multiples = [distance.divided(primitive)[0].constant or 0 for distance in distances]
    return primitive * gcd(*multiples)


def _part(
    component_stride: Polynomial, component: int, strides: Sequence[Polynomial], axis: int
) -> Polynomial:
    """What a component contributes to the offset along an axis, for arrays one behind the other."""
    if not component or component_stride == polynomial(1) or strides[axis] == Polynomial():
        return Polynomial()
    quotient, rest = component_stride.divided(strides[axis])
    largest = max(range(len(strides)), key=lambda a: strides[a].order)
    return quotient * component if rest == Polynomial() and axis == largest else Polynomial()


def _own(moving: Sequence[tuple[Polynomial, Touch]]) -> Polynomial:
    """The offset that is the current cell's along an axis: that of the store; of an array that is only read,
    the one from which accesses reach least far, 0 if there is a choice."""
    symbolic = moving[0][0].unknown
    stored = [offset.number for offset, touch in moving if touch.store]
    if stored:
        return symbolic + (0 if 0 in stored else min(stored, key=abs))
    numbers = [offset.number for offset, _ in moving]
    return symbolic + min(
        range(min(numbers), max(numbers) + 1),
        key=lambda own: (max(abs(number - own) for number in numbers), abs(own)),
    )
