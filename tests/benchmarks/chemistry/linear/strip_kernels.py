# SPDX-License-Identifier: Apache-2.0
"""The kernels of direct_kernels.py for four and eight cells in vector lanes, whose components follow each
other as many numbers apart, with fused operations: what heddle-compare-klu times. A row of the space is such
a group."""

from heddle import Module, Rows, Schedule

from direct_kernels import KERNELS, LinearSystem  # isort: skip

module = Module("cb05_strips", precisions=("f64",))
system = LinearSystem(dimensions=2)
for cells in (4, 8):
    cpu = Rows(fixed_nx=cells, adjacent_components=True, parallel=False, unchecked_entry=True)
    for name in KERNELS:
        module.add(f"{name}_{cells}", getattr(system, name)(), schedule=Schedule(cpu=cpu, fma=True))
