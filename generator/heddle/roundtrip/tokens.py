# SPDX-License-Identifier: Apache-2.0
"""The tokens of C++ text, with their lines: what a compiler sees, however the text is laid out.

Lines that end in a backslash are joined, comments are spaces, also inside a directive, and `%:` is `#`. What
compilers read differently is refused: trigraphs, other digraphs, control characters, raw strings.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from heddle.errors import KernelError, Place

_TOKEN = re.compile(
    r"""(?P<newline>\n)
    |(?P<space>[ \t]+|//[^\n]*|/\*.*?\*/)
    |(?P<word>[A-Za-z_]\w*)
    |(?P<number>\.?[0-9](?:[eEpP][+-]|'?\w|\.)*)
    |(?P<literal>(?<!R)"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)+')
    |(?P<digraph><:(?!:[^:>])|:>|<%|%>)
    |(?P<sign>::|%:|[-+*/%&|^~!<>=?:;,.()\[\]{}\#])""",
    re.VERBOSE | re.DOTALL | re.ASCII,
)
_HEADER_NAME = re.compile(r"[ \t]*(<[^<>\n]+>|\"[^\"\n]+\")")
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")
_TRIGRAPH = re.compile(r"\?\?[=/'()!<>-]")


@dataclass(frozen=True)
class Token:
    """kind: "word", "number", "literal", "sign", or "directive" for a whole one, whose tokens are joined by
    single spaces: `#pragma omp simd`, `#include <cmath>`. line: where it begins."""

    kind: str
    text: str
    line: int


def tokens_of(path: Path) -> list[Token]:
    """The tokens of a file. Raises KernelError, with file and line, where compilers do not agree on them."""
    try:
        text = path.read_bytes().decode()
    except FileNotFoundError:
        raise KernelError(path.name, "the file does not exist") from None
    except UnicodeDecodeError as error:
        raise KernelError(path.name, "the file is not UTF-8") from error
    return tokens(text, path.name)


def tokens(text: str, file: str) -> list[Token]:
    """The tokens of a text. file: for messages."""
    return list(_directives(_plain_tokens(text.replace("\r\n", "\n"), file), file))


def same_tokens(one: str, other: str) -> bool:
    """Whether two texts differ in comments and layout at most."""
    try:
        found = tokens(one, ""), tokens(other, "")
    except KernelError:
        return False
    return [(t.kind, t.text) for t in found[0]] == [(t.kind, t.text) for t in found[1]]


def _plain_tokens(text: str, file: str) -> Iterator[Token]:
    """Tokens, names of headers and ends of lines, once lines are joined."""
    for pattern, what in ((_CONTROL, "a control character"), (_TRIGRAPH, "a trigraph")):
        if found := pattern.search(text):
            raise refused(file, text.count("\n", 0, found.start()) + 1, f"there is {what}, {found[0]!r},")
    joined, ends, at = (
        list[str](),
        list[int](),
        0,
    )  # ends: where in the joined text each line of the file ends
    for line, row in enumerate(text.split("\n"), 1):
        if row.endswith("\\"):
            row = row[:-1]
        elif row.rstrip(" \t").endswith("\\"):
            raise refused(file, line, "there are blanks behind the backslash that joins two lines,")
        else:
            row += "\n"
        joined.append(row)
        at += len(row)
        ends.append(at)
    whole = "".join(joined)
    at, line = 0, 1
    in_include = ""
    while at < len(whole):
        while line < len(ends) and at >= ends[line - 1]:
            line += 1
        found = _HEADER_NAME.match(whole, at) if in_include == "#include" else None
        if found is not None:
            yield Token("header", found[1], line)
            at, in_include = found.end(), ""
            continue
        found = _TOKEN.match(whole, at)
        kind = found.lastgroup if found else None
        if found is None or kind == "digraph":
            raise refused(file, line, f"there is {whole[at : at + 2].strip()!r},")
        at = found.end()
        if kind == "space":
            continue
        assert kind is not None
        written = "#" if found[0] == "%:" else found[0]
        begins = kind != "newline" and written in ("#", "include")
        in_include = in_include + written if begins else ""
        yield Token(kind, written, line)


def _directives(parts: Iterator[Token], file: str) -> Iterator[Token]:
    """Each directive as one token."""
    first, directive = True, list[Token]()
    for part in parts:
        if part.kind == "newline":
            if directive:
                text = " ".join(each.text for each in directive).replace("# ", "#", 1)
                yield Token("directive", text, directive[0].line)
            first, directive = True, []
        elif directive or (first and part.text == "#"):
            directive.append(part)
            first = False
        elif part.text == "#":
            raise refused(file, part.line, "there is '#' inside a line,")
        else:
            yield Token(part.kind, part.text, part.line)
            first = False
    if directive:
        raise refused(file, directive[0].line, "there is a directive that a backslash leaves open,")


def refused(file: str, line: int, what: str) -> KernelError:
    """The error for what stands in a file that no emitted file has."""
    return KernelError(
        Place(file, line),
        f"{what} which no emitted file has, and what compilers make of it is not proved.",
        "remove it, or change the model and emit the file again",
    )
