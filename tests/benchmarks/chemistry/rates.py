# SPDX-License-Identifier: Apache-2.0
"""The rate constants of Carbon Bond 2005, for an integrator of others."""

from heddle import Module, Schedule, chemistry

module = Module("cb05_rates", precisions=("f64",))
rates = chemistry.rate_constants(chemistry.cb05(), dimensions=1)
module.add("rate_constants", rates, schedule=Schedule(math="reproducible"))
