# SPDX-License-Identifier: Apache-2.0
"""The nest that heddle-atmosphere times: ratio 3, one field and eight at once."""

from heddle import Module
from heddle.atmosphere import nesting

nesting_bench = Module("nesting_bench", precisions=("f64", "f32"), about="Boundary zones of a nest.")
nest = nesting.Nest(ratio=3)
nesting_bench.add("boundary", nest.boundary())
nesting_bench.add("boundary_of_eight", nest.boundary(fields=8))
