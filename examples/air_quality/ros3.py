# SPDX-License-Identifier: Apache-2.0
"""Carbon Bond 2005 of a row of cells, by Ros3."""

from heddle import Module, Schedule, Strips, chemistry

module = Module("cb05_ros3", about="Carbon Bond 2005 in a row of cells, by Ros3.", precisions=("f64",))
solver = chemistry.Rosenbrock(chemistry.cb05(), "Ros3", dimensions=1)
module.add("integrate", solver.integrate(), schedule=Schedule(cpu=Strips(8), math="reproducible"))
