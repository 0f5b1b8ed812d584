# SPDX-License-Identifier: Apache-2.0
"""D3Q19 on a list of cells with two arrays (pull), on the compressed neighbour table where there is a GPU;
boundary sweeps over lists with the force on them; and the same method and sweeps dense, for comparison."""

from heddle import CompressedList, Module, Schedule, Sparse, Strips, lbm

force = ("g_x", 0, 0)
d3q19 = lbm.Lattice("D3Q19")
collide = lbm.TRT(d3q19, omega="omega", magic="magic", force=force)
pull = lbm.Pull(d3q19)
conditions = {
    "lid": lbm.VelocityBounceBack(("u_x", "u_y", 0)),
    "open": lbm.PressureAntiBounceBack("rho", ("u_x", "u_y", 0)),
}

lbm_lists = Module("lbm_lists", precisions=("f32", "f16"), about="D3Q19 TRT on a list of cells, two arrays.")
lbm_lists.add(
    "step",
    pull(collide),
    space=Sparse("fluid"),
    schedule=Schedule(
        cpu=Strips(16, nontemporal=True), gpu=CompressedList(block=(128, 1, 1), minimum_blocks=4)
    ),
)
lbm_lists.add("dense", pull(collide))
for name, condition in conditions.items():
    lbm_lists.add(name, pull.boundary(condition, force="push"), space=Sparse(name, listed=True))
    lbm_lists.add(f"{name}_face", pull.boundary(condition, face="t", force="push"))
lbm_lists.add("floor_face", pull.boundary(lbm.NoSlip(d3q19), face="b"))
