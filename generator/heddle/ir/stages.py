# SPDX-License-Identifier: Apache-2.0
"""What the pipeline is asked for, and what it gives."""

from __future__ import annotations

from dataclasses import dataclass

from heddle.ir.nodes import Kernel
from heddle.ir.schedule import Precision, Schedule, Strips
from heddle.ir.target import Target


@dataclass(frozen=True)
class Request:
    """What the passes are asked for."""

    precision: Precision
    schedule: Schedule
    target: Target

    @property
    def strips(self) -> Strips | None:
        """Those in which the innermost loop runs."""
        return self.schedule.cpu if isinstance(self.schedule.cpu, Strips) else None


@dataclass(frozen=True)
class Stages:
    """A kernel at every level."""

    kernel: Kernel
    scheduled: Kernel
    lowered: Kernel
