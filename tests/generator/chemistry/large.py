# SPDX-License-Identifier: Apache-2.0
"""A mechanism of the size of MOZART-TS1 (209 species, 547 reactions), made up: oxidants that most reactions
name, chains of organic species with a peroxy radical in each step, and what joins them."""

from __future__ import annotations

import random

import sympy
from heddle import chemistry
from heddle.chemistry.rate_laws import arrhenius, troe

OXIDANTS = ("OH", "HO2", "O3", "NO", "NO2", "NO3", "CO", "CH2O", "CH3O2")
CHAINS, STEPS = 20, 10
"""200 organic species: in each step, an odd one is a peroxy radical, which an even one becomes."""


def large() -> chemistry.Mechanism:
    """Always the same."""
    rng = random.Random(20261128)
    result = chemistry.Mechanism("large")
    organic = [[f"C{c}_{s}" for s in range(STEPS)] for c in range(CHAINS)]
    result.species(*OXIDANTS, *(name for chain in organic for name in chain))
    result.third_body("M")

    def rate() -> sympy.Expr:
        return arrhenius(10 ** rng.uniform(2, 6), rng.choice((0.0, -1.5)), rng.uniform(-1500, 500))

    def share() -> float:
        return round(rng.uniform(0.05, 1.5), 3)

    def light(name: str) -> sympy.Expr:
        return sympy.Symbol(f"PHOTO.{name}", real=True)

    for reactants, products in (
        ("O3 + OH", "HO2"), ("O3 + HO2", "OH"), ("NO + HO2", "NO2 + OH"), ("NO + O3", "NO2"),
        ("NO2 + O3", "NO3"), ("NO3 + NO", "2 NO2"), ("2 HO2", "()"), ("CO + OH", "HO2"), ("2 OH", "O3"),
        ("CH3O2 + NO", "CH2O + HO2 + NO2"), ("CH3O2 + HO2", "CH2O"), ("2 CH3O2", "2 CH2O + 2 HO2"),
        ("CH2O + OH", "CO + HO2"), ("CH2O + NO3", "CO + HO2"), ("OH + HO2 + M", "M"),
    ):  # fmt: skip
        result.reaction(f"{reactants} -> {products}", rate())
    result.reaction("NO2 + OH -> ()", troe(arrhenius(6e3, -3.0), arrhenius(2e6)))
    for name, products in (("NO2", "NO + O3"), ("O3", "2 OH"), ("CH2O", "CO + 2 HO2"), ("NO3", "NO2 + O3")):
        result.reaction(f"{name} -> {products}", light(name))
    for c, chain in enumerate(organic):
        for s, name in enumerate(chain):
            following = chain[s + 1] if s + 1 < STEPS else "CO"
            other = rng.choice(organic[rng.randrange(CHAINS)][::2])
            if s % 2:  # a peroxy radical
                made = f"{share()} NO2 + {share()} HO2 + {share()} {following} + {share()} {other}"
                result.reaction(f"{name} + NO -> {made}", rate())
                result.reaction(f"{name} + HO2 -> {share()} {following} + {share()} OH", rate())
                if s % 4 == 1:
                    result.reaction(
                        f"{name} + CH3O2 -> {share()} CH2O + {share()} HO2 + {share()} {other}", rate()
                    )
                if s == 1:
                    low = troe(arrhenius(3e3, -4.0), arrhenius(4e6))
                    result.reaction(f"{name} + NO2 -> {chain[0]}", low)
                continue
            result.reaction(f"{name} + OH -> {following}", rate())
            if s % 4:
                result.reaction(f"{name} + NO3 -> {share()} {following} + {share()} NO2", rate())
            else:
                result.reaction(f"{name} + O3 -> {share()} CH2O + {share()} OH + {share()} CO", rate())
            if s in (0, 4):
                result.reaction(f"{name} -> {share()} CH3O2 + {share()} HO2 + {share()} CO", light(name))
        result.reaction(f"() -> {chain[0]}", sympy.Symbol(f"EMIS.{c}", real=True))
    return result
