# SPDX-License-Identifier: Apache-2.0
"""C++ types from their spelling: Clang's JSON has no other form of them.

`Names.parse` reads an abstract declarator, `const double *const __restrict`, resolves the names in it from
the scope where it stands, and gives a `CType`; `CType.meaning` is the type of the record and
`CType.spelling` the canonical text that Clang prints.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Any, Literal

from heddle.ir.nodes import BOOL, F16, F32, F64, I8, I32, I64, U8, U16, U32, U64, Pointer, Scalar
from heddle.ir.source import Array, PointerTo, Record, Void
from heddle.lift.reasons import SITUATIONS

Scope = tuple[str, ...]

LOCAL_CLASS = SITUATIONS["local_class"]
_I16 = Scalar("i", 16)
_BUILTIN = {
    "void": Void(), "bool": BOOL, "float": F32, "double": F64, "_Float16": F16, "__half": F16, "char": I8,
    "signed char": I8, "unsigned char": U8, "char8_t": U8, "char16_t": U16, "char32_t": U32, "wchar_t": I32,
    "short": _I16, "unsigned short": U16, "int": I32, "unsigned int": U32, "long": I64,
    "unsigned long": U64, "long long": I64, "unsigned long long": U64,
}  # fmt: skip
_WORDS = frozenset("void bool float double char short int long signed unsigned".split())
_ELABORATED = frozenset("struct class union enum typename template".split())
_UNNAMED = re.compile(r"\((?:lambda|(?:unnamed|anonymous) (\w+))(?: at [^()]*)?\)")
_IDENTIFIER = re.compile(r"[A-Za-z_]\w*")
_CONSTANT = re.compile(r"-?\d+[uUlL]*|true|false|'.*'")


@dataclass(frozen=True)
class CType:
    """A C++ type. of: what a pointer or reference refers to, an array has, a function returns. meaning_: of a
    name."""

    kind: Literal["name", "pointer", "reference", "array", "function"]
    name: str = ""  # of a reference: & or &&; of a function: what follows its parameters
    meaning_: Any = None
    of: CType | None = None
    length: int = 0
    parameters: tuple[CType, ...] = ()
    const: bool = False
    volatile: bool = False
    restrict: bool = False

    @property
    def meaning(self) -> Any:
        """The type of the record; a reference is what it refers to."""
        if self.volatile:
            return Record(self.spelling)
        if self.kind == "name":
            return self.meaning_
        if self.kind == "function":
            return Record(self.spelling)
        assert self.of is not None
        element = self.of.meaning
        if self.kind == "reference":
            return element
        if self.kind == "array":
            return Array(element, self.length)
        return (Pointer if isinstance(element, Scalar) else PointerTo)(element, self.of.const)

    @property
    def parameter_text(self) -> str:
        """As in keys, where references and const are told apart: functions may differ in them."""
        if self.kind == "reference" and self.of is not None:
            return f"{self.meaning}{' const' if self.of.const else ''}{self.name}"
        if isinstance(self.meaning, PointerTo) and self.meaning.const:
            return f"{self.meaning.element} const*"
        return str(self.meaning)

    @property
    def spelling(self) -> str:
        """As Clang prints the canonical type."""
        return self._around("")

    def _around(self, inner: str) -> str:
        qualifiers = [word for word, on in (("const", self.const), ("volatile", self.volatile)) if on]
        if self.kind == "name":
            base = " ".join([*qualifiers, self.name])
            return base + ("" if not inner or inner.startswith("[") else " ") + inner
        assert self.of is not None
        if self.kind == "array":
            return self.of._around(f"{inner}[{self.length or ''}]")
        if self.kind == "function":
            parameters = ", ".join(parameter.spelling for parameter in self.parameters)
            return self.of._around(f"{inner}({parameters}){self.name}")
        mark = "*" if self.kind == "pointer" else self.name
        if self.restrict:
            qualifiers.append("__restrict")
        gap = " " if qualifiers and inner and not inner.startswith("[") else ""
        inner = mark + " ".join(qualifiers) + gap + inner
        return self.of._around(f"({inner})" if self.of.kind in ("array", "function") else inner)


def named(name: str, meaning: Any) -> CType:
    return CType("name", name, meaning)


class Names:
    """The types that a translation unit declares, by qualified name (no inline and unnamed namespaces)."""

    def __init__(self) -> None:
        self._types: dict[str, CType] = {}
        self.constants: dict[str, int] = {}  # integers, by qualified name
        self._aliases: dict[str, tuple[str, Scope]] = {}
        self._namespaces: dict[str, str] = {}  # aliases of namespaces, inline ones
        self._alias_templates: dict[str, tuple[tuple[str, ...], str, Scope]] = {}
        self._everywhere: list[str] = []  # namespaces of using-directives
        self._memory: dict[tuple[str, Scope], CType] = {}

    def record(self, name: str) -> None:
        self._types.setdefault(name, named(name, _BUILTIN.get(name) or Record(name)))

    def local_class(self, name: str) -> None:
        self._types[name] = named(LOCAL_CLASS, Record(LOCAL_CLASS))

    def enumeration(self, name: str, underlying: Scalar) -> None:
        self._types[name] = named(name, underlying)

    def alias(self, name: str, text: str, scope: Scope) -> None:
        """`using name = text`, met in `scope`."""
        if text.split()[-1] != name and name not in self._types:  # not `typedef struct {} name`
            self._aliases.setdefault(name, (text, scope))

    def alias_template(self, name: str, parameters: tuple[str, ...], text: str, scope: Scope) -> None:
        """`template <parameters> using name = text`, met in `scope`."""
        self._alias_templates[name] = parameters, text, scope

    def namespace_alias(self, name: str, namespace: str) -> None:
        self._namespaces[name] = namespace

    def directive(self, namespace: str) -> None:
        if namespace not in self._everywhere:
            self._everywhere.append(namespace)

    def constant(self, name: str, scope: Scope) -> int | None:
        """The value of a constant that an argument of a template names."""
        found = (candidate for candidate in self._candidates(name, scope) if candidate in self.constants)
        return self.constants.get(next(found, ""))

    def parse(self, text: str, scope: Scope = ()) -> CType:
        """The type that `text` spells in `scope`."""
        key = (text, scope)
        if key not in self._memory:
            self._memory[key] = named(text, Record(text))  # for an alias that names itself
            if "::*" not in text:  # a pointer to a member stays its spelling
                self._memory[key] = _Parser(text, scope, self).type()
        return self._memory[key]

    def find(self, name: str, scope: Scope) -> CType:
        """A class, enumeration or alias; a name that is not known is a Record."""
        for candidate in self._candidates(name, scope):
            if candidate in self._aliases:
                return self.parse(*self._aliases[candidate])
            if candidate in self._types:
                return self._types[candidate]
        if name.endswith(">"):
            for candidate in self._candidates(name, scope):
                if (instance := self._instance(candidate)) is not None:
                    return instance
            alike = [known for known in self._types if self._may_be(name, known, scope)]
            if len(alike) == 1:
                return self._types[alike[0]]
        return named(name, _BUILTIN.get(name) or Record(name))

    def _instance(self, name: str) -> CType | None:
        """Of an alias template, with the parameters as names in a scope of its own."""
        head, _, rest = name[:-1].partition("<")
        template = self._alias_templates.get(head)
        if template is None:
            return None
        parameters, text, scope = template
        for parameter, argument in zip(parameters, _split(rest), strict=False):
            self._types[f"{name}::{parameter}"] = self.parse(argument)
        return (
            self.parse(text, (name,))
            if not scope
            else self.parse(text, (*scope, name.rpartition(f"{scope[-1]}::")[2]))
        )

    def _may_be(self, name: str, known: str, scope: Scope) -> bool:
        """Whether the class `name<a, b>` may be a known one: Clang from 15 on leaves out default arguments,
        and names constants instead of giving their values."""
        head, _, rest = name[:-1].partition("<")
        whole, _, given = known[:-1].partition("<")
        if not known.endswith(">") or whole not in self._candidates(head, scope):
            return False
        arguments, values = _split(rest), _split(given)
        return len(arguments) <= len(values) and all(
            argument == value or (_CONSTANT.fullmatch(value) and not _CONSTANT.fullmatch(argument))
            for argument, value in zip(arguments, values, strict=False)
        )

    def _candidates(self, name: str, scope: Scope) -> list[str]:
        """What a name may stand for, the innermost first."""
        found = self._within(name, scope)
        for each in found:  # grows
            for alias, namespace in self._namespaces.items():
                if each.startswith(f"{alias}::"):
                    found.append(f"{namespace}{each.removeprefix(alias)}".removeprefix("::"))
        return found

    def _within(self, name: str, scope: Scope) -> list[str]:
        prefixes = ["::".join(scope[:depth]) for depth in range(len(scope), 0, -1)]
        return (
            [f"{prefix}::{name}" for prefix in prefixes] + [name] + [f"{n}::{name}" for n in self._everywhere]
        )


class _Parser:
    """Reads one spelling, from left to right."""

    def __init__(self, text: str, scope: Scope, names: Names) -> None:
        self._rest = text.replace("(anonymous namespace)::", "").strip()
        self._scope, self._names, self._text = scope, names, text

    def type(self) -> CType:
        result = self._declarator(self._specifiers())
        if self._rest.strip():  # something that C++ has and this reader has not
            return named(self._text, Record(self._text))
        return result

    def _take(self, *marks: str) -> str:
        self._rest = self._rest.lstrip()
        for mark in marks:
            if self._rest.startswith(mark):
                self._rest = self._rest[len(mark) :]
                return mark
        return ""

    def _word(self) -> str:
        self._rest = self._rest.lstrip()
        found = _IDENTIFIER.match(self._rest)
        return found[0] if found else ""

    def _specifiers(self) -> CType:
        words: list[str] = []
        base: CType | None = None
        qualifiers: dict[str, Any] = {}
        while True:
            if base is None and not words and (unnamed := _UNNAMED.match(self._rest.lstrip())):
                self._rest = self._rest.lstrip()[unnamed.end() :]
                base = _nameless(unnamed[1])
                continue
            word = self._word()
            if word in ("const", "volatile"):
                qualifiers[word] = True
            elif word in _WORDS:
                words.append(word)
            elif word in _ELABORATED:
                pass
            elif word and base is None and not words:
                base = self._name()
                continue
            elif self._rest.startswith("::") and base is None:
                word = "::"
            else:
                break
            self._rest = self._rest[len(word) :]
        if base is None:
            name = _builtin_name(words)
            base = named(name, _BUILTIN.get(name) or Record(name))
        return replace(base, **qualifiers)

    def _name(self) -> CType:
        parts = []
        while word := self._word():
            self._rest = self._rest[len(word) :]
            if word != "template":
                parts.append(word + self._arguments())
            if not self._take("::"):
                break
            if unnamed := _UNNAMED.match(self._rest):
                self._rest = self._rest[unnamed.end() :]
                return _nameless(unnamed[1])
        return self._names.find("::".join(parts), self._scope)

    def _arguments(self) -> str:
        """`<a, b>` with canonical arguments."""
        if not self._rest.startswith("<"):
            return ""
        depth, begin, arguments = 0, 1, []
        for at, character in enumerate(self._rest):
            depth += (character in "<([") - (character in ">)]")
            if (character == "," and depth == 1) or depth == 0:
                arguments.append(self._argument(self._rest[begin:at].strip()))
                begin = at + 1
            if depth == 0:
                self._rest = self._rest[at + 1 :]
                return f"<{', '.join(argument for argument in arguments if argument)}>"
        self._rest = ""
        return ""

    def _argument(self, text: str) -> str:
        if not text or _CONSTANT.fullmatch(text):
            return text
        constant = self._names.constant(text, self._scope)
        return self._names.parse(text, self._scope).spelling if constant is None else str(constant)

    def _qualifiers(self) -> dict[str, bool]:
        found = {}
        while (word := self._word()) in ("const", "volatile", "__restrict", "__restrict__", "restrict"):
            found[word.strip("_")] = True
            self._rest = self._rest[len(word) :]
        return found

    def _declarator(self, base: CType) -> CType:
        while mark := self._take("*", "&&", "&"):
            kind: Literal["pointer", "reference"] = "pointer" if mark == "*" else "reference"
            name = "" if mark == "*" else mark
            base = CType(kind, name, of=base, **self._qualifiers())  # type: ignore[arg-type]
        inner = ""
        self._rest = self._rest.lstrip()
        if re.match(r"\(\s*[*&]", self._rest):
            end = _closing(self._rest)
            inner, self._rest = self._rest[1:end], self._rest[end + 1 :]
        base = self._suffixes(base)
        if inner:
            parser = _Parser("", self._scope, self._names)
            parser._rest = inner
            base = parser._declarator(base)
            if parser._rest.strip():
                self._rest = parser._rest
        return base

    def _suffixes(self, base: CType) -> CType:
        self._rest = self._rest.lstrip()
        if self._rest.startswith("("):
            end = _closing(self._rest)
            inside, self._rest = self._rest[1:end], self._rest[end + 1 :]
            parameters = tuple(
                replace(self._names.parse(each, self._scope), const=False, volatile=False, restrict=False)
                for each in _split(inside)
                if each != "void"
            )
            tail, self._rest = self._rest.rstrip(), ""
            if "->" in tail:  # `auto (int) -> double`
                tail, _, result = tail.partition("->")
                tail, base = tail.rstrip(), self._names.parse(result.strip(), self._scope)
            return CType("function", tail, of=base, parameters=parameters)
        lengths = []
        while self._take("["):
            length, _, self._rest = self._rest.partition("]")
            lengths.append(int(length) if length.strip().isdigit() else 0)
        for length_ in reversed(lengths):
            base = CType("array", of=base, length=length_, const=base.const)
        return base


def _nameless(tag: str | None) -> CType:
    """A lambda, or a class of which Clang prints the place."""
    if tag is None:
        return named("(lambda)", Record("a lambda"))
    return named(f"(unnamed {tag})", Record("an unnamed class"))


def _builtin_name(words: list[str]) -> str:
    """`unsigned long` for `long unsigned int`."""
    sign = "unsigned " if "unsigned" in words else ""
    if "char" in words:
        return "signed char" if "signed" in words else f"{sign}char"
    for word in ("void", "bool", "float"):
        if word in words:
            return word
    if "double" in words:
        return "long double" if "long" in words else "double"
    if "short" in words:
        return f"{sign}short"
    return sign + {0: "int", 1: "long"}.get(words.count("long"), "long long")


def _closing(text: str) -> int:
    """Where the bracket closes that the text begins with; the end if it does not."""
    depth = 0
    for at, character in enumerate(text):
        depth += (character == "(") - (character == ")")
        if depth == 0:
            return at
    return len(text)


def _split(text: str) -> list[str]:
    """At the commas outside of brackets."""
    parts, depth, begin = [], 0, 0
    for at, character in enumerate(text):
        depth += (character in "<([") - (character in ">)]")
        if character == "," and depth == 0:
            parts.append(text[begin:at].strip())
            begin = at + 1
    return [part for part in (*parts, text[begin:].strip()) if part]
