# SPDX-License-Identifier: Apache-2.0
"""name_locals: every name is legal C++ and stands for one thing; the model's names survive.

before   let new = ...; loop x { let n_x = ... }            (a keyword, and a name that the lowering uses)
after    let new_ = ...; loop x { let n_x_ = ... }
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Sequence

from heddle.ir.nodes import (
    Assign,
    Expression,
    Kernel,
    Let,
    LoadLine,
    LoadRun,
    Local,
    Loop,
    Statement,
    Symbol,
    Var,
)
from heddle.ir.visit import rebuild

RESERVED = frozenset(
    """alignas alignof and and_eq asm auto bitand bitor bool break case catch char class compl concept const
    constexpr continue co_await co_return co_yield decltype default delete do double dynamic_cast else enum
    explicit export extern false float for friend goto if inline int long mutable namespace new noexcept not
    nullptr operator or private protected public register return short signed sizeof static static_assert
    static_cast struct switch template this throw true try typedef typeid typename union unsigned using
    virtual void volatile while xor heddle std main status unit_stride blockIdx threadIdx blockDim
    gridDim dim3""".split()
)


_MACROS = re.compile(
    r"NULL|EOF|NAN|INFINITY|HUGE_VAL[FL]?|FP_[A-Z_]+|MATH_[A-Z]+|math_errhandling|"
    r"M_(E|LOG2E|LOG10E|LN2|LN10|PI|PI_2|PI_4|1_PI|2_PI|2_SQRTPI|SQRT2|SQRT1_2)[fl]?|"
    r"U?INT(_LEAST|_FAST)?\d+_(MIN|MAX|C)|U?INT(MAX|PTR)_(MIN|MAX|C)|"
    r"SIZE_MAX|u?int(_least|_fast)?\d+_t|u?int(max|ptr)_t|size_t|ptrdiff_t|errno|assert|linux|unix|"
    r"[A-Z0-9_]+_(H|HPP|CUH)|__\w*|_[A-Z]\w*"
)
"""Macros and types of the headers that emitted files include, their guards, macros of compilers, and what
the language keeps for itself."""


def is_name(text: str) -> bool:
    """Whether C++ takes a text as a name."""
    known = text.isascii() and text.isidentifier()
    return known and text not in RESERVED and not _MACROS.fullmatch(text)


def name_locals(kernel: Kernel) -> Kernel:
    """Rename what C++ would not accept or what would hide another name."""
    arguments = {symbol.name for symbol in (*kernel.parameters, *kernel.outputs)}
    arguments |= {f"{output.name}_work" for output in kernel.outputs}
    for field in kernel.fields:
        arguments |= {field.name, f"{field.name}_extent", f"{field.name}_stride"}
    return dataclasses.replace(kernel, body=_block(kernel.body, RESERVED | arguments, {}))


def _block(
    body: Sequence[Statement], taken: frozenset[str], names: dict[Symbol, Symbol]
) -> tuple[Statement, ...]:
    names = dict(names)
    memo: dict[Expression, Expression] = {}

    def renamed(node: Expression) -> Expression:
        if isinstance(node, Symbol):
            return names.get(node, node)
        if node not in memo:
            memo[node] = rebuild(node, renamed)
        return memo[node]

    result: list[Statement] = []
    for statement in body:
        if isinstance(statement, (Let, Var, Local, LoadRun, LoadLine)):
            declared = "line" if isinstance(statement, (LoadRun, LoadLine)) else "symbol"
            symbol: Symbol = getattr(statement, declared)
            fresh = symbol.name
            while fresh in taken:
                fresh += "_"
            taken |= {fresh}
            changed = rebuild(statement, lambda node: renamed(node) if isinstance(node, Expression) else node)
            if fresh != symbol.name or symbol in names:
                names[symbol] = Symbol(fresh, symbol.type)
                memo = {}
            result.append(dataclasses.replace(changed, **{declared: Symbol(fresh, symbol.type)}))
        elif hasattr(statement, "body"):
            inside = taken | ({statement.counter.name} if isinstance(statement, Loop) else set())
            inner = _block(statement.body, inside, names)
            changed = rebuild(statement, lambda node: renamed(node) if isinstance(node, Expression) else node)
            result.append(dataclasses.replace(changed, body=inner))
        else:
            if isinstance(statement, Assign):
                statement = dataclasses.replace(
                    statement, symbol=names.get(statement.symbol, statement.symbol)
                )
            result.append(
                rebuild(statement, lambda node: renamed(node) if isinstance(node, Expression) else node)
            )
    return tuple(result)
