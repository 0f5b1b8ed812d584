# SPDX-License-Identifier: Apache-2.0
"""What stands in a file besides the statements that Clang's tree shows: directives, declarations, attributes.

The record of heddle-lift has functions. What changes their meaning without being in them is held against a
list of what emitted files have, token by token: includes and the include guard, OpenMP's pragmas directly
before a loop, the namespaces and functions of a kernel, and no word that a compiler or a macro gives a
meaning of its own. The list is written here a second time; templates and printers have no part in it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from heddle.errors import KernelError, Place
from heddle.ir import nodes as ir
from heddle.ir import source
from heddle.ir.functions import FUNCTIONS
from heddle.ir.visit import walk
from heddle.resources import folder
from heddle.roundtrip.tokens import Token, refused, tokens_of

ANONYMOUS, GLOBAL = "an anonymous namespace", "the global namespace"
"""Where functions stand that are in no named namespace."""

_SCHEDULE = r"schedule \( (?:static|dynamic|guided)(?: , \d+)? \)"
_PRAGMA = re.compile(
    r"#pragma omp (?:simd(?: simdlen \( (?:\d+|strip) \))?"
    rf"|parallel for(?: simd)?(?: collapse \( \d+ \)| num_threads \( \d+ \)| {_SCHEDULE})*)"
)
"""Clauses that the proof reads, or that cannot change a bit."""
_TEMPLATES = ("bool unit_stride", "bool unit_stride , typename Real", "typename Real")
STRUCT = "struct "
_TYPES = {"double": ir.F64, "float": ir.F32, "std :: int64_t": ir.I64, "std :: int32_t": ir.I32}
_ARRAYS = re.compile(r"alignas \( 64 \) (double|float|std :: int(?:32|64)_t) (.*)")
_ARRAY = re.compile(r"(\w+) \[ (\d+) \]( = \{ \})?")
_RESULTS = re.compile(r"void|int|__global__ void __launch_bounds__ \( [0-9 ,]+ \)")
_RESERVED = re.compile(r"__|_[A-Z]|HEDDLE_")
_SPELLED = {
    "__restrict__",
    "__global__",
    "__launch_bounds__",
    "__shared__",
    "HEDDLE_UNROLL",
    "HEDDLE_UNROLL_PAIRS",
}
"""Words of a compiler and macros of device headers that emitted text has."""
_KEYWORDS_WITHOUT_USE = frozenset(
    "alignof and and_eq asm bitand bitor break case catch char8_t class compl concept consteval constinit "
    "const_cast co_await co_return co_yield decltype default delete do dynamic_cast enum explicit export "
    "extern friend goto inline mutable new noexcept not not_eq operator or or_eq private protected public "
    "register reinterpret_cast requires static static_assert switch this thread_local throw try "
    "typedef typeid union using virtual volatile wchar_t while xor xor_eq".split()
)
_STANDARD = frozenset(
    f.spelling.removeprefix("std::") for f in FUNCTIONS.values() if f.spelling.startswith("std::")
)


@dataclass(frozen=True)
class Member:
    """An array in an object of lanes. zeros: its elements begin with 0."""

    name: str
    type: ir.Scalar
    length: int
    zeros: bool


@dataclass(frozen=True)
class Lanes:
    """A struct of such arrays and nothing else."""

    name: str
    members: tuple[Member, ...]


@dataclass(frozen=True)
class FileText:
    """The tokens of one file."""

    file: str
    tokens: list[Token]

    @staticmethod
    def of(path: Path, includes: frozenset[str], guard: str) -> FileText:
        """The tokens of a file, without its include guard.

        includes: those that it may have, as they are written. guard: the macro of its guard, empty if it has
        none. Raises KernelError, with file and line, at the first directive or word that no emitted file has.
        """
        text = FileText(path.name, tokens_of(path))._without_guard(guard)
        text._check_words()
        text._check_directives(includes)
        return text

    def check_functions(self, expected: Mapping[str, str]) -> None:
        """Raises KernelError at the first declaration that is none of the functions expected: name, and the
        namespace in which it is defined. Names of structs have STRUCT before them."""
        found: list[str] = []
        for token, namespace, name in self._definitions([t for t in self.tokens if t.kind != "directive"]):
            if expected.get(name) != namespace:
                raise refused(self.file, token.line, f"{namespace} has '{name}',")
            if name in found:
                raise refused(self.file, token.line, f"'{name}' is defined a second time,")
            found.append(name)
        structs = [token for token in self.tokens if token.text == "struct"]
        for token, lanes in zip(structs, self.objects(), strict=True):
            if f"{STRUCT}{lanes.name}" not in found:  # it stands in a function
                raise refused(self.file, token.line, "there is 'struct',")
            found.remove(f"{STRUCT}{lanes.name}")

    def objects(self) -> list[Lanes]:
        """The structs of the file, each of arrays of numbers and nothing else. Raises KernelError, with file
        and line, at the first other one."""
        return [
            self._object(self.tokens, at)[0] for at, token in enumerate(self.tokens) if token.text == "struct"
        ]

    def check_loops(self, functions: Iterable[source.Function]) -> None:
        """Raises KernelError where the record has another pragma before a loop than the tokens."""
        pragmas = self._pragmas()
        recorded = {
            (node.place.line, tuple(_words(f"#pragma {node.pragma}") if node.pragma else ()))
            for function in functions
            if function.place.file == self.file
            for node in walk(function.body)
            if isinstance(node, source.For)
        }
        lines = {line for line, _ in recorded} | pragmas.keys()
        for line in sorted(lines):
            words = tuple(_words(pragmas[line])) if line in pragmas else ()
            if {seen for at, seen in recorded if at == line} != {words}:
                raise KernelError(
                    Place(self.file, line),
                    "the pragma before this loop is not read as a compiler reads it.",
                    "write '#pragma omp' into the line before the loop, in one line and without comments",
                )

    def _pragmas(self) -> dict[int, str]:
        """The pragma before a loop, by the loop's line."""
        loops = [t.line for t in self.tokens if t.text == "for"]
        found = {}
        for token, following in zip(self.tokens, self.tokens[1:], strict=False):
            if token.text.startswith("#pragma"):
                if loops.count(following.line) != 1:
                    raise refused(self.file, token.line, "a pragma stands before two loops in one line,")
                found[following.line] = token.text
        return found

    def _without_guard(self, guard: str) -> FileText:
        if not guard:
            return self
        first, last = [f"#ifndef {guard}", f"#define {guard}"], ["#endif"]
        if [t.text for t in (*self.tokens[:2], *self.tokens[-1:])] != first + last:
            raise KernelError(
                Place(self.file, self.tokens[0].line if self.tokens else 1),
                f"the include guard {guard} does not hold the whole file.",
                f"begin with #ifndef {guard}, #define {guard}, and end with #endif",
            )
        return FileText(self.file, self.tokens[2:-1])

    def _check_words(self) -> None:
        """Nothing whose meaning is not in Clang's tree, or not the same to every compiler."""
        code = self.tokens
        for at, token in enumerate(code):
            text = token.text
            before = code[at - 1].text if at else ""
            following = code[at + 1].text if at + 1 < len(code) else ""
            if text == "[" == before:
                raise refused(self.file, token.line, "there is an attribute, '[[',")
            if token.kind == "literal":
                raise refused(self.file, token.line, f"there is {text},")
            if token.kind != "word":
                continue
            if text in _KEYWORDS_WITHOUT_USE or (_RESERVED.match(text) and text not in _SPELLED):
                raise refused(self.file, token.line, f"there is '{text}',")
            if text in _STANDARD and following == "(" and before != "::":
                raise refused(self.file, token.line, f"'{text}' is called without 'std::',")

    def _check_directives(self, includes: frozenset[str]) -> None:
        code = self.tokens
        begins = next((at for at, t in enumerate(code) if t.kind != "directive"), len(code))
        for at, token in enumerate(code):
            if token.kind != "directive":
                continue
            following = code[at + 1].text if at + 1 < len(code) else ""
            is_include = at < begins and token.text.removeprefix("#include ") in includes
            is_pragma = _PRAGMA.fullmatch(token.text) and following == "for"
            if not is_include and not is_pragma:
                raise refused(self.file, token.line, f"there is '{token.text}' here,")

    def _definitions(self, code: Sequence[Token]) -> Iterator[tuple[Token, str, str]]:
        """Every function that is defined, where, and its name; nothing else may stand outside of one."""
        at, inside = 0, GLOBAL
        while at < len(code):
            if code[at].text == "namespace" and inside == GLOBAL:
                name = code[at + 1].text if at + 1 < len(code) else ""
                inside = ANONYMOUS if name == "{" else f"namespace {name}"
                at += 1 if name == "{" else 2
                if at >= len(code) or code[at].text != "{":
                    raise refused(self.file, code[at - 1].line, "there is a declaration of a namespace,")
                at += 1
            elif code[at].text == "}" and inside != GLOBAL:
                at, inside = at + 1, GLOBAL
            elif code[at].text == "struct":
                lanes, behind = self._object(code, at)
                yield code[at], inside, f"{STRUCT}{lanes.name}"
                at = behind
            else:
                name, behind = self._definition(code, at)
                yield code[at], inside, name
                at = behind

    def _definition(self, code: Sequence[Token], begin: int) -> tuple[str, int]:
        """The name of the function that is defined at a token, and where what follows begins."""
        at = begin
        if code[at].text == "template":
            at = next((i for i in range(at, len(code)) if code[i].text == ">"), len(code) - 1) + 1
            if _text(code[begin + 1 : at]) not in [f"< {parameters} >" for parameters in _TEMPLATES]:
                raise self._declaration(code, begin)
        head = at
        while at < len(code) and not (code[at].text == "(" and code[at - 1].text != "__launch_bounds__"):
            at = _behind(code, at) if code[at].text == "(" else at + 1
        if at - 1 <= head or not _RESULTS.fullmatch(_text(code[head : at - 1])) or at >= len(code):
            raise self._declaration(code, begin)
        body = _behind(code, at)
        if body >= len(code) or code[body].text != "{":
            raise self._declaration(code, begin)
        return code[at - 1].text, _behind(code, body)

    def _object(self, code: Sequence[Token], begin: int) -> tuple[Lanes, int]:
        """The struct whose definition begins at a token, and where what follows begins."""
        opening = begin + 2
        end = _behind(code, opening) if _text(code[opening : opening + 1]) == "{" else len(code)
        members = []
        for line in _text(code[opening + 1 : end - 1]).split(" ;")[:-1]:
            arrays = _ARRAYS.fullmatch(line.strip())
            each = [_ARRAY.fullmatch(array) for array in arrays[2].split(" , ")] if arrays else [None]
            for found in each:
                if arrays is None or found is None:
                    raise self._declaration(code, begin)
                members.append(Member(found[1], _TYPES[arrays[1]], int(found[2]), found[3] is not None))
        if _text(code[end - 2 : end + 1]) != "; } ;" or not members:
            raise self._declaration(code, begin)
        return Lanes(code[begin + 1].text, tuple(members)), end + 1

    def _declaration(self, code: Sequence[Token], begin: int) -> KernelError:
        end = next((i for i in range(begin, len(code)) if code[i].text in (";", "{")), len(code))
        shown = _text(code[begin : min(end, begin + 12)])
        return refused(self.file, code[begin].line, f"there is the declaration '{shown}',")


def without_effect(function: source.Function) -> None:
    """Raises KernelError at a statement that lifting passes over, though it could end the program."""
    for node in walk(function.body):
        if isinstance(node, source.Evaluate) and not isinstance(node.value, source.Invoke):
            raise refused(node.place.file, node.place.line, "there is an expression without effect,")


def device_includes() -> frozenset[str]:
    """The headers of `heddle/device`, as they are included."""
    headers = (folder("runtime/include") / "heddle" / "device").glob("*.hpp")
    return frozenset(f'"heddle/device/{header.name}"' for header in headers)


def _words(pragma: str) -> list[str]:
    return re.findall(r"\w+|[^\w\s]", pragma)


def _text(code: Sequence[Token]) -> str:
    return " ".join(token.text for token in code)


def _behind(code: Sequence[Token], opening: int) -> int:
    """Behind the parenthesis or brace that closes the one at `opening`."""
    opened, closed = ("(", ")") if code[opening].text == "(" else ("{", "}")
    depth = 0
    for at in range(opening, len(code)):
        depth += {opened: 1, closed: -1}.get(code[at].text, 0)
        if depth == 0:
            return at + 1
    return len(code)
