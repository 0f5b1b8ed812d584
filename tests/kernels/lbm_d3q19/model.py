# SPDX-License-Identifier: Apache-2.0
"""D3Q19 in a periodic box: pull, AA and EsoTwist streaming with four collision operators."""

from heddle import lbm
from heddle.module import Module

d3q19 = lbm.Lattice("D3Q19")
pull, aa, twist = lbm.Pull(d3q19), lbm.AA(d3q19), lbm.EsoTwist(d3q19)
bgk, trt = lbm.BGK(d3q19), lbm.TRT(d3q19)
turbulent = lbm.RecursiveRegularised(d3q19, eddy_viscosity=lbm.Smagorinsky(0.15))

lbm_d3q19 = Module("lbm_d3q19", precisions=("f64", "f32", "f16"), about="D3Q19 in a periodic box.")
lbm_d3q19.add("pull_bgk", pull(bgk))
lbm_d3q19.add("aa_bgk", aa(bgk))
lbm_d3q19.add("twist_bgk", twist(bgk))
lbm_d3q19.add("pull_trt", pull(trt))
lbm_d3q19.add("aa_trt", aa(trt))
lbm_d3q19.add("aa_turbulent", aa(turbulent))
