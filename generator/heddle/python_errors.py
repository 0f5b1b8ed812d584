# SPDX-License-Identifier: Apache-2.0
"""What Python's own errors mean in a model: Python computes with numbers while the model is read, and the
value of an expression is known only when the kernel runs."""

from __future__ import annotations

import ast
import inspect
import re
import sys
import traceback
from collections.abc import Callable, Iterator
from difflib import get_close_matches
from pathlib import Path

from heddle.errors import KernelError, Place

_LATER = "is known only when the kernel runs"
_SYMPY = {
    "fabs": "Abs",
    "absolute": "Abs",
    "maximum": "Max",
    "minimum": "Min",
    "where": "Piecewise",
    "power": "**",
    "pow": "**",
}
"""What SymPy calls functions of math and NumPy whose names it does not share."""
_BITS = {"&": "heddle.bit_and(a, 7)", "<<": "heddle.shift_left(a, 2)"}
"""What a model writes for Python's operators of integers."""
_NO_NUMBER = (
    "Cannot convert expression to float",
    "Cannot convert symbols to int",
    "Cannot round symbolic expression",
    "loop of ufunc does not support",
)
_CALL = re.compile(r"([\w.]+?)(?:\.__init__)?\(\) (missing|takes|got) (.*)")
"""What Python says of a call whose arguments do not fit: of what, and in which way."""


def explained(error: Exception, model: Path) -> KernelError | None:
    """The error as one of the model's, with a hint; None for an error that has no such meaning."""
    if isinstance(error, SyntaxError):
        at = Place(Path(error.filename or str(model)).name, error.lineno or 0)
        return KernelError(
            at, f"Python cannot read this: {error.msg}.", "mend the line, or the one before it"
        )
    place, nodes = _where(error, model)
    said = str(error)
    if isinstance(error, NameError) and error.name in _public_names():
        what = f"the name '{error.name}' is not known here."
        return KernelError(place, what, f"from heddle import {error.name}")
    if said.startswith("cannot determine truth value of Relational"):
        condition = said.partition(": ")[2] or "a condition"
        what, hint = _decision(nodes)
        return KernelError(place, f"Python evaluates {what} now, but '{condition}' {_LATER}.", hint)
    function = _numeric_function(said, nodes)
    if function:
        what = f"{function} computes with numbers, but the value of its argument {_LATER}."
        return KernelError(place, what, _instead(function))
    field = re.match(r"unsupported operand type\(s\) for .*'Field'", said)
    if field:
        what = "a field stands where the value of one cell is expected."
        return KernelError(place, what, "write u.here for the current cell, u[1, 0] for a neighbour")
    operator = re.match(
        r"unsupported operand type\(s\) for (\S+): .*'(Access|Parameter|Symbol|Add|Mul)'", said
    )
    if operator:
        sign = operator[1].removesuffix("=")
        hint = f"use {_BITS[sign]}" if sign in _BITS else "use + - * / ** and functions of SymPy"
        return KernelError(place, f"expressions have no operator {sign}.", hint)
    call = _CALL.fullmatch(said) if isinstance(error, TypeError) else None
    return _wrong_call(call, place, _called(error, model, nodes)) if call else None


def _wrong_call(
    call: re.Match[str], place: Place | str, called: list[Callable[..., object]]
) -> KernelError | None:
    """The error of a call of Heddle's classes, methods and functions, with the arguments that it takes; None
    for others."""
    name, verb, rest = call.groups()
    own = next((each for each in called if name in _names(each)), None)
    if own is None:
        return None
    unknown = re.match(r"an unexpected keyword argument '(\w+)'", rest)
    what = f"has no argument '{unknown[1]}'." if unknown else f"{verb.replace('missing', 'lacks')} {rest}."
    arguments = _arguments(own)
    near = get_close_matches(unknown[1], arguments, n=1) if unknown else []
    hint = f"did you mean '{near[0]}'? " if near else ""
    hint += f"{own.__qualname__} takes {', '.join(arguments)}"
    others = [other.__name__ for other in _public_classes() if unknown and unknown[1] in _arguments(other)]
    if others and unknown and not near:
        hint += f"; '{unknown[1]}' belongs to {', '.join(others)}"
    return KernelError(place, f"{own.__qualname__}(...) {what}", hint)


def _names(own: Callable[..., object]) -> list[str]:
    """What Python calls it in the errors of a call: a class by the name of the base that has the
    initialiser."""
    return [base.__name__ for base in own.__mro__] if inspect.isclass(own) else [own.__qualname__]


def _arguments(own: Callable[..., object]) -> list[str]:
    return [name for name in inspect.signature(own).parameters if name not in ("place", "self")]


def _public_classes() -> list[type]:
    """The classes of `heddle` itself: fields, statements, spaces, schedules."""
    found = (value for name, value in sorted(vars(sys.modules["heddle"]).items()) if name[0].isupper())
    return [value for value in found if inspect.isclass(value)]


def _public_names() -> list[str]:
    return [str(name) for name in sys.modules["heddle"].__all__]


def _called(error: Exception, model: Path, nodes: list[ast.AST]) -> list[Callable[..., object]]:
    """The classes, methods and functions of Heddle that the failing statement calls."""
    frames = [frame for frame, _ in traceback.walk_tb(error.__traceback__)]
    own = [frame for frame in frames if Path(frame.f_code.co_filename).parent == model.parent]
    found: list[Callable[..., object]] = []
    for node in nodes if own else []:
        if isinstance(node, ast.Call):
            value = _value(node.func, {**own[-1].f_globals, **own[-1].f_locals})
            known = inspect.isclass(value) or inspect.isroutine(value)
            if callable(value) and known and str(value.__module__).split(".")[0] == "heddle":
                found.append(value)
    return found


def _value(node: ast.AST, names: dict[str, object]) -> object:
    """What a name or a chain of attributes stands for, the class for an object that is made on the spot; None
    for anything else."""
    if isinstance(node, ast.Call):
        made = _value(node.func, names)
        return made if inspect.isclass(made) else None
    if isinstance(node, ast.Attribute):
        return getattr(_value(node.value, names), node.attr, None)
    return names.get(node.id) if isinstance(node, ast.Name) else None


def _where(error: Exception, model: Path) -> tuple[Place | str, list[ast.AST]]:
    """The line of the model where the error happened, and the parts of its statement."""
    frames = traceback.extract_tb(error.__traceback__)
    own = [f for f in frames if Path(f.filename).parent == model.parent and Path(f.filename).exists()]
    if not own or own[-1].lineno is None:
        return model.name, []
    last = own[-1]
    nodes = list(_at(ast.parse(Path(last.filename).read_text()), last.lineno or 0))
    return Place(Path(last.filename).name, last.lineno or 0), nodes


def _at(tree: ast.AST, line: int) -> Iterator[ast.AST]:
    """The expressions that contain a line; of statements with a body, the head alone."""
    for node in ast.walk(tree):
        first, last = getattr(node, "lineno", 0), getattr(node, "end_lineno", 0)
        if isinstance(node, (ast.If, ast.While)):
            last = node.test.end_lineno or last
        if first <= line <= last:
            yield node


def _decision(nodes: list[ast.AST]) -> tuple[str, str]:
    """What Python decides in a statement, and how a model says it."""
    for node in nodes:
        match node:
            case ast.Call(func=ast.Name(id="max" | "min" as name)):
                return f"{name}(...)", f"use sympy.{name.capitalize()}(...)"
            case ast.Call(func=ast.Attribute(attr="maximum" | "minimum" | "where" as name)):
                return f"{name}(...)", f"use sympy.{_SYMPY[name]}(...)"
            case ast.Compare(ops=[_, _, *_]):
                return "a chained comparison", "use sympy.And(a < b, b < c)"
            case ast.BoolOp(op=operator):
                word, sign = ("and", "&") if isinstance(operator, ast.And) else ("or", "|")
                return f"'{word}'", f"use sympy.{word.capitalize()}(a, b), or a {sign} b"
            case ast.UnaryOp(op=ast.Not()):
                return "'not'", "use sympy.Not(a), or ~a"
            case ast.IfExp():
                choice = "use sympy.Piecewise((value, condition), (other, True))"
                return "'... if ... else ...'", choice
            case ast.If():
                choice = "use sympy.Piecewise((value, condition), (other, True))"
                return "'if'", f"{choice}, or heddle.If(condition, [...])"
            case ast.While():
                return "'while'", "use heddle.While(condition, ..., at_most=100)"
    return "a condition", "use sympy.Piecewise, Max, Min, And, Or, Not, which stay part of the expression"


def _numeric_function(said: str, nodes: list[ast.AST]) -> str:
    """The function that asked for a number, as the model writes it; nothing if none did."""
    if said.startswith(_NO_NUMBER):
        for node in nodes:
            match node:
                case ast.Call(func=ast.Attribute(value=ast.Name(id="math" | "np" | "numpy"))):
                    return ast.unparse(node.func)
                case ast.Call(func=ast.Name(id="float" | "int" | "complex" | "round" as name)):
                    return name
        named = re.search(r"no callable (\w+) method", said)
        return named[1] if named else "a function of math"
    return ""


def _instead(function: str) -> str:
    name = function.rpartition(".")[2]
    if name in ("float", "int", "complex", "round", "a function of math"):
        return "leave the expression as it is, or use a function of SymPy"
    return f"use {'**' if _SYMPY.get(name) == '**' else 'sympy.' + _SYMPY.get(name, name)}"
