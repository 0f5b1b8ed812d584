# SPDX-License-Identifier: Apache-2.0
"""The kernels of direct_kernels.py for eight cells in vector lanes: what heddle-compare-klu times."""

from heddle import Module, Schedule, Strips

from direct_kernels import factorise, solve, solve_once  # isort: skip

module = Module("cb05_strips", precisions=("f64",))
for kernel in (factorise, solve, solve_once):
    module.add(kernel.__name__, kernel(), schedule=Schedule(cpu=Strips(8, parallel=False)))
