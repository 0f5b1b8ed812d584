# SPDX-License-Identifier: Apache-2.0
from heddle import Module, Reduce, Sparse, fields, lbm

d2q9 = lbm.Lattice("D2Q9")
stream = lbm.Pull(d2q9)
force = ("g_x", 0)
pores = Sparse("pores")  # a list of cells; where a link leads to none of them stands a wall

porous = Module(
    "pores", about="Creeping flow between cylinders: D2Q9, TRT, over a list.", precisions=("f64",)
)
porous.add("step", stream(lbm.TRT(d2q9, omega="omega", force=force)), space=pores)
porous.add("moments", stream.moments("rho", "u", force=force), space=pores)
porous.add("discharge", [Reduce("sum", "discharge", fields("u: real(2)[2D]")[0, 0, 0])], space=pores)
