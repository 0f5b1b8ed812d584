# SPDX-License-Identifier: Apache-2.0
"""Objects of a mechanism's file: their keys, texts and numbers, with errors that name file and line."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping

from heddle.chemistry.located_json import Located
from heddle.chemistry.rate_laws import RateLaw
from heddle.errors import KernelError


class Entries:
    """file: its name, for errors."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.properties: dict[str, dict[str, float]] = {}
        """Of each species: diffusion coefficient, molecular weight."""

    def where(self, entry: Located) -> str:
        return f"{self.file}:{entry.line}"

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
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
            raise KernelError(
                self.where(entry), f"{what}: '{key}' is {value!r}, no finite number.", f'write "{key}": 1.0'
            )
        return float(value)

    def note_properties(self, entry: Located, name: str, what: str) -> None:
        for key in ("molecular weight [kg mol-1]", "diffusion coefficient [m2 s-1]"):
            if key in entry:
                self.properties.setdefault(name, {})[key] = self.number(entry, key, entry[key], what)

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
    ) -> dict[str, float]:
        """The parameters of a rate law; what the file does not say has its usual value."""
        values: dict[str, float] = {}
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
                for n, number in enumerate(given):
                    values[f"{key}.{n}"] = self.number(entry, key, number, what)
            else:
                values[key] = self.number(entry, key, given, what)
                if isinstance(usual, float) and key == "taylor coefficients":
                    values[f"{key}.0"] = values[key]
        for key in ("D", "Fc", "N"):
            if key in values and values[key] <= 0:
                raise KernelError(
                    self.where(entry), f"{what}: '{key}' is {values[key]:g}.", "it must be positive"
                )
        return values
