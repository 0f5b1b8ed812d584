# SPDX-License-Identifier: Apache-2.0
"""name_locals: every name is legal C++ and stands for one thing; the model's names survive.

before   let new = ...; loop x { let n_x = ... }            (a keyword, and a name that the lowering uses)
after    let new_ = ...; loop x { let n_x_ = ... }
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence, Set

from heddle.ir.cpp_names import is_name
from heddle.ir.nodes import (
    Assign,
    DeviceCall,
    Kernel,
    Let,
    Local,
    Loop,
    Statement,
    Symbol,
    Var,
    While,
)
from heddle.ir.stages import Request
from heddle.ir.unique_names import fresh as unique
from heddle.ir.visit import Renaming


def name_locals(kernel: Kernel, request: Request) -> Kernel:
    """Rename what C++ would not accept or what would hide another name."""
    arguments = {symbol.name for symbol in (*kernel.parameters, *kernel.outputs)}
    arguments |= {f"{output.name}_work" for output in kernel.outputs}
    for field in kernel.fields:
        arguments |= {field.name, f"{field.name}_extent", f"{field.name}_stride"}
    return dataclasses.replace(kernel, body=_block(kernel.body, arguments, {}))


def _block(body: Sequence[Statement], taken: Set[str], names: dict[Symbol, Symbol]) -> tuple[Statement, ...]:
    taken, current = set(taken), Renaming(names)
    names = current.names
    result: list[Statement] = []
    for statement in body:
        declared = "result" if isinstance(statement, DeviceCall) else "symbol"
        if isinstance(statement, (Let, Var, Local, DeviceCall)) and getattr(statement, declared):
            symbol: Symbol = getattr(statement, declared)
            fresh = unique(symbol.name, taken)
            while not is_name(fresh):
                fresh = unique(f"{fresh}_", taken)
            taken.add(fresh)
            changed = current(statement)
            if fresh != symbol.name or symbol in names:
                current.add(symbol, Symbol(fresh, symbol.type))
                changed = dataclasses.replace(changed, **{declared: names[symbol]})
            result.append(changed)
        elif hasattr(statement, "body"):
            if isinstance(statement, While):
                counter = Symbol(unique(statement.counter.name, taken), statement.counter.type)
                statement = dataclasses.replace(statement, counter=counter)
            inside = taken | ({statement.counter.name} if isinstance(statement, (Loop, While)) else set())
            inner = _block(statement.body, inside, names)
            result.append(dataclasses.replace(current(statement), body=inner))
        else:
            if isinstance(statement, Assign):
                statement = dataclasses.replace(
                    statement, symbol=names.get(statement.symbol, statement.symbol)
                )
            result.append(current(statement))
    return tuple(result)
