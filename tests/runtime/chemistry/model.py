# SPDX-License-Identifier: Apache-2.0
"""Small mechanisms: ozone with photolysis by the host, and the problem of H. H. Robertson (1966);
`each` has one tolerance per species."""

import sympy
from heddle import Module, Schedule, Strips, chemistry
from heddle.chemistry.rate_laws import arrhenius

ozone = chemistry.Mechanism("ozone")
ozone.species("O", "O3", "NO", "NO2")
ozone.constant("O2", 8.56)
ozone.third_body("M")
ozone.reaction("NO2 -> NO + O", rate=sympy.Symbol("PHOTO.NO2"))
ozone.reaction("O3 -> O + O2", rate=sympy.Symbol("PHOTO.O3"))
ozone.reaction("() -> NO", rate=sympy.Symbol("EMIS.NO"))
ozone.reaction("O + O2 + M -> O3 + M", rate=arrhenius(A=217.6, B=-2.4))
ozone.reaction("NO + O3 -> NO2 + O2", rate=arrhenius(A=1.8066e6, C=-1500.0))

robertson = chemistry.Mechanism("robertson")
robertson.species("A", "B", "C")
robertson.reaction("A -> B", rate=0.04)
robertson.reaction("2 B -> B + C", rate=3e7)
robertson.reaction("B + C -> A + C", rate=1e4)

module = Module("reactions", precisions=("f64",))
schedule = Schedule(cpu=Strips(8), math="reproducible")
for name, mechanism, steps, each in (
    ("ozone", ozone, 10_000, False),
    ("robertson", robertson, 10_000, False),
    ("hurried", robertson, 3, False),
    ("each", robertson, 10_000, True),
):
    solver = chemistry.Rosenbrock(
        mechanism, "Rodas3", dimensions=1, max_steps=steps, tolerance_per_species=each
    )
    module.add(name, solver.integrate(), schedule=schedule)
