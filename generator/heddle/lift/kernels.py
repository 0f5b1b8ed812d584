# SPDX-License-Identifier: Apache-2.0
"""A function of a record as a kernel in the lowered vocabulary."""

from __future__ import annotations

from heddle.errors import Place
from heddle.ir import nodes as ir
from heddle.ir import source
from heddle.ir.functions import OPERATORS
from heddle.ir.visit import walk
from heddle.lift.cuda.blocks import lifted_kernel
from heddle.lift.lifted import Lifted, refuse
from heddle.lift.statements import StatementLifter

UNARY = 15
"""The precedence of the operators with one operand."""


def lifted(unit: source.Unit, name: str) -> Lifted:
    """The function of a unit by its name or its key.

    Raises KernelError, with file and line, where the source does what is not part of the kernel language, and
    where no function or more than one has the name.
    """
    return lifted_function(unit, find(unit, name))


def lifted_function(unit: source.Unit, function: source.Function) -> Lifted:
    """The same for a function that need not be one of the unit, but calls those of it."""
    _check_operators(unit)
    if function.kind == "kernel":
        body, assumptions = lifted_kernel(unit, function)
    else:
        lifter = StatementLifter(unit)
        body, assumptions = lifter.function(function), lifter.assumptions
    return Lifted(
        function.name,
        function.key,
        function.parameters,
        body,
        function.kind == "kernel",
        function.place,
        tuple(dict.fromkeys(assumptions)),
        function.launch_bounds,
    )


def _check_operators(unit: source.Unit) -> None:
    """A record may come from elsewhere: each operator has its number of operands."""
    for function in unit.functions:
        for node in walk(function.body):
            if isinstance(node, ir.Op) and node.name in OPERATORS:
                wanted = 1 if OPERATORS[node.name].precedence == UNARY else 2
                if len(node.args) != wanted:
                    raise refuse(
                        function.place,
                        f"The operator '{node.name}' has {len(node.args)} operands in the record.",
                        "read the file again with heddle-lift",
                    )


def find(unit: source.Unit, name: str) -> source.Function:
    """The one function of the file, or kernel of its includes, with a name, without its namespaces, or any
    one that has this key."""
    own = [f for f in unit.functions if f.main or f.kind == "kernel"]
    found = (
        [f for f in unit.functions if name == f.key]
        or [f for f in own if name == f.name]
        or [f for f in own if f.name.rsplit("::", 1)[-1] == name]
    )
    if len(found) == 1:
        return found[0]
    if not found:
        names = ", ".join(sorted({f.name for f in own})) or "none with a body"
        raise refuse(Place(unit.file, 0), f"There is no function '{name}'.", f"the file defines: {names}")
    raise refuse(
        Place(unit.file, 0),
        f"'{name}' matches {len(found)} functions.",
        "choose one of: " + ", ".join(f.key for f in found),
    )
