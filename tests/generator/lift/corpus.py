# SPDX-License-Identifier: Apache-2.0
"""The corpus of hand-written loops, tests/lift/<name>: what each becomes, as text."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path

from heddle.commands.lifted_model import Adopted, adopted
from heddle.errors import KernelError
from heddle.ir import source
from heddle.ir.text import expression, text
from heddle.ir.visit import walk
from heddle.lift.front_end import read
from heddle.lift.kernels import lifted
from heddle.lift.lifted import Lifted
from heddle.lift.model_writer.model_text import Origin
from heddle.lift.polynomial import Polynomial
from heddle.lift.raise_accesses import raise_accesses
from heddle.lift.recovered import Recovered

ROOT = Path(__file__).resolve().parents[3]
INPUTS = sorted((ROOT / "tests" / "lift").glob("*/input.*"))
NAMES = [path.parent.name for path in INPUTS]


@cache
def unit(name: str) -> source.Unit:
    """The record of an input."""
    (path,) = (path for path in INPUTS if path.parent.name == name)
    return read(path)


def functions(name: str) -> list[source.Function]:
    """The functions of an input that no other one calls."""
    own = [f for f in unit(name).functions if f.main and f.kind in ("function", "kernel")]
    called = {node.function for f in own for node in walk(f.body) if isinstance(node, source.Invoke)}
    recursive = [f for f in own if f.key in called and f.name.endswith("main")]
    return [f for f in own if f.key not in called] or recursive


@cache
def lifted_functions(name: str) -> list[Lifted]:
    return [lifted(unit(name), f.key) for f in functions(name)]


def recovered(name: str) -> Iterator[tuple[Lifted, tuple[Recovered, ...]]]:
    for each in lifted_functions(name):
        yield each, raise_accesses(each)


def model(kernels: tuple[Recovered, ...], function: str) -> Adopted:
    return adopted(function, kernels, Origin("input.cpp"))


def outcome(name: str) -> str:
    """What stands in expected.txt: kernels with the places of their arrays, or the refusal."""
    try:
        found = list(recovered(name))
        lines = [line for each, kernels in found for line in _described(each, kernels)]
    except KernelError as error:
        lines = [f"refused: {error}"]
    return "\n".join(lines) + "\n"


def _described(function: Lifted, kernels: tuple[Recovered, ...]) -> Iterator[str]:
    for each in kernels:
        yield text(each.kernel)
        for axis, counter in enumerate(each.counters):
            begin, extent = each.begins[axis], each.extents[axis]
            yield f"  {'xyz'[axis]} is {counter} from {begin}, {extent} cells"
        for field, placement in each.placements.items():
            own = [str(o + b) for o, b in zip(placement.origin, each.begins, strict=True)]
            line = f"  {field} begins at ({', '.join(own)})"
            if placement.rest != Polynomial():
                line += f" and {placement.rest} elements"
            line += f", strides ({', '.join(map(str, placement.strides))})"
            yield line + (f", components {placement.component_stride} apart" if placement.size else "")
        for name, value in each.finishes:
            yield f"  then {name} = {expression(value)}"
        for assumption in each.assumptions:
            yield f"  assumed: {assumption}"
    for note in model(kernels, function.name.rsplit("::", 1)[-1]).rounding:
        yield f"  rounding: {note}"
