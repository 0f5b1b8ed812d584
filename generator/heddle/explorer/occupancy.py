# SPDX-License-Identifier: Apache-2.0
"""Resident warps of a multiprocessor, as a share of the most that it holds: what registers, shared memory and
the size of a block allow (CUDA C++ Programming Guide, "Multiprocessor level" and "Technical specifications
per compute capability")."""

from __future__ import annotations

from dataclasses import dataclass

WARP = 32
REGISTERS = 1 << 16
"""Of a multiprocessor."""
PARTS = 4
"""Of a multiprocessor, each with its share of the registers."""
REGISTER_UNIT = 256
SHARED_UNIT = 128
RESERVED = 1024
"""Bytes of shared memory that each block takes beside its own."""


@dataclass(frozen=True)
class Multiprocessor:
    """What one holds: warps, blocks, bytes of shared memory."""

    warps: int
    blocks: int
    shared: int


CAPABILITIES = {
    80: Multiprocessor(64, 32, 164 << 10),
    86: Multiprocessor(48, 16, 100 << 10),
    89: Multiprocessor(48, 24, 100 << 10),
    90: Multiprocessor(64, 32, 228 << 10),
    100: Multiprocessor(64, 32, 228 << 10),
}
"""By compute capability: 90 of an H100 or H200."""


def blocks(capability: int, threads: int, registers: int, shared: int = 0) -> int:
    """Resident blocks of a multiprocessor. threads: of a block. registers: of a thread. shared: bytes of a
    block. Raises KeyError for a capability that CAPABILITIES lacks."""
    one = CAPABILITIES[capability]
    warps = -(-threads // WARP)
    of_warp = -(-max(registers, 1) * WARP // REGISTER_UNIT) * REGISTER_UNIT
    if -(-warps // PARTS) * PARTS * of_warp > REGISTERS:  # as launches are checked
        return 0
    by_registers = REGISTERS // PARTS // of_warp * PARTS // warps
    of_block = -(-(shared + RESERVED) // SHARED_UNIT) * SHARED_UNIT
    return min(one.warps // warps, one.blocks, by_registers, one.shared // of_block)


def occupancy(capability: int, threads: int, registers: int, shared: int = 0) -> float:
    """Resident warps over the most that a multiprocessor holds, as `blocks` takes arguments."""
    resident = blocks(capability, threads, registers, shared)
    return resident * -(-threads // WARP) / CAPABILITIES[capability].warps
