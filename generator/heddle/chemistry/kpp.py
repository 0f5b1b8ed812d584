# SPDX-License-Identifier: Apache-2.0
"""Mechanisms of KPP, the Kinetic PreProcessor: a `.def` file with its `.spc` and `.eqn` files, or one text.

Concentrations are in molecules cm-3, as are rate constants; both become mol and m3. Of a mechanism count
#DEFVAR, #DEFFIX, #EQUATIONS, #INITVALUES of fixed species, and #INCLUDE of files beside it. All else belongs
to the programs that KPP writes: it is left out, and `mechanism.notes` says so.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from pathlib import Path

import sympy

from heddle.chemistry.kpp_rates import rate_expression
from heddle.chemistry.located_json import read_text
from heddle.chemistry.mechanism import Mechanism, Species
from heddle.chemistry.quantities import AIR, MOLECULES
from heddle.errors import KernelError

MOST_FILES = 20
_COMMENT = re.compile(r"\{[^}]*(?P<end>\}?)|//[^\n]*")
_INLINE = re.compile(
    r"#\s*INLINE\b(?:(?!#\s*(?:END)?INLINE\b).)*(?P<end>(?:#\s*ENDINLINE[^\n]*)?)", re.DOTALL | re.IGNORECASE
)
"""Without an end, `end` is empty."""
MOST_LETTERS = 5_000
"""Of a species' declaration, a reaction or an initial value."""
_COMMAND = re.compile(r"^[ \t]*#[ \t]*(\w+)[ \t]*([^\n]*)", re.MULTILINE)
_NO_COMMAND = re.compile(r"^[ \t]*#[ \t]*(?![\w \t])", re.MULTILINE)
_REACTION = re.compile(
    r"\s*(?:<\s*(?P<name>[^>]*?)\s*>)?(?P<left>[^=:]*)=(?P<right>[^=:]*):(?P<rate>.*)", re.DOTALL
)
_TERM = re.compile(r"(\d+\.?\d*|\.\d+)?\s*([A-Za-z]\w*)")
_ATOM = re.compile(r"(\d*)\s*([A-Za-z]+)")
_AIR = ("M",)
"""Fixed species that are the density of air."""


class _Reader:
    def __init__(self, name: str) -> None:
        self.result = Mechanism(name)
        self.fixed: dict[str, tuple[str, dict[str, float] | None]] = {}
        """Where each is declared, and its atoms."""
        self.values: dict[str, float] = {}
        self.others: float | None = None  # of fixed species that are not named
        self.equations: list[tuple[str, str]] = []
        self.files: set[Path] = set()

    def file(self, path: Path) -> None:
        """Read a file and those that it includes."""
        path = path.resolve()
        if path in self.files or len(self.files) >= MOST_FILES:
            raise KernelError(
                path.name, "the file is included twice, or there are more than 20.", "include each file once"
            )
        self.files.add(path)
        # KPP's language is ASCII; comments of older files are often Latin-1.
        text = read_text(path, "latin-1")
        text = _without(_COMMENT, text, path.name, "a comment begins with {", "end it with }")
        if _INLINE.search(text):
            self.result.notes.append(f"{path.name}: code of #INLINE is left out")
        text = _without(_INLINE, text, path.name, "#INLINE begins", "end it with #ENDINLINE")
        if alone := _NO_COMMAND.search(text):
            raise KernelError(
                f"{path.name}:{text.count(chr(10), 0, alone.start()) + 1}",
                "'#' begins no command.",
                "write its name behind it, #EQUATIONS, or remove it",
            )
        commands = list(_COMMAND.finditer(text))
        if not commands:
            raise KernelError(
                path.name, "the file has no command of KPP.", "mechanisms have #DEFVAR and #EQUATIONS"
            )
        for command, following in zip(commands, [*commands[1:], None], strict=True):
            end = following.start() if following else len(text)
            self.command(path, command[1].upper(), command, text[command.start(2) : end], text)

    def command(self, path: Path, name: str, command: re.Match[str], body: str, text: str) -> None:
        first = text.count("\n", 0, command.start(2)) + 1
        match name:
            case "DEFVAR" | "DEFFIX":
                for where, entry in _entries(path.name, body, first):
                    self.species(where, entry, name == "DEFFIX")
            case "EQUATIONS":
                self.equations += _entries(path.name, body, first)
            case "INITVALUES":
                for where, entry in _entries(path.name, body, first):
                    self.initial(where, entry)
            case "INCLUDE":
                beside = command[2].strip()
                if not re.fullmatch(r"[\w.-]+", beside):
                    raise KernelError(
                        f"{path.name}:{first}",
                        f"#INCLUDE '{beside}' is no file beside this one.",
                        "copy the files of a mechanism into one folder",
                    )
                if (path.parent / beside).is_file():
                    self.file(path.parent / beside)
                else:
                    self.result.notes.append(f"{path.name}: #INCLUDE {beside} is not there; it is left out")
            case "MODEL":
                model = f"{command[2].strip()}.def"
                if not re.fullmatch(r"[\w.-]+", model) or not (path.parent / model).exists():
                    raise KernelError(
                        f"{path.name}:{first}",
                        f"#MODEL names '{model}', which is not beside this file.",
                        "read that file itself: KPP keeps it in its folder models",
                    )
                self.file(path.parent / model)
            case _:
                self.result.notes.append(f"{path.name}: #{name} has no meaning here")

    def species(self, where: str, entry: str, fixed: bool) -> None:
        name, equals, rest = (part.strip() for part in entry.partition("="))
        if not equals or not re.fullmatch(r"[A-Za-z]\w*", name):
            raise KernelError(where, f"'{entry[:40]}' declares no species.", "write NO2 = N + 2O;")
        atoms: dict[str, float] | None = {}
        for term in rest.split("+"):
            match = _ATOM.fullmatch(term.strip())
            if match is None:
                raise KernelError(
                    where,
                    f"'{' '.join(term.split())[:40]}' of '{name}' is no atom.",
                    "write N + 2O, or IGNORE, and a semicolon behind each species",
                )
            if match[2].upper() == "IGNORE":
                atoms = None
            elif atoms is not None:
                element = match[2].capitalize()
                atoms[element] = atoms.get(element, 0) + float(match[1] or 1)
        if fixed:
            if name in self.fixed:
                raise KernelError(where, f"the species '{name}' is declared twice.", "remove one of them")
            self.fixed[name] = (where, atoms)
        else:
            self.result.declare(Species(name, None, atoms), where)

    def initial(self, where: str, entry: str) -> None:
        name, _, value = (part.strip() for part in entry.partition("="))
        number = rate_expression(value, where) if value else sympy.nan
        if not number.is_number or not number.is_real or not 0 <= float(number) < math.inf:
            raise KernelError(
                where,
                f"the initial value '{value[:40]}' is no number that a concentration has.",
                "write O2 = 1.7E+16;",
            )
        if name.upper() in ("ALL_SPEC", "FIX_SPEC"):  # all of them, whatever was said before
            self.values = {known: self.values[known] for known in ("CFACTOR",) if known in self.values}
            self.others = float(number)
        else:
            self.values[name] = float(number)

    def mechanism(self) -> Mechanism:
        """What the files say together."""
        for name, (where, atoms) in self.fixed.items():
            if name in _AIR:
                value: sympy.Expr = AIR
            elif (number := self.values.get(name, self.others)) is not None:
                value = sympy.Float(number * self.values.get("CFACTOR", 1.0) / MOLECULES)
                if "CFACTOR" in self.values:
                    self.result.notes.append(
                        f"{where}: {name} is {float(value):g} mol m-3 in every cell, whatever the air weighs "
                        "there; CFACTOR in rates is that of the cell's air"
                    )
            else:
                raise KernelError(
                    where,
                    f"the fixed species '{name}' has no concentration.",
                    f"give it in #INITVALUES: {name} = 1.7E+16;",
                )
            self.result.declare(Species(name, value, atoms), where)
        for where, entry in self.equations:
            self.reaction(where, entry)
        return self.result

    def reaction(self, where: str, entry: str) -> None:
        match = _REACTION.fullmatch(entry)
        if match is None:
            raise KernelError(
                where,
                f"'{' '.join(entry.split())[:60]}' is no reaction.",
                "write <R1> NO + O3 = NO2 : 1.8E-12;",
            )
        left, right = _side(match["left"], where), _side(match["right"], where)
        if not sum(left.values()) < math.inf:
            raise KernelError(where, "there are too many molecules on the left side.", "write 2NO")
        rate = rate_expression(match["rate"], where)
        order = int(sum(left.values()))
        rate = rate * sympy.Float(MOLECULES) ** (order - 1) if order != 1 else rate
        self.result.add(left, right, rate, match["name"] or "", where)


def _entries(file: str, body: str, first: int) -> Iterator[tuple[str, str]]:
    """What stands between semicolons, and the line where it begins."""
    at = 0
    for entry in body.split(";"):
        begin = at + len(entry) - len(entry.lstrip())
        if entry.strip():
            where = f"{file}:{first + body.count(chr(10), 0, begin)}"
            if len(entry.strip()) > MOST_LETTERS:
                raise KernelError(
                    where,
                    f"more than {MOST_LETTERS} letters have no semicolon between them.",
                    "end each species, reaction and value with one",
                )
            yield where, entry.strip()
        at += len(entry) + 1


def _without(pattern: re.Pattern[str], text: str, file: str, begins: str, hint: str) -> str:
    """The text with blanks in place of what matches. Raises KernelError for a match that does not end."""

    def blank(match: re.Match[str]) -> str:
        if match["end"] == "":
            line = text.count("\n", 0, match.start()) + 1
            raise KernelError(f"{file}:{line}", f"{begins} here and does not end.", hint)
        return re.sub(r"[^\n]", " ", match[0])

    return pattern.sub(blank, text)


def _side(text: str, where: str) -> dict[str, float]:
    """Species and their numbers; hv is no species, and PROD none that counts."""
    terms: dict[str, float] = {}
    for signed in re.findall(r"[+-]?[^+-]+", text.strip()):
        sign = -1.0 if signed.startswith("-") else 1.0
        match = _TERM.fullmatch(signed.lstrip("+-").strip())
        if match is None:
            raise KernelError(where, f"'{signed.strip()}' is no term of a reaction.", "write 2NO + 0.5O2")
        if match[2].lower() not in ("hv", "prod"):
            terms[match[2]] = terms.get(match[2], 0.0) + sign * float(match[1] or 1)
    return terms


def read_kpp(path: Path) -> Mechanism:
    """The mechanism of a `.def` file, or of an `.eqn` file that has or includes the rest."""
    reader = _Reader(path.stem)
    reader.file(path)
    return reader.mechanism()
