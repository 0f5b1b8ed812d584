# SPDX-License-Identifier: Apache-2.0
"""What a translation unit declares: functions, classes, enumerators and variables by the ids of Clang's JSON.

Bodies from system headers are dropped as soon as they are read; so the index stays small where the document
is large.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from heddle.ir.nodes import BOOL, I32, I64, U32, U64, Scalar
from heddle.lift.clang_json.stream import Tree
from heddle.lift.clang_json.types import LOCAL_CLASS, CType, Names, Scope

FUNCTIONS = frozenset(
    ("FunctionDecl", "CXXMethodDecl", "CXXConstructorDecl", "CXXConversionDecl", "CXXDestructorDecl")
)
_INSTANCE = re.compile("#[^:]*")  # what tells the scopes of functions of one name apart
_NO_EXPRESSION = ("Attr", "Comment", "TemplateArgument")


def inner(tree: Tree, kind: str = "") -> Iterator[Tree]:
    """The nodes inside, of one kind if it is given."""
    return (each for each in tree.get("inner", ()) if not kind or each.get("kind") == kind)


def initial_value(tree: Tree) -> Tree | None:
    """The expression that a variable, parameter or member begins with."""
    if "init" not in tree and not tree.get("hasInClassInitializer"):
        return None
    expressions = (each for each in inner(tree) if not each.get("kind", "").endswith(_NO_EXPRESSION))
    return next(expressions, None)


def spelled(tree: Tree) -> str:
    """The type of an expression or a declaration as Clang prints it, without outer aliases."""
    given = tree.get("type") or {}
    return str(given.get("desugaredQualType") or given.get("qualType") or "void")


def begin(tree: Tree, part: str = "loc") -> Tree:
    """A location: where a macro is used, not where it is defined. part: "loc", the name, or "range"."""
    at: Tree = tree.get(part) or {}
    if part == "range":
        at = at.get("begin") or {}
    found: Tree = at.get("expansionLoc", at)
    return found


@dataclass
class RecordEntry:
    """A class. trivial: its special members, by Clang's names, that only copy or do nothing."""

    name: str
    scope: Scope
    trivial: frozenset[str] = frozenset()
    polymorphic: bool = False
    members: list[Tree] = field(default_factory=list)
    methods: list[FunctionEntry] = field(default_factory=list)


@dataclass
class FunctionEntry:
    """A declaration of a function. scope: where its types are looked up. arguments: of the template, as in
    the record; owner: the class of a member; tree: None in a system header."""

    kind: str
    name: str
    scope: Scope
    type: str
    parameters: list[Tree]
    arguments: tuple[int | str, ...] | None
    owner: RecordEntry | None
    static: bool
    tree: Tree | None
    file: str
    offset: int
    line: int
    written: bool
    _key: str = ""

    def signature(self, names: Names) -> CType:
        return names.parse(self.type, self.scope)

    def key(self, names: Names) -> str:
        """Qualified name, template arguments and parameter types."""
        if not self._key:
            arguments = f"<{', '.join(map(str, self.arguments))}>" if self.arguments else ""
            signature = self.signature(names)
            written = (names.parse(spelled(each), self.scope) for each in self.parameters)
            parameters = ", ".join(each.parameter_text for each in written)
            constant = " const" if signature.name.lstrip().startswith("const") else ""
            self._key = f"{self.name}{arguments}({parameters}){constant}"
        return self._key

    @property
    def body(self) -> Tree | None:
        bodies = (
            each for each in inner(self.tree or {}) if each.get("kind") in ("CompoundStmt", "CXXTryStmt")
        )
        return next(bodies, None)


@dataclass
class VariableEntry:
    """A variable of a namespace or a static member."""

    name: str
    scope: Scope
    tree: Tree


@dataclass
class EnumeratorEntry:
    name: str
    type: Scalar
    value: int
    file: str
    line: int


class Declarations:
    """The index. is_system: whether a file, as Clang names it, is a system header."""

    def __init__(self, is_system: Callable[[str], bool]) -> None:
        self.names = Names()
        self.functions: dict[str, FunctionEntry] = {}
        self.records: dict[str, RecordEntry] = {}  # by name
        self.members: dict[str, Tree] = {}
        self.variables: dict[str, VariableEntry] = {}
        self.enumerators: dict[str, EnumeratorEntry] = {}
        self._is_system = is_system
        self._contexts: dict[str, tuple[Scope, RecordEntry | None]] = {}
        self._aliases: dict[str, str] = {}  # of a typedef's id: its qualified name
        self._nameless: dict[str, Tree] = {}  # classes that a typedef may name
        self._patterns: set[str] = set()  # templates' own classes
        self._unnamed_enumerations: dict[str, Scalar] = {}
        self._values: dict[str, list[Scalar | None]] = {}  # of a template: types of its parameters
        self._alike: dict[str, list[FunctionEntry]] = {}

    def add(self, tree: Tree, scope: Scope = (), owner: RecordEntry | None = None) -> None:
        """A declaration and those inside it; no expressions."""
        add = _DECLARATIONS.get(tree.get("kind", ""))
        if add is not None:
            add(self, tree, scope, owner)
        elif tree.get("kind") in FUNCTIONS:
            self._function(tree, scope, owner)

    def _add_all(self, trees: Iterable[Tree], scope: Scope, owner: RecordEntry | None) -> None:
        for each in trees:
            self.add(each, scope, owner)

    # --- Namespaces and names -------------------------------------------------------------------------------

    def _add_namespace(self, tree: Tree, scope: Scope, owner: RecordEntry | None) -> None:
        inside = scope if tree.get("isInline") or "name" not in tree else (*scope, tree["name"])
        self._contexts[tree["id"]] = inside, None
        if inside is scope and "name" in tree:
            self.names.namespace_alias(_qualified(scope, tree["name"]), "::".join(scope))
        self._add_all(inner(tree), inside, None)

    def _add_group(self, tree: Tree, scope: Scope, owner: RecordEntry | None) -> None:
        self._add_all(inner(tree), scope, owner)

    def _add_directive(self, tree: Tree, scope: Scope, owner: RecordEntry | None) -> None:
        self.names.directive(self._namespace(tree.get("nominatedNamespace")))

    def _add_namespace_alias(self, tree: Tree, scope: Scope, owner: RecordEntry | None) -> None:
        namespace = self._namespace(tree.get("aliasedNamespace"))
        self.names.namespace_alias(_qualified(scope, tree["name"]), namespace)

    def _namespace(self, reference: Tree | None) -> str:
        reference = reference or {}
        context = self._contexts.get(reference.get("id", ""))
        return "::".join(context[0]) if context else str(reference.get("name", ""))

    def _add_using(self, tree: Tree, scope: Scope, owner: RecordEntry | None) -> None:
        target = tree.get("target") or {}
        name = self._aliases.get(target.get("id", ""))
        if name is None and "Record" in target.get("kind", "") and target.get("id") in self._contexts:
            name = "::".join(self._contexts[target["id"]][0])
        if name and name != _qualified(scope, target["name"]):
            self.names.alias(_qualified(scope, target["name"]), name, ())

    def _add_alias(self, tree: Tree, scope: Scope, owner: RecordEntry | None) -> None:
        name = _qualified(scope, tree["name"])
        self._aliases[tree["id"]] = name
        for each in inner(tree):
            scalar = self._unnamed_enumerations.get((each.get("ownedTagDecl") or {}).get("id", ""))
            if scalar is not None:
                self.names.enumeration(name, scalar)
            if nameless := self._nameless.get((each.get("ownedTagDecl") or {}).get("id", "")):
                self._record(nameless, scope, tree["name"])
        self.names.alias(name, spelled(tree), scope)

    def _add_alias_template(self, tree: Tree, scope: Scope, owner: RecordEntry | None) -> None:
        parameters = tuple(str(each.get("name", "")) for each in inner(tree) if "ParmDecl" in each["kind"])
        for each in inner(tree, "TypeAliasDecl"):
            self.names.alias_template(_qualified(scope, tree["name"]), parameters, spelled(each), scope)

    # --- Enumerations ---------------------------------------------------------------------------------------

    def _add_enumeration(self, tree: Tree, scope: Scope, owner: RecordEntry | None) -> None:
        values, value = [], -1
        for each in inner(tree, "EnumConstantDecl"):
            given = _constant(each)
            value = value + 1 if given is None else given
            values.append(value)
        fixed = tree.get("fixedUnderlyingType")
        if fixed:
            text = str(fixed.get("desugaredQualType") or fixed["qualType"])
            meaning = self.names.parse(text, scope).meaning
            underlying = meaning if isinstance(meaning, Scalar) else I32
        else:
            underlying = _underlying(values)
        if "name" in tree:
            self.names.enumeration(_qualified(scope, tree["name"]), underlying)
        else:
            self._unnamed_enumerations[tree["id"]] = underlying
        inside = (*scope, tree["name"]) if "scopedEnumTag" in tree and "name" in tree else scope
        for each, number in zip(inner(tree, "EnumConstantDecl"), values, strict=True):
            at = begin(each)
            name = _INSTANCE.sub("", _qualified(inside, each["name"]))
            file, line = at.get("file", ""), at.get("line", 0)
            self.enumerators[each["id"]] = EnumeratorEntry(name, underlying, number, file, line)

    # --- Classes --------------------------------------------------------------------------------------------

    def _add_class(self, tree: Tree, scope: Scope, owner: RecordEntry | None) -> None:
        if "name" not in tree:
            self._nameless[tree["id"]] = tree
        elif not tree.get("isImplicit"):
            self._record(tree, scope, tree["name"])

    def _add_class_template(self, tree: Tree, scope: Scope, owner: RecordEntry | None) -> None:
        kinds = _value_parameters(tree, self.names, scope)
        for each in inner(tree, "CXXRecordDecl"):
            self._patterns.add(each["id"])
        for each in inner(tree, "ClassTemplateSpecializationDecl"):
            self._specialization(each, scope, kinds)
        self._values[_qualified(scope, tree.get("name", ""))] = kinds

    def _add_specialization(self, tree: Tree, scope: Scope, owner: RecordEntry | None) -> None:
        self._specialization(tree, scope, self._values.get(_qualified(scope, tree.get("name", "")), []))

    def _specialization(self, tree: Tree, scope: Scope, kinds: list[Scalar | None]) -> None:
        if "name" not in tree or not any(True for _ in inner(tree, "TemplateArgument")):
            return  # only named here
        arguments = _template_arguments(tree, kinds, self.names, scope)
        words = _words(arguments)
        self._record(tree, scope, f"{tree['name']}<{', '.join(words)}>")

    def _record(self, tree: Tree, scope: Scope, name: str) -> None:
        inside = (*scope, name)
        qualified = "::".join(inside)
        self.names.record(qualified)
        entry = self.records.get(qualified)
        if entry is None or (data := tree.get("definitionData")) is not None:
            entry = entry or RecordEntry(qualified, inside)
            data = tree.get("definitionData") or {}
            entry.trivial = frozenset(key for key, value in data.items() if _is_trivial(value))
            entry.polymorphic = bool(data.get("isPolymorphic"))
            self.records[qualified] = entry
        self._contexts[tree["id"]] = inside, entry
        if tree.get("completeDefinition"):
            self._add_all(inner(tree), inside, entry)

    def local_class(self, tree: Tree, scope: Scope) -> None:
        """A class that only one function knows."""
        self.names.local_class(_qualified(scope, tree["name"]))
        data = tree.get("definitionData") or {}
        trivial = frozenset(key for key, value in data.items() if _is_trivial(value))
        self.records[LOCAL_CLASS] = RecordEntry(LOCAL_CLASS, scope, trivial)

    def _add_member(self, tree: Tree, scope: Scope, owner: RecordEntry | None) -> None:
        self.members[tree["id"]] = tree
        if owner is not None:
            owner.members.append(tree)

    # --- Functions and variables ----------------------------------------------------------------------------

    def _add_function_template(self, tree: Tree, scope: Scope, owner: RecordEntry | None) -> None:
        kinds = _value_parameters(tree, self.names, scope)
        self._values[_qualified(scope, tree.get("name", ""))] = kinds
        for each in inner(tree):
            if each.get("kind") in FUNCTIONS and any(True for _ in inner(each, "TemplateArgument")):
                self._function(each, scope, owner, kinds)

    def _function(
        self, tree: Tree, scope: Scope, owner: RecordEntry | None, kinds: list[Scalar | None] | None = None
    ) -> None:
        if "type" not in tree:
            return  # only named here
        parent = tree.get("parentDeclContextId")
        if parent in self._patterns:
            return
        if parent is not None:
            scope, owner = self._contexts.get(parent, ((), None))
        name = _qualified(scope, tree.get("name", ""))
        if tree["kind"] == "CXXConstructorDecl":
            name = "::".join(scope)
        if tree["kind"] == "CXXConversionDecl" and (result := self.names.parse(spelled(tree), scope).of):
            name = _qualified(scope, f"operator {result.spelling}")
        if kinds is None:
            kinds = self._values.get(name, [])
        arguments = None
        if any(True for _ in inner(tree, "TemplateArgument")):
            found = _template_arguments(tree, kinds, self.names, scope)
            arguments = tuple(argument for argument, _ in found)
        at = begin(tree)
        file = at.get("file", "")
        entry = FunctionEntry(
            kind=tree["kind"],
            name=name,
            scope=scope,
            type=spelled(tree),
            parameters=list(inner(tree, "ParmVarDecl")),
            arguments=arguments,
            owner=owner,
            static=tree.get("storageClass") == "static",
            tree=None if self._is_system(file) else tree,
            file=file,
            offset=at.get("offset", 0),
            line=at.get("line", 0),
            written=not tree.get("isImplicit") and "explicitlyDefaulted" not in tree,
        )
        if entry.owner is not None and (previous := self.functions.get(tree.get("previousDecl", ""))):
            entry.static = previous.static
        self.functions[tree["id"]] = entry
        if owner is not None:
            owner.methods.append(entry)

    def alike(self, function: FunctionEntry) -> list[FunctionEntry]:
        """All declarations of a function, the given one first."""
        if len(self._alike) == 0:
            for each in self.functions.values():
                self._alike.setdefault(each.key(self.names), []).append(each)
        return [function, *self._alike.get(function.key(self.names), ())]

    def record(self, name: str) -> RecordEntry | None:
        return self.records.get(name)

    def _add_variable(self, tree: Tree, scope: Scope, owner: RecordEntry | None) -> None:
        parent = tree.get("parentDeclContextId")
        if parent in self._patterns:
            return
        if parent in self._contexts:
            scope = self._contexts[parent][0]
        name = _qualified(scope, tree.get("name", ""))
        self.variables[tree["id"]] = VariableEntry(name, scope, tree)
        if spelled(tree).startswith("const") and (value := initial_value(tree)) is not None:
            number = self._number(value, scope)
            if number is not None:
                self.names.constants[name] = number

    def _number(self, tree: Tree, scope: Scope) -> int | None:
        """The value of an integer constant, if it is of literals, sums and products."""
        if tree.get("kind") == "IntegerLiteral":
            return int(tree["value"])
        if tree.get("kind") == "DeclRefExpr":
            return self.names.constant((tree.get("referencedDecl") or {}).get("name", ""), scope)
        values = [self._number(each, scope) for each in inner(tree)]
        match tree.get("kind"), tree.get("opcode"), values:
            case "ParenExpr" | "ConstantExpr" | "ImplicitCastExpr", _, [int() as value]:
                return value if tree.get("castKind", "") in ("", "IntegralCast", "LValueToRValue") else None
            case "BinaryOperator", "+" | "-" | "*" as sign, [int() as a, int() as b]:
                return a + b if sign == "+" else a - b if sign == "-" else a * b
        return None

    def _add_variable_template(self, tree: Tree, scope: Scope, owner: RecordEntry | None) -> None:
        kinds = _value_parameters(tree, self.names, scope)
        for each in inner(tree, "VarTemplateSpecializationDecl"):
            found = _template_arguments(each, kinds, self.names, scope)
            words = _words(found)
            name = _qualified(scope, f"{each.get('name', '')}<{', '.join(words)}>")
            self.variables[each["id"]] = VariableEntry(name, scope, each)


def _qualified(scope: Scope, name: str) -> str:
    return "::".join((*scope, name))


def _is_trivial(value: Any) -> bool:
    return isinstance(value, dict) and bool(value.get("trivial"))


def _constant(tree: Tree) -> int | None:
    """The value that an enumerator is given."""
    value = next(inner(tree, "ConstantExpr"), None) or next(inner(tree, "ImplicitCastExpr"), None)
    if value is None:
        return None
    if "value" not in value:
        return _constant(value)
    return int(value["value"]) if str(value["value"]).lstrip("-").isdigit() else int(value["value"] == "true")


def _underlying(values: list[int]) -> Scalar:
    """What Clang stores the values of an enumeration in."""
    if any(value < 0 for value in values):
        return I32 if all(-(2**31) <= value < 2**31 for value in values) else I64
    return U32 if all(value < 2**32 for value in values) else U64


def _value_parameters(template: Tree, names: Names, scope: Scope) -> list[Scalar | None]:
    """The types of a template's parameters that are values: Clang writes all arguments as signed numbers."""
    kinds = ("NonTypeTemplateParmDecl", "TemplateTypeParmDecl", "TemplateTemplateParmDecl")
    parameters = (each for each in inner(template) if each.get("kind") in kinds)
    types = (names.parse(spelled(each), scope).meaning if "type" in each else None for each in parameters)
    return [each if isinstance(each, Scalar) else None for each in types]


def _template_arguments(
    tree: Tree, kinds: list[Scalar | None], names: Names, scope: Scope
) -> list[tuple[int | str, bool]]:
    """Arguments as the record has them, packs flattened; and whether each is a bool."""
    found: list[tuple[int | str, bool]] = []
    for at, argument in enumerate(inner(tree, "TemplateArgument")):
        kind = kinds[min(at, len(kinds) - 1)] if kinds else None
        for each in inner(argument, "TemplateArgument") if argument.get("isPack") else (argument,):
            found.append((_argument(each, kind, names, scope), kind is BOOL))
    return found


def _words(arguments: list[tuple[int | str, bool]]) -> list[str]:
    """As they stand in the names of classes."""
    return [("false", "true")[bool(value)] if truth else str(value) for value, truth in arguments]


def _argument(tree: Tree, kind: Scalar | None, names: Names, scope: Scope) -> int | str:
    if "value" in tree:
        value = int(tree["value"])
        return value % 2**kind.bits if kind is not None and kind.kind in "ub" else value
    if "type" in tree:
        return names.parse(spelled(tree), scope).spelling
    return str((tree.get("decl") or {}).get("name", tree.get("kind", "")))


_DECLARATIONS: dict[str, Callable[[Declarations, Tree, Scope, RecordEntry | None], None]] = {
    "NamespaceDecl": Declarations._add_namespace,
    "LinkageSpecDecl": Declarations._add_group,
    "UsingDirectiveDecl": Declarations._add_directive,
    "NamespaceAliasDecl": Declarations._add_namespace_alias,
    "UsingShadowDecl": Declarations._add_using,
    "TypedefDecl": Declarations._add_alias,
    "TypeAliasTemplateDecl": Declarations._add_alias_template,
    "EnumDecl": Declarations._add_enumeration,
    "CXXRecordDecl": Declarations._add_class,
    "ClassTemplateDecl": Declarations._add_class_template,
    "ClassTemplateSpecializationDecl": Declarations._add_specialization,
    "FieldDecl": Declarations._add_member,
    "FunctionTemplateDecl": Declarations._add_function_template,
    "VarDecl": Declarations._add_variable,
    "VarTemplateDecl": Declarations._add_variable_template,
    "ExportDecl": Declarations._add_group,
    "FriendDecl": Declarations._add_group,
    "TypeAliasDecl": Declarations._add_alias,
}
