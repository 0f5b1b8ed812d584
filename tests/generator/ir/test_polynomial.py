# SPDX-License-Identifier: Apache-2.0
"""Integer polynomials: arithmetic and division agree with numbers, whatever the atoms are."""

from __future__ import annotations

import math
import random

import pytest
from heddle.ir.polynomial import IntegerPolynomial


class Named(IntegerPolynomial[str]):
    """In atoms that are names."""

    @staticmethod
    def key(atom: str) -> str:
        return atom


X, Y, Z = map(Named.of_atom, "xyz")
ONE, ZERO = Named.of_number(1), Named()


def value(polynomial: Named, at: dict[str, int]) -> int:
    return sum(
        factor * math.prod(at[atom] for atom in monomial) for monomial, factor in polynomial.terms.items()
    )


def drawn(chance: random.Random) -> Named:
    result = ZERO
    for _ in range(chance.randint(0, 4)):
        product = Named.of_number(chance.randint(-5, 5))
        for atom in chance.choices((X, Y, Z), k=chance.randint(0, 3)):
            product *= atom
        result += product
    return result


def test_equal_polynomials_are_equal() -> None:
    assert (X + Y) * (X - Y) == X * X - Y * Y
    assert hash(X * Y + 1) == hash(ONE + Y * X)
    assert X - X == ZERO
    assert X * 0 == ZERO
    assert (X - X).constant == 0
    assert (X * 0 + 3).constant == 3
    assert (X + 3).constant is None


@pytest.mark.parametrize("seed", range(50))
def test_operations_agree_with_those_of_numbers(seed: int) -> None:
    chance = random.Random(seed)
    a, b, c = (drawn(chance) for _ in range(3))
    at = {name: chance.randint(-9, 9) for name in "xyz"}
    left, right = value(a, at), value(b, at)
    assert value(a + b, at) == left + right
    assert value(a.plus(b, -3), at) == left - 3 * right
    assert value(a - b, at) == left - right
    assert value(-a, at) == -left
    assert value(a * b, at) == left * right
    assert value(a.substitute({"x": b, "y": c}), at) == value(a, {**at, "x": right, "y": value(c, at)})
    assert all((a * b - a + c).terms.values())


@pytest.mark.parametrize("seed", range(50))
def test_what_is_divided_is_the_sum_of_its_parts(seed: int) -> None:
    chance = random.Random(seed)
    a, b, c = (drawn(chance) for _ in range(3))
    quotient, rest = a.divided(b)
    assert quotient * b + rest == a
    if b != ZERO:
        assert (a * b).divided(b) == (a, ZERO)
    digits, rest = a.mixed_radix((b, c, ONE))
    assert digits[0] * b + digits[1] * c + digits[2] + rest == a
    by = chance.choice((-7, -2, 2, 3, 64))
    quotient, rest = a.floored(by)
    assert quotient * by + rest == a
    assert all(0 < factor * (1 if by > 0 else -1) < abs(by) for factor in rest.terms.values())
    parts = a.linear("x")
    if parts is None:
        assert any(monomial.count("x") > 1 for monomial in a.terms)
    else:
        assert parts[0] * X + parts[1] == a
        assert parts[0] == a.coefficient("x")
        assert not {"x"} & (parts[0].atoms | parts[1].atoms)


def test_digits_are_found_from_the_largest_stride_to_the_smallest() -> None:
    digits, rest = (X * Y * 2 - X * 3 + 5).mixed_radix((ONE, X, X * Y))
    assert (digits, rest) == ([ONE * 5, ONE * -3, ONE * 2], ZERO)
    digits, rest = Named.of_number(63).mixed_radix((ONE, ONE * 64, ZERO))
    assert (digits, rest) == ([ONE * -1, ONE, ZERO], ZERO)
    _, rest = (Y + 1).mixed_radix((X * 2, X * X * 4))
    assert rest == Y + 1


@pytest.mark.parametrize(("number", "quotient"), [(5, 1), (6, 1), (7, 2), (-6, -1), (-7, -2)])
def test_numbers_are_divided_to_the_nearest_integer(number: int, quotient: int) -> None:
    found, rest = Named.of_number(number).divided(Named.of_number(4))
    assert (found.constant, rest.constant) == (quotient, number - 4 * quotient)


def test_parts() -> None:
    polynomial = X * Y * 6 - X * 4 + 10
    assert (polynomial.number, polynomial.unknown) == (10, X * Y * 6 - X * 4)
    assert (polynomial.content, ZERO.content) == (2, 0)
    assert (polynomial.order, ZERO.order, (ONE * -3).order) == ((2, 6), (0, 0), (0, 3))
    assert polynomial.atoms == {"x", "y"}
    assert [monomial for monomial, _ in polynomial.ordered()] == [("x", "y"), ("x",), ()]


def test_natural_numbers() -> None:
    assert (X * 2 + 1).is_natural("xy".__contains__)
    assert ZERO.is_natural("".__contains__)
    assert not (X * Z + 1).is_natural("xy".__contains__)
    assert not (X - 1).is_natural("xy".__contains__)
