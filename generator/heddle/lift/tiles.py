# SPDX-License-Identifier: Apache-2.0
"""Tiles in shared memory as what they are: copies of a part of an array, made so that a block reads it once.

before   tile[ty + 1][tx + 1] = u[i + j*nx]; if tx == 0 { tile[ty + 1][0] = u[i - 1 + j*nx] } ...; barrier;
         v[i + j*nx] = tile[ty + 1][tx] + tile[ty + 1][tx + 2]
after    v[i + j*nx] = u[i - 1 + j*nx] + u[i + 1 + j*nx]

Nothing is guessed: what each element of the tile holds is worked out thread by thread, for a block at any place; then
for each thread that reads it, that it holds the element of the array that stands there afterwards, and that it was
loaded under all conditions under which it is read. What is no copy in this sense is refused.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from heddle.errors import Place
from heddle.ir import nodes as ir
from heddle.ir.visit import children, rebuild, statements, walk
from heddle.lift import polynomial
from heddle.lift.block_thread import Block, Rooms, Thread, excluded, implied, numbered, threads_of
from heddle.lift.device_calls import is_barrier, shared_arrays
from heddle.lift.lifted import refuse
from heddle.lift.polynomial import Polynomial
from heddle.lift.thread_number import AXES, ThreadNumber, built_in
from heddle.lift.unroll import iteration

Body = Sequence[ir.Statement]
_LONGEST = 32
_HINT = "lift the loop without its tile; Schedule says how the generated kernel runs"


@dataclass(frozen=True)
class Path:
    """The conditions under which a thread is somewhere. unless: conditions of which none holds there."""

    rooms: tuple[Polynomial, ...] = ()
    unless: tuple[tuple[Polynomial, ...], ...] = ()

    def surely(self, facts: Rooms) -> bool:
        return implied(self.rooms, facts) and all(excluded(other, facts) for other in self.unless)

    def never(self, facts: Rooms) -> bool:
        return excluded(self.rooms, facts) or any(implied(other, facts) for other in self.unless)

    def __str__(self) -> str:
        return " and ".join(f"{room} >= 0" for room in self.rooms) or "other conditions do not hold"


@dataclass(frozen=True)
class Entry:
    """What an element of a tile may hold: an element of an array, or None for something else. by: the thread that
    stored it, on this path."""

    source: tuple[ir.Symbol, Polynomial] | None
    path: Path
    by: Thread


def without_tiles(body: Body, block: Block, place: Place) -> tuple[list[ir.Statement], list[str]]:
    """A kernel's body that reads arrays instead of tiles, and what was assumed. Raises KernelError where a shared
    array is no tile."""
    rewriter = _Tiles(body, block, place)
    return rewriter.block(body), rewriter.assumptions


class _Tiles:
    def __init__(self, body: Body, block: Block, place: Place) -> None:
        self.place = place
        self.threads = threads_of(block)
        self.lengths = {symbol.name: length for symbol, length in shared_arrays(body).items()}
        self.held: dict[tuple[str, int], list[Entry]] = {}
        self.numbers: dict[str, tuple[ir.Symbol, ThreadNumber]] = {}
        self.assumptions: list[str] = []
        self.stored = {
            s.target.pointer.name
            for s in statements(body)
            if isinstance(s, ir.Store) and isinstance(s.target, ir.Load)
        } - self.lengths.keys()  # fmt: skip

    # Parts between barriers

    def block(self, body: Body) -> list[ir.Statement]:
        """Statements that all threads execute."""
        parts: list[list[ir.Statement]] = [[]]
        for statement in body:
            if isinstance(statement, ir.Local) and statement.space == "shared":
                continue
            if is_barrier(statement):
                parts.append([])
            elif any(is_barrier(s) for s in statements([statement])):
                if not isinstance(statement, ir.Loop) or statement.kind != "serial":
                    raise refuse(
                        self.place, "Not all threads of a block reach its barrier: what a tile holds then is not known.",
                        "let threads outside of the box load nothing, but go on to the barrier",
                    )  # fmt: skip
                parts += [[statement], []]
            else:
                parts[-1].append(statement)
        return [statement for part in parts for statement in self.part(part)]

    def part(self, part: Body) -> list[ir.Statement]:
        """What threads do between two barriers: they load tiles, or they read them."""
        if len(part) == 1 and isinstance(part[0], ir.Loop) and any(is_barrier(s) for s in statements(part)):
            return [self.marching(part[0])]
        written = self.written(part)
        read = self.read(part)
        if written & read:
            raise refuse(
                self.place, f"'{min(written & read)}' is stored and read without a barrier between.", _HINT
            )
        if written:
            self.held = {key: entries for key, entries in self.held.items() if key[0] not in written}
            return self.loading(part)
        return list(self.reading(part, ()))

    def written(self, body: Body) -> set[str]:
        """The tiles that statements store to."""
        return {s.target.pointer.name for s in statements(body) if isinstance(s, ir.Store) and isinstance(s.target, ir.Load)} & self.lengths.keys()

    def read(self, body: Body) -> set[str]:
        """The tiles that statements read."""
        found: set[str] = set()
        for statement in statements(body):
            own = list(children(statement))
            if isinstance(statement, ir.Store):
                own = [statement.value, *children(statement.target)]
            inner = set(getattr(statement, "body", ()))
            found |= {
                node.pointer.name
                for node in walk([part for part in own if part not in inner])
                if isinstance(node, ir.Load)
            }
        return found & self.lengths.keys()

    def marching(self, loop: ir.Loop) -> ir.Loop:
        """A loop in which each iteration loads tiles anew."""
        barriers = [at for at, s in enumerate(loop.body) if is_barrier(s)]
        if not barriers:
            raise refuse(self.place, "The barriers stand in loops around each other.", _HINT)
        first, last = loop.body[: barriers[0]], loop.body[barriers[-1] + 1 :]
        if early := self.written(first) & self.read(last):
            raise refuse(
                self.place, f"'{min(early)}' is stored anew while other threads may still read it: there is no barrier "
                "between one iteration and the next.", "end the loop's body with a barrier",
            )  # fmt: skip
        self.held.clear()  # what earlier iterations leave behind is not followed
        for thread in self.threads:
            thread.known.pop(loop.counter, None)
        return dataclasses.replace(loop, body=tuple(self.block(loop.body)))

    # Loading

    def loading(self, part: Body) -> list[ir.Statement]:
        """The names that stay when the loads go; `held` knows what was loaded."""
        kept: list[ir.Statement] = []
        for statement in part:
            if isinstance(statement, ir.Let):
                self.declare(statement)
                kept.append(statement)
        values = {s.symbol: s.value for s in kept if isinstance(s, ir.Let)}
        for thread in self.threads:
            self.load(part, thread, Path(), dict(values))
        return kept

    def load(self, body: Body, thread: Thread, path: Path, values: dict[ir.Symbol, ir.Expression]) -> None:
        """What one thread stores into tiles."""
        for statement in body:
            place = getattr(statement, "place", self.place)
            match statement:
                case ir.Let(symbol, value):
                    values[symbol] = value
                    thread.declare(symbol, value)
                case ir.If(condition, inner):
                    on = self.under(path, condition, thread, place)
                    if on is not None:
                        self.load(inner, thread, on, values)
                case ir.Loop("serial", counter, body=inner):
                    for count, number in enumerate(numbered(statement, thread, place)):
                        if count > _LONGEST:
                            raise refuse(place, f"The loop over '{counter.name}' loads a tile in too many steps.", _HINT)
                        thread.known[counter] = polynomial.polynomial(number)
                        self.load(inner, thread, path, values)
                    thread.known.pop(counter, None)
                case ir.Store(ir.Load(pointer, index), value) if pointer.name in self.lengths:
                    at = self.element(pointer.name, index, thread, place)
                    for entry in self.entries(value, thread, path, values, place):
                        self.hold((pointer.name, at), entry, place)
                case _:
                    raise refuse(place, "There is other work between a tile's loads and its barrier.", _HINT)

    @staticmethod
    def under(path: Path, condition: ir.Expression, thread: Thread, place: Place) -> Path | None:
        """A path that goes on under a condition; None if this thread does not take it."""
        try:
            more = thread.rooms(condition)
            return None if more is None else Path((*path.rooms, *more), path.unless)
        except KeyError:
            pass
        try:
            other = thread.rooms(ir.Op("not", (condition,), ir.BOOL))
            return path if other is None else Path(path.rooms, (*path.unless, tuple(other)))
        except KeyError:
            what = "A tile is loaded under a condition that is no comparison of thread numbers with bounds."
            raise refuse(place, what, _HINT) from None

    def element(self, tile: str, index: ir.Expression, thread: Thread, place: Place) -> int:
        """Which element of a tile a thread means."""
        found = thread.integer(index)
        at = None if found is None else found.constant
        if at is None:
            raise refuse(place, f"Which element of '{tile}' a thread means depends on more than its number.", _HINT)
        if not 0 <= at < self.lengths[tile]:
            raise refuse(place, f"Thread {thread.at} of a block touches element {at} of '{tile}', which has none.", _HINT)
        return at

    def entries(
        self, value: ir.Expression, thread: Thread, path: Path, values: dict[ir.Symbol, ir.Expression], place: Place
    ) -> Iterator[Entry]:
        """What is stored on a path, and on those on which the sides of a conditional expression are."""
        while isinstance(value, ir.Symbol) and value in values:
            value = values[value]
        if isinstance(value, ir.Select):
            for chosen, side in ((value.condition, value.yes), (ir.Op("not", (value.condition,), ir.BOOL), value.no)):
                on = self.under(path, chosen, thread, place)
                if on is not None:
                    yield from self.entries(side, thread, on, values, place)
            return
        found = thread.integer(value.index) if isinstance(value, ir.Load) else None
        if isinstance(value, ir.Load) and value.pointer.name not in self.lengths and found is not None:
            if value.pointer.name in self.stored:
                raise refuse(place, f"'{value.pointer.name}' is loaded into a tile and stored to: the tile keeps what it was.", _HINT)
            self.narrow(value.index)
            yield Entry((value.pointer, found), path, thread)
            return
        yield Entry(None, path, thread)

    def hold(self, key: tuple[str, int], entry: Entry, place: Place) -> None:
        """Another thing that an element may hold. Of one thread, the last store counts; two threads must agree."""
        others = []
        for other in self.held.get(key, []):
            if other.by is entry.by and other.path == entry.path:
                continue
            apart = entry.path.never(list(other.path.rooms)) or other.path.never(list(entry.path.rooms))
            if other.by is not entry.by and other.source != entry.source and not apart:
                raise refuse(
                    place, f"Threads {other.by.at} and {entry.by.at} of a block store different values to element {key[1]} "
                    f"of '{key[0]}'.", _HINT,
                )  # fmt: skip
            others.append(other)
        self.held[key] = [*others, entry]

    def narrow(self, index: ir.Expression) -> None:
        """An index that is computed in 32 bits."""
        if any(isinstance(n, ir.Op) and n.name == "mul" and n.type == ir.I32 for n in walk(index)):
            note = f"{self.place}: products of extents fit into the 32 bits that indices are computed in"
            if note not in self.assumptions:
                self.assumptions.append(note)

    # Reading

    def declare(self, let: ir.Let) -> None:
        for thread in self.threads:
            thread.declare(let.symbol, let.value)
        number = ThreadNumber.of(let.value)
        if number is not None:
            self.numbers.setdefault(number.axis, (let.symbol, number))

    def reading(self, body: Body, conditions: tuple[ir.Expression, ...]) -> Iterator[ir.Statement]:
        """Statements with elements of arrays in place of those of tiles. conditions: that all hold here."""
        for statement in body:
            place = getattr(statement, "place", self.place)
            match statement:
                case ir.Let(symbol, value):
                    if self.read([statement]):
                        statement = ir.Let(symbol, self.value(value, conditions, place), place)
                    self.declare(statement)
                    yield statement
                case ir.If(condition, inner):
                    chosen = self.value(condition, conditions, place)
                    changed = tuple(self.reading(inner, (*conditions, chosen)))
                    yield ir.If(chosen, changed, place=place)
                case ir.Loop(_, counter, begin, end) if self.read([statement]):
                    ends = polynomial_constants(begin, end, statement.step)
                    if ends is None or len(ends) > _LONGEST:
                        raise refuse(place, f"The loop over '{counter.name}' reads a tile, and is not short.", _HINT)
                    for number in ends:
                        yield from self.reading(iteration(statement, number), conditions)
                case ir.Store(target, value, nontemporal):
                    where = ir.Load(target.pointer, self.value(target.index, conditions, place)) if isinstance(target, ir.Load) else target
                    yield ir.Store(where, self.value(value, conditions, place), nontemporal, place)
                case ir.Assign(symbol, value):
                    yield ir.Assign(symbol, self.value(value, conditions, place))
                case ir.Var(symbol, value):
                    for thread in self.threads:
                        thread.forget(symbol)
                    yield ir.Var(symbol, None if value is None else self.value(value, conditions, place))
                case _:
                    yield statement

    def value(self, value: ir.Expression, conditions: tuple[ir.Expression, ...], place: Place) -> ir.Expression:
        """An expression without loads from tiles. Of a conditional one, each side is read under its condition."""
        if isinstance(value, ir.Load) and value.pointer.name in self.lengths:
            return self.loaded(value, conditions, place)
        if isinstance(value, ir.Select):
            opposite = ir.Op("not", (value.condition,), ir.BOOL)
            return ir.Select(
                self.value(value.condition, conditions, place),
                self.value(value.yes, (*conditions, value.condition), place),
                self.value(value.no, (*conditions, opposite), place),
            )
        return rebuild(  # type: ignore[no-any-return]
            value, lambda node: self.value(node, conditions, place) if isinstance(node, ir.Expression) else node
        )

    def loaded(self, load: ir.Load, conditions: tuple[ir.Expression, ...], place: Place) -> ir.Expression:
        """The element of an array that an element of a tile is a copy of, for every thread."""
        found: dict[tuple[int, ...], tuple[ir.Symbol, Polynomial]] = {}
        for thread in self.threads:
            facts = thread.facts(conditions)
            if facts is not None:
                found[thread.at] = self.copied(load, thread, facts, place)
        if not found:
            raise refuse(place, f"No thread reads '{load.pointer.name}' here.", _HINT)
        arrays = {pointer for pointer, _ in found.values()}
        if len(arrays) > 1:
            names = " and ".join(sorted(f"'{a.name}'" for a in arrays))
            raise refuse(place, f"'{load.pointer.name}' holds elements of {names}.", _HINT)
        index = self.in_all_threads({at: index for at, (_, index) in found.items()}, load, place)
        return ir.Load(arrays.pop(), index.expression())

    def copied(self, load: ir.Load, thread: Thread, facts: Rooms, place: Place) -> tuple[ir.Symbol, Polynomial]:
        """What the element of a tile that a thread reads is a copy of."""
        at = self.element(load.pointer.name, load.index, thread, place)
        entries = [e for e in self.held.get((load.pointer.name, at), []) if not e.path.never(facts)]
        sure = [entry for entry in entries if entry.path.surely(facts)]
        if sure:  # what the same thread stored before is gone
            last = entries.index(sure[-1])
            entries = [e for at, e in enumerate(entries) if at >= last or e.by is not sure[-1].by]
        name = f"Element {at} of '{load.pointer.name}', which thread {thread.at} of a block reads,"
        if not sure:
            why = f"is loaded only if {entries[0].path}" if entries else "is not loaded"
            raise refuse(place, f"{name} {why}.", _HINT)
        if any(entry.source != sure[-1].source for entry in entries) or sure[-1].source is None:
            raise refuse(place, f"{name} is no copy of one element of an array.", _HINT)
        return sure[-1].source

    def in_all_threads(
        self, found: dict[tuple[int, ...], Polynomial], load: ir.Load, place: Place
    ) -> Polynomial:
        """One index for all threads: linear in their coordinates, and then in their numbers in the grid."""
        start = next(iter(found))
        base = found[start]
        whole = base
        steps: list[Polynomial] = []
        for axis in range(3):
            pairs = ((at, tuple(c + (a == axis) for a, c in enumerate(at))) for at in found)
            step = next((found[beside] - found[at] for at, beside in pairs if beside in found), Polynomial())
            steps.append(step)
            whole += step * (polynomial.atom(built_in("threadIdx", AXES[axis])) - start[axis])
        for at, index in found.items():
            expected = base
            for axis in range(3):
                expected += steps[axis] * (at[axis] - start[axis])
            if expected != index:
                raise refuse(
                    place, f"'{load.pointer.name}' does not lie in its array as threads lie in the block: thread {at} reads "
                    f"element {index}, not {expected}.", _HINT,
                )  # fmt: skip
        own: dict[ir.Expression, Polynomial] = {}
        for axis, (symbol, number) in self.numbers.items():
            size = polynomial.atom(built_in("blockIdx", axis)) * (number.block or 0)
            begin = self.threads[0].integer(number.begin)
            if number.block and begin is not None:
                own[built_in("threadIdx", axis)] = polynomial.atom(symbol) - size - begin
        whole = whole.substitute(own)
        left = {a.name for a in whole.atoms if isinstance(a, ir.Symbol) and a.name.split(".")[0] in ("threadIdx", "blockIdx")}
        if left:
            raise refuse(place, f"Which element '{load.pointer.name}' holds depends on {min(left)} by itself.", _HINT)
        return whole


def polynomial_constants(*parts: ir.Expression) -> range | None:
    """The values of a counter between two numbers."""
    numbers = [polynomial.read(part, {}, lambda *_: None, lambda *_: None).constant for part in parts]
    return None if None in numbers else range(*(int(n or 0) for n in numbers))

