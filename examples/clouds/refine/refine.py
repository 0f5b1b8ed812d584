# SPDX-License-Identifier: Apache-2.0
"""From cells to cells of half the width along x and y, for a start of the large-eddy simulation of model.py:
the interpolation of P. K. Smolarkiewicz and G. A. Grell, J. Comput. Phys. 101, 431 (1992)."""

from heddle import Module, Rows, Schedule
from heddle.atmosphere import nesting

RATIO = 2
streams = Schedule(cpu=Rows(nontemporal_from=32, unit_stride=True))
module = Module("clouds_refine", precisions=("f64", "f32"), about="Fields on cells of half the width.")
for name, staggered in (("centres", ""), ("x_faces", "x"), ("y_faces", "y")):
    nest = nesting.Nest(RATIO, staggered=staggered, relative=True)
    module.add(name, nest.interpolation("coarse", "fine"), schedule=streams)
