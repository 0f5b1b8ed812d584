# SPDX-License-Identifier: Apache-2.0
"""The mechanisms of model.py for CVODE."""

from heddle import Module, Rows, Schedule, chemistry

from model import ozone, robertson  # isort: skip

module = Module("newton", precisions=("f64",))
schedule = Schedule(cpu=Rows(simd=False, parallel=False), math="reproducible")
for mechanism in (ozone, robertson):
    kernels = chemistry.NewtonKernels(mechanism)
    for name in ("rate_constants", "tendency", "factorise", "solve"):
        module.add(f"{mechanism.name}_{name}", getattr(kernels, name)(), schedule=schedule)
