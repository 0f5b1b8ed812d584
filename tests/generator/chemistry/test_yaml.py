# SPDX-License-Identifier: Apache-2.0
"""Mechanisms in YAML 1.2: the same as in JSON, NO as text, and nothing that is executed."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from heddle import KernelError, chemistry
from heddle.chemistry.located_yaml import parse_yaml
from heddle.chemistry.rate_laws import arrhenius

FILE = """\
version: 1.0.0
name: small
__comment: 2026-01-01
species:
  - name: NO
  - {name: O3, __note: [1, 0x10, ~, .5, true]}
  - name: NO2
  - name: M
    is third body: true
phases:
- name: gas
  species: [name: NO, name: O3]
reactions:
  - type: ARRHENIUS
    A: 1.8e6
    C: -1500
    reactants: [{species name: NO}, {species name: O3, coefficient: 1}]
    products:
      - species name: NO2
"""


def read(tmp_path: Path, text: str) -> chemistry.Mechanism:
    path = tmp_path / "small.yaml"
    path.write_text(text)
    return chemistry.read(path)


def test_what_is_read(tmp_path: Path) -> None:
    """NO is a species, whatever YAML 1.1 says."""
    found = read(tmp_path, FILE)
    assert found.variable == ("NO", "O3", "NO2")
    (reaction,) = found.reactions
    assert (reaction.reactants, reaction.products) == ({"NO": 1, "O3": 1}, {"NO2": 1.0})
    assert reaction.rate == arrhenius(A=1.8e6, C=-1500.0)
    assert parse_yaml(FILE, "f")["species"][1]["__note"] == [1, 16, None, 0.5, True]


def test_files_of_their_own(tmp_path: Path) -> None:
    """Each by its format."""
    (tmp_path / "reactions.json").write_text(
        '[{"type": "FIRST_ORDER_LOSS", "name": "dry",\n "reactants": "O3"}]'
    )
    (tmp_path / "phases.yml").write_text("- name: gas\n  species: [NO, O3]\n")
    text = (
        FILE[: FILE.index("phases:")]
        + "phases: {files: [phases.yml]}\nreactions: {files: [reactions.json]}\n"
    )
    (reaction,) = read(tmp_path, text).reactions
    assert (reaction.reactants, str(reaction.where)) == ({"O3": 1}, "reactions.json:1")
    (tmp_path / "phases.yml").write_text("- name: gas\n  species: [NO, Q]\n")
    with pytest.raises(KernelError, match=r"^phases\.yml:1: the phase 'gas' has the species 'Q'"):
        read(tmp_path, text)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("A: 1.8e6", "A: fast", "small.yaml:14: a reaction ARRHENIUS: 'A' is 'fast', no finite number"),
        ("A: 1.8e6", "A: .inf", "'A' is inf, no finite number"),
        ("A: 1.8e6", "A: 1\n    A: 2", "small.yaml:14: this object has the key 'A' twice"),
        ("name: NO2", "name: &x NO2\n  - name: *x", "small.yaml:7: an alias stands for another value"),
        ("name: NO2", "name: !!python/object/apply:os.abort []", "the tag"),
        ("name: NO2", "name: 12", "a species has 12 as its name"),
        ("name: NO2", "1: NO2", "small.yaml:7: the key 1 is no text"),
        ("  - name: M", "  - name: [", "this is no YAML"),
        ("A: 1.8e6", "A: 0x" + "f" * 20_000, "'A' is more than 1.8e308, no finite number"),
        ("name: NO2", "name: " + "[" * 5000, "small.yaml:7: values are nested too deeply"),
        (
            "A: 1.8e6",
            'A: "1e-5"',
            "'A' is '1e-5', no finite number.\n  Hint: write \"A\": 1e-05, without quotes",
        ),
        ("version", "%YAML 1.1\n---\nversion", "a species has False as its name"),
        ("species name: NO}", "species name: no}", "names the species 'no', which is not declared"),
    ],
)
def test_refused(old: str, new: str, said: str, tmp_path: Path) -> None:
    assert old in FILE
    with pytest.raises(KernelError) as caught:
        read(tmp_path, FILE.replace(old, new, 1))
    assert said in str(caught.value)


def test_without_the_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ruamel.yaml", None)
    with pytest.raises(KernelError, match=r"which is not installed.\n  Hint: pip install 'heddle\[yaml\]'"):
        read(tmp_path, FILE)
