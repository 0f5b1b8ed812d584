# SPDX-License-Identifier: Apache-2.0
"""Variants of a method as modules: lattice Boltzmann methods by collision operator, streaming pattern and
space; relaxation by the layout of its fields; integrators of a chemical mechanism."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from heddle import chemistry, lbm
from heddle.errors import KernelError, calling_place
from heddle.explorer.hybrid import BLOCK, Hybrid
from heddle.explorer.methods import Variant
from heddle.ir.schedule import Schedule
from heddle.model.spaces import Dense, Sparse
from heddle.module import Module
from heddle.solvers import relaxation

T = TypeVar("T")
OPERATORS: Mapping[str, Callable[[lbm.Lattice], lbm.CollisionOperator]] = {
    "BGK": lambda lattice: lbm.BGK(lattice, omega="omega"),
    "TRT": lambda lattice: lbm.TRT(lattice, omega="omega"),
    "MRT": lambda lattice: lbm.MRT(lattice, omega="omega"),
    "regularised": lambda lattice: lbm.Regularised(lattice, omega="omega"),
    "recursive regularised": lambda lattice: lbm.RecursiveRegularised(lattice, omega="omega"),
    "central moments": lambda lattice: lbm.CentralMoment(lattice, omega="omega"),
    "cumulant": lambda lattice: lbm.Cumulant(lattice, omega="omega"),
}
PATTERNS: Mapping[str, Callable[[lbm.Lattice], Any]] = {
    "pull": lbm.Pull,
    "push": lbm.Push,
    "AA": lbm.AA,
    "eso-pull": lbm.EsoPull,
    "eso-twist": lbm.EsoTwist,
    "moments": lbm.MomentStorage,
}
SPACES: Mapping[str, tuple[tuple[str, Dense | Sparse], ...]] = {
    "box": (("step", Dense()),),
    "list": (("step", Sparse("fluid")),),
    "hybrid": (("step", Dense()), ("listed", Sparse("fluid"))),
}
"""The kernels of a step, and over which cells."""
LAYOUTS = ("rows", "split")
METHODS = ("Ros3", "Rodas3", "Rodas4")


def lattice_boltzmann(
    lattice: str | lbm.Lattice,
    operators: Sequence[str] | Mapping[str, Callable[[lbm.Lattice], lbm.CollisionOperator]] = ("BGK", "TRT"),
    patterns: Sequence[str] | Mapping[str, Callable[[lbm.Lattice], Any]] = ("pull", "AA"),
    precisions: Sequence[str] = ("f64", "f32"),
    schedule: Schedule | None = None,
    spaces: Sequence[str] = ("box",),
    block: int = BLOCK,
) -> dict[str, Variant]:
    """One variant per collision operator, streaming pattern and space, for `heddle.explore(variants=...)`.

    operators, patterns: names of OPERATORS and PATTERNS, or functions of the lattice by names of your own.
    spaces: "box"; "list" for the cells of a mask, `values={"fluid": mask}` (heddle.explorer.lists); "hybrid"
    for these cells, too, but in blocks of `block` cells along each axis where most are fluid
    (heddle.explorer.hybrid).
    "moments" stores moments in place of populations, for operators that have such a form. The kernel of each
    is `step` (`step_even` and `step_odd` in place); omega is its parameter. Raises KernelError for a name
    that is not known, and where a pattern does not suit an operator.
    """
    chosen = lattice if isinstance(lattice, lbm.Lattice) else lbm.Lattice(lattice)
    collide = operators if isinstance(operators, Mapping) else named(operators, OPERATORS, "operator")
    stream = patterns if isinstance(patterns, Mapping) else named(patterns, PATTERNS, "streaming pattern")
    found: dict[str, Variant] = {}
    for where, kernels in named(spaces, SPACES, "space").items():
        for pattern, streaming in stream.items():
            for operator, collision in collide.items():
                module = Module(chosen.name.lower(), precisions=precisions)
                for name, space in kernels:
                    module.add(name, streaming(chosen)(collision(chosen)), space=space, schedule=schedule)
                listed = {name: name.replace("step", "listed") for name in module.kernels if "step" in name}
                hybrid = where == "hybrid"
                found[f"{operator}, {pattern}{'' if where == 'box' else f', {where}'}"] = (
                    Hybrid(module, listed, block) if hybrid else module
                )
    return found


def relaxation_layouts(
    equation: Callable[[bool], relaxation.Equation],
    layouts: Sequence[str] = LAYOUTS,
    precisions: Sequence[str] = ("f64", "f32"),
) -> dict[str, Module]:
    """The kernel `sweep` of red-black relaxation, and those of multigrid, one module per layout: "rows" as
    they come, "split" with the cells of a colour beside each other. equation: called with whether fields are
    split; its parameters are those of the kernels, and omega. Raises KernelError for a layout that is not
    known."""
    found = {}
    for layout, split in named(layouts, {"rows": False, "split": True}, "layout").items():
        own = equation(split)
        module = Module("relaxation", precisions=precisions)
        module.add("sweep", own.sor(), schedule=Schedule(colours=2))
        module.add_solver(own, schedule=Schedule(colours=2))
        found[layout] = module
    return found


def stiff_integrators(
    mechanism: chemistry.Mechanism, methods: Sequence[str] = METHODS, schedule: Schedule | None = None
) -> dict[str, Module]:
    """The kernel `integrate` of a mechanism, one module per Rosenbrock method, over a row of cells."""
    found = {}
    for method in methods:
        solver = chemistry.Rosenbrock(mechanism, method, dimensions=1)
        module = Module(mechanism.name, precisions=("f64",))
        module.add("integrate", solver.integrate(), schedule=schedule or Schedule(math="reproducible"))
        found[method] = module
    return found


def named(names: Sequence[str], known: Mapping[str, T], what: str) -> dict[str, T]:
    """What is known by these names. Raises KernelError for a name that is not."""
    for name in names:
        if name not in known:
            raise KernelError(
                calling_place(), f"'{name}' is no {what} that has a name here.", f"one of: {', '.join(known)}"
            )
    return {name: known[name] for name in names}
