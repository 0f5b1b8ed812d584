# SPDX-License-Identifier: Apache-2.0
"""Microphysics for heddle-atmosphere."""

from heddle import Module, Schedule, Strips, Threads
from heddle.atmosphere import microphysics

microphysics_bench = Module("microphysics_bench", precisions=("f32", "f64"), about="Schemes to be timed.")
# Few blocks of registers fit on a multiprocessor; small ones leave less idle at the end of the domain.
lanes = Schedule(Strips(16), Threads(block=(64, 1, 1), unit_stride=True), math="reproducible")
microphysics_bench.add("kessler", microphysics.Kessler().step(), schedule=lanes)
microphysics_bench.add("wsm3", microphysics.WSM3().step(), schedule=lanes)
microphysics_bench.add("wsm5", microphysics.WSM5().step(), schedule=lanes)
