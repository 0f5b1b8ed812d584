# SPDX-License-Identifier: Apache-2.0
"""D2Q9 BGK (pull) on a grid of blocks: cells in one layer, and nothing crosses z."""

from heddle import lbm
from heddle.module import Module

d2q9 = lbm.Lattice("D2Q9")

blocks_d2q9 = Module("blocks_d2q9", precisions=("f64", "f32", "f16"), about="D2Q9 on a grid of blocks.")
blocks_d2q9.add("pull", lbm.Pull(d2q9)(lbm.BGK(d2q9)))
blocks_d2q9.add_halo(kernels=["pull"])
