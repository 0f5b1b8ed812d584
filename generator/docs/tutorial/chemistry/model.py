# SPDX-License-Identifier: Apache-2.0
from heddle import Module, Schedule, Strips, chemistry
from heddle.chemistry.rate_laws import arrhenius
from sympy import Symbol

ozone = chemistry.Mechanism("ozone")
ozone.species("O", "O3", "NO", "NO2")  # the unknowns, mol m-3
ozone.constant("O2", 8.56)  # mol m-3
ozone.third_body("M")  # any molecule of air
ozone.reaction("NO2 -> NO + O", rate=Symbol("sunlight"))  # s-1, a value of each cell
ozone.reaction("O + O2 + M -> O3 + M", rate=arrhenius(A=217.6, B=-2.4))
ozone.reaction("NO + O3 -> NO2 + O2", rate=arrhenius(A=1.8066e6, C=-1500))

smog = Module("smog", about="Nitrogen oxides and ozone in sunlight.", precisions=("f64",))
solver = chemistry.Rosenbrock(ozone, "Rodas3", dimensions=1)
smog.add("integrate", solver.integrate(), schedule=Schedule(cpu=Strips(8), math="reproducible"))
