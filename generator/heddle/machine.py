# SPDX-License-Identifier: Apache-2.0
"""What results say of the machine on which they were measured."""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
from pathlib import Path

MANY = 1 << 20


def name(gpu: bool, threads: int | None = None) -> str:
    """The model of the processor with its number of cores, or of threads if they are fewer, or of the GPU."""
    if gpu:
        found = _gpu()
        if found:
            return found
    cores = min(len(os.sched_getaffinity(0)), threads or MANY)
    return f"{_processor()}, {cores} core{'s' if cores > 1 else ''}"


def _gpu() -> str:
    program = shutil.which("nvidia-smi")
    if program is None:
        return ""
    query = [program, "--query-gpu=name", "--format=csv,noheader"]
    said = subprocess.run(query, capture_output=True, text=True, check=False).stdout.splitlines()
    return said[0].strip() if said else ""


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        lines = []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()
