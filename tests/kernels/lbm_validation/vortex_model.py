# SPDX-License-Identifier: Apache-2.0
"""Turbulence in a periodic box: cumulants on D3Q27, over a list of all cells.

With all higher rates one and, of less dissipation, with those of fourth order (Geier et al. 2017).
"""

from heddle import Module, Schedule, Sparse, Strips, lbm

d3q27 = lbm.Lattice("D3Q27")

lbm_validation_vortex = Module(
    "lbm_validation_vortex", precisions=("f64", "f32", "f16"), about="D3Q27 cumulants on a list of cells."
)
for name, operator in (("cumulant", lbm.Cumulant(d3q27)), ("parametrised", lbm.ParametrisedCumulant(d3q27))):
    lbm_validation_vortex.add(
        name, lbm.Pull(d3q27)(operator), space=Sparse("fluid"), schedule=Schedule(fma=True, cpu=Strips(16))
    )
