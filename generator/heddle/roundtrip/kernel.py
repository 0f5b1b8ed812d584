# SPDX-License-Identifier: Apache-2.0
"""A kernel function, read back, against the kernel it was printed from."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from heddle.emit.signature import Argument
from heddle.ir import nodes as ir
from heddle.ir import source
from heddle.ir.text import lines
from heddle.ir.visit import expressions, walk
from heddle.lift.lifted import Lifted
from heddle.roundtrip.canonical import Body, canonical

POINTED = ("array", "entries", "table", "chunks", "output", "work")
"""Roles of arguments that no other argument points into: `__restrict__`."""


class DifferenceError(Exception):
    """What the text does is not what was lowered."""


class Form(Protocol):
    """A form that two bodies take before they are compared, and what the lowered one is before that."""

    def plain(self, body: Body) -> Body: ...

    def normal(self, body: Body) -> Body: ...


def same_host_kernel(
    found: Lifted, lowered: ir.Kernel, arguments: Sequence[Argument], unit: bool, form: Form | None = None
) -> None:
    """A C++ kernel function; raises DifferenceError."""
    expected = canonical(form.plain(lowered.body) if form else lowered.body, unit)
    names = used_names(lowered.body)
    reports = any(isinstance(node, ir.Call) and node.name == "within" for node in walk(lowered.body))
    parameters = [parameter(argument) for argument in arguments if argument.name in names]
    if reports:
        parameters.append(source.FunctionParameter(ir.Symbol("status", ir.I32), False, True))
    same_parameters(found.parameters, parameters)
    read = canonical(found.body)
    if form is not None:
        read, expected = form.normal(read), form.normal(expected)
    same_bodies(read, expected)
    assumed_nothing(found)


def used_names(body: Sequence[ir.Statement]) -> set[str]:
    """Every name that statements mention."""
    names = {node.name for node in expressions(body) if isinstance(node, ir.Symbol)}
    return names | {node.pointer.name for node in walk(body) if isinstance(node, (ir.Load, ir.View))}


def parameter(argument: Argument) -> source.FunctionParameter:
    """An argument of the entry as a kernel function declares it; halves are their bits."""
    kind = canonical((ir.Let(ir.Symbol("_", argument.kind), ir.Const(0, ir.I64)),))[0].symbol.type  # type: ignore[attr-defined]
    return source.FunctionParameter(ir.Symbol(argument.name, kind), argument.role in POINTED)


def same_parameters(
    found: Sequence[source.FunctionParameter], expected: Sequence[source.FunctionParameter]
) -> None:
    """Raises DifferenceError where names, types or `__restrict__` differ."""
    if tuple(found) != tuple(expected):
        texts = [
            ", ".join(f"{p.symbol.type}{' restrict' if p.restrict else ''} {p.symbol.name}" for p in which)
            for which in (found, expected)
        ]
        raise DifferenceError(f"its parameters are ({texts[0]}), not ({texts[1]})")


def same_bodies(found: Body, expected: Body) -> None:
    """Raises DifferenceError at the first line that differs."""
    if found == expected:
        return
    have, want = list(lines(found)), list(lines(expected))
    for one, other in zip([*have, "nothing"], [*want, "nothing"], strict=False):
        if one != other:
            raise DifferenceError(
                f"it says\n      {one.strip()}\n    where the kernel has\n      {other.strip()}"
            )
    raise DifferenceError("the types of its values differ: " + _types(found, expected))


def _types(found: Body, expected: Body) -> str:
    pairs = zip(expressions(found), expressions(expected), strict=False)
    return next((f"{a} where the kernel has {b}" for a, b in pairs if a is not b and a.type != b.type), "")


def assumed_nothing(found: Lifted) -> None:
    if found.assumptions:
        raise DifferenceError("it relies on an assumption: " + found.assumptions[0])
