# SPDX-License-Identifier: Apache-2.0
"""The targets: a new dialect is one more value."""

from __future__ import annotations

from heddle.ir.target import Gpu, Target

_CELL = "blockIdx", "blockDim", "threadIdx"
REFERENCE = Target(
    "reference", outer="serial", inner="serial", checked=True, suffix="_reference", files=("_reference.cpp",)
)
CPU = Target("cpu", outer="omp", inner="simd")
CUDA = Target(
    "cuda",
    outer="thread",
    inner="thread",
    suffix="_cuda",
    files=(".cuh", ".cu"),
    gpu=Gpu(
        language="CUDA",
        include="<cuda_runtime.h>",
        stream="cudaStream_t",
        qualifiers="__global__ void",
        bounds_blocks=True,
        coordinates=_CELL,
        wave=32,
        in_runtime=True,
    ),
    compiled="with -fmad=false and without --use_fast_math",
)
HIP = Target(
    "hip",
    outer="thread",
    inner="thread",
    suffix="_hip",
    files=(".hip.hpp", ".hip"),
    gpu=Gpu(
        language="HIP",
        include='"heddle/device/gpu.hpp"',
        stream="hipStream_t",
        qualifiers="__global__ void",
        bounds_blocks=False,
        coordinates=_CELL,
        wave=64,
    ),
)
TARGETS = {target.name: target for target in (REFERENCE, CPU, CUDA, HIP)}
