# SPDX-License-Identifier: Apache-2.0
"""A block of CUDA threads in lock step, run on what each value was combined from.

Threads need not run in lock step: an element of shared memory that one thread stores and another one touches
before the next barrier is refused, and so is a shuffle that not the whole warp takes part in.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from heddle.errors import KernelError, Place
from heddle.ir import nodes as ir
from heddle.ir.visit import walk
from heddle.lift.cuda.thread_state import Block, numbered, threads_of
from heddle.lift.device_calls import WARP, WARP_BARRIER, Atomic, Operation, Shuffle, is_barrier, shared_arrays
from heddle.lift.lifted import refuse
from heddle.lift.polynomial import number_of
from heddle.lift.reductions import extremum
from heddle.lift.unroll import iteration

Body = Sequence[ir.Statement]
Mask = list[bool]
HINT = "lift the loop that computes the values; a model combines them with Reduce"
_CALLS: dict[str, Operation] = {"max": "max", "fmax": "max", "min": "min", "fmin": "min"}
_WORDS = {"sum": "added", "min": "compared for the smaller", "max": "compared for the larger"}


@dataclass(frozen=True)
class Combined:
    """A value in the middle of a reduction: the threads whose own values are in it, with how often, and
    numbers."""

    threads: tuple[tuple[int, int], ...] = ()
    numbers: tuple[float, ...] = ()

    def joined(self, other: Combined) -> Combined:
        count = Counter(dict(self.threads)) + Counter(dict(other.threads))
        return Combined(tuple(sorted(count.items())), tuple(sorted({*self.numbers, *other.numbers})))


Values = list[Combined | None]


class SimtExecution:
    """operation: by which values are combined. own: what each thread begins with. result: where the combined
    value goes, and what was combined. alone: there is only one block."""

    def __init__(self, body: Body, block: Block, place: Place, alone: bool) -> None:
        self.place, self.alone = place, alone
        self.threads = threads_of(block)
        self.lengths = {symbol.name: length for symbol, length in shared_arrays(body).items()}
        self.operation: Operation | None = None
        self.own: ir.Expression | None = None
        self.result: tuple[ir.Load, Combined] | None = None
        self.values: dict[ir.Symbol, Values] = {}
        self.contents: dict[tuple[str, int], Combined] = {}
        # Since the last barrier: who stored and who read an element, at which step of its warp.
        self.stored: dict[tuple[str, int], tuple[int, int]] = {}
        self.readers: dict[tuple[str, int], dict[int, int]] = {}
        self.steps = [0] * (len(self.threads) // WARP + 1)  # barriers that a warp has passed by itself

    @property
    def everyone(self) -> Mask:
        return [True] * len(self.threads)

    def run(self, body: Body, active: Mask) -> None:
        for statement in body:
            self.place = getattr(statement, "place", self.place)
            self.statement(statement, active)

    def statement(self, statement: ir.Statement, active: Mask) -> None:
        match statement:
            case ir.Comment():
                self.barrier(statement, active)
            case ir.Local():
                pass
            case ir.Let(symbol, value) if not symbol.type.is_float:  # type: ignore[union-attr]
                for thread in self.threads:
                    thread.declare(symbol, value)
            case ir.Let(symbol, value) | ir.Assign(symbol, value) if symbol.type.is_float:  # type: ignore[union-attr]
                self.set(symbol, self.value(value, active), active)
            case ir.Var(symbol, value) if symbol.type.is_float:  # type: ignore[union-attr]
                self.values[symbol] = [None] * len(self.threads)
                if value is not None:
                    self.set(symbol, self.value(value, active), active)
            case ir.Store(ir.Load(pointer, index), value) if pointer.name in self.lengths:
                for number, found in enumerate(self.value(value, active)):
                    if found is not None:
                        self.store(pointer.name, index, number, found)
            case ir.Store(ir.Load() as target, value) if self.alone and self.only_one(active):
                self.finish(target, self.value(value, active))
            case ir.Store(ir.Load(pointer)):
                raise refuse(
                    self.place,
                    f"Each block stores a partial result of its own threads to '{pointer.name}'; no "
                    "kernel of a model has partial results.",
                    "combine the blocks with an atomic operation, or lift only the loop",
                )
            case Atomic(operation, target, value):
                self.operate(operation)
                self.finish(target, self.value(value, active))
            case ir.If(condition, inner):
                self.branch(condition, inner, active)
            case ir.Loop("serial") if any(active):
                taking_part = [t for t, on in zip(self.threads, active, strict=True) if on]
                own = [tuple(numbered(statement, thread, self.place)) for thread in taking_part]
                if len(set(own)) > 1:
                    raise refuse(
                        self.place,
                        "The threads of a block execute this loop with different iterations.",
                        HINT,
                    )
                for number in own[0]:
                    self.run(iteration(statement, number), active)
            case _:
                raise refuse(
                    self.place,
                    "The threads of a block work together on something that is not a reduction.",
                    HINT,
                )

    def barrier(self, comment: ir.Comment, active: Mask) -> None:
        if is_barrier(comment):
            if not all(active):
                raise refuse(self.place, "Some threads of a block do not reach its barrier.")
            self.stored.clear()
            self.readers.clear()
        elif comment.text == WARP_BARRIER:
            for warp in range(len(self.threads) // WARP):
                taking_part = active[warp * WARP : (warp + 1) * WARP]
                if any(taking_part) and not all(taking_part):
                    raise refuse(self.place, "Some threads of a warp do not reach its barrier.")
                self.steps[warp] += any(taking_part)

    def set(self, symbol: ir.Symbol, values: Values, active: Mask) -> None:
        before = self.values.get(symbol, [None] * len(self.threads))
        if symbol not in self.values and not all(active):
            before = self.begin(symbol, [not on for on in active])
        self.values[symbol] = [v if on else b for v, b, on in zip(values, before, active, strict=True)]

    def branch(self, condition: ir.Expression, inner: Body, active: Mask) -> None:
        found = extremum(condition, inner)
        if found is not None and self.is_combined(condition):
            self.run([found], active)
            return
        chosen = self.chosen(condition, active)
        if any(chosen):
            self.run(inner, chosen)

    def chosen(self, condition: ir.Expression, active: Mask) -> Mask:
        """The threads for which a condition on their numbers holds."""
        result: Mask = []
        for thread, on in zip(self.threads, active, strict=True):
            try:
                rooms = thread.rooms(condition) if on else None
            except KeyError:
                rooms = [None]  # type: ignore[list-item]
            if rooms:
                raise refuse(
                    self.place,
                    "Which threads take part in combining values depends on more than their indices in "
                    "the block.",
                    HINT,
                )
            result.append(rooms is not None)
        return result

    # Values

    def is_combined(self, value: ir.Expression) -> bool:
        """Whether an expression reads what was combined, or is about to be."""
        return any(
            isinstance(node, Shuffle)
            or (isinstance(node, ir.Symbol) and node in self.values)
            or (isinstance(node, ir.Load) and node.pointer.name in self.lengths)
            for node in walk(value)
        )

    def value(self, value: ir.Expression, active: Mask) -> Values:
        """What threads have; None for those that take no part."""
        match value:
            case ir.Const(number):
                return [Combined((), (float(number),)) if on else None for on in active]
            case _ if not self.is_combined(value):
                return self.begin(value, active)
            case ir.Symbol():
                return self.each(lambda at: self.values[value][at], active)
            case ir.Load(pointer, index):
                return self.each(lambda at: self.load(pointer.name, index, at), active)
            case Shuffle():
                return self.shuffled(value, active)
            case ir.Op("add", (left, right)):
                return self.joined("sum", left, right, active)
            case ir.Call(name, (left, right)) if name in _CALLS:
                return self.joined(_CALLS[name], left, right, active)
            case ir.Select(condition, yes, no):
                found = extremum(condition, (ir.Assign(_ANY, yes),), no)
                if found is not None and isinstance(found, ir.Assign) and self.is_combined(condition):
                    return self.value(found.value, active)
                taken = self.chosen(condition, active)
                left_over = [on and not t for on, t in zip(active, taken, strict=True)]
                sides = zip(self.value(yes, taken), self.value(no, left_over), strict=True)
                return [one if one is not None else other for one, other in sides]
        raise refuse(
            self.place,
            "The operation that combines the threads' values is not a sum, minimum or maximum.",
            HINT,
        )

    def each(self, read: Callable[[int], Combined | None], active: Mask) -> Values:
        found = [read(at) if on else None for at, on in enumerate(active)]
        if any(on and v is None for v, on in zip(found, active, strict=True)):
            raise refuse(self.place, "A thread may read a value that was never assigned to it.", HINT)
        return found

    def begin(self, value: ir.Expression, active: Mask) -> Values:
        """The threads' own values, before anything is combined."""
        if self.own is not None and self.own is not value:
            raise refuse(
                self.place, "The threads combine two different values each.", "lift one loop per value"
            )
        self.own = value
        return [Combined(((at, 1),)) if on else None for at, on in enumerate(active)]

    def operate(self, operation: Operation) -> None:
        if self.operation not in (None, operation):
            raise refuse(
                self.place,
                f"Values are {_WORDS[operation]} that were {_WORDS[self.operation or 'sum']} before.",
                HINT,
            )
        self.operation = operation

    def joined(self, operation: Operation, left: ir.Expression, right: ir.Expression, active: Mask) -> Values:
        self.operate(operation)
        pairs = zip(self.value(left, active), self.value(right, active), strict=True)
        return [one.joined(other) if one and other else None for one, other in pairs]

    def shuffled(self, shuffle: Shuffle, active: Mask) -> Values:
        if len(self.threads) % WARP:
            raise refuse(self.place, "The block size is not a multiple of the warp size.", HINT)
        values = self.value(shuffle.value, active)

        def read(at: int) -> Combined | None:
            lanes = self.threads[at].integer(shuffle.lanes)
            by = None if lanes is None else lanes.constant
            if by is None:
                raise refuse(
                    self.place, "The source lane of a shuffle depends on more than the thread index.", HINT
                )
            warp, lane = at // WARP * WARP, at % WARP
            source = {"down": lane + by, "up": lane - by, "xor": lane ^ by, "from": by % WARP}[shuffle.kind]
            if not all(active[warp : warp + WARP]):
                raise refuse(self.place, "Only a part of a warp executes a shuffle.", HINT)
            return values[warp + source] if 0 <= source < WARP else values[at]

        return self.each(read, active)

    # Shared memory

    def element(self, name: str, index: ir.Expression, at: int) -> tuple[str, int]:
        found = self.threads[at].integer(index)
        number = None if found is None else found.constant
        if number is None or not 0 <= number < self.lengths[name]:
            what = (
                f"element {found} of '{name}'"
                if found is not None
                else f"an element of '{name}' at an index loaded from memory"
            )
            raise refuse(
                self.place,
                f"Thread {at} of a block accesses {what}, which has {self.lengths[name]} elements.",
                HINT,
            )
        return name, number

    def load(self, name: str, index: ir.Expression, at: int) -> Combined | None:
        key = self.element(name, index, at)
        if key in self.stored and self.races(at, *self.stored[key]):
            raise self.race(key, self.stored[key][0], at)
        self.readers.setdefault(key, {})[at] = self.steps[at // WARP]
        if key not in self.contents:
            raise refuse(
                self.place,
                f"Thread {at} of a block reads element {key[1]} of '{name}' before it is written.",
                HINT,
            )
        return self.contents[key]

    def store(self, name: str, index: ir.Expression, at: int, value: Combined) -> None:
        key = self.element(name, index, at)
        others = dict(self.readers.get(key, {}))
        if key in self.stored:
            others[self.stored[key][0]] = self.stored[key][1]
        for other, step in others.items():
            if self.races(at, other, step):
                raise self.race(key, at, other)
        self.stored[key] = at, self.steps[at // WARP]
        self.contents[key] = value

    def races(self, at: int, other: int, step: int) -> bool:
        """Whether nothing orders what a thread does now and what another one did at a step of its warp."""
        return at != other and (at // WARP != other // WARP or self.steps[at // WARP] == step)

    def race(self, key: tuple[str, int], one: int, other: int) -> KernelError:
        return refuse(
            self.place,
            f"Threads {one} and {other} of a block access element {key[1]} of '{key[0]}' without a "
            "barrier in between: a race.",
            "put __syncthreads() between the two accesses",
        )

    # Results

    @staticmethod
    def only_one(active: Mask) -> bool:
        return sum(active) == 1

    def finish(self, target: ir.Load, values: Values) -> None:
        if number_of(target.index) is None:
            raise refuse(
                self.place,
                f"Each block combines its values into its own element of '{target.pointer.name}'.",
                HINT,
            )
        if self.result is not None:
            raise refuse(
                self.place, "The threads of a block compute two results.", "lift one loop per result"
            )
        total = Combined()
        for value in values:
            total = total.joined(value) if value is not None else total
        self.result = target, total


_ANY = ir.Symbol("", ir.F64)
