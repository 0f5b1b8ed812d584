# SPDX-License-Identifier: Apache-2.0
"""One thread of a CUDA block: its integers as polynomials in which its own coordinates are numbers, and what
holds where it stands."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import product

from heddle.errors import Place
from heddle.ir import nodes as ir
from heddle.lift import polynomial
from heddle.lift.conditions import conjuncts
from heddle.lift.cuda.thread_index import AXES, built_in
from heddle.lift.lifted import refuse
from heddle.lift.polynomial import Polynomial

Block = tuple[int, int, int]
"""Threads along x, y, z."""
Rooms = list[Polynomial]
"""What is known, or needed: each of these is at least 0."""


def threads_of(block: Block) -> list[Thread]:
    """All threads of a block, x fastest."""
    return [Thread((x, y, z), block) for z, y, x in product(*(range(n) for n in block[::-1]))]


class Thread:
    """at: its coordinates in the block. What depends on the block and on arguments stays an unknown."""

    def __init__(self, at: Block, block: Block) -> None:
        self.at = at
        self.known: dict[ir.Expression, Polynomial] = {}
        self.truths: dict[ir.Symbol, ir.Expression] = {}
        self.unknown: set[ir.Expression] = set()
        for axis, own, size in zip(AXES, at, block, strict=True):
            self.known[built_in("threadIdx", axis)] = polynomial.polynomial(own)
            self.known[built_in("blockDim", axis)] = polynomial.polynomial(size)

    def declare(self, symbol: ir.Symbol, value: ir.Expression) -> None:
        """A name for an integer or a truth value; what memory decides is not known."""
        self.known.pop(symbol, None)
        self.truths.pop(symbol, None)
        if symbol.type == ir.BOOL:
            self.truths[symbol] = value
        elif isinstance(symbol.type, ir.Scalar) and symbol.type.kind in "iu":
            found = self.integer(value)
            if found is None:
                self.unknown.add(symbol)
            else:
                self.known[symbol] = found

    def forget(self, symbol: ir.Symbol) -> None:
        """A variable that changes in ways that are not followed."""
        self.known.pop(symbol, None)
        self.unknown.add(symbol)

    def integer(self, value: ir.Expression) -> Polynomial | None:
        """An integer in terms of the block and of arguments; None where it depends on memory."""
        found = polynomial.read(value, self.known, lambda *_: None, lambda *_: None)
        if any(not isinstance(atom, ir.Symbol) or atom in self.unknown for atom in found.atoms):
            return None
        return found

    def rooms(self, condition: ir.Expression) -> Rooms | None:
        """What holds where a condition does; None where it does not hold for this thread. Raises KeyError
        where the condition says something else."""
        found: Rooms = []
        for each in conjuncts(condition):
            one = self._one(each)
            if one is None:
                return None
            found += one
        return found

    def facts(self, conditions: Iterable[ir.Expression]) -> Rooms | None:
        """What conditions say, those left out that are not understood."""
        found: Rooms = []
        for condition in conditions:
            for each in conjuncts(condition):
                try:
                    one = self._one(each)
                except KeyError:
                    continue
                if one is None:
                    return None
                found += one
        return found

    def _one(self, condition: ir.Expression) -> Rooms | None:
        match condition:
            case ir.Const(bool(value)):
                return [] if value else None
            case ir.Symbol() if condition in self.truths:
                return self.rooms(self.truths[condition])
            case ir.Op("not", (ir.Symbol() as name,)) if name in self.truths:
                return self._any(conjuncts(self.truths[name]), negated=True)
            case ir.Op("or", args):
                return self._any(args, negated=False)
            case ir.Op("not", (ir.Op("and", args),)):
                return self._any(args, negated=True)
            case ir.Op(name, (left, right)) if left.type.kind in "iu" and name in _ROOMS:
                one, other = self.integer(left), self.integer(right)
                if one is None or other is None:
                    raise KeyError(condition)
                wraps = left.type.kind == "u" and min(one.constant or 0, other.constant or 0) < 0
                if wraps:  # below 0 an unsigned number is a large one
                    raise KeyError(condition)
                return self._compared(name, other - one)
        raise KeyError(condition)

    def _any(self, conditions: Iterable[ir.Expression], negated: bool) -> Rooms | None:
        """One of several holds: known only if one surely does, or all others surely do not."""
        left: list[Rooms] = []
        for condition in conditions:
            whole = list(conjuncts(condition, negated))
            found: Rooms | None = []
            for each in whole:
                one = self._one(each)
                found = None if one is None or found is None else [*found, *one]
            if found == []:
                return []
            if found is not None:
                left.append(found)
        if len(left) > 1:
            raise KeyError("or")
        return left[0] if left else None

    @staticmethod
    def _compared(name: str, apart: Polynomial) -> Rooms | None:
        """left `name` right, apart being right - left."""
        if name == "ne":
            if apart.constant is None:
                raise KeyError(name)
            return [] if apart.constant else None
        rooms = {"lt": [apart - 1], "le": [apart], "gt": [-apart - 1], "ge": [-apart], "eq": [apart, -apart]}[
            name
        ]
        if any(room.constant is not None and room.constant < 0 for room in rooms):
            return None
        return [room for room in rooms if room.constant is None]


_ROOMS = ("lt", "le", "gt", "ge", "eq", "ne")


def implied(needed: Sequence[Polynomial], facts: Sequence[Polynomial]) -> bool:
    """Whether all that is needed follows: from one fact each, or from blocks being numbered from 0."""
    return all(_never_negative(room) or any(_at_least(room - fact) for fact in facts) for room in needed)


def excluded(needed: Sequence[Polynomial], facts: Sequence[Polynomial]) -> bool:
    """Whether something that is needed cannot hold with a fact."""
    return any(_at_least(-room - fact - 1) for room in needed for fact in facts)


def _at_least(value: Polynomial) -> bool:
    return value.constant is not None and value.constant >= 0


def _never_negative(value: Polynomial) -> bool:
    blocks = {built_in("blockIdx", axis) for axis in AXES}
    return value.is_natural(blocks.__contains__)


def numbered(loop: ir.Loop, thread: Thread, place: Place) -> Iterator[int]:
    """The values that a counter takes in a thread."""
    begin, end, step = (thread.integer(part) for part in (loop.begin, loop.end, loop.step))
    if begin is None or end is None or step is None:
        raise refuse(place, f"The length of the loop over '{loop.counter.name}' is loaded from memory.")
    numbers = begin.constant, end.constant, step.constant
    if None in numbers:
        raise refuse(
            place, f"The loop over '{loop.counter.name}', which uses shared memory, has no constant length."
        )
    yield from range(*(int(number or 0) for number in numbers))
