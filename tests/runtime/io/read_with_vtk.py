# SPDX-License-Identifier: Apache-2.0
"""Reads the files of write_sample with VTK's own XML readers and compares every value."""

from __future__ import annotations

import math
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from typing import Any

import vtk

CELLS = (11, 7, 5)
ORIGIN = (100.5, -20.0, 3.0)
SPACING = (74.6, 92.5, 0.1)


def value(x: int, y: int, z: int, c: int) -> float:
    return x + 0.01 * y + 0.0001 * z + 1000.0 * c


def listed(x: int, y: int, z: int) -> bool:
    return (x + 2 * y + 3 * z) % 5 != 0


def read(path: Path) -> Any:
    """The image of a .vti or .pvti; a warning or an error of VTK fails the test."""
    reader = vtk.vtkXMLImageDataReader() if path.suffix == ".vti" else vtk.vtkXMLPImageDataReader()
    complaints: list[str] = []
    for event in ("ErrorEvent", "WarningEvent"):
        reader.AddObserver(event, lambda _caller, name: complaints.append(name))
    reader.SetFileName(str(path))
    reader.Update()
    assert not complaints, f"{path.name}: VTK complains"
    image = reader.GetOutput()
    assert image.GetDimensions() == tuple(n + 1 for n in CELLS), f"{path.name}: {image.GetDimensions()}"
    assert image.GetOrigin() == ORIGIN, f"{path.name}: {image.GetOrigin()}"
    assert image.GetSpacing() == SPACING, f"{path.name}: {image.GetSpacing()}"
    return image


def close(a: float, b: float, relative: float) -> bool:
    return abs(a - b) <= relative * abs(b)


def check_fields(path: Path, factor: float, blocks: int) -> int:
    data = read(path).GetCellData()
    velocity = data.GetArray("velocity")
    density = data.GetArray('rho <&">')
    block = data.GetArray("block")
    assert velocity.GetNumberOfComponents() == 3
    assert velocity.GetDataTypeAsString() == "double"
    assert density.GetNumberOfComponents() == 1
    assert density.GetDataTypeAsString() == "float"
    assert block.GetDataTypeAsString() == "int"
    seen = set()
    i = 0
    for z in range(CELLS[2]):
        for y in range(CELLS[1]):
            for x in range(CELLS[0]):
                for c in range(3):
                    found = velocity.GetComponent(i, c)
                    assert close(found, factor * value(x, y, z, c), 1e-15), (x, y, z, c)
                assert close(density.GetValue(i), value(x, y, z, 1), 1e-7), (x, y, z)
                seen.add(block.GetValue(i))
                i += 1
    assert i == velocity.GetNumberOfTuples()
    assert seen == set(range(blocks)), seen
    return 5 * i


def check_list(path: Path) -> int:
    array = read(path).GetCellData().GetArray("sparse")
    i = 0
    for z in range(CELLS[2]):
        for y in range(CELLS[1]):
            for x in range(CELLS[0]):
                for c in range(2):
                    found = array.GetComponent(i, c)
                    expected = value(x, y, z, c)
                    right = close(found, expected, 1e-15) if listed(x, y, z) else math.isnan(found)
                    assert right, (x, y, z, c)
                i += 1
    return 2 * i


def check_blocks(path: Path, blocks: int) -> int:
    """A .vtm whose blocks cover the lower cells of the domain only."""
    reader = vtk.vtkXMLMultiBlockDataReader()
    reader.SetFileName(str(path))
    reader.Update()
    tree = reader.GetOutput()
    assert tree.GetNumberOfBlocks() == blocks, tree.GetNumberOfBlocks()
    compared = 0
    cells = set()
    for b in range(blocks):
        image = tree.GetBlock(b)
        array = image.GetCellData().GetArray("velocity")
        assert image.GetOrigin() == ORIGIN
        assert image.GetSpacing() == SPACING
        x0, x1, y0, y1, z0, z1 = image.GetExtent()
        i = 0
        for z in range(z0, z1):
            for y in range(y0, y1):
                for x in range(x0, x1):
                    for c in range(3):
                        assert close(array.GetComponent(i, c), value(x, y, z, c), 1e-15), (x, y, z, c)
                    cells.add((x, y, z))
                    i += 1
        compared += 3 * i
    assert len(cells) == 11 * 7 * 2, len(cells)
    return compared


def series(path: Path) -> dict[float, str]:
    sets = ElementTree.parse(path).getroot().iter("DataSet")
    return {float(entry.attrib["timestep"]): entry.attrib["file"] for entry in sets}


def main() -> int:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        subprocess.run([sys.argv[1], str(folder)], check=True)
        assert series(folder / "one.pvd") == {0.0: "one_00000000.vti", 0.1: "one_00000025.vti"}
        assert series(folder / "many.pvd") == {0.0: "many_00000000.pvti", 0.1: "many_00000025.pvti"}
        assert series(folder / "list.pvd") == {1.5: "list_00000003.vti"}
        compared = 0
        for sample, blocks in (("one", 1), ("many", 12)):
            for time, file in series(folder / f"{sample}.pvd").items():
                compared += check_fields(folder / file, 1.0 if time == 0.0 else 2.0, blocks)
        assert series(folder / "shared.pvd") == {0.0: "shared_00000000.pvti"}
        compared += check_fields(folder / "shared_00000000.pvti", 1.0, 12)
        assert series(folder / "holes.pvd") == {0.0: "holes_00000000.vtm"}
        compared += check_blocks(folder / "holes_00000000.vtm", 6)
        compared += check_list(folder / "list_00000003.vti")
        compared += check_list(folder / "merged_00000003.pvti")
        left = [entry.name for entry in folder.iterdir() if "partial" in entry.name]
        assert not left, left
    print(f"{compared} values agree, VTK {vtk.vtkVersion.GetVTKVersion()}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
