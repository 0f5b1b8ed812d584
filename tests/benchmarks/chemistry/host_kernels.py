# SPDX-License-Identifier: Apache-2.0
"""Carbon Bond 2005 by Rodas3 and by Ros3, eight cells in vector lanes, on one thread."""

from heddle import Module, Schedule, Strips, chemistry

module = Module("cb05_host", precisions=("f64",))
for method in ("Rodas3", "Ros3"):
    step = chemistry.Rosenbrock(chemistry.cb05(), method, dimensions=1).integrate()
    schedule = Schedule(cpu=Strips(8, parallel=False), math="reproducible")
    module.add(method.lower(), step, schedule=schedule)
