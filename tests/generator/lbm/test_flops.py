# SPDX-License-Identifier: Apache-2.0
"""Operations of emitted kernels, as in their cost line. Pinned: a change here changes kernels."""

from __future__ import annotations

from collections import Counter

import pytest
from heddle import Module, lbm
from heddle.emit.cost import cost
from heddle.ir import nodes as ir
from heddle.ir.visit import walk

D2Q9, D3Q15, D3Q19, D3Q27 = (lbm.Lattice(name) for name in ("D2Q9", "D3Q15", "D3Q19", "D3Q27"))


def operations(operator: lbm.CollisionOperator) -> tuple[int, Counter[str]]:
    """The flops of the cost line, and the additions, multiplications and divisions that they are."""
    module = Module("m", precisions=("f64",))
    module.add("k", lbm.Pull(operator.lattice)(operator))
    stages = module.stages("k", "f64", "cpu")
    loops = [node for node in walk(stages.lowered.body) if isinstance(node, ir.Loop)]
    inner = next(loop for loop in loops if not any(isinstance(node, ir.Loop) for node in walk(loop.body)))
    names = {"add": "add", "sub": "add", "mul": "mul", "div": "div"}
    found = {
        node: names[node.name]
        for node in walk(inner.body)
        if isinstance(node, ir.Op) and node.name in names and node.type == ir.F64
    }
    return cost(stages.kernel, stages.lowered).flops, Counter(found.values())


def test_the_cumulant_operator_needs_less_than_its_peer() -> None:
    """lbmpy's takes 281 additions, 206 multiplications and 2 divisions on D3Q27 (decision 0010)."""
    flops, parts = operations(lbm.Cumulant(D3Q27))
    assert flops == sum(parts.values())
    assert parts["add"] <= 281
    assert parts["mul"] <= 206
    assert parts["div"] <= 2


@pytest.mark.parametrize(
    ("operator", "flops"),
    [
        (lbm.MRT(D2Q9), 72),
        (lbm.MRT(D3Q15), 148),
        (lbm.MRT(D3Q19), 163),
        (lbm.MRT(D3Q19, higher="omega_3"), 208),
        (lbm.MRT(D3Q19, basis="raw"), 162),
        (lbm.MRT(D3Q27), 246),
        (lbm.CentralMoment(D2Q9), 85),
        (lbm.CentralMoment(D3Q19), 203),
        (lbm.CentralMoment(D3Q27), 329),
        (lbm.Cumulant(D2Q9), 108),
        (lbm.Cumulant(D3Q27, galilean=False), 351),
        (lbm.Cumulant(D3Q27), 377),
        (lbm.ParametrisedCumulant(D3Q27, limiter=None), 539),
        (lbm.ParametrisedCumulant(D3Q27), 557),
        (lbm.KBC(D2Q9), 194),
        (lbm.KBC(D3Q27), 565),
    ],
    ids=lambda value: f"{type(value).__name__}-{value.lattice.name}" if not isinstance(value, int) else "",
)
def test_flops(operator: lbm.CollisionOperator, flops: int) -> None:
    assert operations(operator)[0] == flops
