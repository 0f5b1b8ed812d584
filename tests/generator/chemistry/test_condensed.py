# SPDX-License-Identifier: Apache-2.0
"""Reactions in cloud water and particles: what files say, in which units, where equilibria lie, and what is
refused."""

from __future__ import annotations

import copy
import json
import math
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sympy
from cells import evaluated
from heddle import KernelError, Module, chemistry

R = 8.31446261815324
T, P = 283.0, 9e4
WATER = 4e-4
"""kg m-3: a cloud."""
H2O2 = {"diffusion coefficient [m2 s-1]": 1.46e-5, "molecular weight [kg mol-1]": 0.034, "N star": 1.74}
FILE: dict[str, Any] = {
    "version": "1.0.0",
    "name": "cloud",
    "species": [
        {"name": "H2O2", "HLC(298K) [mol m-3 Pa-1]": 1.01, "HLC exponential factor [K]": 6340, **H2O2},
        {"name": "H2O2_aq", "density [kg m-3]": 1000.0},
        {"name": "A"},
        {"name": "B"},
        {"name": "soot"},
        {"name": "oil", **H2O2},
        {"name": "oil_p"},
    ],
    "phases": [
        {"name": "gas", "species": [{"name": "H2O2"}, {"name": "oil"}]},
        {"name": "cloud", "species": ["H2O2_aq", "A", "B"]},
        {"name": "organic", "species": ["oil_p", "soot"]},
    ],
    "reactions": [
        {"type": "HL_PHASE_TRANSFER", "name": "in", "gas phase": "gas", "gas-phase species": "H2O2",
         "aerosol phase": "cloud", "aerosol-phase species": "H2O2_aq", "aerosol-phase water": "H2O_aq"},
        {"type": "AQUEOUS_EQUILIBRIUM", "A": 2e-3, "C": 2300.0, "k_reverse": 40.0, "aerosol phase": "cloud",
         "aerosol-phase water": "H2O_aq", "reactants": [{"species name": "H2O2_aq"}],
         "products": [{"species name": "A"}, {"species name": "B"}]},
        {"type": "CONDENSED_PHASE_ARRHENIUS", "aerosol phase": "cloud", "A": 5.0, "C": -300.0,
         "reactants": [{"species name": "A", "coefficient": 2}], "products": [{"species name": "soot"}]},
        {"type": "CONDENSED_PHASE_PHOTOLYSIS", "name": "H2O2", "scaling factor": 1.5,
         "aerosol phase": "cloud", "reactants": [{"species name": "H2O2_aq"}],
         "products": [{"species name": "A"}]},
        {"type": "SIMPOL_PHASE_TRANSFER", "gas-phase species": "oil", "aerosol phase": "organic",
         "aerosol-phase species": "oil_p", "B": [-1970.0, 2.91, 0.00196, -0.496]},
        {"type": "WET_DEPOSITION", "name": "rain", "aerosol phase": "organic"},
        {"type": "LAMBDA_RATE_CONSTANT", "name": "own", "gas phase": "gas",
         "reactants": [{"species name": "oil"}],
         "lambda function": "[](double T, double P, double air_density) { return 1e-6 * exp(300.0 / T); }"},
    ],
}  # fmt: skip
HOST = {
    "AERO.cloud.effective radius [m]": 8e-6,
    "AERO.cloud.number concentration [m-3]": 1.5e8,
    "AERO.cloud.water [kg m-3]": WATER,
    "AERO.organic.effective radius [m]": 1e-7,
    "AERO.organic.number concentration [m-3]": 2e9,
    "AERO.organic.all species [mol m-3]": 3e-8,
    "PHOTO.H2O2": 2e-5,
    "WET.rain": 1e-5,
}


def read(folder: Path, content: Any, file: str = "cloud.json") -> chemistry.Mechanism:
    (folder / file).write_text(content if isinstance(content, str) else json.dumps(content, indent=1))
    return chemistry.read(folder / file)


def constants(mechanism: chemistry.Mechanism, host: Mapping[str, float]) -> list[float]:
    known = {"T": T, "P": P, "air": P / (R * T)} | dict(host)
    values = {sympy.Symbol(name, real=True): value for name, value in known.items()}
    return [float(reaction.rate.subs(values)) for reaction in mechanism.reactions]


def test_what_is_read(tmp_path: Path) -> None:
    found = read(tmp_path, FILE)
    assert set(found.inputs) == set(HOST)
    assert [str(r).split(": ")[-1] for r in found.reactions] == [
        "H2O2 -> H2O2_aq", "H2O2_aq -> H2O2", "H2O2_aq -> A + B", "A + B -> H2O2_aq", "2 A -> soot",
        "H2O2_aq -> A", "oil -> oil_p", "oil_p -> oil", "oil_p -> ()", "soot -> ()", "oil -> ()",
    ]  # fmt: skip
    k = constants(found, HOST)
    H = 1.01e-3 * math.exp(6340 * (1 / T - 1 / 298))  # mol L-1 Pa-1
    assert k[0] / k[1] == pytest.approx(H * R * T * WATER, rel=1e-12)
    K = 2e-3 * math.exp(2300 * (1 / T - 1 / 298))  # mol L-1
    assert k[2] / k[3] == pytest.approx(K * WATER, rel=1e-12)
    assert k[3] == pytest.approx(40.0 / WATER, rel=1e-12)
    assert k[4] == pytest.approx(5.0 * math.exp(-300 / T), rel=1e-12)
    assert k[5] == pytest.approx(3e-5, rel=1e-12)
    p0 = 101325 * 10 ** (-1970 / T + 2.91 + 0.00196 * T - 0.496 * math.log(T))
    assert k[7] / k[6] == pytest.approx(p0 / (R * T * 3e-8), rel=1e-12)
    assert k[8:] == pytest.approx([1e-5, 1e-5, 1e-6 * math.exp(300 / T)], rel=1e-12)


def test_nothing_happens_without_water(tmp_path: Path) -> None:
    dry = {name: 0.0 if name.startswith("AERO") else value for name, value in HOST.items()}
    k = constants(read(tmp_path, FILE), dry)
    assert k[:4] == [0, 0, 0, 0]
    assert k[6:8] == [0, 0]
    assert np.all(np.isfinite(k))


def camp() -> dict[str, Any]:
    """The same in version 0: maps of species, molecules and cm3, and units of a reaction."""
    species: list[dict[str, Any]] = []
    for entry in FILE["species"]:
        gas = entry["name"] in ("H2O2", "oil")
        new = {"type": "CHEM_SPEC", **entry} | ({} if gas else {"phase": "AEROSOL"})
        if "HLC(298K) [mol m-3 Pa-1]" in new:
            new["HLC(298K) [M Pa-1]"] = new.pop("HLC(298K) [mol m-3 Pa-1]") * 1e-3
            new["HLC exp factor [K]"] = new.pop("HLC exponential factor [K]")
            new["diffusion coeff [m2 s-1]"] = new.pop("diffusion coefficient [m2 s-1]")
        species.append(new)
    reactions = []
    for number, entry in enumerate(FILE["reactions"][:-1]):  # it has no functions
        new = {key: value for key, value in entry.items() if key != "gas phase"}
        for key, count in (("reactants", "qty"), ("products", "yield")):
            if key in new:
                new[key] = {
                    e["species name"]: {count: e["coefficient"]} if "coefficient" in e else {}
                    for e in new[key]
                }
        if number in (2, 3):
            new["units"] = "mol m-3"
        reactions.append(new)
    reactions[1] |= {"time unit": "MIN", "k_reverse": 40.0 * 60}
    phases = [{"type": "AERO_PHASE", **phase} for phase in FILE["phases"][1:]]
    phases[1]["species"] = [{"name": name} for name in phases[1]["species"]]
    dust = {"type": "CHEM_SPEC", "name": "dust", "phase": "AEROSOL"}
    pair = {"type": "CHEM_SPEC", "name": "A-B", "tracer type": "ION_PAIR"}
    mechanism = {"type": "MECHANISM", "name": "cloud", "reactions": reactions}
    reactions[3] |= {"photo id": 7, "rate": 2e-5}
    return {"camp-data": [*species, dust, pair, *phases, mechanism]}


def test_version_0(tmp_path: Path) -> None:
    """The same rates, and the same reactions; k in L mol-1 becomes one of mol per m3 of air."""
    first, found = read(tmp_path, FILE), read(tmp_path, camp(), "camp.json")
    assert [(r.reactants, r.products) for r in found.reactions] == [
        (r.reactants, r.products) for r in first.reactions[:-1]
    ]
    assert constants(found, HOST) == pytest.approx(constants(first, HOST)[:-1], rel=1e-12)
    notes = "\n".join(found.notes)
    assert "'dust' is no gas" in notes
    assert "'A-B' is no species" in notes
    assert "'H2O2' has the base rate 2e-05 s-1" in notes
    aqueous = camp()
    aqueous["camp-data"][-1]["reactions"][2]["units"] = "M"
    rates = constants(read(tmp_path, aqueous, "camp.json"), HOST)
    assert rates[4] == pytest.approx(5.0 * math.exp(-300 / T) / WATER, rel=1e-12)


def test_yaml(tmp_path: Path) -> None:
    pytest.importorskip("ruamel.yaml")
    text = json.dumps(FILE).replace('"type"', "type").replace('"version"', "version")
    assert constants(read(tmp_path, text, "cloud.yaml"), HOST) == constants(read(tmp_path, FILE), HOST)


def test_equilibrium(tmp_path: Path) -> None:
    """After an hour gas, water and ions are in equilibrium; what went into the water came from the gas."""
    content = copy.deepcopy(FILE)
    content["reactions"] = content["reactions"][:2]
    mechanism = read(tmp_path, content)
    assert mechanism.variable == ("H2O2", "H2O2_aq", "A", "B")
    module = Module("cloud", precisions=("f64",))
    module.add("integrate", chemistry.Rosenbrock(mechanism, dimensions=1).integrate())
    wet, dry = HOST, HOST | {"AERO.cloud.water [kg m-3]": 0.0}
    start = np.array([[4e-8, 4e-8], [0.0, 1e-9], [0.0, 0.0], [0.0, 0.0]])
    state = {
        "concentration": start,
        "rate_input": np.array([[each[name] for each in (wet, dry)] for name in mechanism.inputs]),
        "temperature": T,
        "pressure": P,
    }
    options = {"interval": 3600.0, "relative_tolerance": 1e-6, "absolute_tolerance": 1e-18}
    found = evaluated(module, "integrate", state, **options)
    assert found["outcome"].tolist() == [0, 0]
    gas, dissolved, a, b = found["concentration"][:, 0]
    H = 1.01e-3 * math.exp(6340 * (1 / T - 1 / 298))
    K = 2e-3 * math.exp(2300 * (1 / T - 1 / 298))
    assert dissolved / WATER == pytest.approx(H * gas * R * T, rel=1e-5)
    assert (a / WATER) * (b / WATER) == pytest.approx(K * dissolved / WATER, rel=1e-5)
    assert gas + dissolved + a == pytest.approx(4e-8, rel=1e-9)
    assert np.array_equal(found["concentration"][:, 1], start[:, 1])


def reaction(number: int, **changes: Any) -> Callable[[Any], None]:
    """Change a reaction; None removes a key."""

    def apply(content: Any) -> None:
        entry = (
            content["reactions"][number]
            if "reactions" in content
            else content["camp-data"][-1]["reactions"][number]
        )
        for key, value in changes.items():
            entry[key.replace("_", " ")] = value
            if value is None:
                del entry[key.replace("_", " ")]

    return apply


LAMBDA = "[](double T, double P, double air_density) { %s }"
WRONG: dict[str, tuple[bool, Callable[[Any], None], str]] = {
    "phase": (False, reaction(1, aerosol_phase="fog"), "lies in the phase 'fog', which is not declared"),
    "no phase": (False, reaction(5, aerosol_phase=None), "has no aerosol phase"),
    "products": (False, reaction(1, products=[]), "has no products that could react back"),
    "activity": (False, reaction(1, ion_pair="A-B"), "the activity coefficient 'A-B', which has no"),
    "no B": (False, reaction(4, B=[1.0, 2.0]), "has no list 'B' of four numbers"),
    "Henry": (
        False,
        lambda c: c["species"][0].pop("HLC(298K) [mol m-3 Pa-1]"),
        "has no 'HLC(298K) [mol L-1 Pa-1]'",
    ),
    "zero": (False, lambda c: c["species"][0].update({"molecular weight [kg mol-1]": 0}), "is 0"),
    "half back": (
        False,
        reaction(1, products=[{"species name": "A", "coefficient": 0.5}]),
        "takes 0.5 molecules of 'A'",
    ),
    "no function": (False, reaction(6, lambda_function=None), "has no lambda function"),
    "statements": (
        False,
        reaction(6, lambda_function=LAMBDA % "double k = T; return k;"),
        "is more than one value",
    ),
    "two parameters": (
        False,
        reaction(6, lambda_function="[](double T, double P) { return T; }"),
        "is more than one",
    ),
    "parameter": (False, reaction(6, lambda_function=LAMBDA % "return rate_of(3);"), "which is no parameter"),
    "call": (
        False,
        reaction(6, lambda_function=LAMBDA % "return system(T, P);"),
        "the function 'system' is not known",
    ),
    "capture": (
        False,
        reaction(6, lambda_function="[k](double T, double P, double d) { return k; }"),
        "is more than",
    ),
    "twice": (
        False,
        reaction(6, lambda_function="[](double T, double T, double d) { return d; }"),
        "which is no param",
    ),
    "units": (True, reaction(2, units="ppm"), "has the units 'ppm'"),
    "v0 phase": (True, reaction(0, aerosol_phase="fog"), "lies in the phase 'fog', which is not declared"),
    "v0 activity": (
        True,
        reaction(4, **{"aerosol-phase_activity_coefficient": "g"}),
        "which has no closed form",
    ),
    "v0 species": (
        True,
        lambda c: c["camp-data"][-3].update({"species": [1]}),
        "of the phase 'cloud' is no list",
    ),
    "v0 key": (True, reaction(0, k=1), "has the key 'k', which has no meaning here"),
}


@pytest.mark.parametrize("case", WRONG)
def test_refused(case: str, tmp_path: Path) -> None:
    """With the line of the object."""
    old, apply, said = WRONG[case]
    content = camp() if old else copy.deepcopy(FILE)
    apply(content)
    with pytest.raises(KernelError) as caught:
        read(tmp_path, content)
    assert said in str(caught.value)
    assert caught.value.hint
    assert str(caught.value.where).startswith("cloud.json:")
