# SPDX-License-Identifier: Apache-2.0
"""What the threads of a block combine, in shared memory or by shuffles, and add to a result by an atomic
operation: a reduction over all threads.

before   s[t] = a[i]; barrier; if t < 2 { s[t] += s[t + 2] } barrier; if t < 1 { s[t] += s[t + 1] } barrier;
         if t == 0 { atomic sum out[0] with s[0] }
after    out_result = out_result + a[i]; behind all threads: out[0] = out_result

The steps are run for a whole block on what each value was combined from (`lock_step`): in the end the value
of each thread must be in the result, in a sum exactly once.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from dataclasses import dataclass

from heddle.errors import Place
from heddle.ir import nodes as ir
from heddle.ir.build import integer
from heddle.ir.loops import is_over_threads
from heddle.ir.visit import walk
from heddle.lift.cuda.simt_execution import HINT, SimtExecution
from heddle.lift.cuda.thread_state import Block
from heddle.lift.device_calls import Atomic, Operation, Shuffle, is_barrier, shared_arrays
from heddle.lift.lifted import refuse
from heddle.lift.reductions import collecting

Body = tuple[ir.Statement, ...]


@dataclass(frozen=True)
class Reduction:
    """What is left: statements of each thread, and those behind all threads."""

    inside: Body
    behind: Body
    assumptions: tuple[str, ...]


def without_block_reduction(
    body: Sequence[ir.Statement], block: Block, place: Place, alone: bool
) -> Reduction:
    """A kernel's body in which each thread adds its own value to the result. alone: there is one block.

    Raises KernelError where threads do anything else together.
    """
    machine = SimtExecution(body, block, place, alone)
    shared = shared_arrays(body)
    first = next((at for at, s in enumerate(body) if _together(s, shared)), len(body))
    own = tuple(s for s in body[:first] if not isinstance(s, ir.Local))
    for statement in own:
        if isinstance(statement, ir.Let):
            for thread in machine.threads:
                thread.declare(statement.symbol, statement.value)
        elif isinstance(statement, ir.Var):
            for thread in machine.threads:
                thread.forget(statement.symbol)
    machine.run(body[first:], machine.everyone)
    if machine.result is None or machine.own is None:
        raise refuse(place, "The threads of a block share memory but combine no result.", HINT)
    _check(machine, place)
    _only_combined(body, machine.result[0].pointer, place, int(alone))
    return _each_thread(own, machine, place)


def with_direct_atomics(body: Sequence[ir.Statement], place: Place) -> Reduction:
    """A kernel's body in which threads combine nothing but what they add to results themselves."""
    results: dict[str, tuple[ir.Load, ir.Symbol, Operation]] = {}

    def changed(inner: Sequence[ir.Statement]) -> Body:
        new: list[ir.Statement] = []
        for statement in inner:
            if isinstance(statement, (ir.If, ir.Loop)):
                statement = dataclasses.replace(statement, body=changed(statement.body))
            if isinstance(statement, Atomic):
                statement = added(statement)
            new.append(statement)
        return tuple(new)

    def added(atomic: Atomic) -> ir.Statement:
        target, operation = atomic.target, atomic.operation
        name = target.pointer.name
        if target.index is not integer(0):
            raise refuse(
                atomic.place,
                f"Threads combine values into elements of '{name}' chosen at run time, as a histogram or "
                "a scatter does.",
                "rewrite the loop so that each cell gathers what it needs",
            )
        _, symbol, before = results.setdefault(name, (target, _result(target), operation))
        if before != operation:
            raise refuse(atomic.place, f"'{name}' is combined with two different operations.", HINT)
        return ir.Assign(symbol, _combination(operation, symbol, atomic.value))

    inside = changed(body)
    for target, *_ in results.values():
        _only_combined(body, target.pointer, place)
    starts = [(target, symbol, _neutral(operation, symbol)) for target, symbol, operation in results.values()]
    return Reduction(
        (*(ir.Var(symbol, start) for _, symbol, start in starts), *inside),
        tuple(ir.Store(target, symbol) for target, symbol, _ in starts),
        tuple(_begins(target, start) for target, _, start in starts),
    )


def _together(statement: ir.Statement, shared: dict[ir.Symbol, int]) -> bool:
    """Whether a statement concerns other threads."""
    return any(
        isinstance(n, (Shuffle, Atomic))
        or (isinstance(n, ir.Load) and n.pointer in shared)
        or (isinstance(n, ir.Statement) and is_barrier(n))
        for n in walk(statement)
    )


def _only_combined(body: Sequence[ir.Statement], result: ir.Symbol, place: Place, stores: int = 0) -> None:
    """A result that threads combine must not be read by them, nor stored to but by so many stores."""
    touched = sum(isinstance(n, ir.Load) and n.pointer is result for n in walk(body))
    combined = sum(isinstance(n, Atomic) and n.target.pointer is result for n in walk(body))
    if touched > combined + stores:
        raise refuse(
            place, f"'{result.name}' is combined by atomic operations, but also accessed without them.", HINT
        )


def _check(machine: SimtExecution, place: Place) -> None:
    """Each thread's value is in the result, in a sum once."""
    assert machine.result is not None
    target, total = machine.result
    count = dict(total.threads)
    operation = machine.operation or "sum"
    for at in range(len(machine.threads)):
        times = count.get(at, 0)
        if times == 0 or (operation == "sum" and times > 1):
            how = "is missing from" if times == 0 else f"is included {times} times in"
            raise refuse(place, f"The value of thread {at} of a block {how} '{target.pointer.name}'.", HINT)
    if operation == "sum" and any(total.numbers):
        raise refuse(place, f"Each block adds a constant to '{target.pointer.name}'.", HINT)


def _each_thread(own: Body, machine: SimtExecution, place: Place) -> Reduction:
    """The statements of a thread, with its value added to the result, and what is behind all threads."""
    assert machine.result is not None
    assert machine.own is not None
    target, total = machine.result
    value, operation = machine.own, machine.operation or "sum"
    symbol = _result(target)
    at, start = _variable(own, value)
    counted = total.numbers if operation != "sum" else ()
    numbers = {number for number in counted if not math.isinf(number)}
    if at is not None and isinstance(value, ir.Symbol):
        if any(map(is_over_threads, own[at:])):  # the threads share a loop, in which each collects its part
            if start is None or collecting(own[at + 1 :], value) != operation:
                raise refuse(place, f"'{value.name}' is not a {operation} over the preceding loop.", HINT)
            _same_start(operation, start, numbers, place)
            return Reduction(own, (ir.Store(target, value),), _assumed(machine, target, start))
        body, condition = own[at + 1 :], None
        if body and isinstance(body[-1], ir.If) and all(isinstance(s, ir.Let) for s in body[:-1]):
            condition = body[-1]
        if start is not None and condition is not None:
            _same_start(operation, start, numbers, place)
            add = ir.Assign(symbol, _combination(operation, symbol, value))
            guarded = dataclasses.replace(condition, body=(own[at], *condition.body, add))
            inside = (ir.Var(symbol, start), *own[:at], *body[:-1], guarded)
            return Reduction(inside, (ir.Store(target, symbol),), _assumed(machine, target, start))
    lets = {s.symbol: s.value for s in own if isinstance(s, ir.Let)}
    meant = lets.get(value, value) if isinstance(value, ir.Symbol) else value
    if isinstance(meant, ir.Select) and isinstance(meant.no, ir.Const):
        _same_start(operation, meant.no, numbers, place)
        add = ir.Assign(symbol, _combination(operation, symbol, meant.yes))
        kept = tuple(s for s in own if not (isinstance(s, ir.Let) and s.symbol is value))
        inside = (ir.Var(symbol, meant.no), *kept, ir.If(meant.condition, (add,), place=place))
        return Reduction(inside, (ir.Store(target, symbol),), _assumed(machine, target, meant.no))
    neutral = _neutral(operation, symbol)
    _same_start(operation, neutral, numbers, place)
    inside = (ir.Var(symbol, neutral), *own, ir.Assign(symbol, _combination(operation, symbol, value)))
    return Reduction(inside, (ir.Store(target, symbol),), _assumed(machine, target, neutral))


def _variable(own: Body, value: ir.Expression) -> tuple[int | None, ir.Const | None]:
    """Where the variable that threads combine is declared, and the number that it begins with."""
    for at, statement in enumerate(own):
        if isinstance(statement, ir.Var) and statement.symbol is value:
            return at, statement.value if isinstance(statement.value, ir.Const) else None
    return None, None


def _same_start(operation: Operation, start: ir.Const, numbers: set[float], place: Place) -> None:
    """What threads without a cell contribute must change nothing."""
    if operation == "sum" and start.value != 0:
        raise refuse(place, f"Threads without a cell contribute {start.value} instead of 0.", HINT)
    if numbers - {float(start.value)}:
        raise refuse(place, f"The constants {sorted(numbers)} are combined with the threads' values.", HINT)


def _result(target: ir.Load) -> ir.Symbol:
    return ir.Symbol(f"{target.pointer.name}_result", target.type)


def _neutral(operation: Operation, symbol: ir.Symbol) -> ir.Const:
    kind = symbol.type
    assert isinstance(kind, ir.Scalar)
    if operation == "sum":
        return ir.Const(0.0 if kind.is_float else 0, kind)
    if kind.is_float:
        return ir.Const(-math.inf if operation == "max" else math.inf, kind)
    ends = (
        (0, (1 << kind.bits) - 1) if kind.kind == "u" else (-(1 << kind.bits - 1), (1 << kind.bits - 1) - 1)
    )
    return ir.Const(ends[operation == "min"], kind)


def _combination(operation: Operation, symbol: ir.Symbol, value: ir.Expression) -> ir.Expression:
    if operation == "sum":
        return ir.Op("add", (symbol, value), symbol.type)  # type: ignore[arg-type]
    return ir.Call(operation, (value, symbol), symbol.type)  # type: ignore[arg-type]


def _begins(target: ir.Load, start: ir.Const) -> str:
    return f"'{target.pointer.name}' holds {start.value} before the launch"


def _assumed(machine: SimtExecution, target: ir.Load, start: ir.Const) -> tuple[str, ...]:
    return () if machine.alone else (_begins(target, start),)
