# SPDX-License-Identifier: Apache-2.0
"""CUDA coordinates as loops: each thread is one iteration.

before   let x = blockIdx.x * blockDim.x + threadIdx.x; if not (x >= n) { ... }
after    loop thread x in [0, n) { ... }
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from heddle.errors import Place
from heddle.ir import nodes as ir
from heddle.ir.build import integer
from heddle.ir.visit import walk
from heddle.lift.expressions import converted

_BELOW = {"lt": "lt", "le": "le", "gt": "lt", "ge": "le"}
_OPPOSITE = {"lt": "ge", "le": "gt", "gt": "le", "ge": "lt", "eq": "ne", "ne": "eq"}


@dataclass(frozen=True)
class Coordinate:
    """A symbol that holds `begin` plus the number of the thread along an axis of the grid."""

    symbol: ir.Symbol
    axis: str
    begin: ir.Expression
    wide: bool  # the number is computed in 64 bits

    @staticmethod
    def of(statement: ir.Statement) -> Coordinate | None:
        """The coordinate that a statement computes, if it does."""
        if not isinstance(statement, ir.Let):
            return None
        terms = list(_terms(statement.value))
        for axis in "xyz":
            own = [t for t in terms if _bare(t) == ir.Symbol(f"threadIdx.{axis}", ir.U32)]
            blocks = [t for t in terms if _is_block_start(t, axis)]
            if len(own) == 1 and len(blocks) == 1:
                rest = [t for t in terms if t not in (own[0], blocks[0])]
                begin: ir.Expression = integer(0)
                for term in rest:
                    begin = term if begin == integer(0) else ir.Op("add", (begin, term), term.type)
                wide = blocks[0].type == ir.I64
                return Coordinate(statement.symbol, axis, begin, wide)
        return None


def thread_loops(body: Sequence[ir.Statement], place: Place) -> tuple[tuple[ir.Statement, ...], list[str]]:
    """The body with loops over threads, and what was assumed."""
    coordinates = [(at, c) for at, s in enumerate(body) if (c := Coordinate.of(s)) is not None]
    if not coordinates:
        return tuple(body), []
    first = coordinates[0][0]
    before = tuple(body[:first])
    numbers = {at for at, _ in coordinates}
    inside = [s for at, s in enumerate(body) if at >= first and at not in numbers]
    assumptions = [
        f"{place}: the number of the thread along {c.axis} fits into 32 bits"
        for _, c in coordinates
        if not c.wide
    ]
    guards: list[ir.Expression] = []
    if inside and isinstance(inside[-1], ir.If) and all(isinstance(s, ir.Let) for s in inside[:-1]):
        guards = list(_conjuncts(inside[-1].condition))
    loops: list[tuple[Coordinate, ir.Expression]] = []
    for _, coordinate in coordinates:
        end = next((bound for g in guards if (bound := _upper_bound(g, coordinate.symbol)) is not None), None)
        if end is None:
            end = ir.Symbol(f"grid.{coordinate.axis}", ir.I64)
            assumptions.append(
                f"{place}: the kernel is launched with grid.{coordinate.axis} threads along {coordinate.axis}"
            )
        else:
            guards = [g for g in guards if _upper_bound(g, coordinate.symbol) != end]
        loops.append((coordinate, end))
    if inside and isinstance(inside[-1], ir.If) and len(guards) < len(list(_conjuncts(inside[-1].condition))):
        guarded = inside.pop()
        assert isinstance(guarded, ir.If)
        inside += [ir.If(_all(guards), guarded.body, place=guarded.place)] if guards else guarded.body
    result: tuple[ir.Statement, ...] = tuple(inside)
    for coordinate, end in sorted(loops, key=lambda entry: entry[0].axis):  # x innermost
        result = (ir.Loop("thread", coordinate.symbol, coordinate.begin, end, integer(1), result),)
    return (*before, *result), assumptions


def _terms(value: ir.Expression) -> Iterator[ir.Expression]:
    """The terms of a sum of integers, conversions between integers seen through."""
    inner = _bare(value)
    if isinstance(inner, ir.Op) and inner.name == "add":
        for argument in inner.args:
            yield from _terms(argument)
    else:
        yield value


def _bare(value: ir.Expression) -> ir.Expression:
    while (
        isinstance(value, ir.Cast)
        and isinstance(value.value.type, ir.Scalar)
        and value.value.type.kind in "iu"
    ):
        value = value.value
    return value


def _is_block_start(term: ir.Expression, axis: str) -> bool:
    """blockIdx times blockDim."""
    inner = _bare(term)
    if not (isinstance(inner, ir.Op) and inner.name == "mul"):
        return False
    names = {a.name for a in map(_bare, inner.args) if isinstance(a, ir.Symbol)}
    return names == {f"blockIdx.{axis}", f"blockDim.{axis}"}


def _conjuncts(condition: ir.Expression, negated: bool = False) -> Iterator[ir.Expression]:
    """The conditions that all hold; comparisons of integers are negated, others are kept under `not`."""
    match condition:
        case ir.Op("not", (inner,)):
            yield from _conjuncts(inner, not negated)
        case ir.Op("and", args) if not negated:
            for argument in args:
                yield from _conjuncts(argument)
        case ir.Op("or", args) if negated:
            for argument in args:
                yield from _conjuncts(argument, True)
        case ir.Op(name, (left, right)) if negated and name in _OPPOSITE and not left.type.is_float:
            yield ir.Op(_OPPOSITE[name], (left, right), ir.BOOL)
        case _:
            yield ir.Op("not", (condition,), ir.BOOL) if negated else condition


def _all(conditions: Sequence[ir.Expression]) -> ir.Expression:
    result = conditions[0]
    for condition in conditions[1:]:
        result = ir.Op("and", (result, condition), ir.BOOL)
    return result


def _upper_bound(guard: ir.Expression, counter: ir.Symbol) -> ir.Expression | None:
    """The end of the counter's range that a condition gives."""
    if not (isinstance(guard, ir.Op) and guard.name in _BELOW):
        return None
    left, right = guard.args
    if guard.name in ("gt", "ge"):
        left, right = right, left
    if _bare(left) != counter or any(isinstance(node, ir.Load) or node == counter for node in walk(right)):
        return None
    if _BELOW[guard.name] == "le":
        return ir.Op("add", (right, converted(ir.Const(1, ir.I32), right.type)), right.type)
    return right
