# SPDX-License-Identifier: Apache-2.0
"""Statements of Clang's JSON as those of the record."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Literal

from heddle.ir.nodes import I32, I64, Const, Scalar, Statement, Symbol
from heddle.ir.source import (
    Assignment,
    Block,
    Branch,
    Declaration,
    Evaluate,
    Exit,
    For,
    UnknownStatement,
)
from heddle.lift.clang_json.declarations import Declarations, initial_value, inner
from heddle.lift.clang_json.expressions import (
    Expressions,
    is_assignment,
    is_pointer,
    is_trivial_default,
    unwrapped,
)
from heddle.lift.clang_json.pragmas import Pragmas
from heddle.lift.clang_json.stream import Tree
from heddle.lift.reasons import SITUATIONS, reason

DEEPEST = 200  # as in heddle-lift
Body = tuple[Statement, ...]
_EXITS: dict[str, Literal["return", "continue", "break"]] = {
    "ReturnStmt": "return", "ContinueStmt": "continue", "BreakStmt": "break",
}  # fmt: skip


class Statements:
    """Translates the statements of one unit."""

    def __init__(self, expressions: Expressions, declarations: Declarations) -> None:
        self._expressions, self._declarations = expressions, declarations
        self._pragmas = Pragmas()
        self._depth = 0

    def body(self, tree: Tree | None) -> Body:
        """What a statement consists of: its braces are no Block."""
        if not tree or "kind" not in tree:
            return ()
        while tree["kind"] == "AttributedStmt":
            tree = list(inner(tree))[-1]
        parts: Iterable[Tree] = inner(tree) if tree["kind"] == "CompoundStmt" else (tree,)
        return tuple(statement for each in parts for statement in self._statements(each))

    def _statements(self, tree: Tree) -> Body:
        if self._depth >= DEEPEST:
            return (self._unknown(tree, SITUATIONS["too_deep_statement"]),)
        outside, self._expressions.depth = self._expressions.depth, 0
        self._depth += 1
        try:
            return self._translated(tree)
        finally:
            self._depth -= 1
            self._expressions.depth = outside

    def _translated(self, tree: Tree) -> Body:
        kind = tree.get("kind", "")
        at = self._expressions.place(tree)
        if kind in _STATEMENTS:
            return _STATEMENTS[kind](self, tree)
        if kind == "NullStmt":
            return ()
        if kind == "CompoundStmt":
            return (Block(self.body(tree)),)
        if kind == "AttributedStmt":
            return self._translated(list(inner(tree))[-1])
        if kind in _EXITS:
            value = next(inner(tree), None)
            return (Exit(_EXITS[kind], None if value is None else self._expressions.expression(value), at),)
        if "valueCategory" in tree:
            return self._expression(tree)
        return (self._unknown(tree),)

    def _unknown(self, tree: Tree, why: str = "") -> UnknownStatement:
        return UnknownStatement(why or reason(tree.get("kind", "Stmt")), self._expressions.place(tree))

    # --- Control --------------------------------------------------------------------------------------------

    def _if(self, tree: Tree) -> Body:
        if tree.get("hasInit"):
            return (self._unknown(tree, SITUATIONS["if_initialiser"]),)
        if tree.get("hasVar"):
            return (self._unknown(tree, SITUATIONS["condition_variable"]),)
        if tree.get("isConsteval"):
            return (self._unknown(tree),)
        condition, yes, *rest = inner(tree)
        no = rest[0] if rest else None
        if tree.get("isConstexpr"):
            value = _truth(condition)
            if value is None:
                return (self._unknown(tree),)
            taken = yes if value else no
            return (Block(self.body(taken)),) if taken is not None else ()
        translated = self._expressions.expression(condition)
        return (Branch(translated, self.body(yes), self.body(no), self._expressions.place(tree)),)

    def _for(self, tree: Tree) -> Body:
        start, variable, condition, step, body = inner(tree)
        if "kind" in variable:
            return (self._unknown(tree, SITUATIONS["condition_variable"]),)
        begins = self.body(start)
        holds = self._expressions.expression(condition) if "kind" in condition else None
        steps = self.body(step)
        return (
            For(begins, holds, steps, self.body(body), self._pragma(tree), self._expressions.place(tree)),
        )

    def _pragma(self, tree: Tree) -> str:
        at = (tree.get("range") or {}).get("begin") or {}
        return self._pragmas.before(at["file"], at["offset"]) if "offset" in at else ""

    # --- Declarations ---------------------------------------------------------------------------------------

    def _declarations_of(self, tree: Tree) -> Body:
        found: list[Statement] = []
        for each in inner(tree):
            kind = each.get("kind")
            if kind == "DecompositionDecl":
                found.append(self._unknown(tree, SITUATIONS["structured_binding"]))
            elif kind == "VarDecl":
                found.append(self._variable(each, tree))
            elif kind in ("TypedefDecl", "TypeAliasDecl", "EnumDecl"):
                self._declarations.add(each, self._expressions.scope)
            elif kind == "CXXRecordDecl" and "name" in each:
                self._declarations.local_class(each, self._expressions.scope)
        return tuple(found)

    def _variable(self, tree: Tree, at: Tree) -> Statement:
        written = self._expressions.ctype(tree)
        reference = written.kind == "reference"
        shared = any(True for _ in inner(tree, "CUDASharedAttr"))
        element = written
        while element.kind == "array" and element.of is not None:
            element = element.of
        constant = element.const and not reference
        value = initial_value(tree)
        lasting = tree.get("storageClass") in ("static", "extern") or "tls" in tree
        if lasting and not shared and not (constant and value is not None):
            return self._unknown(at, SITUATIONS["static_variable"])
        record = self._declarations.record(str(getattr(element.meaning, "name", "")))
        if not reference and element.kind == "name" and record is not None and "dtor" not in record.trivial:
            return self._unknown(at, SITUATIONS["destructor"])
        translated = None
        if value is not None and not self._is_nothing(value):
            translated = self._expressions.expression(value)
        symbol = Symbol(str(tree.get("name", "")), self._expressions.type(tree))
        space: Literal["", "shared"] = "shared" if shared else ""
        place = self._expressions.place(at)
        return Declaration(symbol, translated, constant, space, reference, alignment(tree), place)

    def _is_nothing(self, value: Tree) -> bool:
        """Whether a variable stays without a value."""
        made = value.get("kind") == "CXXConstructExpr" and not value.get("zeroing")
        return made and is_trivial_default(self._expressions, value)

    # --- Expressions as statements --------------------------------------------------------------------------

    def _expression(self, written: Tree) -> Body:
        tree = bare(written)
        kind, opcode = tree.get("kind"), tree.get("opcode")
        if kind == "BinaryOperator" and opcode == ",":
            return tuple(statement for each in inner(tree) for statement in self._statements(each))
        if kind in ("BinaryOperator", "CompoundAssignOperator") and is_assignment(tree):
            return (self._assignment(tree),)
        if kind == "UnaryOperator" and opcode in ("++", "--"):
            return (self._step(tree),)
        return (Evaluate(self._expressions.expression(tree), self._expressions.place(written)),)

    def _assignment(self, tree: Tree) -> Statement:
        work = self._expressions
        left, right = inner(tree)
        target, value, at = work.expression(left), work.expression(right), work.place(tree)
        if tree["kind"] != "CompoundAssignOperator":
            return Assignment(target, value, False, at)
        stored = work.type(left)
        computed = work.type({"type": tree["computeLHSType"]})
        result = work.type({"type": tree["computeResultType"]})
        arguments = work.converted(target, stored, computed, tree), value
        spelling = tree["opcode"].removesuffix("=")
        updated = work.operation(spelling, arguments, (computed, work.type(right)), result, tree)
        return Assignment(target, work.converted(updated, result, stored, tree), True, at)

    def _step(self, tree: Tree) -> Statement:
        """`++a` is `a = a + 1` in the type that integers are promoted to."""
        work = self._expressions
        operand = next(inner(tree))
        target, stored = work.expression(operand), work.type(operand)
        computed = promoted(stored)
        unit = I64 if is_pointer(computed) else computed
        one = Const(1.0 if isinstance(unit, Scalar) and unit.is_float else 1, unit)
        arguments = work.converted(target, stored, computed, tree), one
        updated = work.operation(tree["opcode"][0], arguments, (computed, unit), computed, tree)
        return Assignment(target, work.converted(updated, computed, stored, tree), True, work.place(tree))


def bare(tree: Tree) -> Tree:
    """Without parentheses and cleanups."""
    while tree.get("kind") in ("ParenExpr", "ExprWithCleanups", "ConstantExpr"):
        tree = next(inner(tree))
    return tree


def promoted(kind: Any) -> Any:
    return I32 if isinstance(kind, Scalar) and not kind.is_float and kind.bits < 32 else kind


def alignment(tree: Tree) -> int:
    """The largest alignment asked for, in bytes; else 0."""
    values = [
        int(value["value"])
        for attribute in inner(tree, "AlignedAttr")
        for value in inner(attribute)
        if str(value.get("value", "")).isdigit()
    ]
    return max(values, default=0)


def _truth(condition: Tree) -> bool | None:
    """The value of a constant condition."""
    tree = condition
    while True:
        if "value" in tree and tree.get("kind") in ("ConstantExpr", "CXXBoolLiteralExpr", "IntegerLiteral"):
            return str(tree["value"]).lower() not in ("false", "0")
        following = unwrapped(tree) if tree.get("kind") != "ConstantExpr" else next(inner(tree), {})
        if following is tree or not following:
            return None
        tree = following


_STATEMENTS: dict[str, Callable[[Statements, Tree], Body]] = {
    "IfStmt": Statements._if,
    "ForStmt": Statements._for,
    "DeclStmt": Statements._declarations_of,
}
