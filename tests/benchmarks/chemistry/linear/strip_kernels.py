# SPDX-License-Identifier: Apache-2.0
"""The kernels of direct_kernels.py for four cells in vector lanes, whose components follow each other four
numbers apart, with fused operations: what heddle-compare-klu times. A row of the space is such a group."""

from heddle import Module, Rows, Schedule

from direct_kernels import KERNELS, LinearSystem  # isort: skip

CELLS = 4
module = Module("cb05_strips", precisions=("f64",))
cpu = Rows(fixed_nx=CELLS, adjacent_components=True, parallel=False, unchecked_entry=True)
system = LinearSystem(dimensions=2)
for name in KERNELS:
    module.add(name, getattr(system, name)(), schedule=Schedule(cpu=cpu, fma=True))
