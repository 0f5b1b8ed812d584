# SPDX-License-Identifier: Apache-2.0
"""How a case of a diagnostic is written down, and what the cases share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import sympy
from heddle import (
    Module,
    Schedule,
    Sparse,
    fields,
    lbm,
)

a, b, c, t = sympy.symbols("a b c t")
p, q = fields("p, q: real[2D]")
f = fields("f: real(3)[2D]")
k = fields("k: int32[2D]")
mask = fields("mask: uint32[entries]")
Case = Callable[[], Any]
CASES: dict[str, tuple[Case, str]] = {}
D2Q9 = lbm.Lattice("D2Q9")


def says(message: str) -> Callable[[Case], Case]:
    """Register a case; {here} in the message is the marked line."""

    def register(case: Case) -> Case:
        assert case.__name__ not in CASES
        CASES[case.__name__] = case, message
        return case

    return register


def kernel(
    statements: Any,
    space: Sparse | None = None,
    schedule: Schedule | None = None,
    targets: str = "reference cpu",
) -> None:
    """Generate one kernel called `k`."""
    module = Module("m", precisions=("f64",))
    module.add("k", statements, space=space, schedule=schedule)
    for model in module.kernels:
        for target in targets.split():
            module.stages(model, "f64", target)
