# SPDX-License-Identifier: Apache-2.0
"""WSM3 and WSM5 in three kernels: the bits of one."""

from __future__ import annotations

import numpy as np
import pytest
from columns_of import interpreted
from heddle import Module, Schedule
from heddle.ir import nodes as ir
from heddle.ir.visit import statements
from wsm_cases import CASES, Case

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
