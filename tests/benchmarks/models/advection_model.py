# SPDX-License-Identifier: Apache-2.0
"""The advection that heddle-atmosphere times: kernels of four tracers, called for four groups of them."""

from heddle import Module, Schedule, Threads
from heddle.atmosphere import advection

advection_bench = Module(
    "advection_bench",
    precisions=("f64", "f32"),
    about="Flux-form advection of tracers, as WRF has it.",
)
schedule = Schedule(gpu=Threads(block=(128, 1, 1), unit_stride=True))
limited = advection.Advection(limiter="positive-definite", tracers=4)
advection_bench.add("stage", limited.stage(), schedule=schedule)
advection_bench.add("scale", limited.scale(), schedule=schedule)
advection_bench.add("limited_stage", limited.limited_stage(), schedule=schedule)
