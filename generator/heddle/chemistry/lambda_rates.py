# SPDX-License-Identifier: Apache-2.0
"""Rate constants as functions of C++, `[](double T, double P, double air_density) { return 1e-3 * T; }`: the
text under "lambda function" of Mechanism Configuration.

One value that is returned is read, by the parser of KPP's rates: no text of a file is executed. Parameters
are the temperature (K), the pressure (Pa) and the density of air (mol m-3), by their place.
"""

from __future__ import annotations

import re

import sympy

from heddle.chemistry.kpp_rates import rate_expression
from heddle.chemistry.quantities import AIR, PRESSURE, TEMPERATURE
from heddle.errors import KernelError

_LAMBDA = re.compile(
    r"\s*\[[=&]?\]\s*\((?P<parameters>[^()]*)\)\s*(?:->\s*double\s*)?"
    r"\{\s*return\b(?P<value>[^;{}]*);\s*\}\s*",
    re.DOTALL,
)
_PARAMETER = re.compile(r"\s*(?:const\s+)?double\s+([A-Za-z]\w*)\s*")
_STATE = (TEMPERATURE, PRESSURE, AIR)


def lambda_expression(text: str, where: str) -> sympy.Expr:
    """The rate constant, in (m3 mol-1)^(n-1) s-1. where: the line of the file, for errors.

    Raises KernelError for a function that is more than one value, and for names that are no parameters.
    """
    hint = 'write "[](double T, double P, double air_density) { return 1.2e-3 * exp(-300 / T); }"'
    match = _LAMBDA.fullmatch(text)
    parameters = [_PARAMETER.fullmatch(each) for each in match["parameters"].split(",")] if match else []
    if match is None or len(parameters) != len(_STATE) or not all(parameters):
        raise KernelError(
            where,
            f"the lambda function '{' '.join(text.split())[:60]}' is more than one value of T, P and the "
            "density of air.",
            hint + "; what needs statements is a host value, of type USER_DEFINED",
        )
    names = {p[1]: known for p, known in zip(parameters, _STATE, strict=True) if p}
    value = rate_expression(re.sub(r"\bstd\s*::\s*", "", match["value"]), where, names)
    unknown = sorted(symbol.name for symbol in value.free_symbols - set(_STATE))
    if unknown or len(names) != len(_STATE):
        raise KernelError(
            where, f"the lambda function names '{(unknown or [*names])[0]}', which is no parameter.", hint
        )
    return value
