# SPDX-License-Identifier: Apache-2.0
"""Mechanism Configuration version 1: what is read, and what is refused with its line."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import sympy
from heddle import KernelError, chemistry
from heddle.chemistry.quantities import AIR
from heddle.chemistry.rate_laws import RATE_LAWS, arrhenius, troe

FILE: dict[str, Any] = {
    "version": "1.0.0",
    "name": "small",
    "__comment": {"anything": [1, 2]},
    "species": [
        {"name": "NO", "__description": "nitric oxide"},
        {"name": "NO2", "absolute tolerance": 1e-12},
        {"name": "O3", "molecular weight [kg mol-1]": 0.048},
        {"name": "Ar"},
        {"name": "O2", "constant mixing ratio [mol mol-1]": 0.21},
        {"name": "H2", "constant concentration [mol m-3]": 2e-5},
        {"name": "M", "is third body": True},
    ],
    "phases": [
        {
            "name": "gas",
            "species": [{"name": "NO"}, {"name": "O3", "diffusion coefficient [m2 s-1]": 2e-5}],
        }
    ],
    "reactions": [
        {
            "type": "ARRHENIUS",
            "gas phase": "gas",
            "A": 1.8e6,
            "C": -1500.0,
            "reactants": [{"species name": "NO"}, {"species name": "O3", "coefficient": 1}],
            "products": [{"species name": "NO2"}, {"species name": "O2"}],
        },
        {
            "type": "TROE",
            "k0_A": 3.0,
            "reactants": [{"species name": "NO"}, {"species name": "NO"}, {"species name": "M"}],
            "products": [{"species name": "NO2", "coefficient": 1.5}, {"species name": "M"}],
        },
        {
            "type": "PHOTOLYSIS",
            "name": "NO2",
            "scaling factor": 9.0,
            "reactants": [{"species name": "NO2"}],
            "products": [{"species name": "NO"}],
        },
        {"type": "EMISSION", "name": "NO", "products": [{"species name": "NO"}]},
        {"type": "FIRST_ORDER_LOSS", "name": "dry", "reactants": [{"species name": "O3"}]},
        {
            "type": "SURFACE",
            "name": "dust",
            "gas-phase species": "O3",
            "gas-phase products": [{"species name": "O2"}],
            "reaction probability": 1e-5,
        },
        {
            "type": "BRANCHED",
            "X": 1e6,
            "Y": 0.0,
            "a0": 0.15,
            "n": 5,
            "reactants": [{"species name": "NO"}, {"species name": "O2"}],
            "nitrate products": [{"species name": "NO2"}],
            "alkoxy products": [],
        },
    ],
}


def read(tmp_path: Path, content: Any) -> chemistry.Mechanism:
    path = tmp_path / "small.json"
    path.write_text(content if isinstance(content, str) else json.dumps(content, indent=1))
    return chemistry.read(path)


def test_what_is_read(tmp_path: Path) -> None:
    for content in (FILE, {"box model options": {}, "mechanism": FILE}):
        found = read(tmp_path, content)
        assert found.name == "small"
        assert found.variable == ("NO", "NO2", "O3")
        assert found.notes == ["Ar: no reaction changes it; it is left out"]
        assert found.absolute_tolerances(1e-15) == [1e-15, 1e-12, 1e-15]
        assert found.known["O2"].fixed == sympy.Float(0.21) * AIR
        assert found.known["H2"].fixed == sympy.Float(2e-5)
        assert found.known["M"].fixed == AIR
        first, second, third, *_, nitrate, alkoxy = found.reactions
        assert (first.reactants, first.products) == ({"NO": 1, "O3": 1}, {"NO2": 1.0, "O2": 1.0})
        assert first.rate == arrhenius(A=1.8e6, C=-1500.0)
        assert (second.reactants, second.change("M")) == ({"NO": 2, "M": 1}, 0)
        assert second.rate == troe(arrhenius(A=3.0), arrhenius())
        assert third.rate == 9 * sympy.Symbol("PHOTO.NO2", real=True)
        assert found.inputs == (
            "PHOTO.NO2",
            "EMIS.NO",
            "LOSS.dry",
            "SURF.dust.effective radius [m]",
            "SURF.dust.particle number concentration [# m-3]",
        )
        assert (nitrate.products, alkoxy.products) == ({"NO2": 1.0}, {})


def test_every_type_is_read(tmp_path: Path) -> None:
    for kind, law in RATE_LAWS.items():
        if law.phase:  # see test_condensed.py
            continue
        entry: dict[str, Any] = {"type": kind, "name": "x"}
        if law.function:
            entry[law.function] = "[](double T, double P, double air_density) { return 1e-3; }"
        entry |= {key: 1.0 for key, usual in law.parameters.items() if usual is None}
        if kind == "BRANCHED":
            entry["a0"] = 0.5
        if law.reactants:
            entry[law.reactants] = [{"species name": "NO"}]
        entry |= {key: [{"species name": "NO2"}] for key in law.products}
        found = read(tmp_path, FILE | {"reactions": [entry]})
        assert len(found.reactions) == len(law.products) + law.back, kind


def change(*path: Any, to: Any) -> Callable[[Any], None]:
    """Put a value at a place of the file."""

    def apply(content: Any) -> None:
        for key in path[:-1]:
            content = content[key]
        content[path[-1]] = to

    return apply


def remove(*path: Any) -> Callable[[Any], None]:
    def apply(content: Any) -> None:
        for key in path[:-1]:
            content = content[key]
        del content[path[-1]]

    return apply


REACTION = ("reactions", 0)
WRONG: dict[str, tuple[Callable[[Any], None], str]] = {
    "tolerance": (change("species", 1, "absolute tolerance", to=0), "'NO2': 'absolute tolerance' is 0"),
    "species": (
        change(*REACTION, "reactants", 1, "species name", to="o3"),
        "names the species 'o3', which is not declared.\n  Hint: it may be 'O3'",
    ),
    "twice": (change("species", 1, "name", to="NO"), "the species 'NO' is declared twice"),
    "truth value": (change("species", 0, "name", to=False), "a species has False as its name"),
    "unnamed": (remove("species", 0, "name"), "a species has no name"),
    "type": (change(*REACTION, "type", to="EQUATION"), "the reaction type 'EQUATION' is not known"),
    "key": (change(*REACTION, "a", to=1), "has the key 'a', which has no meaning here"),
    "number": (
        change(*REACTION, "A", to="1e6"),
        "'A' is '1e6', no finite number.\n  Hint: write \"A\": 1000000.0, without quotes",
    ),
    "400 digits": (change(*REACTION, "A", to=10**400), "'A' is more than 1.8e308, no finite number"),
    "list": (change(*REACTION, "A", to=[1.0]), "'A' is a list"),
    "list of B": (change(*REACTION, "B", to=[1.0]), "'B' is a list"),
    "power": (change(*REACTION, "B", to=1e300), "'B' is 1e+300.\n  Hint: it must be more than -1000, and at"),
    "phase of gases": (change(*REACTION, "gas phase", to=["gas"]), "has ['gas'] as its gas phase"),
    "no phase": (change("phases", 0, "species", to=None), "'species' of the phase 'gas' is no list"),
    "true": (change(*REACTION, "A", to=True), "'A' is True, no finite number"),
    "D": (change(*REACTION, "D", to=0), "'D' is 0"),
    "C and Ea": (change(*REACTION, "Ea", to=1e-21), "has both C and Ea"),
    "order": (change(*REACTION, "reactants", 0, "coefficient", to=0.5), "takes 0.5 molecules of 'NO'"),
    "yield": (change(*REACTION, "products", 0, "coefficient", to="two"), "'coefficient' is 'two'"),
    "no reactants": (remove(*REACTION, "reactants"), "has no reactants"),
    "no list": (change(*REACTION, "reactants", to={"NO": {}}), "'reactants' is no list of objects"),
    "no rate": (remove("reactions", 2, "name"), "a reaction PHOTOLYSIS has no name"),
    "no parameter": (remove("reactions", 6, "X"), "has no 'X', so it has no rate"),
    "no diffusion": (
        remove("phases", 0, "species", 1, "diffusion coefficient [m2 s-1]"),
        "has no 'diffusion coefficient",
    ),
    "phase": (change(*REACTION, "gas phase", to="air"), "lies in the phase 'air', which is not declared"),
    "phase species": (change("phases", 0, "species", 0, "name", to="X"), "has the species 'X', which is not"),
    "NCAR-version": (
        lambda content: content.update({"NCAR-version": content.pop("version")}),
        "this is an older form of the format",
    ),
    "version": (change("version", to="0.9"), "the version '0.9' is not 1"),
    "two concentrations": (change("species", 5, "is third body", to=True), "more than one concentration"),
    "negative": (change("species", 5, "constant concentration [mol m-3]", to=-1), "is negative"),
    "files": (change("species", to={"files": []}), "'files' of 'species' is no list of names"),
    "file": (change("species", to={"files": ["a.json"], "c": 1}), "'species' has the key 'c', which has no"),
    "above": (change("phases", to={"files": ["../a.json"]}), "'../a.json' is no file below the folder of"),
    "absolute": (change("phases", to={"files": ["/etc/passwd"]}), "'/etc/passwd' is no file below the"),
    "itself": (change("reactions", to={"files": ["small.json"]}), "'small.json' is read twice"),
    "text": (change("reactions", to={"files": ["a.txt"]}), "'a.txt' is no format that is known"),
    "particles": (change("aerosol processes", to=[{"type": "HENRYS_LAW"}]), "has 'aerosol processes'"),
    "no reactions": (remove("reactions"), "the file has no list of reactions"),
}


@pytest.mark.parametrize("case", WRONG)
def test_refused(case: str, tmp_path: Path) -> None:
    """With the line of the object, where there is one."""
    apply, said = WRONG[case]
    content = copy.deepcopy(FILE)
    apply(content)
    with pytest.raises(KernelError) as caught:
        read(tmp_path, content)
    assert said in str(caught.value)
    assert caught.value.hint or case in ("phase", "twice"), case
    where = str(caught.value.where)
    assert where.startswith("small.json:") or case == "no reactions", where


def in_files(tmp_path: Path) -> Any:
    """The same in files of its own: two of reactions, one of them below the folder of the first file."""
    (tmp_path / "gas").mkdir()
    parts = {"species.json": FILE["species"], "phases.json": FILE["phases"]}
    parts |= {"gas/thermal.json": FILE["reactions"][:2], "light.json": FILE["reactions"][2:]}
    for name, content in parts.items():
        (tmp_path / name).write_text(json.dumps(content, indent=1))
    names = {"species": ["species.json"], "phases": ["phases.json"]}
    names["reactions"] = ["gas/thermal.json", "light.json"]
    return FILE | {"version": "1.1.0"} | {key: {"files": each} for key, each in names.items()}


def test_files_of_each_section(tmp_path: Path) -> None:
    whole, parts = read(tmp_path, FILE), read(tmp_path, in_files(tmp_path))
    assert (whole.known, whole.reactions, whole.notes) == (parts.known, parts.reactions, parts.notes)
    assert str(parts.reactions[0].where) == "thermal.json:2"
    assert str(parts.reactions[2].where) == "light.json:2"


def test_errors_name_the_file(tmp_path: Path) -> None:
    content = in_files(tmp_path)
    part = tmp_path / "gas" / "thermal.json"
    text = part.read_text()
    for old, new, said in (
        ('"NO2"', '"NO7"', "thermal.json:2: 'NO + O3 -> NO7 + O2' names the species 'NO7'"),
        ('"ARRHENIUS"', '"EQUATION"', "thermal.json:2: the reaction type 'EQUATION' is not known"),
        (text, '{"reactions": []}', "thermal.json: the file is no list of objects, which 'reactions' has"),
        (text, "[1]", "thermal.json: the file is no list of objects"),
        (text, "[{]", "thermal.json:1: this is no JSON"),
    ):
        part.write_text(text.replace(old, new, 1))
        with pytest.raises(KernelError) as caught:
            read(tmp_path, content)
        assert str(caught.value).startswith(said)
    content["species"]["files"] *= 2
    with pytest.raises(KernelError, match=r"^small\.json:\d+: 'species\.json' is read twice"):
        read(tmp_path, content)


def test_lines(tmp_path: Path) -> None:
    text = json.dumps(FILE, indent=1).replace('"C": -1500.0', '"C": null')
    with pytest.raises(KernelError) as caught:
        read(tmp_path, text)
    begin = next(n for n, line in enumerate(text.splitlines(), 1) if '"ARRHENIUS"' in line) - 1
    assert str(caught.value.where) == f"small.json:{begin}"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"a": 1,}', "small.json:1: this is no JSON"),
        ('{"a": 1,\n "a": 2}', "small.json:1: this object has the key 'a' twice"),
        ('{"a": NaN}', "NaN is no number of JSON"),
        ("[" * 100_000, "nested too deeply"),
        ('{"a": ' + "1" * 5000 + "}", "a number has thousands of digits"),
        ("[]", "no list of reactions"),
    ],
)
def test_no_json(text: str, said: str, tmp_path: Path) -> None:
    with pytest.raises(KernelError) as caught:
        read(tmp_path, text)
    assert said in str(caught.value)


def test_files_that_are_none(tmp_path: Path) -> None:
    with pytest.raises(KernelError, match="cannot be read"):
        chemistry.read(tmp_path / "nothing.json")
    (tmp_path / "a.json").write_bytes(b"\xff\xfe{}")
    with pytest.raises(KernelError, match="no UTF-8 text"):
        chemistry.read(tmp_path / "a.json")
    with pytest.raises(KernelError, match=r"'a\.txt' is no format that is known"):
        chemistry.read(tmp_path / "a.txt")
