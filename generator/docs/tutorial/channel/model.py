# SPDX-License-Identifier: Apache-2.0
from heddle import Dense, Module, lbm

d2q9 = lbm.Lattice("D2Q9")
stream = lbm.Pull(d2q9)
force = ("g_x", 0)
between = Dense(walls=("s", "n"))  # half-way between the outermost cells and the ghost cells

channel = Module("channel", about="A channel that a force drives: D2Q9, TRT.", precisions=("f64",))
channel.add("step", stream(lbm.TRT(d2q9, omega="omega", force=force)), space=between)
channel.add("moments", stream.moments("rho", "u", force=force), space=between)
