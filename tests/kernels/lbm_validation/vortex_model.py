# SPDX-License-Identifier: Apache-2.0
"""Turbulence in a periodic box: the cumulant operator on D3Q27, over a list of all cells."""

from heddle import Module, Schedule, Sparse, lbm

d3q27 = lbm.Lattice("D3Q27")

lbm_validation_vortex = Module(
    "lbm_validation_vortex", precisions=("f64", "f32", "f16"), about="D3Q27 cumulants on a list of cells."
)
lbm_validation_vortex.add(
    "cumulant",
    lbm.Pull(d3q27)(lbm.Cumulant(d3q27)),
    space=Sparse("fluid"),
    schedule=Schedule(fma=True, chunk=16),
)
