# SPDX-License-Identifier: Apache-2.0
"""Every boundary with every streaming pattern, over faces, lists and cells of a box, as compiled text: the
bits of the interpreter, after the sweep of each step. What the sweeps compute: test_boundary_matrix.py.

Each of them is compiled once, for the targets and in the precisions in turn; with HEDDLE_TESTS=full for every
target in every precision, and in three dimensions and at other sides, too.
"""

from __future__ import annotations

import copy
import ctypes
import itertools
import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
import sympy
from compiled import Library, Memory, call
from heddle import Cells, Module, Sparse, lbm
from heddle.ir import nodes as ir
from heddle.ir.interpret import Array, run
from heddle.ir.rounding import Number, rounded
from heddle.model.field import Field
from models import FULL
from running import boxed_memory, memory, table_memory
from test_boundary_matrix import ALONG_NORMAL, BOUNDARIES, OWN_CELL, PATTERNS

pytestmark = pytest.mark.compiles
TARGETS, PRECISIONS, OVER = ("cpu", "cuda", "reference"), ("f64", "f32", "f16"), ("face", "list", "cells")
SIDES = {"e": (0, 1), "s": (1, -1), "b": (2, -1)}  # axis and sign of the outward normal
ACROSS, ALONG = 4, 7  # cells
WHERE = (("plane", "e"), ("plane", "s"), ("space", "b"), ("cube", "e"))
FLOWS = {"plane": lbm.Lattice("D2Q9"), "space": lbm.Lattice("D3Q19"), "cube": lbm.Lattice("D3Q27")}
SCALARS = {"plane": lbm.Lattice("D2Q5"), "space": lbm.Lattice("D3Q7"), "cube": lbm.Lattice("D3Q7")}
Make = Callable[[lbm.Lattice, str], lbm.BoundaryCondition]


def wall(lattice: lbm.Lattice) -> tuple[str, ...]:
    """The velocity of a wall."""
    return ("wall_x", "wall_y", "wall_z")[: lattice.dimension]


def bouzidi(order: str, distance: float) -> Make:
    def make(lattice: lbm.Lattice, over: str) -> lbm.BoundaryCondition:
        return lbm.Bouzidi(distance if over == "face" else "distance", wall(lattice), order=order)

    return make


def turning(lattice: lbm.Lattice) -> Callable[..., tuple[Any, ...]]:
    """The velocity of a wall that turns, and moves across the plane of its turning."""
    rate = sympy.Symbol("rate", real=True)
    if lattice.dimension == 2:
        return lambda x, y: (-rate * y, rate * x)
    return lambda x, y, z: (-rate * y, rate * x, rate * y * z)


def links(lattice: lbm.Lattice, over: str) -> Any:
    """A velocity per link; a face has no entries."""
    return turning(lattice) if over == "face" else lbm.PerLink("wall")


CONDITIONS: dict[str, Make] = {
    "no-slip": lambda lattice, over: lbm.NoSlip(lattice),
    "velocity": lambda lattice, over: lbm.VelocityBounceBack(wall(lattice)),
    "velocity of the place": lambda lattice, over: lbm.VelocityBounceBack(turning(lattice)),
    "velocity per link": lambda lattice, over: lbm.VelocityBounceBack(links(lattice, over)),
    "free slip": lambda lattice, over: lbm.FreeSlip(),
    "pressure, velocity given": lambda lattice, over: lbm.PressureAntiBounceBack("rho_out", wall(lattice)),
    "pressure, own velocity": lambda lattice, over: lbm.PressureAntiBounceBack("rho_out"),
    "outflow": lambda lattice, over: lbm.Outflow(),
    "convective outflow": lambda lattice, over: lbm.ConvectiveOutflow("speed"),
    "Bouzidi, linear, near": bouzidi("linear", 0.3),
    "Bouzidi, linear, far": bouzidi("linear", 0.8),
    "Bouzidi, quadratic, near": bouzidi("quadratic", 0.3),
    "Bouzidi, quadratic, far": bouzidi("quadratic", 0.8),
    "Bouzidi, velocity of the place": lambda lattice, over: lbm.Bouzidi(
        0.8 if over == "face" else "distance", turning(lattice), order="quadratic"
    ),
    "Bouzidi, velocity per link": lambda lattice, over: lbm.Bouzidi(
        0.3 if over == "face" else "distance", links(lattice, over)
    ),
    "scalar, value (Dirichlet)": lambda lattice, over: lbm.ScalarValue("T"),
    "scalar, flux (Neumann)": lambda lattice, over: lbm.ScalarFlux("j"),
    "pressure jump": lambda lattice, over: lbm.PressureJump("jump"),
    "force and torque": lambda lattice, over: lbm.VelocityBounceBack(wall(lattice)),
    "force and torque, interpolated": bouzidi("quadratic", 0.3),
}


@dataclass(frozen=True)
class Sweep:
    """A boundary with a pattern, where it runs, and what it is compiled for."""

    name: str
    pattern: type[lbm.StreamingPattern]
    over: str
    space: str
    side: str
    target: str
    precision: str

    def __str__(self) -> str:
        return f"{self.name}-{self.pattern.__name__}-{self.over}-{self.module}"

    @property
    def lattice(self) -> lbm.Lattice:
        return (SCALARS if self.name.startswith("scalar") else FLOWS)[self.space]

    @property
    def module(self) -> str:
        """Modules have lists of one table."""
        where = f"{self.pattern.__name__}_{self.lattice.name}_{self.side}".lower()
        return f"{where}_{self.target}_{self.precision}"

    @property
    def kernel(self) -> str:
        """Of all modules in one file, where names of functions that are not exported meet."""
        return f"b{list(CONDITIONS).index(self.name)}_{self.over}_{self.module}"

    @property
    def refused(self) -> bool:
        """Whether test_boundary_matrix.py says so."""
        if self.over == "cells":
            return self.name in ALONG_NORMAL
        return self.over == "list" and self.name == "free slip" and self.pattern in OWN_CELL

    @property
    def nothing(self) -> bool:
        """Whether the table of a list has it."""
        return self.over == "list" and self.name == "no-slip" and self.pattern in OWN_CELL

    def kernels(self) -> lbm.StreamingKernels:
        stream = self.pattern(self.lattice, ghost_layers=3 if self.over == "cells" else 2)
        where: dict[str, Any] = {"cells": True}
        if self.over != "cells":
            where = {"face" if self.over == "face" else "normal": self.side}
        if self.name.startswith("force and torque"):
            where |= {"force": "drag", "torque": "couple"}
            if self.over == "face":
                d = self.lattice.dimension
                where["arm"] = tuple(Field(f"arm_{axis}", "real", d).here for axis in "xyz"[:d])
        return stream.boundary(CONDITIONS[self.name](self.lattice, self.over), **where)


def sweeps() -> list[Sweep]:
    kinds = tuple(itertools.product(PRECISIONS, TARGETS))
    in_turn = itertools.cycle(kinds)
    made = []
    for space, side in WHERE if FULL else WHERE[:1]:
        for name, pattern, over in itertools.product(CONDITIONS, PATTERNS, OVER):
            for precision, target in kinds if FULL and (space, side) == WHERE[0] else [next(in_turn)]:
                made.append(Sweep(name, pattern, over, space, side, target, precision))
    return made


SWEEPS = [sweep for sweep in sweeps() if not (sweep.refused or sweep.nothing)]


def modules() -> dict[str, Module]:
    made: dict[str, Module] = {}
    for sweep in SWEEPS:
        module = made.setdefault(sweep.module, Module(sweep.module, precisions=(sweep.precision,)))
        space = {"face": None, "list": Sparse("side", listed=True), "cells": Cells("body")}[sweep.over]
        module.add(sweep.kernel, sweep.kernels(), space=space)
    return made


MODULES = modules()


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> ctypes.CDLL:
    built = [(module, (name.split("_")[3],)) for name, module in MODULES.items()]
    return Library(tmp_path_factory.mktemp("kernels"), built, plain=True).compile()


def case(sweep: Sweep, kernel: ir.Kernel) -> tuple[dict[str, Array], dict[str, Number]]:
    """Random memory: a layer of a box with its surroundings, a list of such a layer, or cells of a box."""
    generator = random.Random(str(sweep))
    numbers = {s.name: rounded(generator.uniform(0.1, 0.9), s.type) for s in kernel.parameters}
    axis, sign = SIDES[sweep.side]
    box = [ALONG] * sweep.lattice.dimension
    if sweep.over == "cells":
        return boxed_memory(kernel, box, generator), numbers
    if sweep.over == "face":
        box[axis] = 1
        return memory(kernel, box, generator), numbers
    box[axis] = ACROSS + (sweep.name != "pressure jump")  # a solid layer is both walls of a periodic box
    places = [place for place in itertools.product(*map(range, box)) if place[axis] < ACROSS]
    entries = [n for n, place in enumerate(places) if place[axis] == (ACROSS - 1 if sign > 0 else 0)]
    generator.shuffle(entries)
    arrays = table_memory(kernel, box, places, len(entries), generator)
    arrays["cells"].values = entries
    incoming = sum(1 << q for q, c in enumerate(sweep.lattice.velocities) if c[axis] * sign < 0)
    some = [generator.getrandbits(27) for _ in entries[1:]]
    arrays["mask"].values = [incoming & bits for bits in (incoming, *some)]
    depth = BOUNDARIES[sweep.name].depth
    for name, c in zip(sweep.lattice.names, sweep.lattice.velocities, strict=True):
        if f"cell_{name}" in arrays:  # as heddle::neighbour_indices: the own one where there is none
            numbers_beside = []
            for n in entries:
                way = [
                    tuple((a + k * b) % m for a, b, m in zip(places[n], c, box, strict=True))
                    for k in range(1, depth + 1)
                ]
                numbers_beside.append(places.index(way[0]) if all(p in places for p in way) else n)
            arrays[f"cell_{name}"].values = numbers_beside
    return arrays, numbers


def test_they_are_all_that_there_are() -> None:
    assert CONDITIONS.keys() == BOUNDARIES.keys()
    assert len(SWEEPS) == len(set(map(str, SWEEPS)))


@pytest.mark.parametrize("sweep", SWEEPS, ids=str)
def test_compiled_sweeps_equal_the_interpreter(library: ctypes.CDLL, sweep: Sweep) -> None:
    module = MODULES[sweep.module]
    names = [name for name in module.kernels if name.startswith(f"{sweep.kernel}_") or name == sweep.kernel]
    assert len(names) == len(sweep.pattern(sweep.lattice).steps)
    for name in names:
        kernel = module.typed(name, sweep.precision)
        arrays, numbers = case(sweep, kernel)
        expected = copy.deepcopy(arrays)
        result = run(kernel, expected, numbers)
        own = Memory(kernel, arrays)
        entry = f"{module.name}_{name}_{sweep.precision}"
        assert call(library, entry, kernel, own, numbers, sweep.target) == result.status == 0
        assert own.differences(expected) == []
        assert own.differences(arrays) != []
        for output, value in result.outputs.items():
            assert own.outputs[output][0] == value
