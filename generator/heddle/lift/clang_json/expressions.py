# SPDX-License-Identifier: Apache-2.0
"""Expressions of Clang's JSON as those of the record."""

from __future__ import annotations

import struct
from collections.abc import Callable
from pathlib import PurePath
from typing import Any

from heddle.errors import Place
from heddle.ir.functions import OPERATORS
from heddle.ir.nodes import BOOL, I64, Cast, Const, Expression, Op, Pointer, Scalar, Select, Symbol
from heddle.ir.source import (
    AddressOf,
    Array,
    Initializer,
    Invoke,
    Member,
    PointerTo,
    Record,
    Subscript,
    Unknown,
    Void,
)
from heddle.lift.clang_json.declarations import (
    Declarations,
    EnumeratorEntry,
    FunctionEntry,
    RecordEntry,
    VariableEntry,
    begin,
    initial_value,
    inner,
    spelled,
)
from heddle.lift.clang_json.stream import Tree
from heddle.lift.clang_json.types import LOCAL_CLASS, CType, Scope
from heddle.lift.reasons import SITUATIONS, reason

DEEPEST = 400  # as in heddle-lift
_WRAPPERS = frozenset(("ParenExpr", "ConstantExpr", "ExprWithCleanups", "MaterializeTemporaryExpr"))
_SAME_VALUE = frozenset(
    (
        "LValueToRValue",
        "ArrayToPointerDecay",
        "NoOp",
        "ToVoid",
        "UserDefinedConversion",
        "ConstructorConversion",
        "FunctionToPointerDecay",
    )
)
_NUMBERS = frozenset(
    (
        "IntegralCast", "IntegralToBoolean", "IntegralToFloating", "FloatingToIntegral", "FloatingToBoolean",
        "FloatingCast", "BooleanToSignedIntegral",
    )
)  # fmt: skip
_CASTS = (
    *("ImplicitCastExpr", "CStyleCastExpr", "CXXStaticCastExpr", "CXXFunctionalCastExpr", "CXXConstCastExpr"),
    *("CXXReinterpretCastExpr", "CXXDynamicCastExpr", "BuiltinBitCastExpr"),
)
_UNARY = {operator.spelling: name for name, operator in OPERATORS.items() if operator.precedence == 15}
_BINARY = {operator.spelling: name for name, operator in OPERATORS.items() if operator.precedence < 15}
_ROUNDING = {16: "e", 32: "f"}
NULL = Symbol("nullptr", PointerTo(Void()))  # type: ignore[arg-type]


class Expressions:
    """Translates the expressions of one unit; asks for the functions and constants that they name.

    call, read: told of every function with a visible body and of every constant or enumerator met.
    """

    def __init__(
        self,
        declarations: Declarations,
        visible: Callable[[FunctionEntry], FunctionEntry | None],
        call: Callable[[FunctionEntry], None],
        read: Callable[[VariableEntry | EnumeratorEntry], None],
    ) -> None:
        self._declarations, self._visible, self._call, self._read = declarations, visible, call, read
        self.depth = 0
        self.scope: Scope = ()
        self._meanings: dict[tuple[str, Scope], Any] = {}

    # --- Types and places -----------------------------------------------------------------------------------

    def ctype(self, tree: Tree) -> CType:
        return self._declarations.names.parse(spelled(tree), self.scope)

    def type(self, tree: Tree) -> Any:
        """The type of an expression or declaration."""
        id_ = (tree.get("referencedDecl") or {}).get("id") or tree.get("referencedMemberDecl")
        if id_ is not None and (found := self._declarations.enumerators.get(id_)):
            return found.type
        text = spelled(tree)
        if tree.get("valueCategory") == "prvalue":  # a value is in no memory
            text = text.removeprefix("volatile ")
        key = text, self.scope
        if key not in self._meanings:
            self._meanings[key] = self._declarations.names.parse(*key).meaning
        return self._meanings[key]

    def place(self, tree: Tree) -> Place:
        at = begin(tree, "range")
        if "line" not in at:
            return Place("<model>", 0)
        return Place(PurePath(at.get("file", "")).name, at["line"])

    def unknown(self, tree: Tree, why: str = "") -> Unknown:
        return Unknown(why or reason(tree.get("kind", "Expr")), self.place(tree))

    # --- Every expression -----------------------------------------------------------------------------------

    def expression(self, tree: Tree) -> Expression:
        """The expression that a node of Clang's tree stands for."""
        outside = self.depth
        self.depth += 1
        while (wrapped := _wrapped(tree)) is not None:
            self.depth += 1
            tree = wrapped
        translate = _TRANSLATIONS.get(tree.get("kind", ""), Expressions.unknown)
        if self.depth > DEEPEST:
            result: Expression = self.unknown(tree, SITUATIONS["too_deep"])
        else:
            result = translate(self, tree)
        self.depth = outside
        return result

    def _literal(self, tree: Tree) -> Expression:
        kind = self.type(tree)
        if not isinstance(kind, Scalar):
            return self.unknown(tree, f"a number of type {kind}")
        value = tree.get("value")
        if tree["kind"] == "CXXBoolLiteralExpr":
            return Const(bool(value), kind)
        return Const(rounded(float(str(value)), kind) if kind.is_float else int(str(value)), kind)

    def _reference(self, tree: Tree) -> Expression:
        reference = tree.get("referencedDecl") or {}
        id_, kind = reference.get("id", ""), reference.get("kind", "")
        if enumerator := self._declarations.enumerators.get(id_):
            self._read(enumerator)
            return Symbol(enumerator.name, enumerator.type)
        if variable := self._declarations.variables.get(id_):
            return self._variable(variable)
        if kind in ("VarDecl", "ParmVarDecl"):
            return Symbol(str(reference.get("name", "")), self.type(reference))
        function = self._declarations.functions.get(id_)
        if function is not None and tree.get("kind") == "DeclRefExpr":
            text = function.signature(self._declarations.names).spelling
            return Symbol(function.name, Record(text))  # type: ignore[arg-type]
        return self.unknown(tree, f"a {kind.removesuffix('Decl')}")

    def _variable(self, variable: VariableEntry) -> Expression:
        self._read(variable)
        kind = self._declarations.names.parse(spelled(variable.tree), variable.scope).meaning
        return Symbol(variable.name, kind)

    def _this(self, tree: Tree) -> Expression:
        kind = self.type(tree)
        return AddressOf(Symbol("this", kind.element), kind)

    def _subscript(self, tree: Tree) -> Expression:
        base, index = inner(tree)
        if isinstance(self.type(base), Scalar):  # i[a]
            base, index = index, base
        return Subscript(self.expression(base), self.expression(index), self.type(tree))

    def _conditional(self, tree: Tree) -> Expression:
        condition, yes, no = (self.expression(each) for each in inner(tree))
        return Select(condition, yes, no)

    # --- Operators ------------------------------------------------------------------------------------------

    def _unary(self, tree: Tree) -> Expression:
        operand = next(inner(tree))
        spelling, result = tree["opcode"], self.type(tree)
        match spelling:
            case "+" | "__extension__":
                return self.expression(operand)
            case "*":
                if unwrapped(operand).get("kind") == "CXXThisExpr":
                    return Symbol("this", self.type(operand).element)
                if self.ctype(tree).kind == "function":
                    return self.expression(operand)
                return Subscript(self.expression(operand), Const(0, I64), result)
            case "&":
                if not is_pointer(result):
                    return self.unknown(tree, SITUATIONS["member_pointer"])
                if self.ctype(operand).kind == "function":
                    return self.expression(operand)
                return AddressOf(self.expression(operand), result)
            case "++" | "--":
                return self.unknown(tree, f"the operator {spelling} inside an expression")
        return self.operation(spelling, (self.expression(operand),), (self.type(operand),), result, tree)

    def _binary(self, tree: Tree) -> Expression:
        spelling = tree["opcode"]
        if is_assignment(tree) or spelling == ",":
            return self.unknown(tree, f"the operator {spelling} inside an expression")
        left, right = inner(tree)
        types = self.type(left), self.type(right)
        arguments = self.expression(left), self.expression(right)
        return self.operation(spelling, arguments, types, self.type(tree), tree)

    def operation(
        self, spelling: str, arguments: tuple[Expression, ...], types: tuple[Any, ...], result: Any, at: Tree
    ) -> Expression:
        """An operator on numbers, or on a pointer and an integer; otherwise unknown."""
        name = (_UNARY if len(types) == 1 else _BINARY).get(spelling)
        if name is not None:
            if all(isinstance(each, Scalar) for each in (result, *types)):
                return Op(name, arguments, result)
            if name in ("eq", "ne") and NULL in arguments:
                return Op(name, arguments, result)
            if len(types) == 2 and name in ("add", "sub") and is_pointer(result):
                if _steps(*types):
                    return Op(name, arguments, result)
                if name == "add" and _steps(types[1], types[0]):
                    return Op(name, arguments[::-1], result)
        return self.unknown(at, f"the operator {spelling} on {types[0]}")

    def converted(self, value: Expression, given: Any, wanted: Any, at: Tree) -> Expression:
        if given is wanted:
            return value
        if not isinstance(given, Scalar) or not isinstance(wanted, Scalar):
            return self.unknown(at, f"a conversion from {given} to {wanted}")
        return Cast(value, wanted)

    def _cast(self, tree: Tree) -> Expression:
        kind = tree.get("castKind", "")
        operand = next(each for each in inner(tree) if "valueCategory" in each)
        if kind in _SAME_VALUE:
            return self.expression(operand)
        if kind in _NUMBERS:
            return self.converted(self.expression(operand), self.type(operand), self.type(tree), tree)
        if kind == "BitCast" and isinstance(self.type(tree), PointerTo) and self.type(tree).element is Void():
            return self.expression(operand)
        if kind == "NullToPointer":
            return NULL
        if tree["kind"] == "CXXDynamicCastExpr":
            return self.unknown(tree)
        return self.unknown(tree, f"the conversion {kind}")

    # --- Members, calls and objects -------------------------------------------------------------------------

    def _object(self, base: Tree, arrow: bool) -> Expression:
        """What a member belongs to: `this->` and `p->` are written as the object itself."""
        if not arrow:
            return self.expression(base)
        kind = self.type(base)
        bare = unwrapped(base)
        while bare.get("kind") == "ImplicitCastExpr":
            bare = unwrapped(next(inner(bare)))
        if bare.get("kind") == "CXXThisExpr" and self.ctype(bare) == self.ctype(base):
            return Symbol("this", kind.element)
        element = kind.element if is_pointer(kind) else kind
        return Subscript(self.expression(base), Const(0, I64), element)

    def _member(self, tree: Tree) -> Expression:
        id_ = tree.get("referencedMemberDecl", "")
        if variable := self._declarations.variables.get(id_):
            return self._variable(variable)
        if enumerator := self._declarations.enumerators.get(id_):
            self._read(enumerator)
            return Symbol(enumerator.name, enumerator.type)
        if id_ in self._declarations.functions:
            return self.unknown(tree, SITUATIONS["member_pointer"])
        if self._declarations.members.get(id_, {}).get("isBitfield"):
            return self.unknown(tree, SITUATIONS["bit_field"])
        base = self._object(next(inner(tree)), bool(tree.get("isArrow")))
        return Member(base, str(tree.get("name", "")), self.type(tree))

    def _invocation(self, tree: Tree) -> Expression:
        callee, *given = inner(tree)
        callee = unwrapped(callee)
        while (
            callee.get("kind") == "ImplicitCastExpr" and "Function" in callee.get("castKind", "") + "Function"
        ):
            callee = unwrapped(next(inner(callee)))
        arguments: list[Expression] = []
        function: FunctionEntry | None = None
        if tree["kind"] == "CXXMemberCallExpr":
            function = self._declarations.functions.get(callee.get("referencedMemberDecl", ""))
            if function is None and callee.get("kind") == "MemberExpr":
                return self._nameless_call(tree, next(inner(callee)), bool(callee.get("isArrow")))
            if function is None:
                return self.unknown(tree, SITUATIONS["indirect_call"])
            if not function.static:
                arguments.append(self._object(next(inner(callee)), bool(callee.get("isArrow"))))
        elif callee.get("kind") == "DeclRefExpr":
            reference = callee.get("referencedDecl") or {}
            function = self._declarations.functions.get(reference.get("id", ""))
            if function is None and reference.get("kind") == "CXXMethodDecl":
                return self._nameless_call(tree, given[0], False)
            if function is None:
                if reference.get("kind") != "FunctionDecl":
                    return self.unknown(tree, SITUATIONS["indirect_call"])
                arguments = [self.expression(each) for each in given]
                return Invoke(str(reference.get("name", "")), (), tuple(arguments), self.type(tree))
        if function is None:
            return self.unknown(tree, SITUATIONS["indirect_call"])
        if function.owner is not None and function.owner.polymorphic and not function.static:
            return self.unknown(tree, SITUATIONS["virtual_call"])
        skip = 1 if tree["kind"] == "CXXOperatorCallExpr" and function.owner and not function.static else 0
        for at, each in enumerate(given):
            arguments.append(self._argument(each, function, at - skip))
        lvalue = tree.get("valueCategory") in ("lvalue", "xvalue")
        return self._invoke(function, arguments, self.type(tree), lvalue)

    def _nameless_call(self, tree: Tree, object_: Tree, arrow: bool) -> Expression:
        """A call of a method that nobody else can name."""
        kind = self.type(object_).element if arrow else self.type(object_)
        return self.unknown(tree, SITUATIONS["local_class" if kind is Record(LOCAL_CLASS) else "lambda_call"])

    def _argument(self, tree: Tree, function: FunctionEntry, at: int) -> Expression:
        if tree.get("kind") == "CXXDefaultArgExpr" and not tree.get("inner"):  # Clang before 18
            default = self._default(function, at)
            return self.expression(default) if default is not None else self.unknown(tree)
        return self.expression(tree)

    def _default(self, function: FunctionEntry, at: int) -> Tree | None:
        for other in self._declarations.alike(function):
            if 0 <= at < len(other.parameters) and (value := initial_value(other.parameters[at])) is not None:
                return value
        return None

    def _invoke(
        self, function: FunctionEntry, arguments: list[Expression], result: Any, lvalue: bool
    ) -> Expression:
        definition = self._visible(function)
        if definition is not None:
            self._call(definition)
        name = function.name if definition is None else definition.key(self._declarations.names)
        return Invoke(name, function.arguments or (), tuple(arguments), result, lvalue)

    def _construction(self, tree: Tree) -> Expression:
        result = self.type(tree)
        if result is Record(LOCAL_CLASS):
            return self.unknown(tree, LOCAL_CLASS)
        record = self._declarations.record(str(getattr(result, "name", "")))
        constructor = (tree.get("ctorType") or {}).get("qualType", "void ()")
        scope = self.scope if record is None else record.scope
        signature = self._declarations.names.parse(constructor, scope)
        arguments = list(inner(tree))
        if record is not None and arguments and len(signature.parameters) == 1:
            parameter = signature.parameters[0]
            if parameter.kind == "reference" and parameter.meaning is result:
                kind = "copyCtor" if parameter.name == "&" else "moveCtor"
                if kind in record.trivial:
                    return self.expression(arguments[0])
        if is_trivial_default(self, tree):
            return Initializer((), result)
        if isinstance(result, Array):
            return self.unknown(tree)
        if record is None:
            translated = [self.expression(each) for each in arguments]
            return Invoke(str(result), (), tuple(translated), result)
        function = self._constructor(record, signature)
        if function is None:
            return Invoke(record.name, (), tuple(self.expression(each) for each in arguments), result)
        translated = [self._argument(each, function, at) for at, each in enumerate(arguments)]
        return self._invoke(function, translated, result, lvalue=False)

    def _constructor(self, record: RecordEntry, signature: CType) -> FunctionEntry | None:
        for each in record.methods:
            if each.kind == "CXXConstructorDecl":
                theirs = each.signature(self._declarations.names)
                if theirs.parameters == signature.parameters:
                    return each
        return None

    # --- Initial values -------------------------------------------------------------------------------------

    def _zero(self, tree: Tree) -> Expression:
        kind = self.type(tree)
        if isinstance(kind, Scalar):
            return Const(0.0 if kind.is_float else False if kind is BOOL else 0, kind)
        return NULL if is_pointer(kind) else Initializer((), kind)

    def _list(self, tree: Tree) -> Expression:
        kind = self.type(tree)
        entries = list(inner(tree))
        filler = tree.get("array_filler")
        if filler is not None:  # what is not given, then what is given
            entries = [each for each in filler[1:] if each.get("kind")]
        if isinstance(kind, Scalar) or is_pointer(kind):
            return self.expression(entries[0]) if entries else self._zero(tree)
        if len(entries) == 1 and self.type(entries[0]) is kind:  # braces around a whole object
            return self.expression(entries[0])
        if "field" in tree:  # of a union
            return self.unknown(tree)
        record = self._declarations.record(str(getattr(kind, "name", "")))
        members = record.members if record is not None else []
        values = []
        for at, each in enumerate(entries):
            if each.get("kind") == "CXXDefaultInitExpr" and not each.get("inner"):  # Clang before 18
                default = initial_value(members[at]) if at < len(members) else None
                values.append(self.unknown(each) if default is None else self.expression(default))
            else:
                values.append(self.expression(each))
        return Initializer(tuple(values), kind)

    def _trait(self, tree: Tree) -> Expression:
        if tree.get("name") != "sizeof":
            return self.unknown(tree)
        given = {"type": tree["argType"]} if "argType" in tree else next(inner(tree))
        bytes_ = _size(self.ctype(given))
        return (
            self.unknown(tree, SITUATIONS["size_of_class"])
            if bytes_ is None
            else Const(bytes_, self.type(tree))
        )

    def _null(self, tree: Tree) -> Expression:
        return NULL


def _wrapped(tree: Tree) -> Tree | None:
    """What a node that only stands for another expression of the same value holds."""
    kind = tree.get("kind")
    if kind in _WRAPPERS:
        return next(inner(tree))
    if kind == "SubstNonTypeTemplateParmExpr":
        return list(inner(tree))[-1]
    if kind in ("CXXDefaultArgExpr", "CXXDefaultInitExpr") and tree.get("inner"):
        return next(inner(tree))
    return None


def unwrapped(tree: Tree) -> Tree:
    while (wrapped := _wrapped(tree)) is not None:
        tree = wrapped
    return tree


def is_pointer(kind: Any) -> bool:
    return isinstance(kind, (Pointer, PointerTo))


def is_assignment(tree: Tree) -> bool:
    return tree.get("kind") == "CompoundAssignOperator" or tree.get("opcode") == "="


def is_trivial_default(expressions: Expressions, tree: Tree) -> bool:
    """Whether a construction does nothing."""
    kind = expressions.type(tree)
    while isinstance(kind, Array):
        kind = kind.element
    record = expressions._declarations.record(str(getattr(kind, "name", "")))
    return record is not None and not tree.get("inner") and "defaultCtor" in record.trivial


def _size(kind: CType) -> int | None:
    """Bytes of numbers, pointers and arrays of them."""
    if kind.kind == "reference" and kind.of is not None:
        kind = kind.of
    if kind.kind == "array" and kind.of is not None:
        element = _size(kind.of)
        return element and element * kind.length
    if isinstance(kind.meaning, Scalar):
        return kind.meaning.bytes
    return 8 if is_pointer(kind.meaning) else None


def _steps(base: Any, offset: Any) -> bool:
    whole = isinstance(offset, Scalar) and offset.kind in "iu"
    return whole and (is_pointer(base) or isinstance(base, Array))


def rounded(value: float, kind: Scalar) -> float:
    """A float literal in its own type."""
    if kind.bits not in _ROUNDING:
        return value
    code = "<" + _ROUNDING[kind.bits]
    try:
        return float(struct.unpack(code, struct.pack(code, value))[0])
    except OverflowError:
        return value * float("inf")


_TRANSLATIONS: dict[str, Callable[[Expressions, Tree], Expression]] = {
    "IntegerLiteral": Expressions._literal,
    "FloatingLiteral": Expressions._literal,
    "CharacterLiteral": Expressions._literal,
    "CXXBoolLiteralExpr": Expressions._literal,
    "DeclRefExpr": Expressions._reference,
    "MemberExpr": Expressions._member,
    "CXXThisExpr": Expressions._this,
    "ArraySubscriptExpr": Expressions._subscript,
    "UnaryOperator": Expressions._unary,
    "BinaryOperator": Expressions._binary,
    "CompoundAssignOperator": Expressions._binary,
    "ConditionalOperator": Expressions._conditional,
    "CallExpr": Expressions._invocation,
    "CXXMemberCallExpr": Expressions._invocation,
    "CXXOperatorCallExpr": Expressions._invocation,
    "CXXConstructExpr": Expressions._construction,
    "CXXTemporaryObjectExpr": Expressions._construction,
    "InitListExpr": Expressions._list,
    "ImplicitValueInitExpr": Expressions._zero,
    "CXXScalarValueInitExpr": Expressions._zero,
    "CXXNullPtrLiteralExpr": Expressions._null,
    "GNUNullExpr": Expressions._null,
    "UnaryExprOrTypeTraitExpr": Expressions._trait,
    **{kind: Expressions._cast for kind in _CASTS},
}
