# SPDX-License-Identifier: Apache-2.0
"""Variables declared where they are used, as C++ has it and C89 does not.

before   int i; double t; for (i = 0; i < n; ++i) { t = b[i]; a[i] = t * t; }
after    for (int i = 0; i < n; ++i) { double t; t = b[i]; a[i] = t * t; }

A variable moves into a loop's body if no iteration reads what an earlier one left in it, and nothing reads it
after the loop.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Sequence

from heddle.errors import Place
from heddle.ir import nodes as ir
from heddle.ir import source
from heddle.ir.visit import walk
from heddle.lift.variables.liveness import After, Liveness
from heddle.lift.variables.unique_names import unique_names

Body = tuple[ir.Statement, ...]
_WITH_BLOCKS = (source.For, source.Branch, source.Block, source.UnknownStatement)
_PRIVATE = re.compile(r"\s*\bprivate *\([^)]*\)")


def with_block_locals(
    body: Sequence[ir.Statement],
    parameters: Sequence[source.FunctionParameter],
    taken: set[str],
    place: Place,
) -> Body:
    """A function's body with one name for each variable, declared in the innermost loop that needs it."""
    unique = unique_names(body, taken, place)
    values = {p.symbol.name for p in parameters if isinstance(p.symbol.type, ir.Scalar) and not p.reference}
    moved = _Moving(unique, values).block(unique, (), frozenset())
    return unique_names(_pruned(moved, set())[0], taken, place) if moved != unique else unique


class _Moving:
    """values: parameters that a loop may count with."""

    def __init__(self, body: Body, values: set[str]) -> None:
        self.known = Liveness()
        declared = [s for s in walk(body) if isinstance(s, source.Declaration)]
        lent = lent_names(body)
        own = {d.symbol.name: d for d in declared if not (d.constant or d.reference or d.space)}
        self.numbers = {
            name: d for name, d in own.items() if isinstance(d.symbol.type, ir.Scalar) and name not in lent
        }
        self.arrays = {
            name: d for name, d in own.items() if isinstance(d.symbol.type, source.Array) and d.value is None
        }
        self.counters = self.numbers.keys() | (values - lent)

    def block(self, body: Sequence[ir.Statement], after: tuple[After, ...], outside: frozenset[str]) -> Body:
        """after: what runs after the block. outside: names that are used elsewhere."""
        result: list[ir.Statement] = []
        for at, statement in enumerate(body):
            if not isinstance(statement, _WITH_BLOCKS):
                result.append(statement)
                continue
            beside = outside | self.known.names((*body[:at], *body[at + 1 :]))
            later = (After(tuple(body[at + 1 :])), *after)
            match statement:
                case source.For():
                    result.append(self.loop(statement, later, beside))
                case source.Branch(condition, yes, no):
                    head = beside | self.known.names(condition)
                    sides = (
                        self.block(yes, later, head | self.known.names(no)),
                        self.block(no, later, head | self.known.names(yes)),
                    )
                    result.append(dataclasses.replace(statement, yes=sides[0], no=sides[1]))
                case source.Block(inner):
                    result.append(source.Block(self.block(inner, later, beside)))
                case source.UnknownStatement(inside=inside) if inside:
                    again = (After((statement,)), *later)
                    result.append(dataclasses.replace(statement, inside=self.block(inside, again, beside)))
                case _:
                    result.append(statement)
        return self.versions(result)

    def versions(self, body: Sequence[ir.Statement]) -> Body:
        """Each value of an integer, such as an index that is assigned twice, as a variable of its own: of one
        that only the statements of its own block assign."""
        own = {
            s.symbol.name
            for s in body
            if isinstance(s, source.Declaration) and s.symbol.name in self.numbers and _is_integer(s.symbol)
        }
        plain = [isinstance(s, source.Assignment) and isinstance(s.target, ir.Symbol) for s in body]
        own -= assigned_in([s for s, known in zip(body, plain, strict=True) if not known])
        return tuple(
            source.Declaration(statement.target, statement.value, False, place=statement.place)
            if isinstance(statement, source.Assignment)
            and isinstance(statement.target, ir.Symbol)
            and statement.target.name in own
            else statement
            for statement in body
        )

    def loop(self, loop: source.For, after: tuple[After, ...], outside: frozenset[str]) -> source.For:
        known = self.known
        assigned = assigned_in(loop.body)
        start = loop.start
        match start:
            case (source.Assignment(ir.Symbol(name) as counter, value, updates=False, place=place),) if (
                name in self.counters and name not in assigned and not known.live(name, after)
            ):
                start = (source.Declaration(counter, value, False, place=place),)
        head = known.names(
            (*loop.start, *loop.step, *([loop.condition] if loop.condition is not None else []))
        )
        own = [
            dataclasses.replace(self.numbers[name], value=None, place=loop.place)
            for name in sorted(assigned & self.numbers.keys() - head)
            if known.first_use(loop.body, name) != "read" and not known.live(name, after)
        ]
        inside = known.names(loop.body) - outside - head
        own += [
            declaration
            for name, declaration in self.arrays.items()
            if name in inside and not _declares(loop.body, name)
        ]
        body = self.block(loop.body, (After(loop=loop), *after), outside | head)
        pragma = _PRIVATE.sub("", loop.pragma)
        return dataclasses.replace(loop, start=start, body=self.versions((*own, *body)), pragma=pragma)


def _is_integer(symbol: ir.Symbol) -> bool:
    return isinstance(symbol.type, ir.Scalar) and symbol.type.kind in "iu"


def lent_names(body: Sequence[ir.Statement]) -> set[str]:
    """The variables that something else may know by their address, or change."""
    given: list[ir.Expression | None] = []
    for node in walk(body):
        match node:
            case source.AddressOf(element):
                given.append(element)
            case source.Declaration(_, value, reference=True):
                given.append(value)
            case source.Invoke(args=args, references=changed):
                given += [args[at] for at in changed if at < len(args)]
    return {each.name for each in given if isinstance(each, ir.Symbol)}


def assigned_in(body: Sequence[ir.Statement]) -> set[str]:
    """The variables that are assigned anywhere in statements, counters included."""
    return {
        node.target.name
        for node in walk(body)
        if isinstance(node, source.Assignment) and isinstance(node.target, ir.Symbol)
    }


def _declares(body: Sequence[ir.Statement], name: str) -> bool:
    return any(isinstance(s, source.Declaration) and s.symbol.name == name for s in body)


def _pruned(body: Sequence[ir.Statement], used: set[str]) -> tuple[Body, set[str]]:
    """A body without declarations that nothing uses, and the names that it needs from outside. used: the
    names that what follows it needs."""
    result: list[ir.Statement] = []
    needed = set(used)
    for statement in reversed(body):
        match statement:
            case source.Declaration(symbol, None) if symbol.name not in needed:
                continue
            case source.Declaration(symbol, value):
                needed.discard(symbol.name)
                needed |= _symbols(value)
            case source.For(start, condition, step, inner):
                inside = _symbols(condition) | _symbols(step)
                kept, free = _pruned(inner, set())
                inside |= free
                statement = dataclasses.replace(statement, body=kept)
                needed |= _pruned(start, inside)[1]
            case source.Branch(condition, yes, no):
                (first, one), (second, other) = _pruned(yes, set()), _pruned(no, set())
                needed |= one | other | _symbols(condition)
                statement = dataclasses.replace(statement, yes=first, no=second)
            case source.Block(inner):
                kept, free = _pruned(inner, set())
                needed |= free
                statement = source.Block(kept)
            case source.UnknownStatement(inside=inside) if inside:
                kept, free = _pruned(inside, set())
                needed |= free
                statement = dataclasses.replace(statement, inside=kept)
            case _:
                needed |= _symbols(statement)
        result.append(statement)
    return tuple(result[::-1]), needed


def _symbols(node: object) -> set[str]:
    if node is None:
        return set()
    return {each.name for each in walk(node) if isinstance(each, ir.Symbol)}  # type: ignore[arg-type]
