# SPDX-License-Identifier: Apache-2.0
"""Lattices that are isotropic to second order carry scalars: what belongs to a flow is refused there."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from heddle import KernelError, lbm

OWN = {"rest": "1/10", "axis": "3/20"}
LATTICES = {
    "D2Q5": lbm.Lattice("D2Q5"),
    "D3Q7": lbm.Lattice("D3Q7"),
    "D3Q7_warm": lbm.Lattice("D3Q7_warm", OWN),
}
Make = Callable[[lbm.StreamingPattern], object]


def along_x(stream: lbm.StreamingPattern) -> tuple[str | int, ...]:
    """A velocity along x, or along a face of the next axis."""
    return ("v", 0, 0)[: stream.lattice.dimension]


OF_A_FLOW: dict[str, Make] = {
    "a wall that moves": lambda s: s.boundary(lbm.VelocityBounceBack(along_x(s)), face="e"),
    "a wall that moves along itself": lambda s: s.boundary(lbm.VelocityBounceBack(along_x(s)), face="n"),
    "a wall that moves anywhere": lambda s: s.boundary(lbm.Bouzidi("q", along_x(s)), face="e"),
    "PressureAntiBounceBack": lambda s: s.boundary(lbm.PressureAntiBounceBack("r", along_x(s)), face="e"),
    "PressureJump": lambda s: s.boundary(lbm.PressureJump("j"), face="e"),
    "the velocity or the pressure of a flow": lambda s: s.moments(),
    "the velocity or the pressure": lambda s: s.moments(u=None, pressure="p"),
    "initialise": lambda s: s.initialise(),
    "BGK": lambda s: s(lbm.BGK(s.lattice)),
}
OF_A_SCALAR: dict[str, Make] = {
    "collision": lambda s: s(lbm.AdvectionDiffusion(s.lattice)),
    "value": lambda s: s.boundary(lbm.ScalarValue("T_wall"), face="e"),
    "flux": lambda s: s.boundary(lbm.ScalarFlux("j"), face="e"),
    "insulated": lambda s: s.boundary(lbm.NoSlip(s.lattice), face="e"),
    "insulated anywhere": lambda s: s.boundary(lbm.Bouzidi("q"), face="e"),
    "at rest anywhere": lambda s: s.boundary(lbm.Bouzidi("q", (0,) * s.lattice.dimension), face="e"),
    "outflow": lambda s: s.boundary(lbm.Outflow(), face="e"),
    "convective outflow": lambda s: s.boundary(lbm.ConvectiveOutflow("U"), face="e"),
    "symmetry": lambda s: s.boundary(lbm.FreeSlip(), face="e"),
    "sum": lambda s: s.moments("T", None),
    "scalar moments": lambda s: s.scalar_moments(),
    "start": lambda s: s.initialise_scalar(),
}


@pytest.mark.parametrize("lattice", LATTICES)
@pytest.mark.parametrize("what", OF_A_FLOW)
def test_what_belongs_to_a_flow_is_refused(what: str, lattice: str) -> None:
    with pytest.raises(KernelError, match=f"needs a lattice that is isotropic to .*, but {lattice} is not: "):
        OF_A_FLOW[what](lbm.AA(LATTICES[lattice]))


@pytest.mark.parametrize("lattice", LATTICES)
@pytest.mark.parametrize("what", OF_A_SCALAR)
def test_what_belongs_to_a_scalar_is_made(what: str, lattice: str) -> None:
    OF_A_SCALAR[what](lbm.AA(LATTICES[lattice]))


@pytest.mark.parametrize("lattice", LATTICES)
def test_a_scalar_has_no_strain_rate(lattice: str) -> None:
    """That takes the operator of a flow, and there is none on these."""
    scalar: Any = lbm.AdvectionDiffusion(LATTICES[lattice])
    with pytest.raises(KernelError, match="is not the operator of a collision"):
        lbm.AA(LATTICES[lattice]).strain_rate(scalar)
