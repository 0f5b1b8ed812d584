# SPDX-License-Identifier: Apache-2.0
"""A decaying Taylor-Green vortex in two dimensions: D2Q9, AA, with three collision operators."""

from heddle import lbm
from heddle.module import Module

d2q9 = lbm.Lattice("D2Q9")
aa = lbm.AA(d2q9)

lbm_taylor_green = Module("lbm_taylor_green", precisions=("f64",), about="D2Q9 in a periodic square.")
lbm_taylor_green.add("bgk", aa(lbm.BGK(d2q9)))
lbm_taylor_green.add("trt", aa(lbm.TRT(d2q9, magic="magic")))
lbm_taylor_green.add("recursive", aa(lbm.RecursiveRegularised(d2q9)))
lbm_taylor_green.add("start", aa.initialise("rho", "u", omega="omega"))
lbm_taylor_green.add("moments", aa.moments("rho", "u"))
