# SPDX-License-Identifier: Apache-2.0
"""Mechanisms as rows of text: "O3 + NO -> NO2 : ARRHENIUS A=1806642.2 C=-1500"."""

from __future__ import annotations

import re
from collections.abc import Mapping

from heddle.chemistry.mechanism import Mechanism
from heddle.chemistry.rate_laws import RATE_LAWS


def mechanism(name: str, species: str, reactions: str, atoms: Mapping[str, str]) -> Mechanism:
    """species: the unknowns; M is air. reactions: a row each, and indented lines that go on with it. atoms:
    of each element the species that have some, "NO 2*N2O5"; species that it does not name have none of it."""
    found: dict[str, dict[str, float]] = {}
    for element, holders in atoms.items():
        for holder in holders.split():
            count, _, of = holder.rpartition("*")
            found.setdefault(of, {})[element] = float(count or 1)
    result = Mechanism(name)
    for unknown in species.split():
        result.species(unknown, atoms=found.get(unknown, {}))
    result.third_body("M")
    for row in re.split(r"\n(?! )", reactions.strip()):
        equation, _, rest = " ".join(row.split()).partition(" : ")
        kind, *words = rest.split()
        law = RATE_LAWS[kind]
        label = next((word for word in words if "=" not in word), "")
        values = {key: value for key, value in law.parameters.items() if value is not None}
        for word in words:
            key, equals, value = word.partition("=")
            if equals:
                values["scaling factor" if key == "scaling" else key] = float(value)
        (rate,) = law.rate(values, label)
        result.reaction(equation, rate, label)
    return result
