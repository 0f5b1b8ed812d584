# SPDX-License-Identifier: Apache-2.0
"""The rounds of a While as a program for the lanes of a warp: sums of products, level by level.

Statements that do not depend on each other form a level, and lanes take them side by side. Most statements of
a stiff integrator are sums of products of two values; those become rows of a table. Statements that differ
in nothing but the values that they name (the error of each species) become one line of code with a table of
places. What depends on few numbers (the step size) is computed by every lane.

Each sum adds its terms in the order of the statement, and each product and sum is rounded as there, so the
results have the bits that a thread by itself would compute.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

from heddle.emit.warp_levels import Level, StuckError, levels_of
from heddle.emit.warp_sums import Alike, Sum, Term, Value
from heddle.errors import KernelError
from heddle.ir import nodes as ir
from heddle.ir.rounding import rounded
from heddle.ir.visit import distinct, transform, walk

FEWEST_ALIKE = 4
"""Statements of one shape that get a table; fewer are computed by every lane."""
SHORT = 48
"""Nodes of a statement that every lane computes."""


@dataclass(frozen=True)
class Program:
    """before, after: statements of every lane, around the levels. updates: what every lane assigns at the end
    of a round; alike_updates: what the rows of tables do. constants, given, carried, published: what the
    first places in shared memory hold: numbers; values of the cell; those that change from round to round;
    those that `before` computes. place: of each value. size: places."""

    before: tuple[ir.Let, ...]
    levels: tuple[Level, ...]
    after: tuple[ir.Let, ...]
    updates: tuple[ir.Assign, ...]
    alike_updates: tuple[Alike, ...]
    constants: tuple[float, ...]
    given: tuple[str, ...]
    carried: tuple[str, ...]
    published: tuple[str, ...]
    place: Mapping[Value, int]
    size: int


def program(
    loop: ir.While, before: Sequence[ir.Statement], constants: Mapping[str, float], lanes: int
) -> Program:
    """Of a lowered loop. before: the statements of a thread in front of it. constants: numbers that have
    names. lanes: of a cell. Raises KernelError for a loop that has no such form."""
    return _Builder(loop, before, constants).build(lanes)


class _Builder:
    def __init__(
        self, loop: ir.While, before: Sequence[ir.Statement], constants: Mapping[str, float]
    ) -> None:
        self.loop, self.constants = loop, constants
        self.own = {s.symbol.name for s in before if isinstance(s, (ir.Let, ir.Var))}
        """Names of a cell, which differ between the lanes in front of the loop."""
        lets = [s for s in loop.body if isinstance(s, ir.Let)]
        assigns = [s for s in loop.body if isinstance(s, ir.Assign)]
        self.carried = _components(before, {s.symbol.name for s in assigns})
        self.scalars = {s.symbol.name for s in assigns} - set(self.carried)
        self.alone = [a for a in assigns if a.symbol.name in self.scalars]
        self.many = [a for a in assigns if a.symbol.name not in self.scalars]
        self.before = self._uniform(lets)
        uniform = {let.symbol.name for let in self.before}
        self.inner = [let for let in lets if let.symbol.name not in uniform]
        self.rows = {let.symbol.name for let in self.inner} | set(self.carried)
        """Names that differ from row to row of a table."""
        selects = [s for a in self.many for s in distinct(a.value) if isinstance(s, ir.Select)]
        self.every = {n for s in selects for n in _names(s.condition)} - set(self.carried)
        """Names in conditions that select between rows: every lane has them."""
        self.sums: list[Sum] = []
        self.known: dict[ir.Expression, str] = {}
        self.numbers = 0

    def build(self, lanes: int) -> Program:
        others = [s for s in self.loop.body if not isinstance(s, (ir.Let, ir.Assign, ir.Comment))]
        if others or not self.carried:
            why = (
                f"it holds a {type(others[0]).__name__}" if others else "it carries no components of a field"
            )
            raise self.refuse(why)
        after = self._last()
        alike = self._tables([let for let in self.inner if let not in after])
        made = {s.result for s in self.sums} | {row[0] for a in alike for row in a.rows}
        updates = self._updates({*made, *self.carried})
        late = {n for let in after for n in _names(let.value)} | {
            n for a in self.alone for n in _names(a.value)
        }
        if wrong := late & (self.own - set(self.carried) - self.scalars):
            raise self.refuse(f"every lane needs '{min(wrong)}' of the cell")
        wanted = {v for s in self.sums for v in s.operands}
        wanted |= {v for a in alike for row in a.rows for v in row[1:]}
        numbers = sorted({v for v in wanted if isinstance(v, float)} - {0.0, 1.0})
        names = {v for v in wanted if isinstance(v, str)} - made
        given = sorted((names & self.own) - self.scalars - set(self.carried))
        published = sorted(names - set(given) - set(self.carried))
        try:
            levels = levels_of(self.sums, alike, lanes)
        except StuckError:
            raise self.refuse("its statements wait for each other") from None
        fixed: list[Value] = [0.0, 1.0, *numbers, *given, *self.carried, *published]
        late |= {v for a in updates for row in a.rows for v in row if isinstance(v, str)}
        place, size = _places(fixed, levels, late)
        return Program(
            tuple(self.before), tuple(levels), tuple(after), tuple(self.alone), updates, (0.0, 1.0, *numbers),
            tuple(given), tuple(self.carried), tuple(published), place, size,
        )  # fmt: skip

    def refuse(self, why: str) -> KernelError:
        return KernelError(
            self.loop.place,
            f"the rounds of this While do not suit the lanes of a warp: {why}.",
            "use Schedule(gpu=Threads()), a thread per cell",
        )

    # --- which statement is of which kind ---------------------------------------------------------------

    def _uniform(self, lets: Sequence[ir.Let]) -> list[ir.Let]:
        """What depends on numbers that all lanes have."""
        found: dict[str, ir.Let] = {}
        inner = {let.symbol.name for let in lets}
        for let in lets:
            names = _names(let.value)
            if names and all(
                n in found or n in self.scalars or (n not in inner and n not in self.own) for n in names
            ):
                found[let.symbol.name] = let
        return list(found.values())

    def _last(self) -> list[ir.Let]:
        """Short statements behind the tables, that no table needs: every lane computes them."""
        shape = {
            let.symbol.name: self._shape(let.value)[0] for let in self.inner if not _may_be_sum(let.value)
        }
        alike = Counter(shape.values())
        last: list[ir.Let] = []
        needed = {name for assign in self.many for name in self._shape(assign.value)[1]}
        for let in reversed(self.inner):
            name = let.symbol.name
            few = name not in shape or alike[shape[name]] < FEWEST_ALIKE
            if few and name not in needed and _is_short(let.value):
                last.insert(0, let)
            else:
                needed |= _names(let.value)
        return last

    def _shape(self, value: ir.Expression) -> tuple[ir.Expression, list[str]]:
        """A value with its places numbered, and what stands there."""
        found: list[str] = []

        def change(node: ir.Expression) -> ir.Expression:
            if isinstance(node, ir.Symbol) and node.name in self.rows and node.name not in self.every:
                if node.name not in found:
                    found.append(node.name)
                return ir.Symbol(f"at_{found.index(node.name)}", node.type)
            return node

        return transform(value, change), found

    def _tables(self, inner: Sequence[ir.Let]) -> list[Alike]:
        shapes: dict[ir.Expression, list[tuple[Value, ...]]] = {}
        for let in inner:
            if not self._sum(let.value, let.symbol.name):
                shape, places = self._shape(let.value)
                for node in distinct(shape):
                    if isinstance(node, ir.Load) or (isinstance(node, ir.Symbol) and node.type != ir.F64):
                        raise self.refuse(f"'{let.symbol.name}' is no number")
                shapes.setdefault(shape, []).append((let.symbol.name, *places))
        return [Alike(shape, tuple(rows)) for shape, rows in shapes.items()]

    def _updates(self, shared: set[Value]) -> tuple[Alike, ...]:
        shapes: dict[ir.Expression, list[tuple[Value, ...]]] = {}
        changed = {a.symbol.name for a in self.many}
        for assign in self.many:
            if (_names(assign.value) & changed) - {assign.symbol.name}:
                raise self.refuse(f"'{assign.symbol.name}' becomes what another one was")
            shape, places = self._shape(assign.value)
            if any(p not in shared for p in places):
                raise self.refuse(f"'{assign.symbol.name}' becomes a value that is in no table")
            shapes.setdefault(shape, []).append((assign.symbol.name, *places))
        return tuple(Alike(shape, tuple(rows)) for shape, rows in shapes.items())

    # --- sums -------------------------------------------------------------------------------------------

    def _sum(self, value: ir.Expression, result: str) -> bool:
        """Append the sum that gives a value, and those that it needs. False where it is no sum."""
        mark = len(self.sums), self.numbers
        found = self._as_sum(value, result)
        if found is None:
            gone = {s.result for s in self.sums[mark[0] :]}
            self.known = {v: name for v, name in self.known.items() if name not in gone}
            del self.sums[mark[0] :]
            self.numbers = mark[1]
            return False
        self.sums.append(found)
        self.known.setdefault(value, result)
        return True

    def _as_sum(self, value: ir.Expression, result: str) -> Sum | None:
        if isinstance(value, ir.Op) and value.name == "div":
            one, rest = value.args
            if not isinstance(one, ir.Const) or one.value != 1:
                return None
            terms = self._terms(rest)
            return Sum(result, terms, inverse=True) if terms else None
        if isinstance(value, ir.Op) and value.name == "mul":
            for factor, rest in (value.args, value.args[::-1]):
                if _is_sum(rest) and not _is_sum(factor):
                    before, terms = self._operand(factor), self._terms(rest)
                    return Sum(result, terms, before) if terms and before is not None else None
        terms = self._terms(value)
        return Sum(result, terms) if terms else None

    def _terms(self, value: ir.Expression) -> tuple[Term, ...] | None:
        """The terms of a sum in their order."""
        if not _is_sum(value):
            term = self._term(value, False)
            return None if term is None else (term,)
        assert isinstance(value, ir.Op)
        left, right = value.args
        if value.name == "add" and _is_sum(right) and not _is_sum(left):
            left, right = right, left  # the sum of two numbers has no order
        head, last = self._terms(left), self._term(right, value.name == "sub")
        return None if head is None or last is None else (*head, last)

    def _term(self, value: ir.Expression, negative: bool) -> Term | None:
        if isinstance(value, ir.Op) and value.name == "neg":
            return self._term(value.args[0], not negative)
        if isinstance(value, ir.Op) and value.name == "mul":
            a, b = (self._operand(arg) for arg in value.args)
        else:
            a, b = 1.0, self._operand(value)
        return None if a is None or b is None else Term(negative, a, b)

    def _operand(self, value: ir.Expression) -> Value | None:
        """A name, a constant, or the number of a sum that is made for it."""
        match value:
            case ir.Const(number, ir.Scalar("f", 64) as kind):
                return float(rounded(number, kind))
            case ir.Symbol(name, ir.Scalar("f", 64)):
                return self.constants.get(name, name)
        if value in self.known:
            return self.known[value]
        if not isinstance(value, ir.Op) or value.name not in ("add", "sub", "mul", "neg"):
            return None
        self.numbers += 1
        name = f"#{self.numbers}"
        return name if self._sum(value, name) else None


def _places(fixed: Sequence[Value], levels: Sequence[Level], late: set[str]) -> tuple[dict[Value, int], int]:
    """Places in shared memory; one is used again where its value is not needed any more. late: what is needed
    behind all levels."""
    place: dict[Value, int] = {v: n for n, v in enumerate(fixed)}
    size = len(fixed)
    until: dict[Value, int] = {}
    begins: list[list[str]] = []
    for now, level in enumerate(levels):
        new: list[str] = []
        used: list[Value] = []
        for piece in (p for pieces in level.slices for p in pieces):
            if not piece.first:
                new.append(piece.sum.result)
            used += [v for t in piece.sum.terms[piece.first : piece.last] for v in (t.a, t.b)]
            used += [piece.sum.factor, piece.sum.result]
        for alike in level.alike:
            new += [str(row[0]) for row in alike.rows]
            used += [v for row in alike.rows for v in row]
        until.update(dict.fromkeys(used, now))
        begins.append(new)
    ends: list[list[str]] = [[] for _ in levels]
    for name in (n for new in begins for n in new):
        if name not in late:
            ends[until[name]].append(name)
    free: list[int] = []
    for now, new in enumerate(begins):
        if now:
            free += [place[name] for name in ends[now - 1]]
        for name in new:
            if free:
                place[name] = free.pop()
            else:
                place[name], size = size, size + 1
    return place, size


def _is_sum(value: ir.Expression) -> bool:
    return isinstance(value, ir.Op) and value.name in ("add", "sub") and len(value.args) == 2


def _may_be_sum(value: ir.Expression) -> bool:
    if not isinstance(value, ir.Op):
        return False
    one = value.args[0]
    inverse = value.name == "div" and isinstance(one, ir.Const) and one.value == 1
    return inverse or value.name in ("add", "sub", "mul", "neg")


def _is_short(value: ir.Expression) -> bool:
    return sum(1 for _ in islice(walk(value), SHORT + 1)) <= SHORT


def _names(value: ir.Expression) -> set[str]:
    return {node.name for node in distinct(value) if isinstance(node, ir.Symbol)}


def _components(before: Sequence[ir.Statement], changed: set[str]) -> list[str]:
    """The variables of a loop that begin as components of one field."""
    fields: dict[str, list[str]] = {}
    for s in before:
        if isinstance(s, ir.Var) and s.symbol.name in changed and isinstance(s.value, ir.Load):
            fields.setdefault(s.value.pointer.name, []).append(s.symbol.name)
    return max(fields.values(), key=len, default=[])
