# SPDX-License-Identifier: Apache-2.0
"""The advection that heddle-atmosphere times: kernels of four tracers, called for four groups of them."""

from heddle import Module, Rows, Schedule, Threads
from heddle.atmosphere import advection

advection_bench = Module(
    "advection_bench",
    precisions=("f64", "f32"),
    about="Flux-form advection of tracers, as WRF has it.",
)
limited = advection.Advection(limiter="positive-definite", tracers=4)
# Loads wait for one another's latency: blocks along y and z find more of them in the nearest cache, and small
# ones leave room for more of them in registers.
plain = Schedule(gpu=Threads(block=(32, 4, 1), unit_stride=True))
block = Schedule(gpu=Threads(block=(32, 2, 2), unit_stride=True, same_strides=True))
advection_bench.add("stage", limited.stage(), schedule=plain)
advection_bench.add("scale", limited.scale(), schedule=block)
advection_bench.add("limited_stage", limited.limited_stage(), schedule=block)
# The same bits with fluxes of high order that are stored.
# Rows: it stores many streams, but computes so much that a strip per cache line costs more than it gains.
advection_bench.add("excess", limited.excess(), schedule=Schedule(Rows(), block.gpu))
advection_bench.add("scale_of_excess", limited.scale(excess="excess"), schedule=block)
advection_bench.add("scale_and_store", limited.scale(store="excess"), schedule=block)
advection_bench.add("limited_of_excess", limited.limited_stage(excess="excess"), schedule=block)
# One kernel, whose threads share what cells compute for themselves and for others.
levels = Schedule(gpu=Threads(block=(32, 12, 1), unit_stride=True, same_strides=True, level_by_level=True))
advection_bench.add("limited_at_once", limited.limited_at_once(), schedule=levels)
