# SPDX-License-Identifier: Apache-2.0
"""The advection that heddle-atmosphere times: kernels of one tracer, called for each of 16."""

from heddle import Module, Schedule, Threads
from heddle.atmosphere import advection

advection_bench = Module(
    "advection_bench",
    precisions=("f64", "f32"),
    about="Flux-form advection of tracers, as WRF has it.",
)
schedule = Schedule(gpu=Threads(block=(128, 1, 1)))
limited = advection.Advection(limiter="positive-definite")
advection_bench.add("stage", limited.stage(), schedule=schedule)
advection_bench.add("scale", limited.scale(), schedule=schedule)
advection_bench.add("limited_stage", limited.limited_stage(), schedule=schedule)
