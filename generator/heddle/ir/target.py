# SPDX-License-Identifier: Apache-2.0
"""What passes and printers need to know of a target: one table of facts, no behaviour."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class Target:
    """A target is a value of this class; see emit/targets.py.

    outer, inner: how loops over the outer axes and over x run. checked: every index is tested against the
    field. file: suffix of the kernel's file. suffix: what the entry's name ends with. qualifiers: before a
    kernel function. coordinates: how a thread finds its cell, per axis.
    """

    name: str
    outer: Literal["serial", "omp", "thread"]
    inner: Literal["serial", "simd", "thread"]
    checked: bool = False
    suffix: str = ""
    coordinates: tuple[str, ...] = ()

    @property
    def threads(self) -> bool:
        """Whether each cell has a thread of its own."""
        return self.inner == "thread"
