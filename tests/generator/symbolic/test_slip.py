# SPDX-License-Identifier: Apache-2.0
"""Free slip on dense faces, with every pattern."""

from __future__ import annotations

import numpy as np
import pytest
from evaluate import Periodic
from heddle import Module, lbm
from heddle.errors import KernelError
from test_streaming import _run_row

PATTERNS = (lbm.Pull, lbm.Push, lbm.AA, lbm.EsoTwist, lbm.EsoPull)


@pytest.mark.parametrize("pattern", PATTERNS)
@pytest.mark.parametrize("name", ["D2Q9", "D3Q19"])
def test_half_a_channel_is_exact(name: str, pattern: type[lbm.StreamingPattern]) -> None:
    """u = u_m [1 - (1 - y / H)^2], F = 2 nu u_m / H^2: no-slip below, free slip above, magic = 3/16."""
    lattice, height, nu, top = lbm.Lattice(name), 3, 0.5, 0.02
    force = 2 * nu * top / height**2
    stream = pattern(lattice)
    push = ("g_x", 0, 0)[: lattice.dimension]
    kernels = stream(lbm.TRT(lattice, force=push))
    sweeps = (
        (stream.boundary(lbm.NoSlip(lattice), face="s"), 1),
        (stream.boundary(lbm.FreeSlip(), face="n"), height),
    )
    shape = (3, height + 2, 3)[: lattice.dimension]
    box = Periodic(f=np.zeros((lattice.size, *shape)), f_next=np.zeros((lattice.size, *shape)))
    for _ in range(300 // len(stream.steps)):
        for step in stream.steps:
            box.run(kernels.steps[step], omega=1 / (3 * nu + 0.5), g_x=force)
            if not stream.in_place:
                box.fields["f"], box.fields["f_next"] = box.fields["f_next"], box.fields["f"]
            for sweep, row in sweeps:
                _run_row(box, sweep.steps[f"after_{step}" if step else ""], row)
    box.fields |= {"rho": np.zeros((1, *shape)), "u": np.zeros((lattice.dimension, *shape))}
    box.run(stream.moments(force=push).steps[stream.steps[0]], g_x=force)
    y = np.arange(height) + 0.5
    u = box.fields["u"].reshape(lattice.dimension, 3, height + 2, -1)
    assert u[0, 1, 1:-1, 0] == pytest.approx(top * (1 - (1 - y / height) ** 2), abs=1e-12)
    assert u[1, 1, 1:-1, 0] == pytest.approx(0, abs=1e-14)


@pytest.mark.parametrize("pattern", PATTERNS)
def test_kernels_have_no_races(pattern: type[lbm.StreamingPattern]) -> None:
    stream = pattern(lbm.Lattice("D3Q27"))
    module = Module("m", precisions=("f64",))
    for face in ("e", "s", "t"):
        module.add(f"slip_{face}", stream.boundary(lbm.FreeSlip(), face=face))
    for kernel in module.kernels:
        module.stages(kernel, "f64", "cpu")


def test_over_a_list_it_lies_in_the_table() -> None:
    with pytest.raises(KernelError, match="free slip over a list lies in the neighbour table"):
        lbm.AA(lbm.Lattice("D2Q9")).boundary(lbm.FreeSlip())
