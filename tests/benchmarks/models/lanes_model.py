# SPDX-License-Identifier: Apache-2.0
"""What the models of several cells a thread share: 16 bytes a thread and population in each precision."""

from heddle import Dense, Interleaved, Module, Schedule, lbm

d3q19 = lbm.Lattice("D3Q19")
stream = lbm.AA(d3q19)


def lanes(name: str, precision: str, lanes: int) -> Module:
    """AA steps in vectors, with walls on six faces: those at the sides, which are the same in all lanes,
    within the step, those that one lane has with what crosses between the lanes. The lid, which is the
    north side, adds momentum to what it sends back."""
    module = Module(
        name,
        precisions=(precision,),
        about="D3Q19 BGK on interleaved blocks, in a box with a moving lid.",
        citation="Bailey et al. 2009 (AA)",
    )
    # Of halves, blocks of 64 threads are 0.5 % faster than of 128, in f32 0.4 % slower (one H200). Renewed
    # addresses gain 0.2 to 0.4 %, and cost parts of 256 x 256 x 64 of a domain 3 % (decision 0012).
    schedule = Schedule(fma=True, gpu=Interleaved(lanes, block=(64 if precision == "f16" else 128, 1, 1)))
    box = Dense(walls=("w", "e", "s", "n", "b", "t"))
    module.add("aa", stream(lbm.BGK(d3q19, omega="omega")), box, schedule)
    module.add("lid", stream.boundary(lbm.VelocityBounceBack(("u_lid", 0, 0)), face="n"), box)
    module.add_halo(kernels=["aa_even", "aa_odd"])
    return module
