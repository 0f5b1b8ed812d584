# SPDX-License-Identifier: Apache-2.0
"""What the elements of a tile in shared memory hold, worked out by running each thread's loads."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from heddle.errors import Place
from heddle.ir import nodes as ir
from heddle.ir.visit import statements, walk
from heddle.lift import polynomial
from heddle.lift.cuda.thread_state import Block, Rooms, Thread, excluded, implied, numbered, threads_of
from heddle.lift.device_calls import shared_arrays
from heddle.lift.lifted import refuse
from heddle.lift.polynomial import Polynomial

Body = Sequence[ir.Statement]
LONGEST = 32
HINT = "lift the loop without its tile; Schedule says how the generated kernel runs"


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
    """What an element of a tile may hold: an element of an array, or None for something else. by: the thread
    that stored it, on this path."""

    source: tuple[ir.Symbol, Polynomial] | None
    path: Path
    by: Thread


class TileContents:
    """held: by tile and element, what it may hold. lengths: of the tiles. stored: arrays that are written."""

    def __init__(self, body: Body, block: Block, place: Place) -> None:
        self.place = place
        self.threads = threads_of(block)
        self.lengths = {symbol.name: length for symbol, length in shared_arrays(body).items()}
        self.contents: dict[tuple[str, int], list[Entry]] = {}
        self.assumptions: list[str] = []
        stores = [s.target for s in statements(body) if isinstance(s, ir.Store)]
        written = {target.pointer.name for target in stores if isinstance(target, ir.Load)}
        self.stored = written - self.lengths.keys()

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
                        if count > LONGEST:
                            raise refuse(
                                place,
                                f"The loop over '{counter.name}' loads a tile in too many iterations.",
                                HINT,
                            )
                        thread.known[counter] = polynomial.polynomial(number)
                        self.load(inner, thread, path, values)
                    thread.known.pop(counter, None)
                case ir.Store(ir.Load(pointer, index), value) if pointer.name in self.lengths:
                    at = self.element(pointer.name, index, thread, place)
                    for entry in self.entries(value, thread, path, values, place):
                        self.hold((pointer.name, at), entry, place)
                case _:
                    raise refuse(
                        place, "There is other work between the loads of a tile and its barrier.", HINT
                    )

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
            what = "A tile is loaded under a condition that does not compare thread indices with bounds."
            raise refuse(place, what, HINT) from None

    def element(self, tile: str, index: ir.Expression, thread: Thread, place: Place) -> int:
        """Which element of a tile a thread means."""
        found = thread.integer(index)
        at = None if found is None else found.constant
        if at is None:
            raise refuse(
                place, f"Which element of '{tile}' a thread accesses depends on more than its index.", HINT
            )
        if not 0 <= at < self.lengths[tile]:
            raise refuse(
                place,
                f"Thread {thread.at} of a block accesses element {at} of '{tile}', which is out of bounds.",
                HINT,
            )
        return at

    def entries(
        self,
        value: ir.Expression,
        thread: Thread,
        path: Path,
        values: dict[ir.Symbol, ir.Expression],
        place: Place,
    ) -> Iterator[Entry]:
        """What is stored on a path, and on those on which the sides of a conditional expression are."""
        while isinstance(value, ir.Symbol) and value in values:
            value = values[value]
        if isinstance(value, ir.Select):
            for chosen, side in (
                (value.condition, value.yes),
                (ir.Op("not", (value.condition,), ir.BOOL), value.no),
            ):
                on = self.under(path, chosen, thread, place)
                if on is not None:
                    yield from self.entries(side, thread, on, values, place)
            return
        found = thread.integer(value.index) if isinstance(value, ir.Load) else None
        if isinstance(value, ir.Load) and value.pointer.name not in self.lengths and found is not None:
            if value.pointer.name in self.stored:
                raise refuse(
                    place,
                    f"'{value.pointer.name}' is loaded into a tile and also written, so the tile may hold "
                    "outdated values.",
                    HINT,
                )
            self.narrow(value.index)
            yield Entry((value.pointer, found), path, thread)
            return
        yield Entry(None, path, thread)

    def hold(self, key: tuple[str, int], entry: Entry, place: Place) -> None:
        """Another thing that an element may hold. Of one thread, the last store counts; two threads must
        agree."""
        others = []
        for other in self.contents.get(key, []):
            if other.by is entry.by and other.path == entry.path:
                continue
            apart = entry.path.never(list(other.path.rooms)) or other.path.never(list(entry.path.rooms))
            if other.by is not entry.by and other.source != entry.source and not apart:
                raise refuse(
                    place,
                    f"Threads {other.by.at} and {entry.by.at} of a block store different values to "
                    f"element {key[1]} "
                    f"of '{key[0]}'.",
                    HINT,
                )
            others.append(other)
        self.contents[key] = [*others, entry]

    def narrow(self, index: ir.Expression) -> None:
        """An index that is computed in 32 bits."""
        if any(isinstance(n, ir.Op) and n.name == "mul" and n.type == ir.I32 for n in walk(index)):
            note = f"{self.place}: products of extents fit into the 32 bits that indices are computed in"
            if note not in self.assumptions:
                self.assumptions.append(note)

    def copied(
        self, load: ir.Load, thread: Thread, facts: Rooms, place: Place
    ) -> tuple[ir.Symbol, Polynomial]:
        """What the element of a tile that a thread reads is a copy of."""
        at = self.element(load.pointer.name, load.index, thread, place)
        entries = [e for e in self.contents.get((load.pointer.name, at), []) if not e.path.never(facts)]
        sure = [entry for entry in entries if entry.path.surely(facts)]
        if sure:  # what the same thread stored before is gone
            last = entries.index(sure[-1])
            entries = [e for at, e in enumerate(entries) if at >= last or e.by is not sure[-1].by]
        name = f"Element {at} of '{load.pointer.name}', which thread {thread.at} of a block reads,"
        if not sure:
            why = f"is loaded only if {entries[0].path}" if entries else "is not loaded"
            raise refuse(place, f"{name} {why}.", HINT)
        if any(entry.source != sure[-1].source for entry in entries) or sure[-1].source is None:
            raise refuse(place, f"{name} is not a copy of one array element.", HINT)
        return sure[-1].source
