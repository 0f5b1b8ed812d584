# SPDX-License-Identifier: Apache-2.0
"""Which bytes a step of the large-eddy simulation moves per cell: what emitted kernels say, times their calls
in a step, beside the plan.

    python examples/clouds/bytes_per_step.py build/release/generated

Each emitted file says in its head what one update reads and writes where each element is fetched once. Not
among them are exchanges of ghost cells, and kernels of the lowest level alone. The calls are those on a GPU.
The projection has kernels of its own: its first pass reads three velocities and writes waves, the last one
reads four fields and writes three, and three passes between them read and write one.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

CALLS = (
    ("clouds", "eddies", 1),
    ("clouds", "momentum", 3),
    ("clouds", "scalars_and_buoyancy", 2),
    ("clouds", "scalars", 1),
)
"""Module, kernel, calls in a step of BOMEX."""
PROJECTION = 17
"""Words of a projection."""
PLAN = {"f32": (352, 616), "f64": (704, 1232)}
"""Bytes of a step as fused kernels would move them, and as plain ones do."""
UPDATE = re.compile(r"// One update in (f\d\d): reads (\d+) B, writes (\d+) B, (\d+) flops\.")


def bytes_of(text: str) -> dict[str, int]:
    """What one update moves, by precision, from the text of an emitted file."""
    return {one: int(read) + int(written) for one, read, written, _ in UPDATE.findall(text)}


def table(generated: Path) -> list[str]:
    """Lines: kernel, calls, bytes of a step in f32 and f64; their sum; the plan."""
    lines = [f"{'kernel':24}{'calls':>6}{'f32, B':>10}{'f64, B':>10}"]
    total = {"f32": 0, "f64": 0}

    def line(name: str, calls: int, moved: dict[str, int]) -> None:
        lines.append(f"{name:24}{calls:6}{calls * moved['f32']:10}{calls * moved['f64']:10}")
        for one in total:
            total[one] += calls * moved[one]

    for module, kernel, calls in CALLS:
        line(kernel, calls, bytes_of((generated / module / f"{kernel}.cpp").read_text()))
    line("projection", 3, {"f32": 4 * PROJECTION, "f64": 8 * PROJECTION})
    lines.append(f"{'together':30}{total['f32']:10}{total['f64']:10}")
    for name, which in (("plan, fused", 0), ("plan, plain", 1)):
        lines.append(f"{name:30}{PLAN['f32'][which]:10}{PLAN['f64'][which]:10}")
    return lines


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: python examples/clouds/bytes_per_step.py FOLDER_OF_EMITTED_KERNELS")
    print("\n".join(table(Path(sys.argv[1]))))
