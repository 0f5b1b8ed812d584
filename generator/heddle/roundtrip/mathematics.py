# SPDX-License-Identifier: Apache-2.0
"""The functions of heddle/device/math.hpp that a kernel calls, read back, against their definitions."""

from __future__ import annotations

from collections.abc import Sequence

from heddle.ir import nodes as ir
from heddle.ir import source
from heddle.ir.functions import FUNCTIONS
from heddle.ir.visit import distinct
from heddle.lift.kernels import lifted
from heddle.roundtrip.canonical import canonical
from heddle.roundtrip.kernel import DifferenceError, assumed_nothing, same_bodies, same_parameters


def same_functions(unit: source.Unit, body: Sequence[ir.Statement]) -> None:
    """Raises DifferenceError where a function that statements call is not what its definition says."""
    called = {(node.name, node.type): None for node in distinct(body) if isinstance(node, ir.Call)}
    for name, real in called:
        if FUNCTIONS[name].definition:
            assert real is not None
            same_function(unit, name, real)


def same_function(unit: source.Unit, name: str, real: ir.Scalar) -> None:
    """One of them, for one type of numbers."""
    row = FUNCTIONS[name]
    assert row.definition is not None
    definition = row.definition(real)
    parameters = [source.FunctionParameter(parameter) for parameter in definition.parameters]
    found = [f for f in unit.functions if f.name == row.spelling and f.result == real]
    if len(found) != 1:
        raise DifferenceError(f"expected exactly one function {row.spelling} of type {real}")
    function = lifted(unit, found[0].key)
    result = ir.Symbol("result", ir.Pointer(real))
    returned = ir.Store(ir.Load(result, ir.Const(0, ir.I64)), definition.result)
    try:
        same_parameters(function.parameters, parameters)
        same_bodies(canonical(function.body), canonical((*definition.body, returned)))
        assumed_nothing(function)
    except DifferenceError as error:
        raise DifferenceError(f"in {row.spelling} of type {real}, {error}") from error
