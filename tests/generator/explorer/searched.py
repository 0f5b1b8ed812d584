# SPDX-License-Identifier: Apache-2.0
"""The models that the tests of this folder explore, and results without a compiler."""

from __future__ import annotations

from typing import Any

import heddle
from heddle import Assignment, CacheLines, Module, Rows, Schedule, Threads, fields, parameters
from heddle.explorer.exploration import Exploration
from heddle.explorer.results import Result, source_of

SCHEDULES = (Schedule(), Schedule(cpu=CacheLines(4, nontemporal=True)))
SOURCE = source_of("text")
"""The file of what was emitted for results without a compiler."""


def stencil() -> Module:
    u, u_next = fields("u, u_next: real[2D]")
    alpha = parameters("alpha")
    module = Module("heat", precisions=("f64", "f32"))
    around = u[1, 0] + u[-1, 0] + u[0, 1] + u[0, -1]
    module.add("step", [Assignment(u_next.here, u.here + alpha * (around - 4 * u.here))])
    return module


OWN = stencil().schedule("step", "f64")
"""What Schedule() is for the stencil."""


def explored(**options: Any) -> Exploration:
    """A search over the stencil, on few cells."""
    chosen = {"sizes": ["24x10"], "samples": 3, "schedules": SCHEDULES, "quiet": True, "name": "here"}
    return heddle.explore(stencil(), **chosen | {"values": {"alpha": 0.1}} | options)


def result(**parts: Any) -> Result:
    """A result as if it had been measured."""
    known: dict[str, Any] = {
        "key": "k",
        "machine": "here",
        "target": "cpu",
        "module": "heat",
        "variant": "",
        "step": "step",
        "precision": "f64",
        "schedule": Schedule(Rows(), Threads()),
        "extent": (10, 10),
        "state": "correct",
        "bytes_read": 8,
        "bytes_written": 8,
        "flops": 7,
        "seconds": (2e-6, 1e-6, 3e-6),
        "stream": (1e-6, 1e-6, 1e-6),
        "error": 0.0,
        "source": SOURCE,
        "timestamp": "2026-11-27T12:00:00+00:00",
        "compiler": "c++ 12",
    }
    return Result(**known | parts)
