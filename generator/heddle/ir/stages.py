# SPDX-License-Identifier: Apache-2.0
"""What the pipeline is asked for, and what it gives."""

from __future__ import annotations

from dataclasses import dataclass

from heddle.ir.nodes import F64, Kernel
from heddle.ir.schedule import Precision, Rows, Schedule, Strips, Threads
from heddle.ir.target import Target

_DOUBLE, _UNSCHEDULED = Precision(F64, F64), Schedule(Rows(), Threads())
_NO_TARGET = Target("none", "serial", "serial")


@dataclass(frozen=True)
class Request:
    """What the passes are asked for; by default f64, no schedule and no target."""

    precision: Precision = _DOUBLE
    schedule: Schedule = _UNSCHEDULED
    target: Target = _NO_TARGET

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
