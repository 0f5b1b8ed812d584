# SPDX-License-Identifier: Apache-2.0
"""Carbon Bond 2005 by Rodas3, a thread per cell of a GPU."""

from heddle import Module, Schedule, Threads, chemistry

module = Module(
    "cb05_rodas3_device", about="Carbon Bond 2005 by Rodas3, a thread per cell.", precisions=("f64",)
)
solver = chemistry.Rosenbrock(chemistry.cb05(), "Rodas3")
module.add(
    "integrate", solver.integrate(), schedule=Schedule(gpu=Threads(block=(64, 1, 1)), math="reproducible")
)
