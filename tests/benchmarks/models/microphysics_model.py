# SPDX-License-Identifier: Apache-2.0
"""Microphysics for heddle-atmosphere."""

from heddle import Module, Schedule, Strips, Threads, fields
from heddle.atmosphere import microphysics
from heddle.atmosphere.microphysics.slope import slope
from heddle.atmosphere.microphysics.wsm_constants import WsmConstants
from heddle.model.equations import Equations
from sympy import Ge, Piecewise

microphysics_bench = Module("microphysics_bench", precisions=("f32", "f64"), about="Schemes to be timed.")
# Few blocks of registers fit on a multiprocessor; small ones leave less idle at the end of the domain.
lanes = Schedule(
    Strips(16), Threads(block=(64, 1, 1), unit_stride=True, same_strides=True), math="reproducible"
)
microphysics_bench.add("kessler", microphysics.Kessler().step(), schedule=lanes)
microphysics_bench.add("wsm3", microphysics.WSM3().step(), schedule=lanes)
microphysics_bench.add("wsm5", microphysics.WSM5().step(), schedule=lanes)

# Spilled registers cost less than warps that are missing, in f64.
resident = Threads(block=(64, 1, 1), minimum_blocks=8, unit_stride=True, same_strides=True)
many = Schedule(Strips(16), resident, math="reproducible")
microphysics_bench.add("cloudsc", microphysics.CLOUDSC().step(), schedule=many)

# `slope_wsm3` of WRF, which the schemes have inside: four arrays in, five out.
qrs, den, denfac, t = fields("qrs, den, denfac, t: real[3D]", ghost_layers=0)
r, rb, r2, r3, vt = fields("r, rb, r2, r3, vt: real[3D]", ghost_layers=0)
cell, numbers = (
    Equations(fields=("qrs", "den", "denfac", "t", "r", "rb", "r2", "r3", "vt")),
    WsmConstants("exact"),
)
found = slope(cell, qrs.here, den.here, t.here, numbers)
cell.store(r.here, found.r)
cell.store(rb.here, found.rb)
cell.store(r2.here, found.r**2)
cell.store(r3.here, found.r**3)
factor = Piecewise((numbers.pvtr, Ge(t.here, 273.15)), (numbers.pvts, True))
cell.store(vt.here, factor * found.rb * denfac.here)
microphysics_bench.add("slope", cell.statements, schedule=Schedule(math="reproducible"))
