# SPDX-License-Identifier: Apache-2.0
"""Text of somebody else's file in a Python file: as literals, comments and names, never as code.

All that a model takes from the source goes through `quoted`, `in_docstring`, `licence` or `identifier`.
Before the model is run, `vetted` reads it once more: it may hold only what a model is made of.
"""

from __future__ import annotations

import ast
import re
import unicodedata

from heddle.errors import KernelError, Place
from heddle.ir.functions import FUNCTIONS
from heddle.lift.model_writer.expressions import BITS, TESTS

ENCODING = "# -*- coding: utf-8 -*-"
_LICENCE = re.compile(r"SPDX-License-Identifier: [A-Za-z0-9.+() -]{1,100}")
_NODES = (
    ast.Module,
    ast.ImportFrom,
    ast.alias,
    ast.Expr,
    ast.Assign,
    ast.With,
    ast.withitem,
    ast.Call,
    ast.keyword,
    ast.Name,
    ast.Load,
    ast.Store,
    ast.Attribute,
    ast.Subscript,
    ast.Tuple,
    ast.List,
    ast.Dict,
    ast.Constant,
    ast.BinOp,
    ast.UnaryOp,
    ast.Compare,
    ast.operator,
    ast.unaryop,
    ast.cmpop,
)
_METHODS = {"add", "gather"}
_IMPORTS = {
    "heddle": {
        *("Assignment", "If", "Module", "Reduce", "Scan", "While"),
        *("block_coordinates", "block_extents", "fields", "parameters"),
        *("Rows", "Schedule", "Threads"),
        *BITS.values(),
    },
    "sympy": {
        *("Piecewise", "evaluate", "symbols"),
        *TESTS.values(),
        *(row.sympy for row in FUNCTIONS.values() if row.sympy),
    },
}
"""What a model imports. Nothing of it takes a string as code."""


def quoted(text: str) -> str:
    """A Python literal of a text, in ASCII; with double quotes where the text has none."""
    literal = ascii(text)
    return f'"{literal[1:-1]}"' if '"' not in text else literal


def in_docstring(text: str) -> str:
    """A text as part of a string between triple quotes."""
    return text.encode("unicode_escape").decode("ascii").replace('"', '\\"')


def licence(line: str) -> str:
    """The licence that a line names, if it is a plain one. A comment in the first lines of a file can say how
    Python decodes it, so that nothing else may follow."""
    found = _LICENCE.search(line.rstrip("*/ \t"))
    if found is None or found.end() != len(line.rstrip("*/ \t")) or "coding" in line:
        return ""
    return found[0].rstrip()


def identifier(name: str, place: Place | str, what: str = "name") -> str:
    """A name that can stand in code, or a refusal."""
    if not name.isidentifier() or unicodedata.normalize("NFKC", name) != name:
        raise KernelError(place, f"The {what} {name!a} cannot be written in Python.", "rename it")
    return name


def vetted(text: str, place: str) -> str:
    """The text of a model, unless it holds more than imports from Heddle and SymPy, assignments, calls of
    what it imports, and arithmetic."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise KernelError(
            place, f"The model is no valid Python: {error}.", "report this as a defect of Heddle"
        ) from None
    imported = {alias.name for node in tree.body if isinstance(node, ast.ImportFrom) for alias in node.names}
    for node in ast.walk(tree):
        if not _harmless(node, imported):
            raise KernelError(
                f"{place}, line {getattr(node, 'lineno', 0)} of its model",
                f"{type(node).__name__} does not belong into a model that was lifted.",
                "report this as a defect of Heddle",
            )
    return text


def _harmless(node: ast.AST, imported: set[str]) -> bool:
    match node:
        case ast.ImportFrom(str(module), names, 0):
            return all(a.asname is None and a.name in _IMPORTS.get(module, ()) for a in names)
        case ast.Call(ast.Name(name)):
            return name in imported
        case ast.Call(ast.Attribute(ast.Name(), name)):
            return name in _METHODS
        case ast.Call():
            return False
        case ast.Attribute(ast.Name(), name):
            return name in _METHODS
        case ast.Attribute():
            return False
        case ast.Name(name):
            return not name.startswith("__")
        case ast.ImportFrom():
            return False
    return isinstance(node, _NODES)
