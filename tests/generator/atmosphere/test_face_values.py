# SPDX-License-Identifier: Apache-2.0
"""Face values have the order they claim, tables of orders fall towards boundaries, and what is not offered is
refused."""

from __future__ import annotations

import math

import numpy as np
import pytest
import sympy
from heddle import Module
from heddle.atmosphere import advection
from heddle.atmosphere.faces import ORDERS, FaceValues
from heddle.emit.cost import cost
from heddle.errors import KernelError
from heddle.model.equations import Equations


@pytest.mark.parametrize("divided", [True, False])
@pytest.mark.parametrize("order", ORDERS)
def test_fluxes_converge_with_their_order(order: int, divided: bool) -> None:
    """The difference of two face values over the spacing is the derivative of a sine, to this order."""
    cells = sympy.symbols("q0:6")
    equations = Equations()
    value = FaceValues(equations, divided).value(
        order,
        lambda m: cells[3 + m],
        sympy.Rational(1, 1 if divided else 60 if order == 5 else 12),
    )
    known = {s.target: s.value for s in equations.statements}  # type: ignore[union-attr]
    face = sympy.lambdify(cells, value.xreplace(known))
    errors = []
    for n in (16, 32, 64):
        h = 2 * math.pi / n
        q = [math.sin(i * h) for i in range(n)]
        worst = 0.0
        for i in range(n):
            faces = [face(*(q[(i + side + m) % n] for m in range(-3, 3))) for side in (0, 1)]
            worst = max(worst, abs((faces[1] - faces[0]) / h - math.cos(i * h)))
        errors.append(worst)
    slope = math.log2(errors[1] / errors[2])
    assert abs(slope - order) < 0.1, (order, errors)
    # In f32 the same errors, but for roundings of values of size 1 over the spacing.
    h, at = 2 * math.pi / 16, np.arange(16)
    single = np.sin(at * h).astype(np.float32)
    low, high = (face(*(np.roll(single, -side - m) for m in range(-3, 3))) for side in (0, 1))
    assert low.dtype == np.float32
    worst = float(np.max(np.abs((high - low) / h - np.cos(at * h))))
    assert abs(worst - errors[0]) < 8 * np.finfo(np.float32).eps / h


def test_orders_fall_towards_boundaries() -> None:
    assert advection.face_orders(8, 5) == [0, 2, 3, 5, 5, 5, 3, 2, 0]
    assert advection.face_orders(6, 6) == [0, 2, 4, 6, 4, 2, 0]
    assert advection.face_orders(5, 3) == [0, 2, 3, 3, 2, 0]
    assert advection.face_orders(1, 5) == [0, 0]


def test_tracers_share_the_flow() -> None:
    """28 bytes per cell and tracer in f32 for both kernels, and three mass fluxes each for all tracers."""
    scheme = advection.Advection(limiter="positive-definite", tracers=3)
    module = Module("air", precisions=("f32",))
    module.add("scale", scheme.scale())
    module.add("limited_stage", scheme.limited_stage())
    found = [cost(module.typed(k, "f32"), module.stages(k, "f32", "cpu").lowered) for k in module.kernels]
    assert sum(one.bytes_read + one.bytes_written for one in found) == 3 * 28 + 2 * 3 * 4


@pytest.mark.parametrize(
    ("arguments", "what"),
    [
        ({"horizontal": 7}, "horizontal=7 is not known."),
        ({"vertical": 1}, "vertical=1 is not known."),
        ({"limiter": "superbee"}, "limiter='superbee' is not known."),
        ({"boundaries": "open"}, "boundaries='open' is not known."),
        ({"tracers": 0}, "tracers=0 is not a number of tracers."),
    ],
)
def test_what_is_not_offered_is_refused(arguments: dict[str, object], what: str) -> None:
    with pytest.raises(KernelError, match="test_face_values") as raised:
        advection.Advection(**arguments)  # type: ignore[arg-type]
    assert what in str(raised.value)
    assert "\n" in str(raised.value)


def test_a_scheme_without_a_limiter_scales_nothing() -> None:
    with pytest.raises(KernelError, match="the scheme has no limiter"):
        advection.Advection().scale()
