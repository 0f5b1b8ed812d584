# SPDX-License-Identifier: Apache-2.0
"""WSM3 and WSM5 in three kernels: the bits of one."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import pytest
import sympy
from columns_of import interpreted
from heddle import Assignment, Module, Scan, Schedule, fields
from heddle.ir import nodes as ir
from heddle.ir.visit import statements
from wsm_cases import CASES, WSM5, Case

PARTS = ("speeds", "falls", "changes")
both = pytest.mark.parametrize("case", CASES, ids=[case.name for case in CASES])


@both
@pytest.mark.parametrize(("precision", "warmth", "columns"), [("f64", 290.0, 10), ("f32", 262.0, 40)])
def test_three_kernels_have_the_bits_of_one(case: Case, precision: str, warmth: float, columns: int) -> None:
    """In single precision so many that another order of the operands of a rate shows in one of them."""
    air = case.cloudy(warmth, columns)
    wanted = interpreted(case.mended, air, {"dt": 100.0}, precision)
    found = dict(air)
    for module in in_parts(case):
        scalars = {} if next(iter(module.kernels)) == "speeds" else {"dt": 100.0}
        found |= interpreted(module, found, scalars, precision)
    for field in (*case.fields, "rain", "snow", "sr"):
        assert np.array_equal(found[field], wanted[field]), field
    assert np.max(wanted["rain"] - air["rain"].astype(wanted["rain"].dtype)) > 1e-3
    for name in case.condensed:
        assert np.max(np.abs(wanted[name] - air[name])) > 1e-6, name


def test_ice_and_snow_may_be_components() -> None:
    """Of one field that a kernel names before the density of air, as in examples/column_physics."""
    frozen, snow_above = fields("frozen: real(2)[3D]; snow_above: real[xy]")
    depth = sympy.Symbol("depth")
    case = replace(WSM5, scheme=partial(WSM5.scheme, qi=frozen.component(0), qs=frozen.component(1)))
    sum_first = Scan(2, {depth: 0}, [], {depth: depth + frozen.component(1)})
    whole = Module("wsm5", precisions=("f64", "f32"))
    first = [sum_first, Assignment(snow_above.here, depth), *case.scheme().step()]
    whole.add("step", first, schedule=Schedule(math="reproducible"))
    wanted = values_of(whole)
    speeds = values_of(in_parts(case)[0])
    for name in ("N_snow", "r_rain", "rb_rain", "r_snow", "rb_snow"):
        assert speeds[name] <= wanted[name], name


def values_of(module: Module) -> dict[str, set[Any]]:
    """What names of the only kernel of a module stand for; some are given in several places."""
    (name,) = module.kernels
    found: dict[str, set[Any]] = {}
    for statement in statements(module.stages(name, "f32", "reference").kernel.body):
        if isinstance(statement, ir.Let):
            found.setdefault(statement.symbol.name, set()).add(rounded_alike(statement.value))
    return found


def rounded_alike(node: Any) -> Any:
    """A form that is the same for expressions of the same bits: of two operands the order does not count."""
    if isinstance(node, ir.Op):
        operands = tuple(map(rounded_alike, node.args))
        swaps = node.name in ("add", "mul") and len(operands) == 2
        return node.name, frozenset(operands) if swaps else operands
    if isinstance(node, ir.Select):
        return tuple(map(rounded_alike, (node.condition, node.yes, node.no)))
    return node


@both
def test_cells_of_two_of_them_do_not_wait_for_each_other(case: Case) -> None:
    """Only what falls goes through columns, and no kernel takes what only substeps need."""
    for module in in_parts(case):
        (name,) = module.kernels
        kernel = module.stages(name, "f64", "cuda").kernel
        assert any(isinstance(s, ir.Scan) for s in statements(kernel.body)) == (name == "falls")
        assert not {"cpm_kept", "latent_kept"} & {field.name for field in kernel.fields}


def in_parts(case: Case) -> list[Module]:
    parts = case.scheme().parts()
    modules = []
    for name in PARTS:
        module = Module(f"{case.name}_{name}", precisions=("f64", "f32"))
        module.add(name, getattr(parts, name), schedule=Schedule(math="reproducible"))
        modules.append(module)
    return modules
