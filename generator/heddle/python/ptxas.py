# SPDX-License-Identifier: Apache-2.0
"""What nvcc says that kernels take of a multiprocessor, with the flag `-Xptxas=-v`."""

from __future__ import annotations

import re
from typing import TypedDict

VERBOSE = "-Xptxas=-v"
_ENTRY = re.compile(r"Compiling entry function '(\w+)'")
_SPILLS = re.compile(r"(\d+) bytes spill stores, (\d+) bytes spill loads")
_REGISTERS = re.compile(r"Used (\d+) registers")
_SHARED = re.compile(r"(\d+) bytes smem")
_OWN = "_ZN6heddle"
"""How mangled names of heddle's device headers begin, such as the second pass of a reduction."""


class Taken(TypedDict):
    """Of one kernel: its mangled name, registers of a thread, bytes of shared memory that its blocks have
    beside what a launch asks for, and bytes that a thread stores to and loads from spilled registers."""

    function: str
    registers: int
    shared: int
    spills: int


def taken(text: str) -> list[Taken]:
    """What the kernels of emitted text take, of the output of nvcc; device headers' own kernels are left
    out."""
    found: list[Taken] = []
    for part in re.split(r"(?=Compiling entry function)", text):
        entry, registers = _ENTRY.search(part), _REGISTERS.search(part)
        if entry is None or registers is None or entry[1].startswith(_OWN):
            continue
        spills, shared = _SPILLS.search(part), _SHARED.search(part)
        found.append(
            {
                "function": entry[1],
                "registers": int(registers[1]),
                "shared": int(shared[1]) if shared else 0,
                "spills": int(spills[1]) + int(spills[2]) if spills else 0,
            }
        )
    return found
