# SPDX-License-Identifier: Apache-2.0
"""Rows(adjacent_components=True): components lie so many elements apart, which compilers know. And sums of
many fused operations, which are emitted in parts."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
import sympy
from heddle import Assignment, KernelError, Module, Rows, Schedule, fields, load
from heddle.build import files, write
from heddle.model.equations import add, multiply
from heddle.passes.select_functions import MOST_NESTED
from heddle.roundtrip.report import proved

many, one = fields("many: real(9)[2D]; one: real[2D]", ghost_layers=0)
TERMS = [multiply(many.component(c), many.component(c)) for c in range(9)]


def module(schedule: Schedule) -> Module:
    made = Module("adjacent", precisions=("f64",))
    made.add("total", [Assignment(one.here, add(*TERMS))], schedule=schedule)
    return made


TARGETS = ("reference", "cpu", "cuda")
ADJACENT = Schedule(cpu=Rows(fixed_nx=4, adjacent_components=True), fma=True)


def test_components_lie_at_known_distances(tmp_path: Path) -> None:
    text = files(module(ADJACENT), ["cpu"])["adjacent/total.cpp"]
    assert "many_here + 32" in text
    assert "many_sq" not in text
    assert "many_stride[2] != 4" in text
    assert "one_stride[2]" not in text, "it has no components"
    made = module(ADJACENT)
    made.model = Path("model.py")
    write(files(made, TARGETS), tmp_path)
    assert [verdict.problem for verdict in proved(made, TARGETS, tmp_path)] == [""] * 3


def test_the_entry_refuses_other_distances() -> None:
    kernels = load(module(ADJACENT))
    values = np.random.default_rng(1).random((3, 9, 4))  # groups, components, cells
    out = np.zeros((3, 4))
    kernels.total(many=values.transpose(1, 0, 2), one=out)
    np.testing.assert_allclose(out, (values**2).sum(axis=1), rtol=1e-14)
    with pytest.raises(KernelError, match="does not have the stride"):
        kernels.total(many=np.zeros((9, 3, 4)), one=out)


def test_long_fused_sums_come_in_parts() -> None:
    text = files(module(ADJACENT), ["cpu"])["adjacent/total.cpp"]
    sums = [line for line in " ".join(text.split()).split(";") if "std::fma(" in line]
    assert len(sums) == 2
    assert max(line.count("std::fma(") for line in sums) <= MOST_NESTED
    assert re.search(r"one_row\[x\] = .*part_1_stored", " ".join(sums))


def horner(order: int) -> sympy.Expr:
    x = many.component(0)
    value: sympy.Expr = many.component(1)
    for k in range(order):
        value = add(multiply(x, value), many.component(2 + k % 7))
    return value


def test_long_polynomials_come_in_parts() -> None:
    """The fused operations of Horner's rule stand in factors, those of a sum in the last operand."""
    made = Module("adjacent", precisions=("f64",))
    made.add("value", [Assignment(one.here, horner(8))], schedule=ADJACENT)
    text = files(made, ["cpu"])["adjacent/value.cpp"]
    sums = [line for line in " ".join(text.split()).split(";") if "std::fma(" in line]
    assert [line.count("std::fma(") for line in sums] == [MOST_NESTED, MOST_NESTED]
