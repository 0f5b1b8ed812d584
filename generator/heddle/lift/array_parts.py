# SPDX-License-Identifier: Apache-2.0
"""One array as several fields: where accesses lie so differently that no cell and its neighbours explain all
of them, such as a copy into ghost cells.

before   for (k = 0; k < depth; ++k) a[1 - k] = a[2 + k];
after    a[x] = a_2[x]        a begins at 1 with stride -1, a_2 at 2 with stride 1

Parts that are only read may lie anywhere. A part that is written must share no element with another one, in
any two cells: that is shown from the ranges of the counters, or refused.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from heddle.errors import KernelError
from heddle.ir import nodes as ir
from heddle.lift.delinearise import Touch
from heddle.lift.polynomial import Polynomial

MOST_PARTS = 12
Range = tuple[Polynomial, Polynomial]
Group = list[Touch]


def grouped(touches: Sequence[Touch], fit: Callable[[Sequence[Touch]], object]) -> list[Group]:
    """Touches in as few groups as one pass finds that fit each. fit: raises KernelError where touches do not
    lie around one cell. What is stored comes first: its place is that of the cell."""
    groups: list[Group] = []
    strides = {touch.index: None for touch in sorted(touches, key=lambda touch: not touch.store)}
    for index in strides:
        same = [touch for touch in touches if touch.index == index]
        for group in groups:
            try:
                fit([*group, *same])
            except KernelError:
                continue
            group += same
            break
        else:
            fit(same)
            groups.append(same)
        if len(groups) > MOST_PARTS:
            fit(touches)  # says what stands in the way of one field
    return groups


@dataclass(frozen=True)
class Box:
    """The counters of a nest and their ranges. sizes: what strides and extents are made of."""

    counters: Sequence[ir.Symbol]
    ranges: Sequence[Range]
    sizes: frozenset[ir.Expression]

    @staticmethod
    def of(counters: Sequence[ir.Symbol], ranges: Sequence[Range], touches: Sequence[Touch]) -> Box:
        strides = [touch.index.coefficient(counter) for touch in touches for counter in counters]
        extents = [end - begin for begin, end in ranges]
        return Box(counters, ranges, frozenset(atom for size in (*strides, *extents) for atom in size.atoms))

    def disjoint(self, one: Sequence[Touch], other: Sequence[Touch]) -> list[Polynomial] | None:
        """What must be at least 1 for two parts to share no element of which one is written; None if that
        cannot be shown."""
        notes: dict[Polynomial, None] = {}
        for first, second in itertools.product(one, other):
            if first.store or second.store:
                found = self.apart(first.index, second.index)
                if found is None:
                    return None
                notes |= dict.fromkeys(found)
        return list(notes)

    def apart(self, one: Polynomial, other: Polynomial) -> list[Polynomial] | None:
        """The same for two indices. Both are sums of strides times places along them; each stride is longer
        than all shorter ones reach, and along one of them the places are different."""
        return next((f for p in self.places(one, other) if (f := self.shown(p)) is not None), None)

    def shown(self, places: Mapping[Polynomial, Range]) -> list[Polynomial] | None:
        """The same for places along strides."""
        strides = sorted(places, key=lambda stride: stride.order)
        ends = {s: (self.ends(places[s][0]), self.ends(places[s][1])) for s in strides}
        notes: list[Polynomial] = []
        for below, (_, large) in enumerate(itertools.pairwise(strides), 1):
            for far in itertools.product(*(_reaches(*ends[s]) for s in strides[:below])):
                reach = Polynomial()
                for stride, cells in zip(strides, far, strict=False):
                    reach += stride * cells
                found = self.positive(large - reach, any_sign=True)
                if found is None:
                    return None
                notes += found
        for stride in reversed(strides):
            (low, high), (least, most) = ends[stride]
            for gap in (low - most, least - high):
                if (found := self.positive(gap)) is not None:
                    return [*notes, *found]
        return None

    def places(self, one: Polynomial, other: Polynomial) -> Iterator[dict[Polynomial, Range]]:
        """Where two indices lie along each stride, as sums of counters and offsets: nothing if they are no
        sums of counters times strides. The end of a row may be before the begin of the next one."""
        moving: list[dict[Polynomial, Polynomial]] = []
        rests: list[Polynomial] = []
        for index in (one, other):
            found: dict[Polynomial, Polynomial] = {}
            rest = index
            for counter in self.counters:
                parts = rest.linear(counter)
                if parts is None or any(c in parts[0].atoms for c in self.counters):
                    return
                factor, rest = parts
                if factor != Polynomial():
                    sign = 1 if factor.ordered()[0][1] > 0 else -1
                    size = factor * sign
                    found[size] = found.get(size, Polynomial()) + Polynomial.of_atom(counter) * sign
            moving.append(found)
            rests.append(rest)
        strides = sorted(moving[0].keys() | moving[1].keys(), key=lambda stride: stride.order)
        if any(atom in self.counters for rest in rests for atom in rest.atoms):
            return
        split = [rest.mixed_radix(strides) for rest in rests]
        if split[0][1] != split[1][1]:
            unit = Polynomial.of_number(1)
            if not strides or unit in strides:
                return
            strides.insert(0, unit)  # the elements within a cell
            split = [rest.mixed_radix(strides) for rest in rests]
        for shifts in itertools.product((0, 1), repeat=2) if strides[0].constant == 1 else [(0, 0)]:
            offsets = [list(digits) for digits, _ in split]
            for own, shift in zip(offsets, shifts, strict=True):
                if shift and len(strides) > 1:
                    own[0], own[1] = own[0] + strides[1], own[1] - 1
            yield {
                stride: (
                    moving[0].get(stride, Polynomial()) + offsets[0][at],
                    moving[1].get(stride, Polynomial()) + offsets[1][at],
                )
                for at, stride in enumerate(strides)
            }

    def ends(self, place: Polynomial) -> Range:
        """The least and the largest value of a sum of counters."""
        low = high = place
        for counter, (begin, end) in zip(self.counters, self.ranges, strict=True):
            sign = place.coefficient(counter).constant or 0
            first, last = (begin, end - 1) if sign > 0 else (end - 1, begin)
            low, high = low.substitute({counter: first}), high.substitute({counter: last})
        return low, high

    def positive(self, value: Polynomial, any_sign: bool = False) -> list[Polynomial] | None:
        """Whether a number is at least 1: nothing if it is, the number if that depends on sizes being large
        enough, None if it cannot be shown. any_sign: some sizes may also have to be small enough."""
        if value.constant is not None:
            return [] if value.constant >= 1 else None
        factors = [factor for monomial, factor in value.terms.items() if monomial]
        if not value.atoms <= self.sizes or max(factors) < 0 or (min(factors) < 0 and not any_sign):
            return None
        return [value]


def _reaches(one: Range, other: Range) -> Iterator[Polynomial]:
    """How far two places may lie from each other, at most: the larger one of these."""
    both = one[1] - other[0], other[1] - one[0]
    apart = (both[0] - both[1]).constant
    if apart is not None:
        yield both[0] if apart >= 0 else both[1]
        return
    never = [way.constant is not None and way.constant <= 0 for way in both]
    yield from [way for way, empty in zip(both, never, strict=True) if not empty or all(never)]


def sentences(positive: Sequence[Polynomial]) -> list[str]:
    """What numbers that must be at least 1 say of sizes."""
    least: dict[Polynomial, int] = {}
    for value in positive:
        by = value.unknown.content
        size, _ = value.unknown.floored(by)
        number = -((value.number - 1) // by)
        least[size] = max(least.get(size, number), number)
    return [f"{size} is at least {number}" for size, number in least.items()]


def unused(name: str, taken: set[str]) -> str:
    """A name for another part of an array: `a_2`."""
    number = next(n for n in itertools.count(2) if f"{name}_{n}" not in taken)
    return f"{name}_{number}"
