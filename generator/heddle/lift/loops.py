# SPDX-License-Identifier: Apache-2.0
"""The header of a `for`: counter, begin, end, step, and who runs the iterations."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from heddle.errors import KernelError, Place
from heddle.ir import nodes as ir
from heddle.ir import source
from heddle.ir.build import integer
from heddle.ir.functions import OPERATORS
from heddle.ir.visit import walk
from heddle.lift.cuda.thread_index import ThreadIndex, distributed, resolved, without_casts
from heddle.lift.lifted import refuse
from heddle.lift.polynomial import number_of

if TYPE_CHECKING:
    from heddle.lift.expressions import ExpressionLifter

Kind = Literal["serial", "omp", "omp simd", "simd", "thread"]
_REDUCTIONS = {"+": "sum", "min": "min", "max": "max"}
_MIRRORED = {"lt": "gt", "gt": "lt", "le": "ge", "ge": "le", "ne": "ne"}
_LONGEST = 64
_CANONICAL = (
    "write it as `for (i = begin; i < end; ++i)`, with `<`, `<=`, `>`, `>=` or `!=` and a constant step"
)


@dataclass(frozen=True)
class Header:
    """`counter` runs from `begin` in steps of `step` as long as it has not reached `end`. declared: the loop
    declares the counter itself. shared: its iterations are dealt out to the threads of a CUDA grid."""

    counter: ir.Symbol
    begin: ir.Expression
    end: ir.Expression
    step: int
    declared: bool
    assumptions: tuple[str, ...] = ()
    shared: bool = False

    @staticmethod
    def of(loop: source.For, lifter: ExpressionLifter) -> Header:
        """Read the header of a loop, or refuse."""
        place = loop.place
        if len(loop.start) != 1 or len(loop.step) != 1 or loop.condition is None:
            raise refuse(
                place,
                "The loop does not have exactly one counter with a start, a condition and a step.",
                _CANONICAL,
            )
        counter, first, declared = _start(loop.start[0], lifter)
        number = _distributed(first, loop.step[0], counter, lifter)
        step = 1 if number else _step(loop.step[0], counter, loop, lifter)
        relation, bound = _relation(loop.condition, counter, loop)
        begin = _typed(number.begin if number else lifter.value(first), counter)
        end = _typed(lifter.value(bound), counter)
        assumptions: tuple[str, ...] = _of_launch(number, place, lifter) if number else ()
        upwards = step > 0
        if relation == "ne":
            if abs(step) != 1 or number:
                raise refuse(
                    place,
                    f"With a step of {step}, the counter may never equal the bound of `!=`.",
                    _CANONICAL,
                )
            assumptions = (f"{place}: the loop over '{counter.name}' does not begin beyond its end",)
        elif (relation in ("lt", "le")) != upwards:
            raise refuse(
                place, "The condition of the loop does not fit the direction of its step.", _CANONICAL
            )
        if relation in ("le", "ge"):
            end = _beside(end, 1 if upwards else -1)
        return Header(counter, begin, end, step, declared, assumptions, number is not None)


def bounded(loop: source.For) -> tuple[source.For, ir.Expression | None]:
    """A loop of rounds, `for (i = 0; i < most && condition; ++i)`, as the loop over all rounds and the
    condition; None for other loops."""
    match loop.condition:
        case ir.Op("and", (bound, condition)):
            return dataclasses.replace(loop, condition=bound), condition
    return loop, None


def rounds(
    loop: source.For,
    header: Header,
    workers: Workers,
    condition: ir.Expression,
    body: tuple[ir.Statement, ...],
) -> ir.While:
    """A loop that ends when a condition no longer holds, or after a number of rounds. Where neither the
    condition nor the body knows the number of the round, a round that is left out changes nothing."""
    plain = (header.begin, header.step, workers.kind, header.shared) == (integer(0), 1, "serial", False)
    if not (plain and isinstance(header.end, ir.Const) and header.declared):
        raise refuse(
            loop.place,
            "A loop with a second condition does not count its rounds from zero to a constant.",
            "write it as `for (int i = 0; i < 100 && condition; ++i)`",
        )
    if any(node == header.counter for node in walk((ir.If(condition, body),))):
        raise refuse(
            loop.place,
            f"A loop with a second condition uses its counter '{header.counter.name}'.",
            "count in a variable of its own",
        )
    return ir.While(header.counter, int(header.end.value), condition, (), (), body, (), loop.place)


def _start(start: ir.Statement, lifter: ExpressionLifter) -> tuple[ir.Symbol, ir.Expression, bool]:
    match start:
        case source.Declaration(symbol, value) if value is not None and isinstance(symbol.type, ir.Scalar):
            if symbol.type.kind in "iu":
                return symbol, value, True
        case source.Assignment(ir.Symbol() as symbol, value, updates=False):
            if isinstance(symbol.type, ir.Scalar) and symbol.type.kind in "iu":
                return symbol, value, False
    raise refuse(
        lifter.place, "The loop does not start with the initialisation of an integer counter.", _CANONICAL
    )


def _distributed(
    first: ir.Expression, step: ir.Statement, counter: ir.Symbol, lifter: ExpressionLifter
) -> ThreadIndex | None:
    """The number of a thread, if the loop begins at it and steps by the number of threads: then all threads
    together take each iteration once."""
    if not isinstance(step, source.Assignment) or step.target is not counter:
        return None
    changed = without_casts(step.value)
    if not (isinstance(changed, ir.Op) and changed.name == "add"):
        return None
    if counter not in (own := [without_casts(argument) for argument in changed.args]):
        return None
    try:
        number = ThreadIndex.anywhere(resolved(lifter.value(first), lifter.values))
        stride = resolved(lifter.value(changed.args[1 - own.index(counter)]), lifter.values)
    except KernelError:
        return None
    return distributed(number, stride) if number is not None else None


def _of_launch(number: ThreadIndex, place: Place, lifter: ExpressionLifter) -> tuple[str, ...]:
    """What such a loop relies on."""
    notes: list[str] = []
    if not number.grid:
        notes.append(f"{place}: the kernel is launched with one block")
    elif not number.wide:
        notes.append(f"{place}: the number of the thread along {number.axis} fits into 32 bits")
    if number.block is not None and not lifter.block_size:
        notes.append(f"{place}: a block has {number.block} threads along {number.axis}")
    return tuple(notes)


def geometric(loop: source.For, lifter: ExpressionLifter) -> tuple[ir.Symbol, list[int]] | None:
    """The counter of a loop that is multiplied or divided from step to step, and its values, where they are
    known."""
    if len(loop.start) != 1 or len(loop.step) != 1 or loop.condition is None:
        return None
    step = loop.step[0]
    if not isinstance(step, source.Assignment):
        return None
    change = without_casts(step.value)
    if not (isinstance(change, ir.Op) and change.name in ("mul", "div", "shl", "shr")):
        return None
    if without_casts(change.args[0]) is not step.target or not isinstance(
        by := without_casts(change.args[1]), ir.Const
    ):
        return None
    counter, first, _ = _start(loop.start[0], lifter)
    if counter is not step.target:
        return None
    relation, bound = _relation(loop.condition, counter, loop)
    value, end = number_of(lifter.value(first)), number_of(lifter.value(bound))
    if value is None or end is None:
        return None
    values: list[int] = []
    while OPERATORS[relation].meaning(value, end):
        values.append(value)
        value = int(OPERATORS[change.name].meaning(value, by.value))
        if len(values) > _LONGEST or value == values[-1]:
            raise refuse(loop.place, f"The loop over '{counter.name}' may not terminate.", _CANONICAL)
    return counter, values


def _step(step: ir.Statement, counter: ir.Symbol, loop: source.For, lifter: ExpressionLifter) -> int:
    """The constant that the counter changes by."""
    match step:
        case source.Assignment(ir.Symbol(name), ir.Op("add" | "sub" as sign, (left, right))) if (
            name == counter.name
        ):
            left, right = without_casts(left), without_casts(right)
            if sign == "add" and not (isinstance(left, ir.Symbol) and left.name == name):
                left, right = right, left
            if isinstance(left, ir.Symbol) and left.name == name:
                size = number_of(lifter.value(right))
                if size:
                    return size if sign == "add" else -size
        case source.Assignment(ir.Symbol(name), ir.Cast(ir.Op() as inner)) if name == counter.name:
            return _step(source.Assignment(counter, inner), counter, loop, lifter)
    raise refuse(loop.place, "The loop's counter does not change by a constant step.", _CANONICAL)


def _relation(condition: ir.Expression, counter: ir.Symbol, loop: source.For) -> tuple[str, ir.Expression]:
    """How the counter compares with which bound while the loop runs."""
    if isinstance(condition, ir.Op) and condition.name in _MIRRORED:
        left, right = condition.args
        if without_casts(left) == counter:
            return condition.name, right
        if without_casts(right) == counter:
            return _MIRRORED[condition.name], left
    raise refuse(
        loop.place, f"The loop's condition does not compare '{counter.name}' with a bound.", _CANONICAL
    )


def _typed(bound: ir.Expression, counter: ir.Symbol) -> ir.Expression:
    """A literal bound is a 64-bit integer, as those of kernels are."""
    if isinstance(bound, ir.Const) and isinstance(bound.value, int):
        return integer(bound.value)
    return bound


def _beside(end: ir.Expression, by: int) -> ir.Expression:
    """The first value beyond an inclusive bound."""
    if isinstance(end, ir.Const):
        return integer(int(end.value) + by)
    one = ir.Const(1, end.type)
    if isinstance(end, ir.Op) and end.name == ("sub" if by > 0 else "add") and end.args[1] == one:
        return end.args[0]
    return ir.Op("add" if by > 0 else "sub", (end, one), end.type)


@dataclass(frozen=True)
class Workers:
    """Who runs the iterations, by the OpenMP pragmas before a loop. depth: of the nested loops they share."""

    kind: Kind
    depth: int
    reductions: tuple[tuple[str, ir.Symbol], ...]

    @staticmethod
    def of(loop: source.For, variables: Mapping[str, ir.Symbol]) -> Workers:
        """Read the pragmas. variables: the numbers that the loop can see."""
        words = " ".join(line.removeprefix("omp").strip() for line in loop.pragma.splitlines())
        names = re.sub(r"\([^)]*\)", " ", words).split()
        kind: Kind = "omp" if "for" in names else "serial"
        if "simd" in names:
            kind = "omp simd" if kind == "omp" else "simd"
        depth = re.search(r"\bcollapse *\( *(\d+) *\)", words)
        reductions: list[tuple[str, ir.Symbol]] = []
        for operation, listed in re.findall(r"\breduction *\( *([+\w]+) *: *([^)]*)\)", words):
            for name in (entry.strip() for entry in listed.split(",")):
                if operation not in _REDUCTIONS or name not in variables:
                    raise refuse(loop.place, f"The reduction '{operation} : {name}' is not supported.")
                reductions.append((_REDUCTIONS[operation], variables[name]))
        return Workers(kind, int(depth[1]) if depth else 1, tuple(reductions))


def collapsed(body: tuple[ir.Statement, ...], depth: int) -> tuple[ir.Statement, ...]:
    """The loops of a `collapse` clause all run on the threads."""
    if depth < 1 or len(body) != 1 or not isinstance(body[0], ir.Loop):
        return body
    inner = body[0]
    return (dataclasses.replace(inner, kind="omp", body=collapsed(inner.body, depth - 1)),)
