# SPDX-License-Identifier: Apache-2.0
"""Rounds of many statements as functions of a few: the bits of the whole, for both kinds of strides, and what
the text says."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
import sympy
from cells import Compiled, State, memory
from compiled import Memory, call
from heddle import Module, Schedule, Strips, chemistry
from heddle.build import files
from heddle.emit import round_functions
from heddle.emit.round_functions import long_round
from heddle.ir.interpret import Array
from heddle.roundtrip.report import proved

MECHANISM = chemistry.Mechanism("oregonator")
MECHANISM.species("X", "Y", "Z")
MECHANISM.third_body("M")
MECHANISM.reaction("Y -> X", rate=sympy.Symbol("k_1"))
MECHANISM.reaction("X + Y -> ()", rate=1.6e9)
MECHANISM.reaction("X -> 2 X + Z", rate=48.0)
MECHANISM.reaction("2 X -> ()", rate=4e7)
MECHANISM.reaction("Z -> Y", rate=sympy.Symbol("k_5"))
SCALARS = {"interval": 3.0, "relative_tolerance": 1e-6, "absolute_tolerance": 1e-18}
PIECE = 30
"""Names in a function."""


def model(name: str) -> Module:
    """In two precisions, which share no template where rounds are functions."""
    module = Module(name, precisions=("f64", "f32"))
    module.model = Path("model.py")
    solver = chemistry.Rosenbrock(MECHANISM, "Rodas3", dimensions=1)
    module.add("integrate", solver.integrate(), schedule=Schedule(cpu=Strips(8), math="reproducible"))
    return module


def cells(count: int = 13) -> State:
    """A strip and a part of one, each cell with rates of its own."""
    start = np.array([np.geomspace(1e-11, 1e-8, count), np.full(count, 3e-7), np.linspace(0, 2.4e-8, count)])
    rates = np.array([np.linspace(1, 2, count), np.linspace(0.5, 1.5, count)])
    return {"concentration": start, "rate_input": rates, "temperature": 288.0, "pressure": 1e5}


@pytest.fixture
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(round_functions, "MOST", 50)
    monkeypatch.setattr(round_functions, "PIECE", PIECE)


@pytest.mark.compiles
def test_the_bits_of_the_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Compiled under the strict warnings."""
    whole = Compiled(tmp_path / "whole", [(model("whole"), ("cpu",))])
    monkeypatch.setattr(round_functions, "MOST", 50)
    monkeypatch.setattr(round_functions, "PIECE", PIECE)
    parts = Compiled(tmp_path / "parts", [(model("parts"), ("cpu",))])
    for target in ("cpu", "unit"):
        wanted = whole.run(model("whole"), "integrate", cells(), target, **SCALARS)
        found = parts.run(model("parts"), "integrate", cells(), target, **SCALARS)
        assert wanted["steps"].min() > 3
        assert len(set(wanted["steps"].tolist())) > 1
        assert not wanted["outcome"].any()
        for field, values in wanted.items():
            assert np.array_equal(values, found[field]), field
    strided = by_cell(parts, model("parts"))
    assert np.array_equal(strided["concentration"], wanted["concentration"])
    assert np.array_equal(strided["steps"], wanted["steps"])


def by_cell(compiled: Compiled, module: Module) -> State:
    """What the fields hold where the components of a cell lie together."""
    kernel = module.typed("integrate", "f64")
    arrays = memory(kernel, cells())
    for field in kernel.fields:
        if field.components:
            given = arrays[field.name]
            values = np.array(given.values).reshape(field.components, -1).T
            arrays[field.name] = Array(values.ravel().tolist(), 0, given.extent, (field.components, 1))
    held = Memory(kernel, arrays)
    assert call(compiled.library, f"{module.name}_integrate_f64", kernel, held, SCALARS, "cpu") == 0
    return held.data | {"concentration": held.data["concentration"].reshape(-1, 3).T}


def test_text(short: None) -> None:
    """One copy of the functions for both kinds of strides, none longer than it may be."""
    text = files(model("text"), ["cpu"])["text/integrate.cpp"]
    for suffix in ("f64", "f32"):
        function = rf"^void integrate_{suffix}_(start|round)_(\d+)\((.*?)^}}"
        found = re.findall(function, text, re.MULTILINE | re.DOTALL)
        assert sum(what == "start" for what, _, _ in found) > 0
        assert sum(what == "round" for what, _, _ in found) > 3
        for what, number, body in found:
            lets = re.findall(r"^ {4}const (?:double|float) (\w+)", body, re.MULTILINE)
            assert len(lets) <= PIECE
            assert re.search("simdlen[(](8|16)[)]", body)
            assert len(re.findall(rf"^ +integrate_{suffix}_{what}_{number}[(]lanes", text, re.MULTILINE)) == 1
        assert text.count(f"struct integrate_{suffix}_lanes {{") == 1
        assert text.count(f"    integrate_{suffix}_lanes lanes;") == 1
    assert "template <bool unit_stride>" in text
    assert "lanes[8]" not in text


def test_what_is_not_read_back_says_so(short: None, tmp_path: Path) -> None:
    module = model("read")
    (verdict, *_) = proved(module, ["cpu"], tmp_path)
    assert "its rounds are functions of an object with all lanes" in verdict.problem


def test_usual_rounds_stay_whole() -> None:
    """A kernel of three species, and loops of other kinds."""
    assert long_round(model("usual").stages("integrate", "f64", "cpu").lowered) is None
