# SPDX-License-Identifier: Apache-2.0
"""The targets: a new dialect is one more value."""

from __future__ import annotations

from heddle.ir.target import Target

REFERENCE = Target("reference", outer="serial", inner="serial", checked=True, suffix="_reference")
CPU = Target("cpu", outer="omp", inner="simd")
CUDA = Target(
    "cuda",
    outer="thread",
    inner="thread",
    suffix="_cuda",
    coordinates=tuple(
        f"static_cast<std::int64_t>(blockIdx.{axis}) * blockDim.{axis} + threadIdx.{axis}" for axis in "xyz"
    ),
)
TARGETS = {target.name: target for target in (REFERENCE, CPU, CUDA)}
