# SPDX-License-Identifier: Apache-2.0
"""Files from text: templates, formatting, and writing only what changed."""

from __future__ import annotations

import hashlib
import importlib.util
import os
import subprocess
import tempfile
import textwrap
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from unicodedata import category

import jinja2

from heddle.errors import KernelError
from heddle.resources import REINSTALL, folder

LINE = 100
"""The length of an emitted line."""

Source = tuple[str, str, Callable[[], bool]]
"""Of a template: its text, its path, and whether that is the newest."""

# Operands that are not aligned: with them clang-format takes seconds for a polynomial of order 8.
_STYLE = (
    f"{{BasedOnStyle: Google, ColumnLimit: {LINE}, AllowShortFunctionsOnASingleLine: InlineOnly, "
    "AlignOperands: DontAlign, AlwaysBreakTemplateDeclarations: MultiLine, "
    "AllowShortIfStatementsOnASingleLine: Never, IndentPPDirectives: None, SortIncludes: Never, "
    "BinPackArguments: true, BinPackParameters: true, DerivePointerAlignment: false, PointerAlignment: Left, "
    "Language: Cpp, ReflowComments: false}"
)


class _Templates(jinja2.FileSystemLoader):
    """Those of a folder."""

    def get_source(self, environment: jinja2.Environment, template: str) -> Source:
        """Raises KernelError where there is no such file."""
        try:
            return super().get_source(environment, template)
        except jinja2.TemplateNotFound:
            raise KernelError("heddle", f"its template '{template}' is missing.", REINSTALL) from None


@cache
def environment() -> jinja2.Environment:
    """The one Jinja environment; a name that a template misses is an error."""
    return jinja2.Environment(
        loader=_Templates(folder("templates")),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )


@cache
def _clang_format() -> str:
    found = importlib.util.find_spec("clang_format")
    for place in (found.submodule_search_locations or ()) if found else ():
        executable = Path(place) / "data" / "bin" / "clang-format"
        if executable.exists():
            return str(executable)
    raise KernelError(
        "heddle",
        "the clang-format wheel is missing.",
        "install Heddle's dependencies: pip install clang-format",
    )


_INVISIBLE = ("Cc", "Cf", "Cs", "Zl", "Zp")
"""Unicode's classes of characters that end lines, control terminals, turn the direction of a text, or are
half a character, which no file holds."""


def comment_text(text: str) -> str:
    """A text without what C++ or a reader would not take for part of one line of a comment: line ends and
    control characters; a backslash at the end, which continues the comment in the next line, and ??/, which
    is one where trigraphs are read."""
    visible = "".join(" " if category(letter) in _INVISIBLE else letter for letter in text)
    return visible.replace("??/", "?? /").rstrip("\\ ")


def comment_lines(texts: Iterable[str], width: int = LINE - 4) -> list[str]:
    """The lines of a comment, without its mark. The indentation of a text is that of its other lines, too.
    No text leaves its comment (`comment_text`)."""
    lines: list[str] = []
    for text in texts:
        indent = text[: len(text) - len(text.lstrip())]
        lines += textwrap.wrap(
            text, width, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False
        ) or [""]
    return [comment_text(line) for line in lines]


def formatted(texts: Sequence[str]) -> list[str]:
    """Lay out C++ texts, all in one process, which takes long to start. A missing formatter is an error,
    never different output."""
    with tempfile.TemporaryDirectory() as place:
        files = [Path(place) / f"{number}.cpp" for number in range(len(texts))]
        for file, text in zip(files, texts, strict=True):
            file.write_text(text, encoding="utf-8")
        command = [_clang_format(), f"-style={_STYLE}", "-i", *map(str, files)]
        result = subprocess.run(command, capture_output=True, text=True, check=False)
        if result.returncode:
            raise KernelError("heddle", f"clang-format failed: {result.stderr.strip()}")
        return [file.read_text(encoding="utf-8") for file in files]


_DIGEST_DIGITS = 12
_BLANK = "0" * _DIGEST_DIGITS


def digest(text: str) -> str:
    """The digest of a file whose banner has zeros in the digest's place."""
    return hashlib.sha256(text.encode()).hexdigest()[:_DIGEST_DIGITS]


def render(template: str, **values: object) -> str:
    """A file from a template, before `finished`: not laid out, and zeros stand in the digest's place."""
    return environment().get_template(template).render(digest=_BLANK, **values)


def finished(texts: Mapping[str, str]) -> dict[str, str]:
    """Files of C++ that `render` gave: laid out, each with its digest."""
    return {name: digested(text) for name, text in zip(texts, formatted([*texts.values()]), strict=True)}


def digested(text: str) -> str:
    """A file with the digest in its banner, which is that of the file itself, taken with zeros in the
    digest's place. A digest of the model would change every file of a module with every edit, and all its
    objects would be compiled again.
    """
    return text.replace(_BLANK, digest(text), 1)


def write_if_changed(path: Path, text: str) -> bool:
    """Replace a file in one step, and only if its bytes differ. Returns whether it was written."""
    data = text.encode()
    if path.exists() and path.read_bytes() == data:
        return False
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        os.chmod(temporary, 0o644)
        os.replace(temporary, path)
    except OSError as error:
        os.unlink(temporary)
        error.filename = str(path)  # a full disk names no file
        raise
    except BaseException:
        os.unlink(temporary)
        raise
    return True
