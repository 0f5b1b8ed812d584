# SPDX-License-Identifier: Apache-2.0
"""What each level of the kernel language may contain. A pass that breaks a rule is caught where it
happens."""

from __future__ import annotations

from heddle.ir import nodes as ir
from heddle.ir.device_calls import fault
from heddle.ir.functions import FUNCTIONS, OPERATORS
from heddle.ir.layout import LAYOUTS
from heddle.ir.space import Dense, Link, PackRegions, Sparse
from heddle.ir.visit import distinct, nodes_of, statements

_EVERYWHERE: set[type] = {
    ir.Scalar, ir.Pointer, ir.Field, ir.Const, ir.Symbol, ir.Op, ir.Call, ir.Select, ir.Cast, ir.Let,
    ir.Store, ir.If, ir.While, ir.Comment, ir.Kernel, Dense, Sparse, PackRegions, Link, *LAYOUTS,
}  # fmt: skip
_MODEL: set[type] = {ir.Access, ir.IsWallLink, ir.Gather, ir.Reduce, ir.Scan}

VOCABULARIES: dict[str, set[type]] = {
    "symbolic": _EVERYWHERE | _MODEL,
    "scheduled": _EVERYWHERE | _MODEL | {ir.Loop, ir.DeviceCall},
    "lowered": _EVERYWHERE | {ir.Loop, ir.Var, ir.Assign, ir.Local, ir.Load, ir.View, ir.DeviceCall},
}


class VerificationError(Exception):
    """A kernel breaks the rules of its level: a fault of Heddle, not of the model."""


def verify(kernel: ir.Kernel, level: str) -> ir.Kernel:
    """Check the vocabulary, the types and the single definition of names; returns the kernel."""
    allowed = VOCABULARIES[level]
    nodes = nodes_of(kernel)
    for node in (*nodes, *distinct(part for part in kernel.children if not isinstance(part, ir.Statement))):
        if type(node) not in allowed:
            raise VerificationError(
                f"{kernel.name}: {type(node).__name__} does not belong to a {level} kernel"
            )
    for statement in statements(kernel.body):
        if (
            isinstance(statement, ir.Store)
            and isinstance(statement.target, ir.Gather)
            and not (kernel.space.packs or statement.target.in_column or statement.target.of_row)
        ):
            raise VerificationError(f"{kernel.name}: stores at a computed position")
        wrong = fault(statement) if isinstance(statement, ir.DeviceCall) else ""
        if wrong:
            raise VerificationError(f"{kernel.name}: calls {wrong}")
    for node in nodes:
        if isinstance(node, ir.Expression):
            _check_type(kernel, node)
    _check_names(kernel.body, {symbol.name for symbol in kernel.parameters}, kernel.name)
    return kernel


def _check_type(kernel: ir.Kernel, expression: ir.Expression) -> None:
    def fail(reason: str) -> None:
        raise VerificationError(f"{kernel.name}: {reason} in {expression}")

    if expression.type is None:
        fail("no type")
    match expression:
        case ir.Op(name, args, scalar):
            if name not in OPERATORS:
                fail("unknown operator")
            if name not in ("shl", "shr") and len({argument.type for argument in args}) != 1:
                fail("operands of different types")
            if OPERATORS[name].result != "bool" and scalar != args[0].type:
                fail("result type differs from the operands'")
        case ir.Call(name, args):
            if name not in FUNCTIONS or len(args) != FUNCTIONS[name].arguments:
                fail("unknown function or wrong number of arguments")
            arrays = FUNCTIONS[name].arrays
            if arrays == 0 and len({argument.type for argument in args}) != 1:
                fail("arguments of different types")
            if not all(isinstance(argument.type, ir.Pointer) for argument in args[:arrays]):
                fail("a number where an array belongs")
        case ir.Select(condition, yes, no):
            if condition.type != ir.BOOL or yes.type != no.type:
                fail("a select needs a bool and two values of one type")


def _check_names(body: tuple[ir.Statement, ...], outer: set[str], kernel: str) -> None:
    """No name is defined twice in one scope."""
    names = set(outer)
    for statement in body:
        for symbol in _defined(statement):
            if symbol.name in names:
                raise VerificationError(f"{kernel}: '{symbol.name}' is defined twice")
            names.add(symbol.name)
        inner = getattr(statement, "body", None)
        if inner:
            counter = {statement.counter.name} if isinstance(statement, (ir.Loop, ir.While)) else set()
            carried = {symbol.name for symbol in getattr(statement, "carried", ())}
            _check_names(inner, names | counter | carried, kernel)


def _defined(statement: ir.Statement) -> tuple[ir.Symbol, ...]:
    if isinstance(statement, (ir.Let, ir.Var, ir.Local)):
        return (statement.symbol,)
    if isinstance(statement, ir.DeviceCall) and statement.result:
        return (statement.result,)
    return ()
