# SPDX-License-Identifier: Apache-2.0
"""The table of a scheme for the Common Community Physics Package says what its routine declares. The table's
form: https://ccpp-techdoc.readthedocs.io, chapter 2."""

from __future__ import annotations

import re
from pathlib import Path

FOLDER = Path(__file__).resolve().parents[3] / "runtime" / "fortran"
SCHEME = "heddle_wsm3_ccpp"
NEEDED = ["standard_name", "long_name", "units", "dimensions", "type", "intent"]


def tables() -> tuple[dict[str, str], dict[str, dict[str, str]]]:
    """The properties, and the arguments in their order."""
    sections: list[tuple[str, dict[str, str]]] = []
    for line in (FOLDER / f"{SCHEME}.meta").read_text().splitlines():
        if head := re.fullmatch(r"\[ ?([\w-]+) ?\]", line):
            sections.append((head[1], {}))
        elif " = " in line and not line.startswith("#"):
            key, value = line.strip().split(" = ", 1)
            sections[-1][1][key] = value
    (first, properties), (second, table), *arguments = sections
    assert (first, second) == ("ccpp-table-properties", "ccpp-arg-table")
    assert table == {"name": f"{SCHEME}_run", "type": "scheme"}
    return properties, dict(arguments)


def declared() -> dict[str, tuple[str, str, int]]:
    """Type, intent and rank of the arguments of the routine, in their order."""
    text = (FOLDER / f"{SCHEME}.f90").read_text()
    head = re.search(rf"subroutine {SCHEME}_run\(([^)]*)\)", text)
    assert head
    names = re.findall(r"\w+", head[1])
    body = text[head.end() : text.index("end subroutine")]
    found = {}
    for kind, intent, entities in re.findall(r"^ *([\w()=]+), intent\((\w+)\) :: (.+)$", body, re.MULTILINE):
        for name, shape in re.findall(r"(\w+)(\([^)]*\))?", entities):
            found[name] = (kind, intent, shape.count(":"))
    return {name: found[name] for name in names}


def test_the_table_is_that_of_the_routine() -> None:
    properties, arguments = tables()
    assert properties["name"] == SCHEME
    assert properties["type"] == "scheme"
    routine = declared()
    assert list(arguments) == list(routine)
    kinds = {
        "integer": "integer",
        "real(kind_phys)": "real | kind = kind_phys",
        "character(len=512)": "character | kind = len=512",
    }
    for name, (kind, intent, rank) in routine.items():
        row = arguments[name]
        assert list(row) == NEEDED, name
        assert (row["type"], row["intent"]) == (kinds[kind], intent), name
        axes = ["horizontal_loop_extent", "vertical_layer_dimension"][:rank]
        assert row["dimensions"] == f"({', '.join(axes)})", name
    names = [row["standard_name"] for row in arguments.values()]
    assert len(set(names)) == len(names)
    assert names[-2:] == ["ccpp_error_message", "ccpp_error_code"]


def test_the_routine_points_to_its_table() -> None:
    text = (FOLDER / f"{SCHEME}.f90").read_text()
    marker = rf"!> \\section arg_table_{SCHEME}_run +Argument Table\n *!! \\htmlinclude {SCHEME}_run.html\n"
    assert re.search(marker + rf" *subroutine {SCHEME}_run\(", text)
