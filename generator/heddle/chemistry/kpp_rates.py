# SPDX-License-Identifier: Apache-2.0
"""Rate expressions of KPP, the Kinetic PreProcessor (A. Sandu and R. Sander, Atmos. Chem. Phys. 6, 187
(2006)): numbers, + - * / ** and parentheses, TEMP, PRESS, CFACTOR, host values, and functions of a table.

A parser of our own reads them: no text of a file is executed. Units are those of the file, molecules cm-3.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from typing import TypeAlias

import sympy

from heddle.chemistry.quantities import AIR, MOLECULES, PRESSURE, STATE, TEMPERATURE
from heddle.errors import KernelError

T = TEMPERATURE
MOST_NESTED = 50
MOST_POWER = 100
"""Exponents beyond it are mistakes."""
MOST_LETTERS = 2_000
_NUMBER = r"(?P<number>(?:\d+\.?\d*|\.\d+)(?:[eEdD][+-]?\d+)?(?:_\w+)?)"
_TOKEN = re.compile(r"\s*(?:" + _NUMBER + r"|(?P<name>[A-Za-z]\w*)|(?P<sign>\*\*|[-+*/(),]))")
Number: TypeAlias = sympy.Expr


def _arr(A: Number, B: Number, C: Number) -> Number:
    return A * sympy.exp(-B / T + C * sympy.log(T / 300))


def _falling_off(low: Number, high: Number, F: Number, width: Number) -> Number:
    """Between the limits of low and high pressure, broadened over a width in decades."""
    decades = sympy.log(low / high) / sympy.log(sympy.Float(10)) / width
    return low / (1 + low / high) * sympy.exp(sympy.log(F) / (1 + decades**2))


def _fall(A0: Number, B0: Number, C0: Number, A1: Number, B1: Number, C1: Number, F: Number) -> Number:
    return _falling_off(_arr(A0, B0, C0) * _M, _arr(A1, B1, C1), F, sympy.Integer(1))


def _pow(base: Number, exponent: Number) -> Number:
    """By the logarithm where the base is no number, as rate laws write (T/D)^B."""
    if exponent.is_Integer or base.is_number:
        return _raised(base, exponent)
    return sympy.exp(exponent * sympy.log(base))


def _raised(base: Number, exponent: Number) -> Number:
    """base^exponent. Raises OverflowError, before it is computed, for a value that no rate has."""
    if exponent.is_number and not abs(float(exponent)) <= MOST_POWER:
        raise OverflowError
    if base.is_real and base.is_number and base != 0 and exponent.is_number:
        math.pow(abs(float(base)), float(exponent))
    return base**exponent


def _exp(exponent: Number) -> Number:
    """Raises OverflowError for values that no rate has."""
    if exponent.is_number and exponent.is_real:
        math.exp(float(exponent))
    return sympy.exp(exponent)


def _ep2(A0: Number, C0: Number, A2: Number, C2: Number, A3: Number, C3: Number) -> Number:
    k3 = A3 * sympy.exp(-C3 / T) * _M
    return A0 * sympy.exp(-C0 / T) + k3 / (1 + k3 / (A2 * sympy.exp(-C2 / T)))


def _three_bodies(
    air: Number, low: Number, n: Number, high: Number, m: Number, F: Number, width: Number
) -> Number:
    """Of JPL with a width of 1 decade, of IUPAC with 0.75 - 1.27 log10 F."""
    return _falling_off(low * _pow(300 / T, n) * air, high * _pow(300 / T, m), F, width)


def _jpl(air: Number, low: Number, n: Number, high: Number, m: Number, F: Number) -> Number:
    return _three_bodies(air, low, n, high, m, F, sympy.Integer(1))


def _iupac(air: Number, low: Number, n: Number, high: Number, m: Number, F: Number) -> Number:
    width = sympy.Float(0.75) - sympy.Float(1.27) * sympy.log(F) / sympy.log(sympy.Float(10))
    return _three_bodies(air, low, n, high, m, F, width)


_M = sympy.Float(MOLECULES) * AIR
_ZERO = sympy.Integer(0)
FUNCTIONS: dict[str, tuple[int, Callable[..., Number]]] = {
    "ARR": (3, _arr),
    "ARR_ab": (2, lambda A, B: A * sympy.exp(-B / T)),
    "ARR_ac": (2, lambda A, C: _arr(A, _ZERO, C)),
    "ARR_abc": (3, _arr),
    "ARR2": (2, lambda A, B: A * sympy.exp(B / T)),
    "EP2": (6, _ep2),
    "EP3": (4, lambda A1, C1, A2, C2: A1 * sympy.exp(-C1 / T) + A2 * sympy.exp(-C2 / T) * _M),
    "FALL": (7, _fall),
    "k3rd_jpl": (6, _jpl),
    "k3rd_iupac": (6, _iupac),
    "exp": (1, _exp),
    "log": (1, sympy.log),
    "sqrt": (1, sympy.sqrt),
    "pow": (2, _pow),
}
"""Name, number of arguments, meaning: those that every KPP model has, and those of mathematics. B is the
energy of activation over R, the 2060 in ARR_ab(8e-12, 2060); only in ARR2, which KPP 2 had in place of
ARR_ab, its sign is the other one."""
_KNOWN = {"TEMP": T, "PRESS": PRESSURE, "CFACTOR": _M * sympy.Float(1e-6), "CAIR": _M}
"""CFACTOR is what KPP's functions take it for, the molecules cm-3 of 1 ppm; cair is that of all air."""
_LOWER = {name.lower(): name for name in FUNCTIONS}


def rate_expression(text: str, where: str, names: Mapping[str, Number] | None = None) -> sympy.Expr:
    """The value of an expression. names: those that have a meaning, in place of KPP's. Other names stand for
    host values. Raises KernelError for what it cannot read. where: the line of the file, for errors."""
    return _Parser(text, where, names).whole()


class _Parser:
    def __init__(self, text: str, where: str, names: Mapping[str, Number] | None = None) -> None:
        self.names = names
        self.text, self.where, self.depth = text.strip(), where, 0
        self.tokens: list[tuple[str, str]] = []
        at = 0
        if len(self.text) > MOST_LETTERS:
            raise self.error(f"there are more than {MOST_LETTERS} letters")
        while at < len(self.text):
            match = _TOKEN.match(self.text, at)
            if match is None:
                raise self.error(f"'{self.text[at : at + 10]}' cannot be read")
            self.tokens.append((str(match.lastgroup), match[0].strip()))
            at = match.end()
        self.tokens.append(("end", ""))

    def error(self, what: str) -> KernelError:
        return KernelError(
            self.where,
            f"in the rate '{self.text[:60]}', {what}.",
            "rates are made of numbers, + - * / **, TEMP, PRESS, names of host values, and of "
            + ", ".join(FUNCTIONS),
        )

    def take(self, *signs: str) -> str:
        """The next token if it is one of some signs, else nothing."""
        kind, token = self.tokens[0]
        if kind == "sign" and token in signs:
            self.tokens.pop(0)
            return token
        return ""

    def whole(self) -> sympy.Expr:
        if self.tokens[0][0] == "end":
            raise self.error("there is nothing")
        value = self.sum()
        if self.tokens[0][0] != "end":
            raise self.error(f"'{self.tokens[0][1]}' stands where an operator is expected")
        return value

    def sum(self) -> sympy.Expr:
        sign = self.take("+", "-")
        value = -self.product() if sign == "-" else self.product()
        while sign := self.take("+", "-"):
            term = self.product()
            value = value + term if sign == "+" else value - term
        return value

    def product(self) -> sympy.Expr:
        value = self.power()
        while sign := self.take("*", "/"):
            factor = self.power()
            if sign == "/" and factor == 0:
                raise self.error("something is divided by 0")
            value = value * factor if sign == "*" else value / factor
        return value

    def power(self) -> sympy.Expr:
        base = self.atom()
        if not self.take("**"):
            return base
        negative = self.take("-")
        exponent = self.atom()
        if not exponent.is_number or abs(float(exponent)) > MOST_POWER:
            raise self.error(f"the exponent {exponent} is no number up to {MOST_POWER}")
        return self.finite(lambda: _raised(base, -exponent if negative else exponent))

    def atom(self) -> sympy.Expr:
        self.depth += 1
        if self.depth > MOST_NESTED:
            raise self.error("parentheses are nested too deeply")
        value = self.inner()
        self.depth -= 1
        return value

    def inner(self) -> sympy.Expr:
        kind, token = self.tokens[0]
        if self.take("-"):
            return -self.atom()
        if self.take("("):
            value = self.sum()
            if not self.take(")"):
                raise self.error("a parenthesis is not closed")
            return value
        if kind == "number":
            self.tokens.pop(0)
            digits = token.split("_")[0].lower().replace("d", "e")
            if not abs(float(digits)) < 1e300:
                raise self.error(f"{token[:20]} is too large")
            return sympy.Float(float(digits)) if not digits.isdigit() else sympy.Integer(int(digits[:300]))
        if kind != "name":
            raise self.error(f"'{token or 'the end'}' stands where a value is expected")
        self.tokens.pop(0)
        if self.take("("):
            return self.call(token)
        other = sympy.Symbol(token, real=True)
        return _KNOWN.get(token.upper(), other) if self.names is None else self.names.get(token, other)

    def call(self, name: str) -> sympy.Expr:
        arguments: list[sympy.Expr] = []
        if not self.take(")"):
            arguments.append(self.sum())
            while self.take(","):
                arguments.append(self.sum())
            if not self.take(")"):
                raise self.error("a parenthesis is not closed")
        known = _LOWER.get(name.lower())
        if known is None:
            numbers = sum(argument.is_Integer for argument in arguments)
            names = sum(argument.is_Symbol and argument not in STATE for argument in arguments)
            if numbers + names == len(arguments) and (names or len(arguments) == 1):
                # J(4), J(J_NO2), TUV_J(4, THETA): rates of photolysis
                return sympy.Symbol(f"{name}({', '.join(map(str, arguments))})", real=True)
            raise self.error(f"the function '{name}' is not known")
        count, meaning = FUNCTIONS[known]
        if len(arguments) != count:
            raise self.error(f"'{known}' has {len(arguments)} arguments, not {count}")
        return self.finite(lambda: meaning(*arguments))

    def finite(self, value: Callable[[], Number]) -> Number:
        """A value. Raises KernelError where it is larger than what double precision holds, or no number."""
        try:
            found = value()
        except (OverflowError, TypeError):  # SymPy compares what has no order
            raise self.error("a number is too large, or has no meaning") from None
        if found.is_number and not (found.is_real and abs(float(found)) < math.inf):
            raise self.error("a number is too large, or has no meaning")
        return found
