# SPDX-License-Identifier: Apache-2.0
"""Relaxation methods from one residual: what a sweep computes, against linear algebra in NumPy."""

from __future__ import annotations

import itertools
import random
from typing import Any

import numpy as np
import pytest
import sympy
from heddle import Schedule, fields
from heddle.ir.interpret import Array, run
from heddle.ir.schedule import precision
from heddle.model.assignment import Assignment, AssignmentCollection
from heddle.solvers import relaxation
from models import model

CELLS = (4, 3, 3)
PLACES = list(itertools.product(*map(range, CELLS)))
STRIDE = (1, 6, 30)
ORIGIN = 37
WEIGHTS = {"c_x": 1.0, "c_y": 0.5, "c_z": 4.0}
phi, right, phi_next = fields("phi, right, phi_next: real[3D]")
open_faces = fields("open: uint8[3D]")
cut = fields("cut: real(6)[3D]")


def at(cell: tuple[int, ...]) -> int:
    return ORIGIN + sum(c * s for c, s in zip(cell, STRIDE, strict=True))


class Case:
    """Random openings; the equations as a matrix with the unknowns in the order of PLACES."""

    def __init__(self, seed: int) -> None:
        draw = random.Random(seed)
        self.faces = {cell: draw.choice((0, 63, 63, 63, draw.randrange(64))) for cell in PLACES}
        self.values = {
            name: [draw.uniform(-1, 1) for _ in range(240)] for name in ("phi", "right", "phi_next")
        }
        self.matrix = np.zeros((len(PLACES), len(PLACES)))
        self.source = np.array([self.values["right"][at(cell)] for cell in PLACES])
        for row, cell in enumerate(PLACES):
            for bit, (_, offset) in enumerate(relaxation.FACES):
                if not self.faces[cell] >> bit & 1:
                    continue
                c = list(WEIGHTS.values())[bit // 2]
                other = tuple(a + d for a, d in zip(cell, offset, strict=True))
                self.matrix[row, row] -= c
                if other in self.faces:
                    self.matrix[row, PLACES.index(other)] += c
                else:
                    self.source[row] -= c * self.values["phi"][at(other)]

    def start(self) -> Any:
        return np.array([self.values["phi"][at(cell)] for cell in PLACES])

    def residual(self, x: Any) -> Any:
        return self.matrix @ x - self.source

    def expected(self, method: str, omega: float) -> Any:
        """One sweep by its definition."""
        x = self.start()
        diagonal = -np.diag(self.matrix)
        active = np.array([self.faces[cell] != 0 for cell in PLACES])
        parts = [active] if method == "jacobi" else [
            active & np.array([sum(cell) % 2 == colour for cell in PLACES]) for colour in (0, 1)
        ]  # fmt: skip
        for part in parts:
            x[part] += omega * self.residual(x)[part] / diagonal[part]
        return x

    def run(self, statements: AssignmentCollection, omega: float, into: str = "phi") -> tuple[Any, Any]:
        coloured = into == "phi"
        kernel = model(list(statements), Schedule(colours=2) if coloured else None).typed(precision("f64"))
        arrays = {name: Array(list(values), ORIGIN, CELLS, STRIDE) for name, values in self.values.items()}
        arrays["open"] = Array([0] * 240, ORIGIN, CELLS, STRIDE)
        arrays["cut"] = Array([0.0] * 1440, ORIGIN, (*CELLS, 6), (*STRIDE, 240))
        for cell, faces in self.faces.items():
            arrays["open"].values[at(cell)] = faces
            for bit in range(6):
                weight = list(WEIGHTS.values())[bit // 2]
                arrays["cut"].values[at(cell) + 240 * bit] = weight if faces >> bit & 1 else 0.0
        names = {field.name for field in kernel.fields}
        scalars = {"omega": omega, **WEIGHTS, "first_colour": 0, "last_colour": 2}
        result = run(kernel, {name: a for name, a in arrays.items() if name in names}, scalars)
        return np.array([arrays[into].values[at(cell)] for cell in PLACES]), result.outputs


@pytest.mark.parametrize("seed", range(4))
def test_sweeps_are_those_of_their_definition(seed: int) -> None:
    case = Case(seed)
    equation = relaxation.poisson(phi, right, openings=open_faces)
    cuts = relaxation.poisson(phi, right, coefficients=cut)
    for statements, method, omega, into in (
        (equation.sor(), "sor", 1.6, "phi"),
        (equation.gauss_seidel(), "sor", 1.0, "phi"),
        (equation.jacobi(phi_next, omega="omega"), "jacobi", 0.7, "phi_next"),
        (cuts.sor(), "sor", 1.6, "phi"),
    ):
        found, _ = case.run(statements, omega, into)
        np.testing.assert_allclose(found, case.expected(method, omega), rtol=0, atol=1e-13)


@pytest.mark.parametrize("seed", range(4))
def test_what_is_measured(seed: int) -> None:
    case = Case(seed)
    equation = relaxation.poisson(phi, right, openings=open_faces)
    found, outputs = case.run(equation.sor(largest_change="largest"), 1.6)
    assert outputs["largest"] == pytest.approx(abs(found - case.start()).max(), abs=1e-14)
    active = np.array([case.faces[cell] != 0 for cell in PLACES])
    residual = np.where(active, case.residual(case.start()), 0)
    assert case.run(equation.norm("most"), 1)[1]["most"] == pytest.approx(abs(residual).max())
    half = case.run(equation.norm("most", scale=0.5), 1)[1]["most"]
    assert half == pytest.approx(abs(residual).max() / 2)
    assert case.run(equation.norm("total", "sum"), 1)[1]["total"] == pytest.approx((residual**2).sum())
    defect, outputs = case.run(equation.defect_into(phi_next, largest="most"), 1, "phi_next")
    np.testing.assert_allclose(defect, -residual, rtol=0, atol=1e-13)
    assert outputs["most"] == pytest.approx(abs(residual).max())


def test_any_linear_residual_will_do() -> None:
    """The heading of design.md: the diagonal comes from the residual."""
    h = sympy.Symbol("h")
    residual = (phi[1, 0, 0] + phi[-1, 0, 0] - 6 * phi.here) / h**2 - right.here
    equation = relaxation.Equation(phi, residual)
    assert equation.diagonal == 6 / h**2
    assert [s.target for s in equation.sor() if isinstance(s, Assignment)][-1] == phi.here
    assert relaxation.poisson(phi).residual.has(phi[0, 0, -1])
    assert len(relaxation.poisson(fields("u: real[1D]")).residual.free_symbols) == 4
