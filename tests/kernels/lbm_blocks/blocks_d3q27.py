# SPDX-License-Identifier: Apache-2.0
"""D3Q27 BGK in place (AA) on a grid of blocks: populations cross corners, too."""

from heddle import lbm
from heddle.module import Module

d3q27 = lbm.Lattice("D3Q27")

blocks_d3q27 = Module("blocks_d3q27", precisions=("f64", "f32", "f16"), about="D3Q27 on a grid of blocks.")
blocks_d3q27.add("aa", lbm.AA(d3q27)(lbm.BGK(d3q27)))
blocks_d3q27.add_halo(kernels=["aa_even", "aa_odd"])
