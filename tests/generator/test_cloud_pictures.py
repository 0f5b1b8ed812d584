# SPDX-License-Identifier: Apache-2.0
"""examples/clouds/pictures.py: what it reads and refuses, and with PyVista the pictures of a tiny run."""

from __future__ import annotations

import importlib
import struct
import sys
from importlib.util import find_spec
from math import isnan
from pathlib import Path
from types import ModuleType

import pytest

EXAMPLE = Path(__file__).resolve().parents[2] / "examples/clouds"
N = 16  # cells along each axis, 100 x 100 x 50 m


@pytest.fixture
def pictures(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(EXAMPLE))
    return importlib.import_module("pictures")


def series_file(folder: Path, *entries: tuple[str, str]) -> Path:
    """fields.pvd with times and names of files, as the program writes it."""
    lines = [f'    <DataSet timestep="{time}" group="" part="0" file="{file}"/>\n' for time, file in entries]
    head = '<?xml version="1.0"?>\n<!-- clouds bomex -->\n<VTKFile type="Collection">\n  <Collection>\n'
    file = folder / "fields.pvd"
    file.write_text(head + "".join(lines) + "  </Collection>\n</VTKFile>\n", encoding="utf-8")
    return file


def image_file(file: Path) -> None:
    """A round cloud in air that rises within it, and a shaft of rain, as the program writes it."""
    wind, cloud, rain = [], [], []
    for z in range(N):
        for y in range(N):
            for x in range(N):
                along = min((x - 2) % N, (2 - x) % N)  # through the side x = 0
                inside = along**2 + (y - 8) ** 2 + (z - 8) ** 2 < 16
                wind += [1.0, 0.0, 2.0 if inside else -0.1]
                cloud.append(1e-3 if inside else 0.0)
                rain.append(1e-4 if z < 8 and along**2 + (y - 8) ** 2 < 9 else 0.0)
    arrays = {"wind": (3, wind), "theta_l": (1, [300.0] * N**3), "q": (1, [0.01] * N**3), "q_c": (1, cloud)}
    arrays["rain"] = (1, rain)
    text, data = "", b""
    for name, (components, values) in arrays.items():
        text += f'<DataArray type="Float32" Name="{name}" NumberOfComponents="{components}" '
        text += f'format="appended" offset="{len(data)}"/>\n'
        data += struct.pack(f"<Q{len(values)}f", 4 * len(values), *values)
    extent = f"0 {N} 0 {N} 0 {N}"
    head = '<?xml version="1.0"?>\n<VTKFile type="ImageData" version="1.0" byte_order="LittleEndian" '
    head += f'header_type="UInt64">\n<ImageData WholeExtent="{extent}" Origin="0 0 0" Spacing="100 100 50">\n'
    head += f'<Piece Extent="{extent}">\n<CellData>\n{text}</CellData>\n</Piece>\n</ImageData>\n'
    end = b"\n</AppendedData>\n</VTKFile>\n"
    file.write_bytes(head.encode() + b'<AppendedData encoding="raw">\n_' + data + end)


def run(folder: Path) -> Path:
    """Results of a tiny run, with clouds at its second time."""
    series_file(folder, ("0", "fields_00000000.vti"), ("3600", "fields_00000001.vti"))
    for n in (0, 1):
        image_file(folder / f"fields_{n:08}.vti")
    (folder / "series.csv").write_text(
        "time_s,cover,liquid_path,kinetic_energy,inversion,cover_spread\n"
        "0,0,0,0,400,0\n3600,0.2,0.01,50,800,0.05\n"
    )
    (folder / "profiles.csv").write_text(
        "z_m,theta_l,q,cloud,core,cloud_w\n25,299,0.01,0,0,\n75,300,0.011,0.1,0.05,2\n"
    )
    (folder / "comparison.csv").write_text(
        "quantity,height_m,units,value,least,most,source\n"
        '"theta_l, hours 5 to 6",50,K,299,298,301,"a paper"\n"cover, hours 3 to 6",,%,10,8,17,"another"\n'
    )
    return folder


def test_frames_are_those_of_the_series(pictures: ModuleType, tmp_path: Path) -> None:
    run(tmp_path)
    found = pictures.frames(tmp_path)
    assert [(frame.time, frame.file.name) for frame in found] == [
        (0, "fields_00000000.vti"),
        (3600, "fields_00000001.vti"),
    ]
    assert pictures.frame_at(tmp_path, None) == found[1]
    assert pictures.frame_at(tmp_path, 0.4) == found[0]
    assert pictures.frame_at(tmp_path, 0.6) == found[1]


def test_tables_and_bands(pictures: ModuleType, tmp_path: Path) -> None:
    run(tmp_path)
    series, profiles = pictures.table(tmp_path / "series.csv"), pictures.table(tmp_path / "profiles.csv")
    assert pictures.value_at(series, "inversion", 3000) == 800
    assert isnan(profiles["cloud_w"][0])
    bands = pictures.bands(tmp_path)
    assert bands["theta_l"] == [pictures.Band(50, (5, 6), 298, 301, "a paper")]
    assert isnan(bands["cover"][0].height)
    assert bands["cover"][0].period == (3, 6)
    assert pictures.bands(tmp_path / "none") == {}


def test_refuses_what_is_no_run(
    pictures: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def refused(message: str, *arguments: str) -> None:
        assert pictures.main([str(tmp_path), *arguments]) == 1
        told = capsys.readouterr()
        assert message in told.out + told.err

    assert pictures.main([str(tmp_path / "none")]) == 1
    assert "is no folder" in capsys.readouterr().err
    refused("it has no fields.pvd: run the program with --fields-every", "--only", "clouds_3d")
    refused("left out  profiles.png: of the run in", "--only", "profiles")
    series_file(tmp_path, ("0", "fields_00000000.vti"))
    refused("names fields_00000000.vti, which is not there", "--only", "clouds_3d")
    series_file(tmp_path)
    refused("names no files", "--only", "updrafts")
    series_file(tmp_path, ("noon", "fields_00000000.vti"))
    refused("is no list of images", "--only", "clouds_3d")
    (tmp_path / "fields.pvd").write_text("<VTKFile>")
    refused("is no list of images", "--only", "clouds_3d")
    (tmp_path / "series.csv").write_text("time_s,cover\n0\n")
    refused("is not complete", "--only", "series")
    (tmp_path / "series.csv").write_text("time_s,cover\n0,much\n")
    refused("could not convert", "--only", "series")
    (tmp_path / "series.csv").write_text("time_s,cover\n0,0\n60,0\n")
    refused("has no column 'liquid_path'", "--only", "series")
    (tmp_path / "series.csv").write_text("time_s,cover,liquid_path,kinetic_energy\n0,0,0,0\n60,0,0,0\n")
    (tmp_path / "comparison.csv").write_text("quantity,least\ncover,8\n")
    refused("comparison.csv' is damaged", "--only", "series")
    (tmp_path / "comparison.csv").unlink()
    refused("series.csv has nothing but zeros", "--only", "series")


@pytest.mark.parametrize("name", ["clouds_3d", "updrafts", "series", "profiles"])
def test_says_what_to_install(
    pictures: ModuleType,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    name: str,
) -> None:
    monkeypatch.setitem(sys.modules, "pyvista", None)
    assert pictures.main([str(run(tmp_path)), "--only", name]) == 1
    message = capsys.readouterr().err
    assert "the Python package 'pyvista' is missing" in message
    assert "pip install pyvista" in message
    assert not list(tmp_path.glob("*.png"))


def share_of_cloud(file: Path) -> tuple[float, int]:
    """The share of pixels that are white or grey, as clouds are; the number of colours."""
    import numpy
    from PIL import Image

    image = numpy.asarray(Image.open(file).convert("RGB"))
    grey = (image.min(axis=2) > 150) & (numpy.ptp(image.astype(int), axis=2) < 12)
    return float(grey.mean()), len(numpy.unique(image.reshape(-1, 3), axis=0))


@pytest.mark.skipif(find_spec("numpy") is None or find_spec("PIL") is None, reason="NumPy or Pillow missing")
def test_the_picture_of_the_readme_shows_clouds(tmp_path: Path) -> None:
    from PIL import Image

    share, colours = share_of_cloud(EXAMPLE / "clouds_3d.png")
    assert 0.05 < share < 0.4
    assert colours > 1000
    Image.new("RGB", (60, 40), (40, 90, 140)).save(tmp_path / "sea.png")
    assert share_of_cloud(tmp_path / "sea.png") == (0, 1)


@pytest.mark.skipif(find_spec("pyvista") is None, reason="PyVista is not installed")
def test_draws_a_tiny_run(pictures: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert pictures.main([str(run(tmp_path)), "--to", str(tmp_path / "drawn")]) == 0, capsys.readouterr().err
    colours = {}
    for name in ("clouds_3d", "updrafts", "series", "profiles"):
        share, colours[name] = share_of_cloud(tmp_path / "drawn" / f"{name}.png")
        if name == "clouds_3d":
            assert 0.05 < share < 0.4
    assert colours["clouds_3d"] > 1000, colours
    assert min(colours.values()) > 50, colours


@pytest.mark.skipif(find_spec("pyvista") is None, reason="PyVista is not installed")
def test_surface_is_where_the_cloud_is(pictures: ModuleType, tmp_path: Path) -> None:
    import numpy

    pyvista = pictures.library()
    air = pictures.Air(pictures.frame_at(run(tmp_path), None), pyvista)
    assert air.size == pytest.approx((1.6, 1.6, 0.8))
    assert air.upward()[8, 8, 2] == 2
    cloud = air.water("q_c")
    first = pictures.first_cells(cloud, numpy)
    surface = pictures.surface_of(cloud, first, air, pyvista)
    rain = pictures.surface_of(air.water("rain"), first, air, pyvista)
    assert rain.bounds[5] == pytest.approx(0.4, abs=0.05)  # its top is the middle of the cloud
    assert rain.center[0] == pytest.approx(surface.center[0], abs=0.05)
    assert air.water("snow") is None
    assert surface.n_open_edges == 0
    assert len(surface.split_bodies()) == 1  # not cut in two by a side
    volume = 4 / 3 * 3.141592653589793 * 0.4 * 0.4 * 0.2  # km3, but for the cells at its rim
    assert surface.volume == pytest.approx(volume, rel=0.6)
    assert surface.bounds[5] - surface.bounds[4] == pytest.approx(0.4, abs=0.1)
