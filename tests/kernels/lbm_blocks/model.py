# SPDX-License-Identifier: Apache-2.0
"""D3Q19 BGK on a grid of blocks: what is exchanged between blocks follows from the access patterns."""

from heddle import lbm
from heddle.module import Module

d3q19 = lbm.Lattice("D3Q19")
collide = lbm.BGK(d3q19)

lbm_blocks = Module("lbm_blocks", precisions=("f64",), about="D3Q19 on a grid of blocks.")
lbm_blocks.add("pull", lbm.Pull(d3q19)(collide))
lbm_blocks.add("push", lbm.Push(d3q19)(collide))
lbm_blocks.add("aa", lbm.AA(d3q19)(collide))
lbm_blocks.add("twist", lbm.EsoTwist(d3q19)(collide))
lbm_blocks.add("eso_pull", lbm.EsoPull(d3q19)(collide))
lbm_blocks.add_halo()
