# SPDX-License-Identifier: Apache-2.0
"""D3Q19 BGK on a grid of blocks: what is exchanged between blocks follows from the access patterns. Walls
stand where the grid ends: across y and z within the step where the pattern allows it, else across z as sweeps
over a face."""

from heddle import Dense, lbm
from heddle.module import Module

d3q19 = lbm.Lattice("D3Q19")
collide = lbm.BGK(d3q19)
walled = Dense(walls=("s", "n", "b", "t"))

lbm_blocks = Module("lbm_blocks", precisions=("f64", "f32", "f16"), about="D3Q19 on a grid of blocks.")
lbm_blocks.add("pull", lbm.Pull(d3q19)(collide), walled)
lbm_blocks.add("push", lbm.Push(d3q19)(collide), walled)
lbm_blocks.add("aa", lbm.AA(d3q19)(collide), walled)
moving = lbm.VelocityBounceBack(("u_lid", "v_lid", 0))
lbm_blocks.add("pull_lid", lbm.Pull(d3q19).boundary(moving, face="t"), walled)
lbm_blocks.add("aa_lid", lbm.AA(d3q19).boundary(moving, face="t"), walled)
for name, stream in (("twist", lbm.EsoTwist(d3q19)), ("eso_pull", lbm.EsoPull(d3q19))):
    lbm_blocks.add(name, stream(collide))
    lbm_blocks.add(f"{name}_floor", stream.boundary(lbm.NoSlip(d3q19), face="b"))
    lbm_blocks.add(f"{name}_lid", stream.boundary(lbm.NoSlip(d3q19), face="t"))
steps = [f"{name}_{phase}" for name in ("aa", "twist", "eso_pull") for phase in ("even", "odd")]
lbm_blocks.add_halo(kernels=["pull", "push", *steps])
