# SPDX-License-Identifier: Apache-2.0
"""heddle/device/math.hpp: the text of the functions of heddle.ir.mathematics.

`python -m heddle.emit.math_header` writes it anew.
"""

from __future__ import annotations

from heddle.emit.expression import ExpressionPrinter, type_text
from heddle.emit.files import environment, formatted, write_if_changed
from heddle.emit.statement import StatementPrinter
from heddle.emit.targets import CPU
from heddle.ir import nodes as ir
from heddle.ir.mathematics import DEFINITIONS
from heddle.resources import folder

NAME = "math.hpp"


def math_header() -> str:
    """The text of the header."""
    functions = [_function(name, real) for name in sorted(DEFINITIONS) for real in (ir.F64, ir.F32)]
    (text,) = formatted([environment().get_template("math.hpp.j2").render(functions=functions)])
    return text


def _function(name: str, real: ir.Scalar) -> dict[str, str]:
    definition = DEFINITIONS[name](real)
    return {
        "name": name,
        "about": definition.about,
        "type": type_text(real),
        "parameters": ", ".join(f"{type_text(p.type)} {p.name}" for p in definition.parameters if p.type),
        "body": StatementPrinter(CPU).block(definition.body),
        "result": ExpressionPrinter(CPU)(definition.result),
    }


if __name__ == "__main__":
    write_if_changed(folder("runtime/include") / "heddle" / "device" / NAME, math_header())
