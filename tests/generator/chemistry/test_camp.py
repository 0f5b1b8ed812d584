# SPDX-License-Identifier: Apache-2.0
"""Version 0 of Mechanism Configuration, the JSON of CAMP: what is read, in which units, what is refused."""

from __future__ import annotations

import copy
import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import sympy
from heddle import KernelError, chemistry
from heddle.chemistry.quantities import AIR, TEMPERATURE

AVOGADRO = 6.02214076e23
T, P = 250.0, 5e4
M = P / (8.31446261815324 * T)
"""mol m-3."""
CM3 = AVOGADRO * 1e-6
"""Molecules cm-3 of 1 mol m-3."""
REACTIONS: list[dict[str, Any]] = [
    {
        "rxn id": "R1",
        "type": "ARRHENIUS",
        "orig params": "anything",
        "A": 3.0e-12,
        "C": -1500.0,
        "reactants": {"NO": {}, "O3": {}},
        "products": {"NO2": {}, "O2": {}},
    },
    {
        "rxn id": "R2",
        "type": "ARRHENIUS",
        "A": 6.0e-34,
        "B": -2.4,
        "time unit": "MIN",
        "reactants": {"O": {}, "O2": {}, "M": {}},
        "products": {"O3": {}, "M": {}},
    },
    {
        "rxn id": "R3",
        "type": "TROE",
        "k0_A": 2.0e-30,
        "k0_B": -3.0,
        "kinf_A": 2.5e-11,
        "reactants": {"NO2": {"qty": 2}},
        "products": {"NO": {"yield": 1.5}},
    },
    {
        "rxn id": "R4",
        "type": "PHOTOLYSIS",
        "scaling factor": 9.0,
        "base rate": 4.77e-3,
        "photo id": 7,
        "reactants": {"NO2": {}},
        "products": {"NO": {}, "O": {}},
    },
    {"type": "EMISSION", "species": "NO", "MUSICA name": "NO"},
    {"type": "FIRST_ORDER_LOSS", "species": "O3", "rxn id": "dry"},
    {"type": "CMAQ_H2O2", "k1_A": 2.3e-13, "k1_C": 600.0, "k2_A": 1.7e-33, "k2_C": 1000.0,
     "reactants": {"NO": {"qty": 2}, "H2O": {}}, "products": {"NO2": {"yield": 2.0}}},
    {"type": "CMAQ_OH_HNO3", "k0_A": 2.4e-14, "k0_C": 460.0, "k2_A": 2.7e-17, "k2_C": 2199.0,
     "k3_A": 6.5e-34, "k3_C": 1335.0, "reactants": {"NO": {}, "NO2": {}}, "products": {}},
    {"type": "TERNARY_CHEMICAL_ACTIVATION", "k0_A": 1e-13, "kinf_A": 2e6,
     "reactants": {"NO": {}, "O3": {}}, "products": {"NO2": {}}},
    {"type": "WENNBERG_TUNNELING", "A": 1e9, "B": 8000.0, "C": 1e8, "reactants": {"NO2": {}},
     "products": {"NO": {}}},
    {"type": "WENNBERG_NO_RO2", "X": 2.7e-12, "Y": -350.0, "a0": 0.15, "n": 5,
     "reactants": {"NO": {}, "O": {}}, "nitrate products": {"NO2": {}}, "alkoxy products": {"O3": {}}},
]  # fmt: skip
FILE: dict[str, Any] = {
    "notes": "free",
    "camp-data": [
        *({"name": name, "type": "CHEM_SPEC", "description": "gas"} for name in ("NO", "NO2", "O", "O3")),
        {"name": "NO", "type": "CHEM_SPEC", "absolute integration tolerance": 1e-3},
        {"name": "NO2", "type": "CHEM_SPEC", "absolute tolerance": 1e-12},
        {"name": "Ar", "type": "CHEM_SPEC", "absolute integration tolerance": 1e-3},
        {"name": "O2", "type": "CHEM_SPEC", "tracer type": "CONSTANT"},
        {"name": "H2O", "type": "CHEM_SPEC", "tracer type": "CONSTANT"},
        {"name": "M", "type": "CHEM_SPEC", "tracer type": "CONSTANT"},
        {"name": "dust", "type": "CHEM_SPEC", "phase": "AEROSOL"},
        {"type": "RELATIVE_TOLERANCE", "value": 1e-4},
        {"name": "small", "type": "MECHANISM", "reactions": REACTIONS},
    ],
}


def read(tmp_path: Path, content: Any = FILE) -> chemistry.Mechanism:
    path = tmp_path / "config.json"
    path.write_text(content if isinstance(content, str) else json.dumps(content, indent=1))
    return chemistry.read(path)


def test_what_is_read(tmp_path: Path) -> None:
    found = read(tmp_path)
    assert (found.name, found.variable) == ("small", ("NO", "NO2", "O", "O3"))
    assert found.known["M"].fixed == AIR
    assert found.inputs == ("CONC.O2", "PHOTO.R4", "EMIS.NO", "LOSS.dry", "CONC.H2O")
    ppm = 1e-6 * 101325 / (8.31446261815324 * 298.15)
    tolerances = found.absolute_tolerances(1e-15)  # CAMP's key is in ppm, MICM's in mol m-3
    assert tolerances == pytest.approx([1e-3 * ppm, 1e-12, 1e-15, 1e-15], rel=1e-14, abs=0)
    first, second, third, fourth, *_ = found.reactions
    assert (first.reactants, first.products) == ({"NO": 1, "O3": 1}, {"NO2": 1.0})
    assert (second.reactants, second.products) == ({"O": 1, "M": 1}, {"O3": 1.0, "M": 1.0})
    assert (third.reactants, third.products) == ({"NO2": 2}, {"NO": 1.5})
    assert fourth.rate == 9 * sympy.Symbol("PHOTO.R4", real=True)
    notes = "\n".join(found.notes)
    for part in ("Ar: no reaction", "'dust' is no gas", "RELATIVE_TOLERANCE", "base rate 0.00477 s-1"):
        assert part in notes


def test_units(tmp_path: Path) -> None:
    """Rates in molecules cm-3 s-1 by the formulas of CAMP, for a state in molecules cm-3."""
    found = read(tmp_path)
    y = {"NO": 1e-8, "NO2": 3e-8, "O": 1e-12, "O3": 2e-6, "O2": 0.21 * M, "H2O": 0.1, "M": M}
    n = {species: value * CM3 for species, value in y.items()}

    def fall_off(k0: float, kinf: float) -> float:
        return 0.6 ** (1 / (1 + math.log10(k0 * n["M"] / kinf) ** 2)) / (1 + k0 * n["M"] / kinf)

    k0, kinf = 2.0e-30 * (T / 300) ** -3.0, 2.5e-11
    k3 = 6.5e-34 * math.exp(1335 / T) * n["M"]
    low = 2e-22 * math.exp(5)

    def nitrate(temperature: float, air: float) -> float:
        x = low * air / (0.43 * (temperature / 298) ** -8)
        return low * air / (1 + x) * 0.41 ** (1 / (1 + math.log10(x) ** 2))

    a, z = nitrate(T, n["M"]), nitrate(293.0, 2.45e19) * (1 - 0.15) / 0.15
    whole = 2.7e-12 * math.exp(350 / T) * n["NO"] * n["O"]
    wanted = {
        0: 3.0e-12 * math.exp(-1500 / T) * n["NO"] * n["O3"],
        1: 6.0e-34 / 60 * (T / 300) ** -2.4 * n["O"] * n["O2"] * n["M"],
        2: k0 * n["M"] * fall_off(k0, kinf) * n["NO2"] ** 2,
        6: (2.3e-13 * math.exp(600 / T) + 1.7e-33 * math.exp(1000 / T) * n["M"]) * n["NO"] ** 2 * n["H2O"],
        7: (2.4e-14 * math.exp(460 / T) + k3 / (1 + k3 / (2.7e-17 * math.exp(2199 / T))))
        * n["NO"]
        * n["NO2"],
        8: 1e-13 * fall_off(1e-13, 2e6) * n["NO"] * n["O3"],
        9: 1e9 * math.exp(-8000 / T + 1e8 / T**3) * n["NO2"],
        10: whole * a / (a + z),
        11: whole * z / (a + z),
    }
    state = {"T": T, "P": P, "air": M, "CONC.O2": y["O2"], "CONC.H2O": y["H2O"]}
    names = {sympy.Symbol(name, real=True): value for name, value in state.items()}
    for number, value in wanted.items():
        reaction = found.reactions[number]
        rate = float(reaction.rate.subs(names)) * math.prod(y[s] ** k for s, k in reaction.reactants.items())
        assert rate * CM3 == pytest.approx(value, rel=1e-12), str(reaction)


def test_several_files(tmp_path: Path) -> None:
    *species, mechanism = FILE["camp-data"]
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "species.json").write_text(json.dumps({"camp-data": species}))
    (tmp_path / "reactions.json").write_text(json.dumps({"camp-data": [mechanism]}))
    found = read(tmp_path, {"camp-files": ["parts/species.json", "reactions.json"]})
    assert [str(r) for r in found.reactions] == [str(r) for r in read(tmp_path).reactions]
    for names, said in (
        (["../species.json"], "is no file below the folder"),
        (["/etc/passwd"], "is no file below the folder"),
        (["config.json"], "is read twice"),
        (["nothing.json"], "cannot be read"),
        ([1], "'camp-files' is no list of names"),
    ):
        with pytest.raises(KernelError) as caught:
            read(tmp_path, {"camp-files": names})
        assert said in str(caught.value)


def test_yaml(tmp_path: Path) -> None:
    pytest.importorskip("ruamel.yaml")
    text = """
camp-data:
  - {name: NO, type: CHEM_SPEC}
  - {name: NO2, type: CHEM_SPEC}
  - name: tiny
    type: MECHANISM
    reactions:
      - {type: PHOTOLYSIS, rxn id: R1, reactants: {NO2: {}}, products: {NO: {}}}
"""
    (tmp_path / "a.yaml").write_text(text)
    assert chemistry.read(tmp_path / "a.yaml").variable == ("NO", "NO2")


def reaction(number: int, **changes: Any) -> Callable[[Any], None]:
    """Change a reaction; None removes a key."""

    def apply(content: Any) -> None:
        entry = content["camp-data"][-1]["reactions"][number]
        for key, value in changes.items():
            if value is None:
                del entry[key]
            else:
                entry[key] = value

    return apply


def species(number: int, **changes: Any) -> Callable[[Any], None]:
    return lambda content: content["camp-data"][number].update(changes)


WRONG: dict[str, tuple[Callable[[Any], None], str]] = {
    "species": (reaction(0, reactants={"no": {}}), "names the species 'no', which is not declared"),
    "type": (reaction(0, type="ZSR_AEROSOL_WATER"), "the reaction type 'ZSR_AEROSOL_WATER' is not known"),
    "key": (reaction(0, Cc=1), "the reaction ARRHENIUS 'R1' has the key 'Cc', which has no meaning here"),
    "list": (reaction(0, products=[{}]), "products of the reaction ARRHENIUS 'R1' are no map of species"),
    "bare": (reaction(0, products={"NO": 2}), "'NO' has no object"),
    "yield": (reaction(0, products={"NO": {"yeld": 2}}), "has the key 'yeld'"),
    "number": (reaction(0, A="3e-12"), "'A' is '3e-12', no finite number"),
    "qty": (reaction(2, reactants={"NO2": {"qty": 0}}), "takes 0 of 'NO2'"),
    "constant's qty": (reaction(0, reactants={"NO": {}, "O2": {"qty": 0.5}}), "takes 0.5 of 'O2'"),
    "many": (reaction(0, reactants={"NO": {"qty": 10**9}}), "takes 1e+09 of 'NO'"),
    "k0_A": (reaction(2, k0_A=0), "'k0_A' is 0.\n  Hint: it must be positive"),
    "kinf_A": (reaction(2, kinf_A=-1.0), "'kinf_A' is -1.\n  Hint: it must be positive"),
    "no reactants": (reaction(0, reactants=None), "has no reactants"),
    "C and Ea": (reaction(0, Ea=1e-20), "has both C and Ea"),
    "time": (reaction(0, **{"time unit": "h"}), "the time unit is 'h'"),
    "emission": (reaction(4, species="X"), "names the species 'X'"),
    "twice": (
        species(0, **{"absolute integration tolerance": 5}),
        "the species 'NO' is declared twice, with other values of",
    ),
    "tolerance": (
        species(2, **{"absolute tolerance": -1e-3}),
        "the species 'O': 'absolute tolerance' is -0.001",
    ),
    "truth value": (species(0, name=False), "a species has False as its name"),
    "tracer": (species(0, **{"tracer type": "FIXED"}), "has the tracer type 'FIXED'"),
    "object": (species(0, type="CHEM"), "the type 'CHEM' of camp-data is not known"),
    "no mechanism": (lambda content: content["camp-data"].pop(), "no object MECHANISM"),
    "no list": (lambda content: content.update({"camp-data": {}}), "'camp-data' is no list of objects"),
}  # fmt: skip


@pytest.mark.parametrize("case", WRONG)
def test_refused(case: str, tmp_path: Path) -> None:
    """With the line of the object, where there is one."""
    apply, said = WRONG[case]
    content = copy.deepcopy(FILE)
    apply(content)
    with pytest.raises(KernelError) as caught:
        read(tmp_path, content)
    assert said in str(caught.value)
    assert caught.value.hint
    assert str(caught.value.where).startswith("config.json:") or case == "no mechanism"


def test_what_the_width_of_a_fall_off_divides(tmp_path: Path) -> None:
    """CAMP's documentation and its program differ where N is not 1: a note says which is meant."""
    content = copy.deepcopy(FILE)
    reaction(2, N=1.24)(content)
    found = read(tmp_path, content)
    (note,) = (n for n in found.notes if "'R3' has N = 1.24" in n)
    assert note.endswith("for which the file would say N = 1.5376")
    k0, kinf = 2e-30 * CM3**2 * M * (T / 300) ** -3, 2.5e-11 * CM3
    wanted = k0 / (1 + k0 / kinf) * 0.6 ** (1 / (1 + math.log10(k0 / kinf) ** 2 / 1.24))
    rate = found.reactions[2].rate.subs({TEMPERATURE: T, AIR: M})
    assert float(rate) == pytest.approx(wanted, rel=1e-12)


def test_lines(tmp_path: Path) -> None:
    text = json.dumps(FILE, indent=1).replace('"time unit": "MIN"', '"time unit": "MINUTES"')
    with pytest.raises(KernelError) as caught:
        read(tmp_path, text)
    begin = next(n for n, line in enumerate(text.splitlines(), 1) if '"R2"' in line) - 1
    assert str(caught.value.where) == f"config.json:{begin}"
