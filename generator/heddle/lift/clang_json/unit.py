# SPDX-License-Identifier: Apache-2.0
"""Which functions and constants make the record of a file."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import PurePath
from typing import Any, Literal

from heddle.errors import Place
from heddle.ir.nodes import Const, Symbol
from heddle.ir.source import Declaration, Function, FunctionParameter, Unit, UnknownStatement
from heddle.lift.clang_json.declarations import (
    Declarations,
    EnumeratorEntry,
    FunctionEntry,
    VariableEntry,
    begin,
    initial_value,
    inner,
    spelled,
)
from heddle.lift.clang_json.expressions import Expressions, unwrapped
from heddle.lift.clang_json.statements import Body, Statements, alignment
from heddle.lift.clang_json.stream import Tree
from heddle.lift.clang_json.types import CType
from heddle.lift.reasons import SITUATIONS

_Kind = Literal["function", "kernel", "method", "constructor"]


class Units:
    """Writes the record of one file. main: the file as Clang names it."""

    def __init__(self, declarations: Declarations, main: str) -> None:
        self._declarations, self._main = declarations, main
        self._names = declarations.names
        self._definitions: dict[str, list[FunctionEntry]] = {}
        for entry in declarations.functions.values():
            if entry.written and entry.kind != "CXXDestructorDecl" and entry.body is not None:
                self._definitions.setdefault(entry.key(self._names), []).append(entry)
        self._called: dict[str, FunctionEntry] = {}
        self._constants: dict[str, Declaration | None] = {}
        self._expressions = Expressions(declarations, self._visible, self._call, self._read)
        self._statements = Statements(self._expressions, declarations)

    def unit(self, only: str | None = None) -> Unit:
        """only: functions of this name, last part of the name or key, and what they call."""
        main = {
            key: entries[0]
            for key, entries in self._definitions.items()
            if entries[0].file == self._main and (only is None or only in (key, *_names(entries[0])))
        }
        order = sorted(main, key=lambda key: (main[key].offset, key))
        functions = [self._function(main[key]) for key in order]
        called: dict[str, Function] = {}
        while waiting := [key for key in self._called if key not in main and key not in called]:
            for key in waiting:
                called[key] = self._function(self._called[key])
        constants = (self._constants[name] for name in sorted(self._constants))
        return Unit(
            PurePath(self._main).name,
            (*functions, *(called[key] for key in sorted(called))),
            tuple(constant for constant in constants if constant is not None),
        )

    def _visible(self, function: FunctionEntry) -> FunctionEntry | None:
        """The definition of a function whose body is written."""
        found = self._definitions.get(function.key(self._names))
        return found[0] if found else None

    def _call(self, definition: FunctionEntry) -> None:
        self._called.setdefault(definition.key(self._names), definition)

    # --- Constants ------------------------------------------------------------------------------------------

    def _read(self, entry: VariableEntry | EnumeratorEntry) -> None:
        if entry.name in self._constants:
            return
        self._constants[entry.name] = None  # for one that reads itself
        if isinstance(entry, EnumeratorEntry):
            symbol = Symbol(entry.name, entry.type)
            place = Place(PurePath(entry.file).name, entry.line)
            value = Const(entry.value, entry.type)
            self._constants[entry.name] = Declaration(symbol, value, True, place=place)
            return
        self._constants[entry.name] = self._constant(entry)

    def _constant(self, entry: VariableEntry) -> Declaration | None:
        """The declaration of a constant that has a value."""
        same = (each for each in self._declarations.variables.values() if each.name == entry.name)
        entry = next((each for each in same if initial_value(each.tree) is not None), entry)
        value = initial_value(entry.tree)
        written = self._names.parse(spelled(entry.tree), entry.scope)
        element = written
        while element.kind == "array" and element.of is not None:
            element = element.of
        if value is None or element.kind == "reference" or not element.const:
            return None
        scope, depth = self._expressions.scope, self._expressions.depth
        self._expressions.scope, self._expressions.depth = entry.scope, 0
        translated = self._expressions.expression(value)
        self._expressions.scope, self._expressions.depth = scope, depth
        symbol = Symbol(entry.name, written.meaning)
        return Declaration(
            symbol, translated, True, alignment=alignment(entry.tree), place=_place(entry.tree)
        )

    # --- Functions ------------------------------------------------------------------------------------------

    def _function(self, entry: FunctionEntry) -> Function:
        tree = entry.tree or {}
        self._expressions.scope = (*entry.scope, f"{tree.get('name', '')}#{tree.get('id', '')}")
        signature = entry.signature(self._names)
        result = self._result(signature, entry)
        kind: _Kind = "function"
        if any(True for _ in inner(tree, "CUDAGlobalAttr")):
            kind = "kernel"
        parameters = []
        if entry.owner is not None and not entry.static:
            kind = "method"
            self_type = self._names.find(entry.owner.name, ()).meaning
            parameters.append(FunctionParameter(Symbol("this", self_type), reference=True))
            if entry.kind == "CXXConstructorDecl":
                kind, result = "constructor", self_type
        initialisers = tuple(
            (
                str((each.get("anyInit") or {}).get("name", "")),
                self._expressions.expression(self._initialiser(each)),
            )
            for each in inner(tree, "CXXCtorInitializer")
        )
        for each in entry.parameters:
            written = self._expressions.ctype(each)
            symbol = Symbol(str(each.get("name", "")), written.meaning)
            parameters.append(FunctionParameter(symbol, written.restrict, written.kind == "reference"))
        place = _place(tree)
        if len(self._definitions[entry.key(self._names)]) > 1:
            body: Body = (UnknownStatement(SITUATIONS["same_key"], place),)
        else:
            body = self._statements.body(entry.body)
        return Function(
            entry.key(self._names),
            entry.name,
            entry.arguments or (),
            tuple(parameters),
            result,
            body,
            kind,
            initialisers,
            _launch_bounds(tree),
            entry.file == self._main,
            place,
        )

    def _result(self, signature: CType, entry: FunctionEntry) -> Any:
        """The type that a function returns; of `-> decltype(a * b)` that of what it returns first."""
        assert signature.of is not None
        if not signature.of.spelling.startswith("decltype"):
            return signature.of.meaning
        waiting = [entry.body or {}]
        for tree in waiting:  # grows
            if tree.get("kind") == "ReturnStmt" and (value := next(inner(tree), None)) is not None:
                return self._expressions.type(value)
            waiting += inner(tree)
        return signature.of.meaning

    def _initialiser(self, tree: Tree) -> Tree:
        """The value of a member: that of its declaration where Clang before 18 does not repeat it."""
        value = next(inner(tree))
        if value.get("kind") == "CXXDefaultInitExpr" and not value.get("inner"):
            member = self._declarations.members.get((tree.get("anyInit") or {}).get("id", ""))
            return (member and initial_value(member)) or value
        return value


def _names(entry: FunctionEntry) -> Iterable[str]:
    return entry.name, entry.name.rpartition("::")[2]


def _place(tree: Tree) -> Place:
    at = begin(tree)
    return Place(PurePath(at.get("file", "")).name, at.get("line", 0))


def _launch_bounds(tree: Tree) -> tuple[int, ...]:
    found = []
    for attribute in inner(tree, "CUDALaunchBoundsAttr"):
        for each in inner(attribute):
            each = unwrapped(each)
            while each.get("kind") == "ImplicitCastExpr":
                each = unwrapped(next(inner(each)))
            if str(each.get("value", "")).isdigit():
                found.append(int(each["value"]))
    return tuple(found)
