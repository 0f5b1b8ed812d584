# SPDX-License-Identifier: Apache-2.0
"""The table of a scheme for the Common Community Physics Package says what its routine declares.

The table's form: NCAR/ccpp-doc, CompliantPhysicsParams.rst (75f0609, 8 August 2025). Names and units:
ESCOMP/CCPPStandardNames, standard_names.xml (0e5ae18, 13 February 2025); one name that it lacks is of the CF
conventions. A scheme of the same kind: ESCOMP/atmospheric_physics, kessler.meta (b0cb412, 5 August 2026).
"""

from __future__ import annotations

import re
from pathlib import Path

FOLDER = Path(__file__).resolve().parents[3] / "runtime" / "fortran"
SCHEME = "heddle_wsm3_ccpp"
NEEDED = ["standard_name", "long_name", "units", "dimensions", "type", "intent"]
UNITS = {
    "horizontal_loop_extent": "count",
    "vertical_layer_dimension": "count",
    "timestep_for_physics": "s",
    "air_potential_temperature": "K",
    "water_vapor_mixing_ratio_wrt_dry_air": "kg kg-1",
    "cloud_liquid_water_mixing_ratio_wrt_dry_air": "kg kg-1",
    "rain_mixing_ratio_wrt_dry_air": "kg kg-1",
    "upward_air_velocity": "m s-1",  # CF
    "dry_air_density": "kg m-3",
    "dimensionless_exner_function": "1",
    "air_pressure": "Pa",
    "geopotential_height_wrt_surface_at_interfaces": "m",
    "total_precipitation_rate_at_surface": "m s-1",
    "lwe_snowfall_rate": "mm s-1",
    "ccpp_error_message": "none",
    "ccpp_error_code": "1",
}
"""Each argument's standard name, in their order, and its units."""


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
    for kind, intent, entities in re.findall(r"^ *([\w()=*]+), intent\((\w+)\) :: (.+)$", body, re.MULTILINE):
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
        "character(len=*)": "character | kind = len=*",
    }
    for name, (kind, intent, rank) in routine.items():
        row = arguments[name]
        water = row["standard_name"].endswith("_mixing_ratio_wrt_dry_air")
        assert list(row) == NEEDED + ["advected"] * water, name
        assert row.get("advected", "True") == "True", name
        assert (row["type"], row["intent"]) == (kinds[kind], intent), name
        levels = "interface" if row["standard_name"].endswith("_at_interfaces") else "layer"
        axes = ["horizontal_loop_extent", f"vertical_{levels}_dimension"][:rank]
        assert row["dimensions"] == f"({', '.join(axes)})", name
    found = [(row["standard_name"], row["units"]) for row in arguments.values()]
    assert found == list(UNITS.items())


def test_the_routine_points_to_its_table() -> None:
    text = (FOLDER / f"{SCHEME}.f90").read_text()
    marker = (
        rf"!> \\section arg_table_{SCHEME}_run +Argument Table\n *!! \\htmlinclude {SCHEME}_run.html\n *!!\n"
    )
    assert re.search(marker + rf" *subroutine {SCHEME}_run\(", text)
