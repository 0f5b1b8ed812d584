# SPDX-License-Identifier: Apache-2.0
"""Creeping flow through a porous medium: D3Q19, two relaxation times, two arrays (pull).

The walls of the pores are half-way bounce-back, folded into the list of pore cells. With the magic parameter
3/16 they lie half-way between cells whatever the viscosity, so that the permeability does not depend on it
(Ginzburg and d'Humieres 2003). `sparse_step` runs over the list; `dense_step` over all cells of the box, of
which the solid ones send back what arrives: the same steady flow, for `porous --compare`.
"""

from fractions import Fraction

from heddle import (
    Assignment,
    AssignmentCollection,
    CompressedList,
    Field,
    Module,
    Schedule,
    Sparse,
    Strips,
    lbm,
)
from sympy import Ne, Piecewise, Symbol

force = ("g_x", "g_y", "g_z")
d3q19 = lbm.Lattice("D3Q19")
stream = lbm.Pull(d3q19)
collide = lbm.TRT(d3q19, omega="omega", magic=Fraction(3, 16), force=force)
step = stream(collide)

pore = Field("pore", "uint8", 3)


def at_walls(statement):
    """A store of the collision: in solid cells, what arrived from the other side."""
    if not (isinstance(statement, Assignment) and getattr(statement.target, "field", None) == stream.target):
        return statement
    back = Symbol(f"f_{d3q19.names[d3q19.opposite(statement.target.component)]}")
    return Assignment(statement.target, Piecewise((statement.value, Ne(pore.here, 0)), (back, True)))


dense = AssignmentCollection(at_walls(statement) for statement in step.steps[""])

porous = Module(
    "porous",
    precisions=("f64", "f32"),
    about="Creeping flow through a porous medium: D3Q19 TRT.",
    citation="Ginzburg and d'Humieres 2003",
)
lists = Schedule(
    fma=True, cpu=Strips(16, nontemporal=True), gpu=CompressedList(block=(128, 1, 1), minimum_blocks=4)
)
porous.add("sparse_step", step, space=Sparse("pores"), schedule=lists)
porous.add("moments", stream.moments("rho", "u", force=force), space=Sparse("pores"))
porous.add("dense_step", dense, schedule=Schedule(fma=True))
porous.add_halo(kernels=["dense_step"])
porous.add_halo("pores", kernels=["sparse_step", "moments"])
