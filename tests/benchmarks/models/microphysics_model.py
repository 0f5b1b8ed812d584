# SPDX-License-Identifier: Apache-2.0
"""Microphysics for heddle-atmosphere."""

from heddle import Module, Schedule
from heddle.atmosphere import microphysics

microphysics_bench = Module("microphysics_bench", precisions=("f32", "f64"), about="Schemes to be timed.")
microphysics_bench.add("kessler", microphysics.Kessler().step(), schedule=Schedule(math="reproducible"))
microphysics_bench.add("wsm3", microphysics.WSM3().step(), schedule=Schedule(math="reproducible"))
