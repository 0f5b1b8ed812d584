# SPDX-License-Identifier: Apache-2.0
"""name_constants: fractions that stand more than once in a kernel have names, at its head.

before   loop x { let a = mul(1/2, p); let b = mul(-1/2, q); let c = add(1/3, p); let d = add(1/3, q); ... }
after    let half = 1/2; let third = 1/3; loop x { let a = mul(half, p); let b = mul(neg(half), q); ... }

Whole numbers stay, and so does what a model has named itself.
"""

from __future__ import annotations

import dataclasses
import math
from collections import Counter
from collections.abc import Iterable, Iterator
from fractions import Fraction
from typing import Any

from heddle.ir.hash_consing import Node
from heddle.ir.nodes import Const, Kernel, Let, Op, Scalar, Symbol
from heddle.ir.stages import Request
from heddle.ir.unique_names import fresh, names_in
from heddle.ir.visit import rebuild

_PARTS = {
    2: ("half", "halves"), 3: ("third", "thirds"), 4: ("quarter", "quarters"), 5: ("fifth", "fifths"),
    6: ("sixth", "sixths"), 8: ("eighth", "eighths"), 9: ("ninth", "ninths"), 12: ("twelfth", "twelfths"),
    16: ("sixteenth", "sixteenths"), 18: ("eighteenth", "eighteenths"),
}  # fmt: skip
_NUMBERS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
_LARGEST_DENOMINATOR = 1000


def name_constants(kernel: Kernel, request: Request) -> Kernel:
    """Name the fractions of the arithmetic's type that are used twice or more, whatever their sign."""
    arithmetic = request.precision.arithmetic
    uses = Counter(_constants(kernel.body, arithmetic))
    taken = names_in(kernel)
    named: dict[Fraction, Symbol] = {}
    for value in sorted((value for value, count in uses.items() if count > 1), reverse=True):
        name = fresh(fraction_name(value), taken)
        taken |= {name}
        named[value] = Symbol(name, arithmetic)
    if not named:
        return kernel
    memo: dict[Node, Node] = {}

    def changed(node: Node) -> Node:
        if node not in memo:
            value = _fraction(node, arithmetic)
            if value is not None and abs(value) in named:
                symbol = named[abs(value)]
                memo[node] = symbol if value > 0 else Op("neg", (symbol,), arithmetic)
            else:
                memo[node] = node if _names_constant(node) else rebuild(node, changed)
        return memo[node]

    definitions = [Let(symbol, Const(value, arithmetic)) for value, symbol in named.items()]
    body: Any = tuple(map(changed, kernel.body))
    return dataclasses.replace(kernel, body=(*definitions, *body))


def fraction_name(value: Fraction) -> str:
    """In English: two_thirds; one_over_54 for rare denominators."""
    number = _NUMBERS[value.numerator]
    if value.denominator not in _PARTS:
        return f"{number}_over_{value.denominator}"
    one, many = _PARTS[value.denominator]
    return one if value.numerator == 1 else f"{number}_{many}"


def _constants(nodes: Iterable[Node], arithmetic: Scalar) -> Iterator[Fraction]:
    """The size of each fraction that statements or expressions use, as often as it is written."""
    waiting = list(nodes)
    while waiting:
        node = waiting.pop()
        value = _fraction(node, arithmetic)
        if value is not None:
            yield abs(value)
        elif not _names_constant(node):
            waiting += node.children


def _names_constant(node: Node) -> bool:
    return isinstance(node, Let) and isinstance(node.value, Const)


def _fraction(node: Node, arithmetic: Scalar) -> Fraction | None:
    """The value of a constant that has a name in English."""
    if not isinstance(node, Const) or node.type != arithmetic or not math.isfinite(node.value):
        return None
    value = Fraction(node.value)
    small = 0 < abs(value.numerator) < len(_NUMBERS) and 1 < value.denominator <= _LARGEST_DENOMINATOR
    return value if small else None
