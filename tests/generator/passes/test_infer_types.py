# SPDX-License-Identifier: Apache-2.0
"""Storage and arithmetic precision: what is computed in which type."""

from __future__ import annotations

import numpy as np
import pytest
import sympy
from heddle import Assignment, fields
from heddle.ir.interpret import Array, run
from heddle.ir.schedule import precision
from heddle.model.field import Field
from models import model

u, v, out = fields("u, v, out: real[1D]", ghost_layers=0)


def computed(value: sympy.Expr, chosen: str, target: Field = out, **values: float) -> float:
    """The value that a kernel of one cell stores."""
    kernel = model([Assignment(target.here, value)]).typed(precision(chosen))
    arrays = {f.name: Array([values.get(f.name, 0.0)], 0, (1,), (1,)) for f in kernel.fields}
    run(kernel, arrays)
    return float(arrays[target.name].values[0])


@pytest.mark.parametrize(
    ("chosen", "large", "kept"),
    [
        ("f16", 2048.0, True),
        ("f32", 2.0**24, False),
        ("f32/f64", 2.0**24, True),
        ("f16/f64", 2048.0, True),
        ("f64", 2.0**53, False),
    ],
)
def test_arithmetic_is_wider_than_storage(chosen: str, large: float, kept: bool) -> None:
    """(large + 1) - large is 1 only where the arithmetic has more digits than a field."""
    kernel = model(
        [Assignment(sympy.Symbol("t"), u.here + v.here), Assignment(out.here, sympy.Symbol("t") - u.here)]
    )
    typed = kernel.typed(precision(chosen))
    arrays = {name: Array([value], 0, (1,), (1,)) for name, value in (("u", large), ("v", 1.0), ("out", 9.0))}
    run(typed, arrays)
    assert arrays["out"].values == [1.0 if kept else 0.0]


def test_constants_in_half_fields_are_rounded() -> None:
    assert computed(sympy.Rational(1, 3), "f16") == float(np.float16(1 / 3))
    assert computed(sympy.Integer(1), "f16") == 1.0
    assert computed(sympy.Float(65520.0), "f16") == float("inf")


def test_fields_of_fixed_types_keep_them() -> None:
    wide, half = fields("wide: double[1D]; half: half[1D]", ghost_layers=0)
    assert computed(u.here / 3, "f32", wide, u=1.0) == float(np.float32(1) / np.float32(3))
    assert computed(wide.here / 3, "f32", wide, wide=1.0) == 1 / 3
    assert computed(u.here / 3, "f64", half, u=1.0) == float(np.float16(1 / 3))


def test_integers_meet_floats_as_floats() -> None:
    k = fields("k: int32[1D]", ghost_layers=0)
    assert computed(k.here / 2, "f64", k=7) == 3.5
    assert computed(k.here * u.here, "f64", k=7, u=0.5) == 3.5
    assert computed(sympy.floor(u.here), "f64", k, u=-1.5) == -2


@pytest.mark.parametrize("exponent", [2.0, 0.5, -0.5, 1.5, 3.0])
def test_exponents_in_decimals_are_those_of_fractions(exponent: float) -> None:
    """u**0.5 is a square root and u**2.0 a product, not calls of pow."""
    kernels = [model([Assignment(out.here, u.here**one)]) for one in (exponent, sympy.Rational(exponent))]
    decimal, exact = (kernel.typed(precision("f64")).body for kernel in kernels)
    assert decimal == exact
