# SPDX-License-Identifier: Apache-2.0
"""D3Q19 on a list of cells with two arrays (pull)."""

from heddle import Module, Sparse, lbm

d3q19 = lbm.Lattice("D3Q19")
collide = lbm.TRT(d3q19, omega="omega", magic="magic", force=("g_x", 0, 0))

lbm_sparse_pull = Module(
    "lbm_sparse_pull", precisions=("f64", "f32"), about="D3Q19 on a list of cells, pull."
)
lbm_sparse_pull.add("step", lbm.Pull(d3q19)(collide), space=Sparse("fluid"))
