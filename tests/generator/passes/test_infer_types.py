# SPDX-License-Identifier: Apache-2.0
"""Storage and arithmetic precision: what is computed in which type."""

from __future__ import annotations

import numpy as np
import pytest
import sympy
from heddle import Assignment, KernelError, Module, bit_and, fields, remainder
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


def stores(value: object, kind: str = "uint8") -> None:
    """Type a store of an expression to a field of integers."""
    target = fields(f"target: {kind}[2D]")
    module = Module("m", precisions=("f64",))
    module.add("k", [Assignment(target.here, value)])  # type: ignore[arg-type]
    module.typed("k", "f64")


def test_locals_fit_into_integers() -> None:
    """Locals are real where constants alone meet; what is computed of them is still known."""
    bits, (open_, u) = sympy.symbols("bit_0:8"), fields("open: uint8[2D]; u: real[2D]")
    named = [Assignment(bit, sympy.Piecewise((0, u[1, 0] > n), (1 << n, True))) for n, bit in enumerate(bits)]
    module = Module("m", precisions=("f64",))
    module.add("k", [*named, Assignment(open_.here, sum(bits))])
    module.typed("k", "f64")
    module.add("too_many", [*named, Assignment(open_.here, sum(bits) + bits[0])])
    with pytest.raises(KernelError, match="may not fit into u8"):
        module.typed("too_many", "f64")


def test_what_fits_into_integers() -> None:
    """Nothing is refused that is bound to fit."""
    c, b, u = fields("c: uint32[2D]; b: uint8[2D]; u: real[2D]")
    for value in (
        *(b[1, 0], 255, bit_and(c.here, 7), bit_and(b.here, b[1, 0]), remainder(c.here, 256)),
        *(sympy.Min(sympy.Max(c.here, 0), 255), sympy.Piecewise((1, u.here > 0), (b.here, True))),
        *(u.here > 0, bit_and(b.here + 7, 255), b.here - sympy.Min(b.here, 0)),
    ):
        stores(value)
    for value in (sympy.floor(u.here), c.here + 5, sympy.sign(u.here), 2**31 - 1, -(2**31)):
        stores(value, "int32")
    for value in (256, -1, remainder(c.here, 257), c.here, sympy.Max(b.here, 300), sympy.floor(u.here)):
        with pytest.raises(KernelError):
            stores(value)
    with pytest.raises(KernelError):
        stores(2**31, "int32")
