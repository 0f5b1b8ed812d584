# SPDX-License-Identifier: Apache-2.0
"""The numbers of heddle.ir.mathematics, derived: minimax polynomials by Remez' exchange, constants in parts.

`python tests/generator/ir/minimax.py` writes generator/heddle/ir/mathematics/coefficients.py anew;
test_mathematics.py compares it with what is derived here.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator
from pathlib import Path

import mpmath
from mpmath import mp, mpf

FILE = Path(__file__).resolve().parents[3] / "generator/heddle/ir/mathematics/coefficients.py"
DIGITS = {64: 53, 32: 24}
Real = Callable[[mpf], mpf]
mp.dps = 60


def minimax(function: Real, weight: Real, begin: mpf, end: mpf, degree: int) -> tuple[list[mpf], mpf]:
    """Coefficients, lowest first, and max |weight (function - polynomial)|, which they make smallest: the
    error has degree + 2 extremes of one size and alternating sign (Remez, 1934)."""
    count = degree + 2
    middle, half = (begin + end) / 2, (end - begin) / 2
    grid = [middle - half * mpmath.cos(mp.pi * i / (24 * count)) for i in range(24 * count + 1)]
    values = [(x, function(x), weight(x)) for x in grid]
    points = [values[round(24 * count * (i + 0.5) / count)] for i in range(count)]
    for _ in range(12):
        rows = [[x**i for i in range(degree + 1)] + [(-1) ** n / w] for n, (x, _, w) in enumerate(points)]
        *coefficients, _ = mpmath.lu_solve(mp.matrix(rows), mp.matrix([f for _, f, _ in points]))
        errors = [w * (f - mpmath.polyval(coefficients[::-1], x)) for x, f, w in values]
        extremes: list[int] = []
        for i, error in enumerate(errors):
            if extremes and (errors[extremes[-1]] > 0) == (error > 0):
                if abs(error) > abs(errors[extremes[-1]]):
                    extremes[-1] = i
            else:
                extremes.append(i)
        while len(extremes) > count:
            extremes.pop(0 if abs(errors[extremes[0]]) < abs(errors[extremes[-1]]) else -1)
        assert len(extremes) == count
        points = [values[i] for i in extremes]
        sizes = [abs(errors[i]) for i in extremes]
        if max(sizes) < 1.001 * min(sizes):
            break
    return list(coefficients), max(sizes)


def nearest(value: mpf, bits: int) -> float:
    """The number of a type nearest to a value; the mantissa is rounded once."""
    with mpmath.workprec(DIGITS[bits]):
        return float(+value)


def parts(value: mpf, bits: int, *digits: int) -> list[float]:
    """Numbers whose sum is the value: the first ones with so many digits, the last one with all."""
    result = []
    for precision in (*digits, DIGITS[bits]):
        with mpmath.workprec(precision):
            part = +value
        result.append(float(part))
        value -= part
    return result


def not_zero(function: Real, at_zero: mpf) -> Real:
    """A quotient with its limit at zero."""
    return lambda x: function(x) if abs(x) > 1e-18 else at_zero


def atanh_tail(first: int) -> Real:
    """What is left of log((1 + s) / (1 - s)) / s = 2 + 2/3 z + ..., z = s^2, from z^first on, over
    z^first."""

    def tail(z: mpf) -> mpf:
        return sum(2 * z**j / (2 * (j + first) + 1) for j in range(40))

    return tail


def polynomials(bits: int) -> Iterator[tuple[str, str, list[mpf], mpf]]:
    """Name, what it is, coefficients and error."""
    double = bits == 64
    ln2, one = mp.ln(2), mpf(1)
    edge = ln2 / 2 * mpf("1.0001")
    yield (
        "EXP", "(exp(r) - 1 - r) / r^2, |r| <= ln(2) / 2",
        *minimax(
            not_zero(lambda r: (mp.expm1(r) - r) / r**2, one / 2),
            lambda r: max(r**2, edge**2 / 50) / mp.exp(r), -edge, edge, 9 if double else 4,
        ),
    )  # fmt: skip
    yield (
        "EXP2", "(2^f - 1) / f, |f| <= 1/2",
        *minimax(
            not_zero(lambda f: mp.expm1(f * ln2) / f, ln2),
            lambda f: max(abs(f), one / 12) / mpf(2) ** f,
            -mpf("0.50001"), mpf("0.50001"), 10 if double else 5,
        ),
    )  # fmt: skip
    s = (mp.sqrt(2) - 1) / (mp.sqrt(2) + 1)
    largest = s**2 * mpf("1.0001")
    yield (
        "LOG", "(log((1 + s) / (1 - s)) / s - 2) / s^2 over s^2, |s| <= 3 - sqrt(8)",
        *minimax(atanh_tail(1), lambda z: max(z, largest / 20), mpf(0), largest, 6 if double else 2),
    )  # fmt: skip

    # What pow needs beside: the terms from s^5 on, as logarithms to base 2.
    yield (
        "LOG2_TAIL", "(log2((1 + s) / (1 - s)) / s - 2 (1 + s^2 / 3) / log(2)) / s^4 over s^2",
        *minimax(
            lambda z: atanh_tail(2)(z) / ln2, lambda z: max(z, largest / 20) ** 2, mpf(0), largest,
            6 if double else 2,
        ),
    )  # fmt: skip
    yield (
        "TANH", "(tanh(a) / a - 1) / a^2 over a^2, a <= 0.55",
        *minimax(
            not_zero(lambda z: (mp.tanh(mp.sqrt(z)) / mp.sqrt(z) - 1) / z, -one / 3),
            lambda z: max(z, one / 40), mpf(0), mpf("0.3026"), 10 if double else 4,
        ),
    )  # fmt: skip
    eighth = (mp.pi / 4) ** 2 * mpf("1.0001")
    yield (
        "SIN", "(sin(r) / r - 1) / r^2 over r^2, |r| <= pi / 4",
        *minimax(
            not_zero(lambda z: (mp.sin(mp.sqrt(z)) / mp.sqrt(z) - 1) / z, -one / 6),
            lambda z: max(z, one / 40), mpf(0), eighth, 5 if double else 2,
        ),
    )  # fmt: skip
    yield (
        "COS", "(cos(r) - 1 + r^2 / 2) / r^4 over r^2, |r| <= pi / 4",
        *minimax(
            not_zero(lambda z: (mp.cos(mp.sqrt(z)) - 1 + z / 2) / z**2, one / 24),
            lambda z: max(z, one / 40) ** 2, mpf(0), eighth, 5 if double else 2,
        ),
    )  # fmt: skip
    yield (
        "INVERSE_CBRT", "m^(-1/3), 1 <= m <= 2",
        *minimax(lambda m: 1 / mp.cbrt(m), mp.cbrt, one, mpf(2), 5 if double else 3),
    )  # fmt: skip


def derived() -> str:
    """The text of the file."""
    lines = [
        "# SPDX-License-Identifier: Apache-2.0",
        '"""Numbers that tests/generator/ir/minimax.py derives: polynomials, lowest power first, and',
        'constants in parts whose sum they are. By the bits of the type."""',
        "",
    ]
    tables: dict[str, tuple[str, dict[int, list[float] | list[int]]]] = {}
    for bits in DIGITS:
        for name, about, coefficients, error in polynomials(bits):
            size = f"f{bits}: 2^{float(mpmath.log(error, 2)):.1f}"
            told, table = tables.get(name, (f"{about}. Error", {}))
            table[bits] = [nearest(c, bits) for c in coefficients]
            tables[name] = (f"{told}{',' if len(table) > 1 else ''} {size}", table)
    # n * LN2[0] is exact for all exponents n.
    tables["LN2"] = (
        "log(2)",
        {64: parts(mp.ln(2), 64, 41), 32: parts(mp.ln(2), 32, 15)},
    )
    tables["LOG2E"] = (
        "1 / log(2)",
        {b: parts(1 / mp.ln(2), b, DIGITS[b]) for b in DIGITS},
    )
    for name, value in (("TWO_OVER_LN2", 2 / mp.ln(2)), ("TWO_THIRDS_OVER_LN2", 2 / mp.ln(2) / 3)):
        about = "2 / log(2)" if name == "TWO_OVER_LN2" else "2 / (3 log(2))"
        tables[name] = (about, {b: parts(value, b, DIGITS[b]) for b in DIGITS})
    roots = mp.cbrt(2), 1 / mp.cbrt(2)
    tables["CBRT_2"] = ("2^(1/3) and 2^(-1/3)", {b: [nearest(v, b) for v in roots] for b in DIGITS})
    tables["HALF_PI"] = ("pi / 2", {b: parts(mp.pi / 2, b, DIGITS[b]) for b in DIGITS})
    tables["TWO_OVER_PI"] = (
        "2 / pi in words, after so many zero bits as a product with a mantissa has to spare",
        {64: words(64, 19), 32: words(32, 7)},
    )
    for name, (about, table) in tables.items():
        lines.append(f"# {about}.")
        lines.append(f"{name} = {{")
        for bits, numbers in table.items():
            lines.append(f"    {bits}: (")
            lines += [f"        {text(number, bits)}," for number in numbers]
            lines.append("    ),")
        lines += ["}", ""]
    return "\n".join(lines[:-1]) + "\n"


def words(bits: int, count: int) -> list[int]:
    """The first bits of 2 / pi after one zero for each digit and two for the quarters of a turn."""
    with mpmath.workprec(bits * count + 64):
        value = int(mpmath.floor(mpmath.ldexp(2 / mp.pi, bits * count - DIGITS[bits] - 2)))
    return [value >> bits * i & (1 << bits) - 1 for i in reversed(range(count))]


def text(number: float, bits: int) -> str:
    """Digits that read back the same."""
    if isinstance(number, int):
        return f"0x{number:X}"
    if bits == 32:
        assert struct.unpack("f", struct.pack("f", number))[0] == number
    return repr(number)


if __name__ == "__main__":
    FILE.write_text(derived())
