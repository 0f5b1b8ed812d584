# SPDX-License-Identifier: Apache-2.0
"""Carbon Bond 2005 of a row of cells, by Rodas4."""

from heddle import Module, Schedule, Strips, chemistry

module = Module("cb05_rodas4", about="Carbon Bond 2005 in a row of cells, by Rodas4.", precisions=("f64",))
solver = chemistry.Rosenbrock(chemistry.cb05(), "Rodas4", dimensions=1)
module.add("integrate", solver.integrate(), schedule=Schedule(cpu=Strips(8), math="reproducible"))
