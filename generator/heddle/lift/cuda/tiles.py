# SPDX-License-Identifier: Apache-2.0
"""Tiles in shared memory as what they are: copies of a part of an array, made so that a block reads it once.

before   tile[ty + 1][tx + 1] = u[i + j*nx]; if tx == 0 { tile[ty + 1][0] = u[i - 1 + j*nx] } ...; barrier;
         v[i + j*nx] = tile[ty + 1][tx] + tile[ty + 1][tx + 2]
after    v[i + j*nx] = u[i - 1 + j*nx] + u[i + 1 + j*nx]

Nothing is guessed: what each element of the tile holds is worked out thread by thread, for a block at any
place; then for each thread that reads it, that it holds the element of the array that stands there
afterwards, and that it was loaded under all conditions under which it is read. What is no copy in this sense
is refused.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator

from heddle.errors import Place
from heddle.ir import nodes as ir
from heddle.ir.visit import rebuild, statements, walk
from heddle.lift import polynomial
from heddle.lift.cuda.thread_index import AXES, ThreadIndex, built_in
from heddle.lift.cuda.thread_state import Block
from heddle.lift.cuda.tile_contents import HINT, LONGEST, Body, Path, TileContents
from heddle.lift.device_calls import is_barrier
from heddle.lift.lifted import refuse
from heddle.lift.polynomial import Polynomial
from heddle.lift.unroll import iteration


def without_tiles(body: Body, block: Block, place: Place) -> tuple[list[ir.Statement], list[str]]:
    """A kernel's body that reads arrays instead of tiles, and what was assumed. Raises KernelError where a
    shared array is no tile."""
    rewriter = _Tiles(body, block, place)
    result = rewriter.block(body)
    if left := rewriter.read(result):
        raise refuse(place, f"'{min(left)}' is read in an unsupported way.", HINT)
    return result, rewriter.assumptions


class _Tiles(TileContents):
    """numbers: the names that threads have for their place in the grid, by axis."""

    def __init__(self, body: Body, block: Block, place: Place) -> None:
        super().__init__(body, block, place)
        self.numbers: dict[str, tuple[ir.Symbol, ThreadIndex]] = {}

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
                        self.place,
                        "Some threads of a block do not reach its barrier, so the contents of its tiles "
                        "are undefined.",
                        "let threads outside the box skip the loads, but not the barrier",
                    )
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
                self.place, f"'{min(written & read)}' is written and read without a barrier in between.", HINT
            )
        if written:
            self.contents = {key: entries for key, entries in self.contents.items() if key[0] not in written}
            return self.loading(part)
        return list(self.reading(part, ()))

    def written(self, body: Body) -> set[str]:
        """The tiles that statements store to."""
        return {
            s.target.pointer.name
            for s in statements(body)
            if isinstance(s, ir.Store) and isinstance(s.target, ir.Load)
        } & self.lengths.keys()

    def read(self, body: Body) -> set[str]:
        """The tiles that statements read."""
        found: set[str] = set()
        for statement in statements(body):
            own = list(statement.children)
            if isinstance(statement, ir.Store):
                own = [statement.value, *statement.target.children]
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
            raise refuse(self.place, "The barriers are inside nested loops.", HINT)
        first, last = loop.body[: barriers[0]], loop.body[barriers[-1] + 1 :]
        if early := self.written(first) & self.read(last):
            raise refuse(
                self.place,
                f"'{min(early)}' is overwritten while other threads may still read it: there is no "
                "barrier between two iterations.",
                "end the loop's body with a barrier",
            )
        bounds = {(thread.integer(loop.begin), thread.integer(loop.end)) for thread in self.threads}
        if len(bounds) > 1 or None in bounds.pop():
            raise refuse(
                self.place,
                "Threads execute different numbers of iterations of a loop that contains a barrier.",
            )
        self.contents.clear()  # what earlier iterations leave behind is not followed
        for thread in self.threads:
            thread.known.pop(loop.counter, None)
        body = tuple(self.block(loop.body))
        self.contents.clear()
        return dataclasses.replace(loop, body=body)

    # Loading

    def loading(self, part: Body) -> list[ir.Statement]:
        """The names that stay when the loads go; `held` knows what was loaded."""
        kept: list[ir.Statement] = []
        for statement in part:
            if isinstance(statement, ir.Let):
                if self.read([statement]):
                    raise refuse(
                        statement.place,
                        "A tile is read while another one is loaded, without a barrier in between.",
                    )
                self.declare(statement)
                kept.append(statement)
        values = {s.symbol: s.value for s in kept if isinstance(s, ir.Let)}
        for thread in self.threads:
            self.load(part, thread, Path(), dict(values))
        return kept

    # Reading

    def declare(self, let: ir.Let) -> None:
        for thread in self.threads:
            thread.declare(let.symbol, let.value)
        number = ThreadIndex.of(let.value)
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
                    if ends is None or len(ends) > LONGEST:
                        raise refuse(
                            place,
                            f"The loop over '{counter.name}' reads a tile, but is too long or has no "
                            "constant length.",
                            HINT,
                        )
                    for number in ends:
                        yield from self.reading(iteration(statement, number), conditions)
                case ir.Store(target, value, nontemporal):
                    where = (
                        ir.Load(target.pointer, self.value(target.index, conditions, place))
                        if isinstance(target, ir.Load)
                        else target
                    )
                    yield ir.Store(where, self.value(value, conditions, place), nontemporal, place)
                case ir.Assign(symbol, value):
                    yield ir.Assign(symbol, self.value(value, conditions, place))
                case ir.Var(symbol, value):
                    for thread in self.threads:
                        thread.forget(symbol)
                    yield ir.Var(symbol, None if value is None else self.value(value, conditions, place))
                case _:
                    yield statement

    def value(
        self, value: ir.Expression, conditions: tuple[ir.Expression, ...], place: Place
    ) -> ir.Expression:
        """An expression without loads from tiles. Of a conditional one, each side is read under its
        condition."""
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
            value,
            lambda node: self.value(node, conditions, place) if isinstance(node, ir.Expression) else node,
        )

    def loaded(self, load: ir.Load, conditions: tuple[ir.Expression, ...], place: Place) -> ir.Expression:
        """The element of an array that an element of a tile is a copy of, for every thread."""
        found: dict[tuple[int, ...], tuple[ir.Symbol, Polynomial]] = {}
        for thread in self.threads:
            facts = thread.facts(conditions)
            if facts is not None:
                found[thread.at] = self.copied(load, thread, facts, place)
        if not found:
            raise refuse(place, f"No thread reads '{load.pointer.name}' here.", HINT)
        arrays = {pointer for pointer, _ in found.values()}
        if len(arrays) > 1:
            names = " and ".join(sorted(f"'{a.name}'" for a in arrays))
            raise refuse(place, f"'{load.pointer.name}' holds elements of different arrays, {names}.", HINT)
        index = self.in_all_threads({at: index for at, (_, index) in found.items()}, load, place)
        return ir.Load(arrays.pop(), index.expression())

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
                    place,
                    f"'{load.pointer.name}' is not laid out as the threads of the block are: thread {at} "
                    f"reads element {index}, not {expected}.",
                    HINT,
                )
        own: dict[ir.Expression, Polynomial] = {}
        for name, (symbol, number) in self.numbers.items():
            size = polynomial.atom(built_in("blockIdx", name)) * (number.block or 0)
            begin = self.threads[0].integer(number.begin)
            if number.block and begin is not None:
                own[built_in("threadIdx", name)] = polynomial.atom(symbol) - size - begin
        whole = whole.substitute(own)
        left = {
            a.name
            for a in whole.atoms
            if isinstance(a, ir.Symbol) and a.name.split(".")[0] in ("threadIdx", "blockIdx")
        }
        if left:
            raise refuse(
                place, f"Which element '{load.pointer.name}' holds depends on {min(left)} alone.", HINT
            )
        return whole


def polynomial_constants(*parts: ir.Expression) -> range | None:
    """The values of a counter between two numbers."""
    numbers = [polynomial.read(part, {}, lambda *_: None, lambda *_: None).constant for part in parts]
    return None if None in numbers else range(*(int(n or 0) for n in numbers))
