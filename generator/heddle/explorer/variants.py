# SPDX-License-Identifier: Apache-2.0
"""Variants of lattice Boltzmann methods: collision operators times streaming patterns, as modules."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

from heddle import lbm
from heddle.errors import KernelError, calling_place
from heddle.ir.schedule import Schedule
from heddle.module import Module

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
PATTERNS: Mapping[str, Callable[[lbm.Lattice], lbm.StreamingPattern]] = {
    "pull": lbm.Pull,
    "push": lbm.Push,
    "AA": lbm.AA,
    "eso-pull": lbm.EsoPull,
    "eso-twist": lbm.EsoTwist,
}


def lattice_boltzmann(
    lattice: str | lbm.Lattice,
    operators: Sequence[str] | Mapping[str, Callable[[lbm.Lattice], lbm.CollisionOperator]] = ("BGK", "TRT"),
    patterns: Sequence[str] | Mapping[str, Callable[[lbm.Lattice], lbm.StreamingPattern]] = ("pull", "AA"),
    precisions: Sequence[str] = ("f64", "f32"),
    schedule: Schedule | None = None,
) -> dict[str, Module]:
    """One module per collision operator and streaming pattern, for `heddle.explore(variants=...)`.

    operators, patterns: names of OPERATORS and PATTERNS, or functions of the lattice by names of your own.
    The kernel of each is `step` (`step_even` and `step_odd` in place); omega is its parameter. Raises
    KernelError for a name that is not known.
    """
    chosen = lattice if isinstance(lattice, lbm.Lattice) else lbm.Lattice(lattice)
    collide = operators if isinstance(operators, Mapping) else _named(operators, OPERATORS, "operator")
    stream = patterns if isinstance(patterns, Mapping) else _named(patterns, PATTERNS, "streaming pattern")
    found = {}
    for pattern, streaming in stream.items():
        for operator, collision in collide.items():
            module = Module(chosen.name.lower(), precisions=precisions)
            module.add("step", streaming(chosen)(collision(chosen)), schedule=schedule)
            found[f"{operator}, {pattern}"] = module
    return found


def _named(names: Sequence[str], known: Mapping[str, T], what: str) -> dict[str, T]:
    for name in names:
        if name not in known:
            raise KernelError(
                calling_place(), f"'{name}' is no {what} that has a name here.", f"one of: {', '.join(known)}"
            )
    return {name: known[name] for name in names}
