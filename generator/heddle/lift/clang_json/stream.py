# SPDX-License-Identifier: Apache-2.0
"""Clang's JSON in pieces: one declaration after the other, every location complete.

Clang writes one document, 117 MB where <cmath> is included, and indents it by two blanks a level; so the
end of a declaration at depth d is a line of 2 d blanks and a brace. Pieces of at most `LARGE` bytes are
decoded at once; the members of a larger namespace are pieces themselves.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import IO, Any

Tree = dict[str, Any]
LARGE = 4_000_000
DEEPEST = 4000  # levels; Clang indents, so the text grows with the square of the depth
_NAMESPACES = (b'"kind": "NamespaceDecl"', b'"kind": "LinkageSpecDecl"')


class Locations:
    """Completes locations. Clang leaves out the file and the line that have not changed since the last
    location of the document; locations have no objects inside, so they are decoded in its order."""

    def __init__(self) -> None:
        self.file, self.line = "", 0

    def complete(self, tree: Tree) -> Tree:
        """An object hook of the JSON decoder."""
        if "offset" in tree:
            self.file = tree.setdefault("file", self.file)
            self.line = tree.setdefault("line", self.line)
        return tree

    def decode(self, piece: bytes) -> Tree:
        tree: Tree = json.loads(piece.decode("utf-8", "replace"), object_hook=self.complete, strict=False)
        return tree


def declarations(source: IO[bytes]) -> Iterator[Tree]:
    """The declarations of a translation unit, in order. The "inner" of a large namespace is an iterator: use
    it up before going on."""
    locations = Locations()
    for piece in _pieces(source):
        yield _declaration(piece, locations, 2)


def _declaration(piece: bytes, locations: Locations, depth: int) -> Tree:
    """A piece that begins with a brace; `depth` is that of the brace."""
    if len(piece) <= LARGE or not any(kind in piece[:200] for kind in _NAMESPACES):
        return locations.decode(piece)
    inner = b"\n" + b" " * (2 * depth + 2) + b'"inner": ['
    at = piece.find(inner)
    if at < 0:
        return locations.decode(piece)
    tree = locations.decode(piece[:at].rstrip().rstrip(b",") + b"}")
    tree["inner"] = _members(piece, at + len(inner), locations, depth + 2)
    return tree


def _members(piece: bytes, at: int, locations: Locations, depth: int) -> Iterator[Tree]:
    end = b"\n" + b" " * (2 * depth) + b"}"
    while True:
        stop = piece.find(end, at)
        if stop < 0:
            return
        begin = piece.index(b"{", at)
        yield _declaration(piece[begin : stop + len(end)], locations, depth)
        at = stop + len(end)


def _pieces(source: IO[bytes]) -> Iterator[bytes]:
    """The text of each declaration of the unit. Raises RecursionError where one is nested too deeply."""
    end = b"\n    }"
    text, begun = bytearray(), False
    seen = 0
    while block := source.read(1 << 20):
        if b" " * (2 * DEEPEST) in block:
            raise RecursionError
        text += block
        if not begun:
            head = text.find(b'\n  "inner": [')
            if head < 0:
                continue
            del text[: head + len(b'\n  "inner": [')]
            begun = True
        first = 0
        while (stop := text.find(end, max(first, seen))) >= 0:
            stop += len(end)
            yield bytes(text[text.index(b"{", first) : stop])
            first = seen = stop
        del text[:first]
        seen = max(0, len(text) - len(end))
