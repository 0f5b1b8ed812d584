# SPDX-License-Identifier: Apache-2.0
"""CUDA coordinates as loops: each thread is one iteration.

before   let x = blockIdx.x * blockDim.x + threadIdx.x; if not (x >= n) { ... }
after    loop thread x in [0, n) { ... }
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from heddle.errors import Place
from heddle.ir import nodes as ir
from heddle.ir.build import add, integer
from heddle.ir.hash_consing import Node
from heddle.ir.loops import is_over_threads
from heddle.ir.visit import statements, walk
from heddle.lift.cuda.thread_index import ThreadIndex, without_casts
from heddle.lift.lifted import refuse
from heddle.lift.operands import converted

_BELOW = {"lt": "lt", "le": "le", "gt": "lt", "ge": "le"}
_BUILT_IN = ("threadIdx", "blockIdx", "blockDim", "gridDim")
_OPPOSITE = {"lt": "ge", "le": "gt", "gt": "le", "ge": "lt", "eq": "ne", "ne": "eq"}


def thread_loops(
    body: Sequence[ir.Statement], place: Place, sized: bool = False
) -> tuple[tuple[ir.Statement, ...], list[str]]:
    """The body with loops over threads, and what was assumed. sized: it is known how large a block is."""
    body = _without_unused_numbers(body)
    coordinates = [
        (at, s.symbol, number)
        for at, s in enumerate(body)
        if isinstance(s, ir.Let) and (number := ThreadIndex.of(s.value)) is not None
    ]
    if not coordinates:
        return tuple(body), []
    first = coordinates[0][0]
    before = tuple(body[:first])
    numbers = {at for at, *_ in coordinates}
    inside = [s for at, s in enumerate(body) if at >= first and at not in numbers]
    if any(map(is_over_threads, statements(inside))):
        raise refuse(
            place, "Each thread does additional work outside a loop that the whole grid shares.",
            "lift only the loop: a kernel has one cell per thread, or visits all cells in a loop",
        )  # fmt: skip
    assumptions = [
        f"{place}: the number of the thread along {c.axis} fits into 32 bits"
        for *_, c in coordinates
        if not c.wide
    ]
    guarded = inside[-1] if inside and all(isinstance(s, (ir.Let, ir.Var)) for s in inside[:-1]) else None
    guards = list(_conjuncts(guarded.condition)) if isinstance(guarded, ir.If) else []
    conditions = len(guards)
    loops: list[tuple[ir.Symbol, ThreadIndex, ir.Expression]] = []
    for _, symbol, number in coordinates:
        end = next((bound for g in guards if (bound := _upper_bound(g, symbol)) is not None), None)
        if end is None:
            end = add(ir.Symbol(f"grid.{number.axis}", ir.I64), converted(number.begin, ir.I64))
            assumptions.append(
                f"{place}: the kernel is launched with grid.{number.axis} threads along {number.axis}"
            )
        else:
            guards = [g for g in guards if _upper_bound(g, symbol) != end]
        if number.block is not None and not sized:
            assumptions.append(f"{place}: a block has {number.block} threads along {number.axis}")
        loops.append((symbol, number, end))
    if isinstance(guarded, ir.If) and len(guards) < conditions:
        inside.pop()
        inside += [ir.If(_all(guards), guarded.body, place=guarded.place)] if guards else guarded.body
    result: tuple[ir.Statement, ...] = tuple(inside)
    for symbol, number, end in sorted(loops, key=lambda entry: entry[1].axis):  # x innermost
        result = (ir.Loop("thread", symbol, number.begin, end, integer(1), result),)
    return (*before, *result), assumptions


def _without_unused_numbers(body: Sequence[ir.Statement]) -> list[ir.Statement]:
    """Without names that nothing uses, such as that of the thread a grid-stride loop began at."""
    kept: list[ir.Statement] = []
    used: set[Node] = set()
    for statement in reversed(body):
        if isinstance(statement, ir.Let) and statement.symbol not in used and _is_launch(statement.value):
            continue
        kept.append(statement)
        used |= set(walk([statement.value] if isinstance(statement, ir.Let) else [statement]))
    return kept[::-1]


def _is_launch(value: ir.Expression) -> bool:
    """Whether a value has to do with blocks and threads."""
    return any(isinstance(n, ir.Symbol) and n.name.split(".")[0] in _BUILT_IN for n in walk(value))


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
    if without_casts(left) != counter or any(
        isinstance(node, ir.Load) or node == counter for node in walk(right)
    ):
        return None
    if _BELOW[guard.name] == "le":
        return ir.Op("add", (right, converted(ir.Const(1, ir.I32), right.type)), right.type)
    return right
