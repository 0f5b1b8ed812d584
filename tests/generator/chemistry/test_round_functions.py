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
from heddle.build import files, write
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


def written(name: str, out: Path) -> tuple[Module, Path]:
    """Emitted files, and that of the kernel."""
    module = model(name)
    write(files(module, ["cpu"]), out)
    return module, out / name / "integrate.cpp"


def problems(module: Module, out: Path) -> list[str]:
    return [verdict.problem for verdict in proved(module, ["cpu"], out) if verdict.problem]


def test_is_proved(short: None, tmp_path: Path) -> None:
    """In both precisions."""
    module, _ = written("read", tmp_path)
    assert [verdict.problem for verdict in proved(module, ["cpu"], tmp_path)] == ["", ""]


CALL = r"( +integrate_f64_round_\d+[(]lanes[^;]*;\n)"
FAULTS = {
    "another operation": (r"left = interval - lanes", "left = interval + lanes"),
    "another lane's value": (r"= lanes[.]step_row\[x\]|lanes[.]t\[x - x_begin\]", "lanes.t[0]"),
    "calls in another order": (CALL + CALL, r"\2\1"),
    "a call left out": (CALL + CALL, r"\1"),
    "a call made twice": (CALL + CALL, r"\1\1\2"),
    "a call before the rounds": (
        r"( +)(integrate_f64_start_1[(]lanes)",
        r"\1integrate_f64_round_1(lanes, interval);\n\1\2",
    ),
    "arguments in another order": (r"lanes, (\w+), (\w+)[)];", r"lanes, \2, \1);"),
    "fewer lanes begin": (r"(start_1[^}]*)lane < 8", r"\1lane < 4"),
    "fewer lanes go on": (r"(round_2[^}]*)lane < 8", r"\1lane < 7"),
    "a value is not handed on": (r" +lanes[.]inverse_d\[lane\] = inverse_d;\n", ""),
    "another value is handed on": (r"lanes[.]inverse_d\[lane\] = inverse_d;", "lanes.inverse_d[lane] = d;"),
    "another row is copied": (
        r"lanes[.]y_X\[x - x_begin\] = concentration_X_row",
        "lanes.y_X[x - x_begin] = concentration_Y_row",
    ),
    "a row is not copied": (r" +lanes[.]pressure\[x - x_begin\] = pressure_row\[x\];\n", ""),
    "lanes begin with anything": (r" = [{][}], h\[8\] = [{][}]", ", h[8]"),
    "a longer array": (r"t\[8\] = [{][}]", "t[16] = {}"),
    "more lanes are asked": (r"any_lane[(]lanes[.]active, x_end - x_begin[)]", "any_lane(lanes.active, 8)"),
    "other lanes are stored": (r"= lanes[.]attempts\[x - x_begin\]", "= lanes.attempts[x_end - 1 - x]"),
    "an object of its own": (r"(round_1[^{]*[{]\n)", r"\1  integrate_f64_lanes lanes_2;\n"),
    "an object in a loop": (r"(round_1[^{]*[{][^{]*[{]\n)", r"\1    integrate_f64_lanes lanes;\n"),
    "another struct": (
        r"struct integrate_f64_lanes",
        "struct other {\n  alignas(64) double t[8];\n};\n\nstruct integrate_f64_lanes",
    ),
    "a struct of the same name": (
        r"(void integrate_f64_round_1[^{]*[{]\n)",
        r"\1  struct integrate_f64_lanes {\n    alignas(64) double t[8];\n  };\n",
    ),
    "a function in the struct": (r"(struct integrate_f64_lanes [{]\n)", r"\1  void clear() { t[0] = 0; }\n"),
    "a product of integers": (
        r"lanes[.]attempts\[lane\] = 0;",
        "lanes.attempts[lane] = 0 * lanes.attempts[lane];",
    ),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_faults_are_found(fault: str, short: None, tmp_path: Path) -> None:
    module, path = written("wrong", tmp_path)
    pattern, by = FAULTS[fault]
    text, count = re.subn(pattern, by, path.read_text(), count=1)
    assert count == 1
    path.write_text(text)
    assert problems(module, tmp_path)


def test_usual_rounds_stay_whole() -> None:
    """A kernel of three species, and loops of other kinds."""
    assert long_round(model("usual").stages("integrate", "f64", "cpu").lowered) is None
