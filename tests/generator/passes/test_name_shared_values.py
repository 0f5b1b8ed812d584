# SPDX-License-Identifier: Apache-2.0
"""What large statements share has a name, and the bits stay."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
import sympy
from heddle import Assignment, If, KernelError, Module, Scan, fields
from heddle.build import files
from heddle.ir.interpret import Array, run
from heddle.ir.nodes import Kernel, Let
from heddle.ir.schedule import precision
from heddle.ir.text import text
from heddle.passes import name_shared_values as named
from models import model

u, v, w = fields("u, v, w: real[1D]")
a, b = sympy.symbols("a b", real=True)


def swollen(times: int) -> sympy.Expr:
    """Twice as many different operations as rounds; a tree three times as large with each."""
    e = u.here
    for _ in range(times):
        e = e * e + u[1] * e
    return e


def weno(cells: Sequence[sympy.Expr]) -> sympy.Expr:
    """The value between the third and the fourth of five cells (Jiang and Shu 1996), written out."""
    p, q, r, s, t = cells
    candidates = [(2 * p - 7 * q + 11 * r) / 6, (-q + 5 * r + 2 * s) / 6, (2 * r + 5 * s - t) / 6]
    curved, sloped = sympy.Rational(13, 12), sympy.Rational(1, 4)
    smooth = [
        curved * (p - 2 * q + r) ** 2 + sloped * (p - 4 * q + 3 * r) ** 2,
        curved * (q - 2 * r + s) ** 2 + sloped * (q - s) ** 2,
        curved * (r - 2 * s + t) ** 2 + sloped * (3 * r - 4 * s + t) ** 2,
    ]
    linear = [sympy.Rational(n, 10) for n in (1, 6, 3)]
    weights = [g / (1e-6 + beta) ** 2 for g, beta in zip(linear, smooth, strict=True)]
    return sum(c * weight for c, weight in zip(candidates, weights, strict=True)) / sum(weights)


def differences() -> list[Assignment]:
    wide, out = fields("wide, out: real[1D]", ghost_layers=3)
    cells = [wide[offset] for offset in range(-3, 3)]
    return [Assignment(out.here, a * (weno(cells[1:]) - weno(cells[:-1])))]


def lets(kernel: Kernel) -> int:
    return sum(isinstance(statement, Let) for statement in kernel.body)


def results(kernel: Kernel) -> list[list[float]]:
    """What the interpreter computes on ten cells."""
    rng = np.random.default_rng(7)
    arrays = {f.name: Array(list(rng.uniform(0.5, 1.5, 16)), 3, (10,), (1,)) for f in kernel.fields}
    run(kernel, arrays, {symbol.name: 0.75 for symbol in kernel.parameters})
    return [array.values for array in arrays.values()]


def typed(statements: Sequence[Any], monkeypatch: pytest.MonkeyPatch | None = None, small: int = 0) -> Kernel:
    if monkeypatch is not None:
        monkeypatch.setattr(named, "SMALL", small)
    return model(list(statements)).typed(precision("f64"))


KINDS: dict[str, list[Any]] = {
    "squares of squares": [Assignment(v.here, swollen(5))],
    "WENO": differences(),
    "of a local": [Assignment(a, u.here + u[1]), Assignment(v.here, (a + b) ** 2 + (a + b) * (a + b + 1))],
    "in a condition": [
        Assignment(v.here, (u.here + b) ** 2),
        If((u.here + b) ** 2 > 1, [Assignment(w.here, (u.here + b) ** 3 + (u[1] + b) ** 2)]),
        Assignment(a, (u.here + b) * (u[1] + b)),
    ],
    "in branches": [
        Assignment(v.here, sympy.Piecewise(((u.here + b) ** 3, u.here > 1), ((u.here + b) ** 2, True)))
    ],
}


@pytest.mark.parametrize("kind", KINDS)
def test_the_bits_stay(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    plain = typed(KINDS[kind], monkeypatch, 10**9)
    shared = typed(KINDS[kind], monkeypatch, 0)
    assert results(shared) == results(plain)
    assert (lets(shared) > lets(plain)) == (kind != "in branches")


def test_large_statements_alone_change() -> None:
    few, many = typed([Assignment(v.here, swollen(3))]), typed([Assignment(v.here, swollen(5))])
    assert lets(few) == 0
    assert lets(many) == 4  # what a round gives, which the next one needs three times
    assert "let shared_1: f64 = add(mul(u[0], u[0]), mul(u[0], u[1]))" in text(many)


def test_names_are_free(monkeypatch: pytest.MonkeyPatch) -> None:
    kernel = typed([Assignment(v.here, sympy.Symbol("shared_1") * (u.here + u[1]) ** 2)], monkeypatch)
    assert [s.symbol.name for s in kernel.body if isinstance(s, Let)] == ["shared_2"]


@pytest.mark.parametrize("small", [0, 10**9])
def test_no_name_hides_a_read_after_a_store(small: int, monkeypatch: pytest.MonkeyPatch) -> None:
    both = [Assignment(target.here, (u.here + 1) ** 2 + (v.here + 1) ** 2) for target in (v, w)]
    with pytest.raises(KernelError, match="after storing to it"):
        typed(both, monkeypatch, small)


def test_scans_keep_their_values(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each is a loop of its own."""
    scans = [
        Scan(0, {sum_: 0}, [Assignment(target.here, (u.here + 1) ** 2 + sum_)], {sum_: sum_ + 1})
        for target, sum_ in ((v, a), (w, b))
    ]
    kernel = typed(scans, monkeypatch)
    assert lets(kernel) == 0
    for scan in kernel.body:
        assert [type(statement).__name__ for statement in scan.body] == ["Let", "Store"]  # type: ignore[attr-defined]


def test_expressions_that_swell_become_kernels() -> None:
    """As 24 products and sums, of which the tree has half a million."""
    module = Module("m", precisions=("f64",))
    module.add("k", [Assignment(v.here, swollen(12))])
    source = files(module, ["cpu"])["m/k.cpp"]
    assert len(re.findall(r"\bshared_\d", source)) == 11 + 3 * 11
    assert "36 flops" in source
    kernel = module.typed("k", "f64")
    arrays = {name: Array([0.5, 0.25], 0, (1,), (1,)) for name in ("u", "v")}
    run(kernel, arrays)
    e = 0.5
    for _ in range(12):
        e = e * e + 0.25 * e
    assert math.isclose(arrays["v"].values[0], e, rel_tol=1e-15)


def test_usual_statements_keep_their_form(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever they share; values that two names stand for are another pass's business."""
    twice = [Assignment(each, (u.here + 1) ** 2) for each in (a, b)]
    statements = [*twice, Assignment(v.here, a * b), If(u.here > 1, [Assignment(w.here, (u.here + 1) ** 2)])]
    assert typed(statements) == typed(statements, monkeypatch, 10**9)


def test_what_stays_too_large_is_refused() -> None:
    """Branches of a Piecewise are computed where their condition holds, so their parts get no names."""
    with pytest.raises(KernelError) as error:
        typed([Assignment(v.here, sympy.Piecewise((swollen(12), u.here > 0), (0, True)))])
    assert error.value.what == "the expression has more than 20000 operations."
