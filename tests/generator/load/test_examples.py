# SPDX-License-Identifier: Apache-2.0
"""The programs of examples/python, with fewer steps or cells, against what others computed; the cavity also
against its program in C++. Matplotlib is replaced by what notes the calls."""

from __future__ import annotations

import math
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from heddle.python.compiler import host_compiler

pytestmark = [pytest.mark.compiles, pytest.mark.slow]
FEWER = {
    "cells": "n, steps = 48, 40 -> n, steps = 30, 12",
    "disc": "- 30, y - 20) < 10 -> - 14, y - 16) < 6",
}
EXAMPLES = Path(__file__).resolve().parents[3] / "examples/python"


class Drawn(ModuleType):
    """Stands for Matplotlib, and notes what it was told to draw."""

    def __init__(self) -> None:
        super().__init__("matplotlib")
        self.calls: dict[str, tuple[Any, ...]] = {}

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return self if name == "pyplot" else lambda *given, **_: self.calls.update({name: given})


def result(name: str, most: int = 30, **replaced: str) -> dict[str, Any]:
    """The variables of an example after its run, and what it drew as "drawn". most: of its lines. replaced:
    parts of its text."""
    text = (EXAMPLES / f"{name}.py").read_text()
    assert len(text.splitlines()) <= most, "an example has one page"
    for change in replaced.values():
        old, new = change.split(" -> ")
        assert old in text
        text = text.replace(old, new)
    known: dict[str, Any] = {}
    drawn = Drawn()
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(sys.modules, "matplotlib", drawn)
        exec(compile(text, f"{name}.py", "exec"), known)
    return known | {"drawn": drawn.calls}


@pytest.mark.usefixtures("own_cache")
def test_gray_scott_as_numpy_computes_it() -> None:
    got = result("gray_scott", steps="10_000 -> 40", cells="n = 256 -> n = 48")
    n = got["n"]
    u, v = np.ones((n, n)), np.zeros((n, n))
    spot = slice(n // 2 - 11, n // 2 + 9)
    u[spot, spot], v[spot, spot] = 0.5, 0.25

    def around(c: Any) -> Any:
        return sum(np.roll(c, shift, axis) for shift in (1, -1) for axis in (0, 1)) - 4 * c

    for _ in range(40):
        eaten = u * v * v
        u, v = (
            u + 0.16 * around(u) - eaten + 0.035 * (1 - u),
            v + 0.08 * around(v) + eaten - (0.035 + 0.06) * v,
        )
    np.testing.assert_allclose(got["v"][1:-1, 1:-1], v, atol=3e-6)
    assert got["drawn"]["savefig"] == ("gray_scott.png",)
    np.testing.assert_array_equal(got["drawn"]["imshow"][0], got["v"][1:-1, 1:-1])


@pytest.mark.usefixtures("own_cache")
def test_the_cavity_of_botella_and_peyret() -> None:
    """Spectral solution at Re 100: the smallest velocity on the centre line is -0.2140424, at y = 0.4581
    (Botella and Peyret 1998; Marchi et al. 2009)."""
    got = result(
        "cavity", steps="20_000 -> 5_000", cells="n, reynolds, u_lid = 64 -> n, reynolds, u_lid = 32"
    )
    line = got["centre_line"]
    assert line.min() == pytest.approx(-0.2140424, rel=0.02)
    assert (line.argmin() + 0.5) / 32 == pytest.approx(0.4581, abs=1 / 32)


def test_the_cavity_in_cpp(own_cache: Path, tmp_path: Path) -> None:
    """cavity.cpp, compiled with what heddle.load wrote, has the bits of cavity.py."""
    got = result("cavity", steps="20_000 -> 300", cells="n, reynolds, u_lid = 64 -> n, reynolds, u_lid = 21")
    written = got["kernels"].folder
    assert written.is_relative_to(own_cache)
    sources = [EXAMPLES / "cavity.cpp", *(written / f"cavity/{name}.cpp" for name in got["kernels"])]
    headers = [f"-I{written}", f"-I{written / 'cavity'}"]
    known = host_compiler()
    program = tmp_path / "cavity"
    subprocess.run(
        [*known.command, *known.flags, *headers, *map(str, sources), "-o", str(program)], check=True
    )
    done = subprocess.run([program, "21", "300"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    line = [float.fromhex(value) for value in done.stdout.split()]
    assert np.array(line).tobytes() == got["centre_line"].tobytes()
    assert line[-1] > 0.5  # it moves
    for cells, why in (("-5", "extent"), ("1000000000", "")):  # the kernel refuses, memory does not suffice
        done = subprocess.run([program, cells, "1"], capture_output=True, text=True, check=False)
        assert done.returncode == 1
        assert done.stderr.startswith("cavity: "), done.stderr
        assert why in done.stderr


@pytest.mark.usefixtures("own_cache")
def test_the_permeability_of_a_square_array_of_cylinders() -> None:
    """F = 4 pi / (-ln c / 2 - 0.738 + c - 0.887 c^2 + 2.038 c^3) is the drag of a cylinder over viscosity and
    mean velocity at the solid fraction c (Sangani and Acrivos 1982); cells are squares."""
    got = result("porous_flow", cells="n, g_x = 128 -> n, g_x = 64")
    c = 1 - got["pore"].mean()
    drag = 4 * math.pi / (-math.log(c) / 2 - 0.738 + c - 0.887 * c**2 + 2.038 * c**3)
    assert got["permeability"] == pytest.approx(64**2 / drag, rel=0.03)
    (along,) = got["drawn"]["imshow"]
    assert (np.isnan(along) == ~got["pore"]).all()
    # Over the whole box, where solid cells send back what arrives: the same steady flow.
    assert got["permeability"] == pytest.approx(151.34697614, rel=1e-6)


@pytest.fixture(scope="module")
def fitted(own_cache: Path) -> dict[str, Any]:
    return result("fit_diffusivity", 48, **FEWER)


def test_a_diffusivity_is_found(fitted: dict[str, Any]) -> None:
    """SciPy's L-BFGS finds the field that made the data, and gradients are those of central differences."""
    misfit, guess, true = fitted["misfit"], fitted["guess"], fitted["true"][1:-1, 1:-1]
    first, gradient = misfit(guess)
    assert fitted["fit"].fun < first / 500
    assert abs(fitted["found"] - true).mean() < abs(0.1 - true).mean() / 10
    direction = np.random.default_rng(3).standard_normal(guess.size)
    slope = (misfit(guess + 1e-6 * direction)[0] - misfit(guess - 1e-6 * direction)[0]) / 2e-6
    assert gradient @ direction == pytest.approx(slope, rel=1e-6)


def test_jax_finds_the_same(fitted: dict[str, Any]) -> None:
    """The same misfit, gradient and field under jit and grad as by the loop that goes back in time."""
    got = result("fit_jax", 44, **FEWER)
    value, gradient = got["misfit"](got["guess"])
    expected, slope = fitted["misfit"](fitted["guess"])
    assert value == pytest.approx(expected, rel=1e-12)
    np.testing.assert_allclose(gradient, slope, rtol=1e-10, atol=1e-12 * abs(slope).max())
    true = got["true"][1:-1, 1:-1]
    assert abs(got["found"] - true).mean() < abs(0.1 - true).mean() / 10
