# SPDX-License-Identifier: Apache-2.0
"""What the public C++ headers declare: Doxygen says what is public and where it stands, and its warnings are
errors; comment and declaration are then taken from the header, as somebody wrote them."""

from __future__ import annotations

import re
import subprocess
import tempfile
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

INCLUDE = Path(__file__).resolve().parents[3] / "runtime/include"
SETTINGS = """
INPUT = {include}/heddle
STRIP_FROM_PATH = {include}
OUTPUT_DIRECTORY = {out}
FILE_PATTERNS = *.hpp *.h *.cuh
EXTENSION_MAPPING = cuh=C++
RECURSIVE = YES
GENERATE_HTML = NO
GENERATE_LATEX = NO
GENERATE_XML = YES
XML_PROGRAMLISTING = NO
HAVE_DOT = NO
INCLUDE_GRAPH = NO
INCLUDED_BY_GRAPH = NO
QUIET = YES
WARN_IF_UNDOCUMENTED = NO
WARN_AS_ERROR = FAIL_ON_WARNINGS
"""
END = re.compile(r"[;{}:]\s*(//.*)?$")
SHOWN = {"class", "struct", "union"}


@dataclass
class Declared:
    """A name of a header: its place, its comment, its declaration without a body, and its public members."""

    name: str
    line: int
    comment: str
    declaration: str
    members: list[Declared] = field(default_factory=list)

    def text(self) -> str:
        own = self.comment + self.declaration + "\n"
        return own + "".join("\n" * bool(member.comment) + member.text() for member in self.members)


@cache
def headers() -> dict[str, list[Declared]]:
    """The public declarations of each header, by its path below runtime/include, in their order. Raises
    RuntimeError with what Doxygen says where it warns."""
    with tempfile.TemporaryDirectory() as folder:
        settings = SETTINGS.format(include=INCLUDE, out=folder)
        done = subprocess.run(["doxygen", "-"], input=settings, text=True, capture_output=True, check=False)
        if done.returncode != 0:
            raise RuntimeError(f"Doxygen warns:\n{done.stderr}")
        return _read(Path(folder) / "xml")


def _read(folder: Path) -> dict[str, list[Declared]]:
    sources = {str(path.relative_to(INCLUDE)): path.read_text().splitlines() for path in _files()}
    found: dict[str, dict[int, Declared]] = {name: {} for name in sources}
    compounds = [tree.find("compounddef") for tree in map(ElementTree.parse, sorted(folder.glob("*.xml")))]
    for compound in compounds:
        if compound is None:
            continue
        name, kind = compound.findtext("compoundname", ""), compound.get("kind")
        hidden = "detail" in name or "@" in name or (kind in SHOWN and compound.get("prot") != "public")
        if hidden or kind not in SHOWN | {"namespace", "file"}:
            continue
        members = [d for member in compound.iter("memberdef") if (d := _member(member, sources)) is not None]
        if kind in SHOWN:
            place = compound.find("location")
            if place is None or place.get("file") not in sources:
                continue
            own = _declared(name, sources[place.get("file", "")], int(place.get("line", "0")))
            own.members = [declared for _, declared in sorted({d.line: d for _, d in members}.items())]
            found[place.get("file", "")][own.line] = own
        else:
            for file, declared in members:
                found[file].setdefault(declared.line, declared)
    return {file: [declared for _, declared in sorted(at.items())] for file, at in found.items()}


def _files() -> Iterator[Path]:
    return (
        path for path in sorted((INCLUDE / "heddle").rglob("*.*")) if path.suffix in {".hpp", ".h", ".cuh"}
    )


def _member(member: ElementTree.Element, sources: dict[str, list[str]]) -> tuple[str, Declared] | None:
    place = member.find("location")
    file = "" if place is None else place.get("file", "")
    name = member.findtext("name", "")
    if (
        place is None
        or file not in sources
        or member.get("prot") != "public"
        or member.get("kind") == "friend"
    ):
        return None
    declared = _declared(name, sources[file], int(place.get("line", "0")))
    plain = name.startswith("~") or re.search(r"= (delete|default)", declared.declaration)
    if not declared.comment and (plain or member.get("kind") == "define"):
        return None
    return file, declared


def _declared(name: str, lines: list[str], line: int) -> Declared:
    """What stands at a line, counted from 1, which may be the second one of a declaration."""
    first = line - 1
    while first > 0 and (above := lines[first - 1].strip()) and not above.startswith(("//", "#", "/*", "*")):
        if END.search(above):
            break
        first -= 1
    begin = first
    if begin > 0 and lines[begin - 1].rstrip().endswith("*/"):  # a header of C
        while not lines[begin - 1].lstrip().startswith("/*"):
            begin -= 1
        begin -= 1
    while begin > 0 and lines[begin - 1].lstrip().startswith("///"):
        begin -= 1
    comment = "".join(f"{text}\n" for text in lines[begin:first])
    return Declared(name, begin + 1, comment, _without_body(lines[first:]))


def _without_body(lines: list[str]) -> str:
    """A declaration up to its end or its body. Numbers and names in braces, as of an enum, are no body."""
    taken: list[str] = []
    for text in lines:
        taken.append(text)
        if re.search(r"[;{]|\)[\w ]* : ", text):
            break
    whole = "\n".join(taken)
    if (
        re.match(r"\s*(enum|using|struct \w+ \{.*\};)", whole) and "};" in whole
    ) or whole.lstrip().startswith("#"):
        return whole
    if re.match(r"\s*enum", whole):
        rest = lines[len(taken) :]
        end = next(i for i, text in enumerate(rest) if "};" in text)
        return "\n".join([*taken, *rest[: end + 1]])
    if re.search(r"^[^(]*\w\{[^{}]*\}\s*;|=.*;", whole) and "(" not in whole.partition("=")[0]:
        return whole
    end = r"\s*(?:\{|;|(?<=[)\w]) : )" if "(" in whole else r"\s*[{;]"
    return re.split(end, whole, maxsplit=1)[0] + ";"
