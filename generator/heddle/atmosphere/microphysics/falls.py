# SPDX-License-Identifier: Apache-2.0
"""Several kinds of water that fall in the same sweeps of a column."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import sympy

from heddle.atmosphere.microphysics.functions import number, only_if, reals, where
from heddle.atmosphere.microphysics.sedimentation import Species
from heddle.model.assignment import Scan, Section, Statement, While
from heddle.model.equations import Equations, local


@dataclass(frozen=True)
class Falling:
    """A species, whose scratch field holds its speeds (m/s) before the fall.

    title: of its part of emitted code. speed: emits its speed (m/s) with the mixing ratio with which it
    arrives; it then falls with the mean of both. None: it falls with its speed before.
    """

    species: Species
    title: str
    speed: Callable[[Equations, sympy.Expr], sympy.Expr] | None = None

    @property
    def fallen(self) -> sympy.Symbol:
        """What reached the ground (kg m-2), known after the fall."""
        return local(f"fell_{self.species.name}")


def fall(kinds: Sequence[Falling], amount: sympy.Expr, first: Equations, suffix: str = "") -> list[Statement]:
    """Sweeps that let water fall, in columns in which there is some.

    kinds: with the same thickness of layers, height of column and step. amount: positive in columns in which
    something falls. first: statements of the first sweep, which name what the kinds' speeds need. suffix: of
    names, where a step has several falls.
    """
    needed, z_k, z_above, z_above_2, below = reals(
        *(f"{name}{suffix}" for name in ("needed", "z_k", "z_above", "z_above_2", "below"))
    )
    some = kinds[0].species
    thickness, height = some.dz.here, some.column_height
    moving = [kind.species for kind in kinds if kind.speed]

    first.store(z_k, only_if(some.z > 0, z_above - thickness))
    carried = {z_above: (height, z_k)}
    for kind in kinds:
        species = kind.species
        first.section(kind.title)
        arrived = species.arrive(first, z_k)
        carried |= species.carried()
        if kind.speed:
            carried |= species.interface()
            name = "arrived" if len(moving) == 1 else f"arrived_{species.name}"
            mixing_ratio = first.let(name, species.density(arrived) / species.rho.here)
            there = Equations()
            v_after = {f"v_after_{species.name}": (sympy.Integer(0), kind.speed(there, mixing_ratio))}
            (after,) = where(first, mixing_ratio > 0, f"arrives_{species.name}", v_after, there)
            arrived = number(0.5) * (local(f"v_{species.name}") + after)
        first.store(species.arrival.here, arrived)

    second = Equations()
    carried_2 = {z_above_2: (height, z_k)}
    second.store(z_k, only_if(some.z > 0, z_above_2 - thickness))
    for species in moving:
        second.store(species.arrival.here, species.arrive(second, z_k, "_2"))
        carried_2 |= species.carried("_2")

    up = Equations()
    upper = up.let(f"z_upper{suffix}", below + thickness)
    grounds = [kind.species.ground() for kind in kinds]
    begin: dict[sympy.Symbol, sympy.Expr] = {}
    update: dict[sympy.Symbol, sympy.Expr] = {}
    for kind, (_, _, start) in zip(kinds, grounds, strict=True):
        begin |= start
        update |= kind.species.remap(up, upper)
    begin[below], update[below] = sympy.Integer(0), upper

    fallen = {kind.fallen: total for kind, (_, total, _) in zip(kinds, grounds, strict=True)}
    again: list[Statement] = []
    if moving:
        again = [Section("Where they arrive with their mean speed"), _sweep(carried_2, second)]
    body: list[Statement] = [
        *(kind.species.top_arrives() for kind in kinds if not kind.speed),
        Section("Where layers arrive"),
        _sweep(carried, first),
        *(species.top_arrives() for species in moving),
        *again,
        Section("What arrives below the ground"),
        *(statement for statements, _, _ in grounds for statement in statements),
        Section("What each layer collects"),
        Scan(2, begin, up.statements, update),
    ]
    return [
        Section("Sedimentation, in columns in which something falls"),
        While(
            needed > 0,
            {needed: amount, **dict.fromkeys(fallen, sympy.Integer(0))},
            body,
            {needed: sympy.Integer(0), **fallen},
            at_most=1,
        ),
    ]


def _sweep(carried: Mapping[sympy.Symbol, tuple[sympy.Expr, sympy.Expr]], cell: Equations) -> Scan:
    """Downwards. carried: symbol -> its first value and its update."""
    first = {symbol: value for symbol, (value, _) in carried.items()}
    update = {symbol: value for symbol, (_, value) in carried.items()}
    return Scan(2, first, cell.statements, update, reverse=True)
