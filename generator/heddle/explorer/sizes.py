# SPDX-License-Identifier: Apache-2.0
"""Sizes that suit the caches of this machine."""

from __future__ import annotations

from pathlib import Path

from heddle.errors import KernelError

SIZES = {"cache": 0.5, "memory": 4.0}
"""Bytes of all fields, divided by those of a cache: the second level of a core for "cache", the last level
for "memory"."""
_LARGEST = 1 << 30
_GPU_CACHE = 50 << 20


def extent(size: str, bytes_per_cell: float, dimensions: int, gpu: bool) -> tuple[int, ...]:
    """Cells along x, y, z of a size: "256x128" as it stands, "cache" or "memory" by the caches of this
    machine, with as many cells along each axis. Raises KernelError for anything else."""
    if size in SIZES:
        shared = _GPU_CACHE if gpu else _cache(last=size == "memory")
        wanted = min(SIZES[size] * shared, _LARGEST)
        side = max(8, round((wanted / max(bytes_per_cell, 1)) ** (1 / dimensions)))
        return (max(16, side // 16 * 16),) + (side,) * (dimensions - 1)
    words = size.split("x")
    if not all(word.isdigit() and 0 < int(word) < 2**31 for word in words) or len(words) != dimensions:
        raise KernelError(
            "heddle.explore",
            f"'{size}' is no size of {dimensions} dimensions.",
            f"write {'x'.join(['128'] * dimensions)}, or one of: {', '.join(SIZES)}",
        )
    return tuple(map(int, words))


def _cache(last: bool) -> int:
    """Bytes of a cache of the first core: of its last level, or of its second."""
    found = {}
    for index in sorted(Path("/sys/devices/system/cpu/cpu0/cache").glob("index*")):
        try:
            level, text = int((index / "level").read_text()), (index / "size").read_text().strip()
            found[level] = int(text.rstrip("KMG")) << {"K": 10, "M": 20, "G": 30}.get(text[-1], 0)
        except (OSError, ValueError):
            continue
    if not found:
        return 32 << 20 if last else 1 << 20
    return found[max(found)] if last else found.get(2, found[max(found)])
