# SPDX-License-Identifier: Apache-2.0
"""Mechanism Configuration, version 0: the JSON of CAMP, Chemistry Across Multiple Phases (M. L. Dawson et
al., Geosci. Model Dev. 15, 3663 (2022)), and of MusicBox 2; as JSON or YAML.

A file has a list `camp-data` of objects with types, or a list `camp-files` of files beside it. Species are
objects CHEM_SPEC, of which several with one name are one; reactions stand in an object MECHANISM. Reactants
and products are maps, {"NO": {"qty": 2}} and {"NO2": {"yield": 0.5}}. Rate constants are in molecules cm-3
and become mol m-3.

Species with the tracer type CONSTANT have a concentration that the host gives, `CONC.name` (mol m-3), to the
power of its order; M is the density of air. Species of particles that react are unknowns, in mol per m3 of
air (heddle.chemistry.condensed_laws); others, the sizes of particles, sub-models and the relative tolerance
are left out, with a note.

A species has its absolute tolerance under one of two keys. CAMP reads "absolute integration tolerance" and
hands it to CVODE, whose unknowns there are mole fractions in ppm (src/camp_solver.c, src/camp_state.F90): it
becomes that of air at 298.15 K and 101325 Pa. MICM reads "absolute tolerance" and compares it with
concentrations in mol m-3 (include/micm/solver/solver_builder.inl, state.hpp), so it stays.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import sympy

from heddle.chemistry.entries import PHASE, WATER, Entries
from heddle.chemistry.located_files import LocatedFiles
from heddle.chemistry.located_json import Located
from heddle.chemistry.mechanism import MOST_MOLECULES, Mechanism, Species
from heddle.chemistry.quantities import AIR, GAS_CONSTANT, MOLECULES
from heddle.chemistry.rate_laws import RATE_LAWS, host_value, water_of
from heddle.errors import KernelError

_OTHER_NAMES = {"WENNBERG_NO_RO2": "BRANCHED", "WENNBERG_TUNNELING": "TUNNELING"}
_PREFACTORS = {
    "ARRHENIUS": {"A": 0},
    "TUNNELING": {"A": 0},
    "BRANCHED": {"X": 0},
    "TROE": {"k0_A": 1, "kinf_A": 0},
    "TERNARY_CHEMICAL_ACTIVATION": {"k0_A": 0, "kinf_A": -1},
    "CMAQ_H2O2": {"k1_A": 0, "k2_A": 1},
    "CMAQ_OH_HNO3": {"k0_A": 0, "k2_A": 0, "k3_A": 1},
}
"""Types of reactions that have no host value: what has units of a concentration, and its order beyond that
of the rate constant."""
_HOST = ("PHOTOLYSIS", "EMISSION", "FIRST_ORDER_LOSS", "USER_DEFINED", "SURFACE")
_CONDENSED = tuple(kind for kind, law in RATE_LAWS.items() if law.phase)
"""Types of reactions of species that are no gases."""
_PER_SECOND = {
    "CONDENSED_PHASE_ARRHENIUS": "A",
    "AQUEOUS_EQUILIBRIUM": "k_reverse",
    "CONDENSED_PHASE_PHOTOLYSIS": "scaling factor",
}
"""What has the unit of time of a reaction."""
_USUAL = {"BRANCHED": {"X": 1.0, "Y": 0.0, "a0": 1.0, "n": 0.0}}
_COMMON = {"type", "name", "rxn id", "orig params", "notes", "description", "MUSICA name", "time unit"}
_THIRD_BODY = "M"
_PPM = 1e-6 * 101325.0 / (GAS_CONSTANT * 298.15)
"""In mol m-3."""
_TOLERANCES = {"absolute integration tolerance": _PPM, "absolute tolerance": 1.0}


def is_camp(root: Any) -> bool:
    """Whether a file is of this version."""
    return isinstance(root, Located) and ("camp-data" in root or "camp-files" in root)


class _Reader(Entries):
    def __init__(self, path: Path, files: LocatedFiles) -> None:
        super().__init__(path.name)
        self.files = files
        self.result = Mechanism(path.stem)
        self.given: set[str] = set()
        """Species whose concentrations the host gives."""
        self.declared: dict[str, Located] = {}
        """Species by name."""
        self.reactions: list[Located] = []
        self.phases: dict[str, list[str]] = {}
        """Species of each condensed phase."""
        self.dissolved: set[str] = set()
        """Species that are no gases, and of which some reaction asks."""

    def file_of(self, path: Path, root: Any) -> None:
        """Read the objects of a file, and those of the files that it names."""
        if not is_camp(root):
            raise KernelError(
                path.name, "the file has neither camp-data nor camp-files.", 'write {"camp-data": [...]}'
            )
        for entry in self.list_of(root, "camp-data", Located):
            self.object_of(entry)
        for name in self.list_of(root, "camp-files", str):
            beside = self.files.beside(path, name, self.where(root))
            self.file_of(beside, self.files.root(beside, self.where(root)))

    def list_of(self, owner: Located, key: str, kind: type) -> list[Any]:
        found = owner.get(key, [])
        if not isinstance(found, list) or not all(isinstance(entry, kind) for entry in found):
            what = "objects" if kind is Located else "names"
            raise KernelError(self.where(owner), f"'{key}' is no list of {what}.", f'write "{key}": [...]')
        return found

    def object_of(self, entry: Located) -> None:
        kind = self.text(entry, "type", "an object of camp-data")
        if kind == "CHEM_SPEC":
            self.merge(entry)
        elif kind == "MECHANISM":
            self.result.name = self.text(entry, "name", "a mechanism")
            self.reactions += self.list_of(entry, "reactions", Located)
        elif kind == "AERO_PHASE":
            name = self.text(entry, "name", "a phase")
            held = entry.get("species", [])
            listed = held if isinstance(held, list) else [None]
            listed = [each.get("name") if isinstance(each, Located) else each for each in listed]
            if not all(isinstance(each, str) for each in listed):
                raise KernelError(
                    self.where(entry),
                    f"'species' of the phase '{name}' is no list.",
                    'write "species": [...]',
                )
            self.phases.setdefault(name, []).extend(map(str, listed))
        elif kind.startswith(("AERO_", "SUB_MODEL_", "RELATIVE_TOLERANCE")):
            self.result.notes.append(f"{self.where(entry)}: {kind} has no meaning here; it is left out")
        else:
            raise KernelError(
                self.where(entry),
                f"the type '{kind}' of camp-data is not known.",
                "known are CHEM_SPEC, MECHANISM, AERO_..., SUB_MODEL_..., RELATIVE_TOLERANCE",
            )

    def merge(self, entry: Located) -> None:
        """Objects of the same name, in several files, are one species."""
        name = self.text(entry, "name", "a species")
        if name not in self.declared:
            self.declared[name] = entry
            return
        known = self.declared[name]
        for key, value in entry.items():
            if key != "description" and known.setdefault(key, value) != value:
                raise KernelError(
                    self.where(entry),
                    f"the species '{name}' is declared twice, with other values of '{key}'.",
                    "remove one of them",
                )

    def species(self, name: str, entry: Located) -> None:
        if entry.get("phase", "GAS") != "GAS" and name not in self.dissolved:
            self.result.notes.append(f"{self.where(entry)}: the species '{name}' is no gas; it is left out")
            return
        tracer = entry.get("tracer type", "VARIABLE")
        if tracer in ("ION_PAIR", "ACTIVITY_COEFF"):
            self.result.notes.append(f"{self.where(entry)}: '{name}' is no species, {tracer}; it is left out")
            return
        if tracer not in ("VARIABLE", "CONSTANT", "PSSA", "THIRD_BODY"):
            raise KernelError(
                self.where(entry),
                f"the species '{name}' has the tracer type {tracer!r}.",
                "known are VARIABLE, CONSTANT, PSSA",
            )
        self.note_properties(entry, name, f"the species '{name}'")
        third = tracer == "THIRD_BODY" or (tracer == "CONSTANT" and name == _THIRD_BODY)
        if tracer == "CONSTANT" and not third:
            self.given.add(name)
        if tracer == "PSSA":
            self.result.notes.append(f"{self.where(entry)}: '{name}' (PSSA) is an unknown like others")
        tolerance = self.absolute_tolerance(entry, _TOLERANCES, f"the species '{name}'")
        fixed = AIR if third else None
        self.result.declare(Species(name, fixed, absolute_tolerance=tolerance), self.where(entry))

    def mechanism(self) -> Mechanism:
        """What the files say together."""
        if not self.reactions:
            raise KernelError(self.file, "there is no object MECHANISM with reactions.", "add one")
        self.dissolved = {name for entry in self.reactions for name in self.condensed_species(entry)}
        for name, entry in self.declared.items():
            self.species(name, entry)
        for number, entry in enumerate(self.reactions, 1):
            self.reaction(entry, number)
        for inert in self.result.inert:
            if inert not in self.given:
                self.result.notes.append(f"{inert}: no reaction changes it; it is left out")
        return self.result

    def condensed_species(self, entry: Located) -> set[str]:
        """Species that a reaction in a condensed phase names, or may name."""
        kind = entry.get("type")
        if kind not in _CONDENSED:
            return set()
        if kind == "WET_DEPOSITION":
            return set(self.phases.get(str(entry.get("aerosol phase")), ()))
        sides = (entry.get(key) for key in ("reactants", "products"))
        found = {name for side in sides if isinstance(side, Located) for name in side}
        return found | {
            str(entry[key]) for key in RATE_LAWS[kind].products if isinstance(entry.get(key), str)
        }

    def condensed(self, entry: Located, kind: str, name: str, what: str) -> None:
        """A reaction in a condensed phase, or between one and the gas."""
        law = RATE_LAWS[kind]
        self.refuse_activity(entry, what)
        phase = self.phase_of(entry, what)
        if phase not in self.phases:
            raise KernelError(
                self.where(entry),
                f"{what} lies in the phase '{phase}', which is not declared.",
                'declare it: {"type": "AERO_PHASE", "name": ..., "species": [...]}',
            )
        keys = {*_COMMON, *PHASE, *WATER, *law.parameters, *law.products, law.reactants}
        if not law.named:  # what has a host value has remarks of its own
            self.known_keys(entry, {*keys, "units", "reactants", "products"} - {""}, what)
        if "rate" in entry:
            base = self.number(entry, "rate", entry["rate"], what)
            self.result.notes.append(f"{self.where(entry)}: {what} has the base rate {base:g} s-1")
        if law.transfer:
            reactants = {self.text(entry, law.reactants, what): 1.0}
            products = [{self.text(entry, law.products[0], what): 1.0}]
        else:
            reactants = self.reactants(entry, kind, what) if law.reactants else {}
            number = "qty" if law.back else "yield"
            products = [dict(self.side(entry, key, number, what)) for key in law.products]
        values = self.values(entry, law, what, reactants)
        if kind in _PER_SECOND:
            values[_PER_SECOND[kind]] *= self.time_unit(entry, what)
        rates = law.rate(values, phase if law.transfer else name)
        if not law.products:  # all that the phase holds is lost
            for species in self.phases[phase]:
                self.result.add({species: 1.0}, {}, rates[0], name, self.where(entry))
            return
        units = entry.get("units", "M" if kind == "AQUEOUS_EQUILIBRIUM" else None)
        if not law.transfer and units not in ("M", "mol m-3"):
            raise KernelError(
                self.where(entry), f"{what} has the units {units!r}.", 'write "units": "M", or "mol m-3"'
            )
        water = water_of(phase) if units == "M" and not law.transfer else None
        for left, right, rate in self.steps(law, rates, reactants, products, water):
            self.result.add(left, right, rate, name, self.where(entry))

    def reaction(self, entry: Located, number: int) -> None:
        written = self.text(entry, "type", "a reaction")
        kind = _OTHER_NAMES.get(written, written)
        if kind not in _PREFACTORS and kind not in _HOST and kind not in _CONDENSED:
            raise KernelError(
                self.where(entry),
                f"the reaction type '{written}' is not known.",
                "known are: " + ", ".join(sorted((*_PREFACTORS, *_HOST, *_CONDENSED, *_OTHER_NAMES))),
            )
        law = RATE_LAWS[kind]
        names = (entry.get(key) for key in ("MUSICA name", "rxn id", "name"))
        name = next((each for each in names if isinstance(each, str) and each), f"R{number}")
        what = f"the reaction {written} '{name}'"
        if kind in _CONDENSED:
            self.condensed(entry, kind, name, what)
            return
        reactants = self.reactants(entry, kind, what)
        if kind in _PREFACTORS:
            keys = {*_COMMON, *law.parameters, "reactants", *law.products}
            self.known_keys(entry, keys, what)
        filled = Located({**_USUAL.get(kind, {}), **entry})
        filled.line, filled.file = entry.line, entry.file
        values = self.values(filled, law, what, reactants)
        if (width := values.get("N", 1.0)) != 1:
            self.result.notes.append(
                f"{self.where(entry)}: {what} has N = {width:g}, and the exponent "
                "1/(1 + (log10 x)^2/N) that CAMP documents and MICM computes; CAMP's program has "
                f"(log10 x/N)^2, for which the file would say N = {width**2:g}"
            )
        per_second = self.time_unit(entry, what)
        order = sum(reactants.values()) - 1
        for key, more in _PREFACTORS.get(kind, {}).items():
            values[key] *= MOLECULES ** (order + more) * per_second
        if "base rate" in entry:
            base = self.number(entry, "base rate", entry["base rate"], what)
            self.result.notes.append(f"{self.where(entry)}: {what} has the base rate {base:g} s-1")
        given = sympy.Integer(1)
        for species in [s for s in reactants if s in self.given]:
            given = given * host_value(f"CONC.{species}") ** int(reactants[species])
        for key, rate in zip(law.products, law.rate(values, name), strict=True):
            made = self.products(entry, kind, key, what)
            self.result.add(
                self.unknown(reactants), self.unknown(made), rate * given, name, self.where(entry)
            )

    def unknown(self, side: dict[str, float]) -> dict[str, float]:
        """Without species that the host gives."""
        return {species: number for species, number in side.items() if species not in self.given}

    def time_unit(self, entry: Located, what: str) -> float:
        """Units in a second."""
        unit = entry.get("time unit", "s")
        if unit not in ("s", "MIN"):
            raise KernelError(
                self.where(entry), f"{what}: the time unit is {unit!r}.", 'write "MIN", or nothing for s'
            )
        return 1 / 60 if unit == "MIN" else 1.0

    def reactants(self, entry: Located, kind: str, what: str) -> dict[str, float]:
        if kind == "EMISSION":
            return {}
        if kind == "SURFACE":
            return {self.text(entry, "gas-phase reactant", what): 1.0}
        if kind == "FIRST_ORDER_LOSS" and "species" in entry:
            return {self.text(entry, "species", what): 1.0}
        found = dict(self.side(entry, "reactants", "qty", what))
        if not found:
            raise KernelError(
                self.where(entry), f"{what} has no reactants.", "give them, or use the type EMISSION"
            )
        for species, number in found.items():
            if not (number.is_integer() and 1 <= number <= MOST_MOLECULES):
                raise KernelError(
                    self.where(entry), f"{what} takes {number:g} of '{species}'.", 'write "qty": 2'
                )
        return found

    def products(self, entry: Located, kind: str, key: str, what: str) -> dict[str, float]:
        if kind == "EMISSION" and "species" in entry:
            return {self.text(entry, "species", what): 1.0}
        return dict(self.side(entry, key, "yield", what))

    def side(self, entry: Located, key: str, number: str, what: str) -> Iterator[tuple[str, float]]:
        """Species and their numbers."""
        found = entry.get(key, Located())
        if not isinstance(found, Located):
            raise KernelError(
                self.where(entry),
                f"{key} of {what} are no map of species.",
                f'version 0 has maps: "{key}": {{"NO": {{"{number}": 2}}}}',
            )
        for species, options in found.items():
            if not isinstance(species, str):
                raise KernelError(
                    self.where(found),
                    f"{key} of {what} have {species!r} as a name.",
                    'quote it, "NO": YAML 1.1 takes NO for a truth value',
                )
            if not isinstance(options, Located):
                raise KernelError(
                    self.where(found),
                    f"{key} of {what}: '{species}' has no object.",
                    f'write "{species}": {{}}',
                )
            self.known_keys(options, {number}, f"'{species}' among the {key} of {what}")
            yield species, self.number(options, number, options.get(number, 1.0), what)


def read_camp(path: Path, root: Any, files: LocatedFiles) -> Mechanism:
    """The mechanism of a file and of those that it names. root: what it holds. files: of the mechanism."""
    reader = _Reader(path, files)
    reader.file_of(path, root)
    return reader.mechanism()
