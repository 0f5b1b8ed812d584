# SPDX-License-Identifier: Apache-2.0
"""Mechanism Configuration, version 1: the format of the National Center for Atmospheric Research and others
(repository open-atmos/MechanismConfiguration), as JSON or YAML.

An object with `version`, `name`, `species`, `phases`, `reactions`; also one that has it under `mechanism`, as
the examples of music-box do. Each of the three lists may stand in files of its own, {"files": ["gas.json"]},
as version 1.1 has it: a list each, below the folder of the file that names them. Keys that begin with __ are
comments.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import sympy

from heddle.chemistry.entries import PHASE, PROPERTIES, WATER, Entries
from heddle.chemistry.located_files import LocatedFiles
from heddle.chemistry.located_json import Located
from heddle.chemistry.mechanism import Mechanism, Species
from heddle.chemistry.quantities import AIR
from heddle.chemistry.rate_laws import RATE_LAWS, water_of
from heddle.errors import KernelError

_FIXED = {
    "constant concentration [mol m-3]": lambda value: sympy.Float(value),
    "constant mixing ratio [mol mol-1]": lambda value: sympy.Float(value) * AIR,
}
_TOLERANCE = "absolute tolerance"
"""In mol m-3."""
_SPECIES = {
    "name",
    "is third body",
    *PROPERTIES,
    "density [kg m-3]",
    _TOLERANCE,
    "tracer type",
    *_FIXED,
}
_COMMON = {"type", "name", "gas phase"}
_OTHER_NAMES = {"LAMBDA": "LAMBDA_RATE_CONSTANT", "BRANCHED_NO_RO2": "BRANCHED"}


class Document(Entries):
    """One file as it is read. root: what it holds. files: of the mechanism, for those that it names."""

    def __init__(self, path: Path, root: Any, files: LocatedFiles) -> None:
        super().__init__(path.name)
        self.path, self.files = path, files
        if isinstance(root, Located) and isinstance(root.get("mechanism"), Located):
            root = root["mechanism"]
        if not isinstance(root, Located) or "reactions" not in root:
            raise KernelError(
                self.file,
                "the file has no list of reactions.",
                "Mechanism Configuration version 1 is an object with version, species, phases and reactions",
            )
        self.root = root
        if "NCAR-version" in root and "version" not in root:
            raise KernelError(
                self.where(root),
                "this is an older form of the format, whose rate constants have units that it does not say.",
                'convert it to version 1: "version": "1.0.0", lists of species, phases and reactions',
            )
        version = str(root.get("version", ""))
        if version.split(".")[0] != "1":
            raise KernelError(
                self.where(root), f"the version '{version}' is not 1.", 'write "version": "1.0.0"'
            )

    def mechanism(self) -> Mechanism:
        """The whole of it."""
        for key in self.root:
            if key.startswith("aerosol") and self.root[key]:
                raise KernelError(
                    self.where(self.root),
                    f"the file has '{key}', which holds what no rate law describes.",
                    "leave them out, and write what happens in particles as reactions",
                )
        name = self.root.get("name", self.file)
        result = Mechanism(name if isinstance(name, str) else self.file)
        for entry in self.section("species"):
            self.read_species(result, entry)
        phases = dict(self.read_phase(result, phase) for phase in self.section("phases"))
        for entry in self.section("reactions"):
            self.read_reaction(result, entry, phases)
        for inert in result.inert:
            result.notes.append(f"{inert}: no reaction changes it; it is left out")
        return result

    # Pieces

    def section(self, key: str) -> list[Located]:
        """The objects of one of the lists of the mechanism, wherever they stand."""
        found = self.root.get(key)
        if not isinstance(found, Located):
            return self.objects(self.root, key)
        self.known_keys(found, ("files",), f"'{key}'")
        names, where = found.get("files"), self.where(found)
        if not isinstance(names, list) or not names or not all(isinstance(name, str) for name in names):
            raise KernelError(
                where,
                f"'files' of '{key}' is no list of names.",
                f'write "{key}": {{"files": ["{key}.json"]}}',
            )
        objects: list[Located] = []
        for name in names:
            path = self.files.beside(self.path, name, where)
            entries = self.files.root(path, where)
            if not isinstance(entries, list) or not all(isinstance(entry, Located) for entry in entries):
                raise KernelError(
                    path.name, f"the file is no list of objects, which '{key}' has.", "write [{...}, {...}]"
                )
            objects += entries
        return objects

    def objects(self, owner: Located, key: str) -> list[Located]:
        """The objects of a list; none if there is no such key."""
        found = owner.get(key, [])
        if not isinstance(found, list) or not all(isinstance(entry, Located) for entry in found):
            raise KernelError(
                self.where(owner), f"'{key}' is no list of objects.", f'write "{key}": [{{...}}]'
            )
        return found

    def read_species(self, result: Mechanism, entry: Located) -> None:
        name = self.text(entry, "name", "a species")
        what = f"the species '{name}'"
        self.known_keys(entry, _SPECIES, what)
        fixed = [key for key in _FIXED if key in entry]
        third = entry.get("is third body", False)
        if not isinstance(third, bool) or len(fixed) + third > 1:
            raise KernelError(
                self.where(entry),
                f"{what} has more than one concentration, or 'is third body' is not true or false.",
                "give one of: constant concentration, constant mixing ratio, is third body",
            )
        value: sympy.Expr | None = AIR if third else None
        for key in fixed:
            given = self.number(entry, key, entry[key], what)
            if given < 0:
                raise KernelError(self.where(entry), f"{what}: '{key}' is negative.", "give 0 or more")
            value = _FIXED[key](given)
        self.note_properties(entry, name, what)
        tolerance = self.absolute_tolerance(entry, {_TOLERANCE: 1.0}, what)
        result.declare(Species(name, value, absolute_tolerance=tolerance), self.where(entry))

    def read_phase(self, result: Mechanism, phase: Located) -> tuple[str, list[str]]:
        found: list[str] = []
        name = self.text(phase, "name", "a phase")
        self.known_keys(phase, {"name", "species"}, f"the phase '{name}'")
        listed = phase.get("species", [])
        if not isinstance(listed, list):
            raise KernelError(
                self.where(phase),
                f"'species' of the phase '{name}' is no list.",
                'write "species": [{"name": ...}]',
            )
        for entry in listed:
            species = entry if isinstance(entry, str) else None
            if isinstance(entry, Located):
                species = self.text(entry, "name", f"a species of the phase '{name}'")
                self.note_properties(entry, species, f"the species '{species}'")
            if species not in result.known:
                raise KernelError(
                    self.where(entry if isinstance(entry, Located) else phase),
                    f"the phase '{name}' has the species {species!r}, which is not declared.",
                    "declare it in the list of species",
                )
            found.append(species)
        return name, found

    def read_reaction(self, result: Mechanism, entry: Located, phases: Mapping[str, list[str]]) -> None:
        kind = self.text(entry, "type", "a reaction")
        law = RATE_LAWS.get(_OTHER_NAMES.get(kind, kind))
        if law is None:
            raise KernelError(
                self.where(entry),
                f"the reaction type '{kind}' is not known.",
                "known are: " + ", ".join(sorted(RATE_LAWS)),
            )
        what = f"a reaction {kind}" + (f" '{entry['name']}'" if "name" in entry else "")
        keys = {*_COMMON, *law.parameters, "reactants", *law.products}
        keys |= {law.reactants} if law.reactants else set()
        keys |= {law.function} if law.function else set()
        keys |= {*PHASE, *WATER, "ion pair", "aerosol-phase activity coefficient"} if law.phase else set()
        self.known_keys(entry, keys, what)
        name = self.text(entry, "name", what) if law.named or "name" in entry else ""
        if phases and "gas phase" in entry and self.text(entry, "gas phase", what) not in phases:
            raise KernelError(
                self.where(entry),
                f"{what} lies in the phase {entry['gas phase']!r}, which is not declared.",
                "known are: " + ", ".join(phases),
            )
        if law.phase:
            self.refuse_activity(entry, what)
        phase = self.phase_of(entry, what) if law.phase else ""
        if phase and phase not in phases:
            raise KernelError(
                self.where(entry),
                f"{what} lies in the phase '{phase}', which is not declared.",
                "declare it in the list of phases, with its species",
            )
        if not law.products:  # all that the phase holds is lost
            (rate,) = law.rate(self.values(entry, law, what, {}), name)
            for species in phases[phase]:
                result.add({species: 1.0}, {}, rate, name, self.where(entry))
            return
        reactants = self.side(entry, law.reactants, what) if law.reactants else {}
        if law.reactants and not reactants:
            raise KernelError(
                self.where(entry), f"{what} has no reactants.", "give them, or use the type EMISSION"
            )
        rates = law.rate(self.values(entry, law, what, reactants), phase if law.transfer else name)
        products = [self.side(entry, key, what) for key in law.products]
        if law.back and not products[0]:
            raise KernelError(
                self.where(entry), f"{what} has no products that could react back.", "give them"
            )
        water = water_of(phase) if law.back and law.phase and not law.transfer else None
        for left, right, rate in self.steps(law, rates, reactants, products, water):
            result.add(left, right, rate, name, self.where(entry))

    def side(self, entry: Located, key: str, what: str) -> dict[str, float]:
        """Species and their numbers. One that a list has several times counts with the sum."""
        found = entry.get(key, [])
        if isinstance(found, str):
            return {found: 1.0}
        terms: dict[str, float] = {}
        for term in self.objects(entry, key):
            self.known_keys(term, {"species name", "name", "coefficient"}, f"{key} of {what}")
            species = self.text(term, "name" if "name" in term else "species name", f"{key} of {what}")
            number = self.number(term, "coefficient", term.get("coefficient", 1.0), what)
            terms[species] = terms.get(species, 0.0) + number
        return terms
