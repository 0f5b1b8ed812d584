# SPDX-License-Identifier: Apache-2.0
"""Carbon Bond 2005 for CVODE, which takes one cell at a time."""

from heddle import Module, Rows, Schedule, chemistry

module = Module(
    "cb05_cvode",
    about="Carbon Bond 2005 for CVODE: rates, tendency, factors and solution of a cell.",
    precisions=("f64",),
)
kernels = chemistry.NewtonKernels(chemistry.cb05())
schedule = Schedule(cpu=Rows(simd=False, parallel=False), math="reproducible")
for name in ("rate_constants", "tendency", "factorise", "solve"):
    module.add(name, getattr(kernels, name)(), schedule=schedule)
