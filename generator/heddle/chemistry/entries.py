# SPDX-License-Identifier: Apache-2.0
"""Objects of a mechanism's file: their keys, texts and numbers, with errors that name file and line."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import sympy

from heddle.chemistry.condensed_laws import in_water
from heddle.chemistry.lambda_rates import lambda_expression
from heddle.chemistry.located_json import Located
from heddle.chemistry.rate_laws import DIFFUSION, HENRY, HENRY_C, N_STAR, WEIGHT, RateLaw
from heddle.errors import KernelError

PROPERTIES = {
    WEIGHT: (WEIGHT, 1.0),
    DIFFUSION: (DIFFUSION, 1.0),
    "diffusion coeff [m2 s-1]": (DIFFUSION, 1.0),
    "HLC(298K) [mol m-3 Pa-1]": (HENRY, 1e-3),
    "HLC(298K) [M Pa-1]": (HENRY, 1.0),
    HENRY_C: (HENRY_C, 1.0),
    "HLC exp factor [K]": (HENRY_C, 1.0),
    N_STAR: (N_STAR, 1.0),
}
"""Of species, which rate laws ask for: keys of the formats, and the law's name and unit of each."""
LARGEST = sys.float_info.max
"""Number of a file."""
COEFFICIENTS = "taylor coefficients"
MOST_COEFFICIENTS = 50
PHASE = ("aerosol phase", "condensed phase", "phase")
WATER = ("aerosol-phase water", "aqueous-phase water")


class Entries:
    """file: the name of the first one, for errors."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.properties: dict[str, dict[str, float]] = {}
        """Of each species: those of PROPERTIES."""

    def where(self, entry: Located) -> str:
        return f"{entry.file}:{entry.line}"

    def known_keys(self, entry: Located, known: Iterable[str], what: str) -> None:
        """Raise KernelError for a key that nothing reads: it is a word that is misspelt."""
        for key in entry:
            if key not in known and not str(key).startswith("__"):
                raise KernelError(
                    self.where(entry),
                    f"{what} has the key '{key}', which has no meaning here.",
                    "known are: " + ", ".join(sorted(known)) + "; comments begin with __",
                )

    def text(self, entry: Located, key: str, what: str) -> str:
        value = entry.get(key)
        if not isinstance(value, str) or not value:
            shown = "no" if key not in entry else f"{value!r} as its"
            raise KernelError(
                self.where(entry),
                f"{what} has {shown} {key}.",
                f'write "{key}": "...", with quotes: YAML 1.1 takes NO for a truth value',
            )
        return value

    def number(self, entry: Located, key: str, value: object, what: str) -> float:
        """Raises KernelError for what is no finite number; text that looks like one is none."""
        if not isinstance(value, (int, float)) or isinstance(value, bool) or not abs(value) <= LARGEST:
            long = isinstance(value, int) and abs(value) > LARGEST  # Python may not even print it
            shown = "more than 1.8e308" if long else f"{value!r:.60}"
            raise KernelError(
                self.where(entry),
                f"{what}: '{key}' is {shown}, no finite number.",
                f'write "{key}": {_as_number(value)}'
                + (", without quotes" if isinstance(value, str) else ""),
            )
        return float(value)

    def note_properties(self, entry: Located, name: str, what: str) -> None:
        for key, (known, unit) in PROPERTIES.items():
            if key in entry:
                value = self.number(entry, key, entry[key], what) * unit
                self.properties.setdefault(name, {})[known] = value

    def phase_of(self, entry: Located, what: str) -> str:
        """The condensed phase in which a reaction lies."""
        key = next((key for key in PHASE if key in entry), PHASE[0])
        return self.text(entry, key, what)

    def refuse_activity(self, entry: Located, what: str) -> None:
        """Raise KernelError for a coefficient that depends on all that is dissolved."""
        for key in ("ion pair", "aerosol-phase activity coefficient"):
            if key in entry:
                raise KernelError(
                    self.where(entry),
                    f"{what} depends on the activity coefficient '{entry[key]}', which has no closed form.",
                    f"remove '{key}' for an ideal solution, or give its rate with the type USER_DEFINED",
                )

    def steps(
        self,
        law: RateLaw,
        rates: Sequence[sympy.Expr],
        reactants: Mapping[str, float],
        products: Sequence[Mapping[str, float]],
        water: sympy.Expr | None = None,
    ) -> Iterator[tuple[Mapping[str, float], Mapping[str, float], sympy.Expr]]:
        """The reactions of an entry: reactants, products and rate constant of each. water: that of the phase
        where rate constants are in L mol-1."""
        pairs = [(reactants, made) for made in products]
        if law.back:
            pairs.append((products[0], reactants))
        for (left, right), rate in zip(pairs, rates, strict=True):
            order = int(sum(left.values()))
            yield left, right, rate if water is None else in_water(rate, order, water)

    def absolute_tolerance(self, entry: Located, units: Mapping[str, float], what: str) -> float | None:
        """The tolerance of a species, in mol m-3; None where the entry has none. units: of each key that may
        hold it, in mol m-3; where several are there, the first of them counts."""
        for key, unit in units.items():
            if key in entry:
                given = self.number(entry, key, entry[key], what)
                if not given > 0:
                    raise KernelError(self.where(entry), f"{what}: '{key}' is {given:g}.", "give more than 0")
                return given * unit
        return None

    def values(
        self, entry: Located, law: RateLaw, what: str, reactants: Mapping[str, float]
    ) -> dict[str, Any]:
        """The parameters of a rate law; what the file does not say has its usual value."""
        values: dict[str, Any] = {}
        properties = self.properties.get(next(iter(reactants), ""), {})
        if "Ea" in entry and "C" in entry:
            raise KernelError(self.where(entry), f"{what} has both C and Ea.", "C is -Ea/k_B: give one")
        for key, usual in law.parameters.items():
            given = entry.get(key, properties.get(key, usual))
            if given is None:
                raise KernelError(
                    self.where(entry), f"{what} has no '{key}', so it has no rate.", f'write "{key}": ...'
                )
            if isinstance(given, list):
                if key != COEFFICIENTS and not (key == "B" and law.transfer):
                    raise KernelError(self.where(entry), f"{what}: '{key}' is a list.", f'write "{key}": 1.0')
                if not 0 < len(given) <= MOST_COEFFICIENTS:
                    raise KernelError(
                        self.where(entry),
                        f"{what}: '{key}' is a list of {len(given)} numbers.",
                        f"give 1 to {MOST_COEFFICIENTS}",
                    )
                for n, number in enumerate(given):
                    values[f"{key}.{n}"] = self.number(entry, key, number, what)
            else:
                values[key] = self.number(entry, key, given, what)
                if isinstance(usual, float) and key == COEFFICIENTS:
                    values[f"{key}.0"] = values[key]
        if law.function:
            text = self.text(entry, law.function, what)
            values[law.function] = lambda_expression(text, self.where(entry))
        if "B" in law.parameters and law.transfer and sum(key.startswith("B.") for key in values) != 4:
            raise KernelError(
                self.where(entry), f"{what} has no list 'B' of four numbers.", 'write "B": [b1, b2, b3, b4]'
            )
        for key, (lowest, highest) in law.limits.items():
            if key in values and not lowest < values[key] <= highest:
                above = "positive" if lowest == 0 else f"more than {lowest:g}"
                most = f", and at most {highest:g}" if highest < math.inf else ""
                raise KernelError(
                    self.where(entry), f"{what}: '{key}' is {values[key]:g}.", f"it must be {above}{most}"
                )
        return values


def _as_number(value: object) -> float:
    """What a text may mean, for a hint."""
    try:
        number = float(value) if isinstance(value, str) else 1.0
    except ValueError:
        return 1.0
    return number if math.isfinite(number) else 1.0
