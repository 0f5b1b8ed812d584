#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Pictures of a run of clouds, drawn by PyVista without a screen.

    ./clouds bomex --precision f32 --fields-every 1800 --out results
    python3 examples/clouds/pictures.py results          # --help: all options

Each picture is left out, with the reason, where the run has not what it shows:

    clouds_3d.png  the surface of clouds above the sea, from fields.pvd
    updrafts.png   upward wind at half the height of the inversion, from fields.pvd and series.csv
    series.png     cover, liquid water and kinetic energy of time, from series.csv; bands of comparison.csv
    profiles.png   the last hour of profiles.csv; bands of comparison.csv
"""

from __future__ import annotations

import argparse
import csv
import math
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

SURFACE = 1e-5  # kg/kg of cloud water, and of rain
SEA, HAZE, SKY = (0.10, 0.33, 0.52), (0.80, 0.88, 0.94), (0.25, 0.50, 0.78)  # red, green, blue
WIDTH, HEIGHT = 1200, 675  # of pictures, pixels
INK, BLUE, RED, GREY = "#21262e", "#1a59a6", "#bf381f", "#8a8c90"


class MissingError(Exception):
    """What a picture needs and the run has not."""


# --- Files of a run, read without PyVista -------------------------------------------------------------------


@dataclass(frozen=True)
class Frame:
    """The air at a time (s): an image (.vti) of fields.pvd."""

    time: float
    file: Path


def frames(folder: Path) -> list[Frame]:
    """The images that fields.pvd names. Raises MissingError without it, ValueError where it is damaged."""
    series = folder / "fields.pvd"
    if not series.is_file():
        raise MissingError("it has no fields.pvd: run the program with --fields-every 1800, for example")
    try:
        sets = list(ElementTree.parse(series).iter("DataSet"))
        found = [Frame(float(one.attrib["timestep"]), folder / one.attrib["file"]) for one in sets]
    except (ElementTree.ParseError, KeyError, ValueError) as error:
        raise ValueError(
            f"'{series}' is no list of images of a run ({error}); run the program anew"
        ) from error
    if not found:
        raise ValueError(f"'{series}' names no files; run the program anew")
    for frame in found:
        if not frame.file.is_file():
            raise ValueError(
                f"'{series}' names {frame.file.name}, which is not there; bring it, or run the program anew"
            )
    return found


def frame_at(folder: Path, hour: float | None) -> Frame:
    """The frame that is nearest to a time; the last one without."""
    found = frames(folder)
    return found[-1] if hour is None else min(found, key=lambda frame: abs(frame.time - 3600 * hour))


class Table(dict[str, list[float]]):
    """Columns of a .csv by name; an empty field is NaN. Raises ValueError for a name that is not there."""

    def __init__(self, file: Path, columns: dict[str, list[float]]) -> None:
        super().__init__(columns)
        self._file = file

    def __missing__(self, name: str) -> list[float]:
        raise ValueError(f"'{self._file}' has no column '{name}'; give the --out of a run of clouds")


def table(file: Path) -> Table:
    """Raises MissingError without the file, ValueError where it is damaged."""
    if not file.is_file():
        raise MissingError(f"it has no {file.name}")
    with file.open(encoding="utf-8", newline="") as stream:
        rows = list(csv.reader(stream))
    if len(rows) < 2 or any(len(row) != len(rows[0]) for row in rows):
        raise ValueError(f"'{file}' is not complete; run the program anew")
    try:
        columns = {name: [float(row[n] or "nan") for row in rows[1:]] for n, name in enumerate(rows[0])}
    except ValueError as error:
        raise ValueError(f"'{file}': {error}; run the program anew") from error
    return Table(file, columns)


@dataclass(frozen=True)
class Band:
    """What was published of a quantity: at a height (m; NaN: of none), in a period (h)."""

    height: float
    period: tuple[float, float]
    least: float
    most: float
    source: str


def bands(folder: Path) -> dict[str, list[Band]]:
    """Those of comparison.csv by quantity; nothing where the case has none. Raises ValueError."""
    file = folder / "comparison.csv"
    found: dict[str, list[Band]] = {}
    if not file.is_file():
        return found
    with file.open(encoding="utf-8", newline="") as stream:
        for row in csv.DictReader(stream):
            try:
                quantity, _, period = row["quantity"].partition(", hours ")
                begin, _, end = (period or "0 to inf").partition(" to ")
                band = Band(
                    float(row["height_m"] or "nan"),
                    (float(begin), float(end)),
                    float(row["least"]),
                    float(row["most"]),
                    row["source"],
                )
            except (KeyError, TypeError, ValueError) as error:
                raise ValueError(f"'{file}' is damaged: {error}; run the program anew") from error
            found.setdefault(quantity, []).append(band)
    return found


def value_at(series: Table, name: str, time: float) -> float:
    """That of the sample nearest to a time (s)."""
    times = series["time_s"]
    return series[name][min(range(len(times)), key=lambda n: abs(times[n] - time))]


# --- The air of a frame -------------------------------------------------------------------------------------


class Air:
    """The cells of a frame: arrays with axes z, y, x; lengths in km."""

    def __init__(self, frame: Frame, pyvista: Any) -> None:
        image = pyvista.read(frame.file)
        if image.n_cells == 0 or "wind" not in image.cell_data or "q_c" not in image.cell_data:
            raise ValueError(f"'{frame.file}' has not the cells of a run of clouds; run the program anew")
        self.time = frame.time
        self.cells = tuple(n - 1 for n in image.dimensions)
        self.spacing = tuple(length / 1000 for length in image.spacing)
        self.size = tuple(n * length for n, length in zip(self.cells, self.spacing, strict=True))
        self._data = image.cell_data

    def water(self, name: str) -> Any:
        """Cloud water (q_c) or rain, kg/kg; None in a case without rain."""
        return self._data[name].reshape(self.cells[::-1]) if name in self._data else None

    def upward(self) -> Any:
        """Wind, m/s."""
        return self._data["wind"][:, 2].reshape(self.cells[::-1])

    def about(self) -> str:
        x, y, z = self.size
        cells = " x ".join(str(n) for n in self.cells)
        return f"{cells} cells, {x:.3g} x {y:.3g} x {z:.3g} km, after {self.time / 3600:.3g} h"


def first_cells(cloud: Any, numpy: Any) -> tuple[int, int]:
    """Where a periodic domain is to begin along y and x, so that its sides cut the least cloud."""
    at = []
    for axis in (1, 2):
        across = cloud.sum(axis=tuple({0, 1, 2} - {axis}))
        at.append(int(numpy.argmin(across + numpy.roll(across, 1))))
    return at[0], at[1]


def surface_of(water: Any, first: tuple[int, int], air: Air, pyvista: Any) -> Any:
    """Where there is water (kg/kg; axes z, y, x), closed at the sides, without the steps of cells; km."""
    import numpy

    inside = numpy.pad(numpy.roll(water, (-first[0], -first[1]), axis=(1, 2)), 1)
    origin = tuple(-length / 2 for length in air.spacing)
    image = pyvista.ImageData(dimensions=inside.shape[::-1], spacing=air.spacing, origin=origin)
    image.point_data["water"] = inside.ravel()
    surface = image.contour([SURFACE], scalars="water", method="flying_edges", compute_normals=False)
    if surface.n_points == 0:
        return surface
    return surface.smooth_taubin(n_iter=12, pass_band=0.25).compute_normals(feature_angle=180)


def rulers(air: Air, pyvista: Any) -> tuple[Any, dict[str, tuple[float, float, float]]]:
    """Edges of the domain on the sea, and one upwards with a mark per kilometre; labels with places, km."""
    x, y, z = air.size
    corners = [(0, 0, 0), (x, 0, 0), (x, y, 0), (0, y, 0)]
    lines = [pyvista.Line(a, b) for a, b in zip(corners, corners[1:] + corners[:1], strict=True)]
    lines.append(pyvista.Line((0, 0, 0), (0, 0, z)))
    labels = {f"x: {x:.3g} km": (x / 2, -0.1 * y, 0.0), f"y: {y:.3g} km": (1.02 * x, y / 2, 0.0)}
    for height in range(1, math.floor(z + 1e-9) + 1):
        lines.append(pyvista.Line((0, 0, height), (0.02 * x, 0, height)))
        labels[f"{height} km"] = (0.03 * x, 0, height)
    return pyvista.merge(lines).tube(radius=0.0006 * (x + y)), labels


def in_air(picture: Any, distance: Any, far: float, numpy: Any) -> Any:
    """Colours behind haze; a sky where nothing is drawn. distance: km. far: where haze hides all, km."""
    height = numpy.linspace(1, 0, picture.shape[0])[:, None, None]
    horizon = float(numpy.mean((picture[..., 3] > 0).mean(axis=1) > 0.5))
    rise = numpy.clip((height - horizon) / max(1 - horizon, 1e-6), 0, 1)
    sky = numpy.array(HAZE) + rise * (numpy.array(SKY) - numpy.array(HAZE))
    haze = numpy.nan_to_num(1 - numpy.exp(-((distance / far) ** 4)), nan=0)[..., None]
    near = picture[..., :3] / 255.0
    near = near + haze * (numpy.array(HAZE) - near)
    opacity = picture[..., 3:] / 255.0
    return numpy.uint8(255 * (sky + opacity * (near - sky)) + 0.5)


def draw_clouds(folder: Path, hour: float | None, file: Path) -> None:
    """The surface of clouds over the sea, with a low sun."""
    frame = frame_at(folder, hour)
    pyvista = library()
    import numpy
    from PIL import Image

    air = Air(frame, pyvista)
    cloud, rain = air.water("q_c"), air.water("rain")
    first = first_cells(cloud, numpy)
    surface = surface_of(cloud, first, air, pyvista)
    if surface.n_points == 0:
        raise MissingError(f"there are no clouds after {air.time / 3600:.3g} h; give another --hour")
    x, y, z = air.size
    wide = max(x, y)
    fine = 2  # pixels of the drawing per pixel of the picture
    plotter = pyvista.Plotter(off_screen=True, window_size=(fine * WIDTH, fine * HEIGHT), lighting="none")
    sea = pyvista.Disc(center=(x / 2, y / 2, 0), inner=0, outer=5 * wide, r_res=40, c_res=160)
    plotter.add_mesh(sea, color=SEA, ambient=0.4, diffuse=0.95)
    plotter.add_mesh(surface, color="white", ambient=0.45, diffuse=0.62, smooth_shading=True)
    drops = pyvista.PolyData() if rain is None else surface_of(rain, first, air, pyvista)
    if drops.n_points:
        plotter.add_mesh(drops, color="#6fa3da", ambient=0.45, diffuse=0.6, smooth_shading=True)
    edges, labels = rulers(air, pyvista)
    plotter.add_mesh(edges, color="white", ambient=0.8, diffuse=0.2)
    plotter.add_point_labels(
        list(labels.values()),
        list(labels),
        font_size=fine * 19,
        text_color="white",
        shape=None,
        show_points=False,
        always_visible=True,
    )
    plotter.add_text(
        f"Surface of {1000 * SURFACE:g} g/kg of cloud water{' and rain (blue)' * bool(drops.n_points)}; "
        f"{air.about()}",
        position=(fine * 24, fine * 18),
        font_size=fine * 9,
        color="white",
    )
    sun = pyvista.Light(position=(-0.3 * x, -0.6 * y, 0.95 * wide), focal_point=(x / 2, y / 2, 0))
    sun.positional = False
    plotter.add_light(sun)
    plotter.camera_position = [(1.2 * x, -1.25 * y, 0.55 * wide), (0.47 * x, 0.45 * y, 0.27 * z), (0, 0, 1)]
    plotter.camera.view_angle = min(20 + 19 * z / wide, 60)  # all of a tall domain, too
    plotter.enable_shadows()
    picture = plotter.screenshot(return_img=True, transparent_background=True)
    distance = -plotter.get_image_depth()
    plotter.close()
    whole = in_air(picture, distance, 3.2 * wide, numpy)
    Image.fromarray(whole).resize((WIDTH, HEIGHT), Image.Resampling.LANCZOS).save(file, optimize=True)


# --- Curves and a map ---------------------------------------------------------------------------------------


def figure(width: float, height: float, panels: int, title: str) -> tuple[Any, Any]:
    """Of panels side by side. width, height: inches."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    drawing = Figure(figsize=(width, height), dpi=100, layout="constrained", facecolor="#fbfaf7")
    FigureCanvasAgg(drawing)
    drawing.suptitle(title, color=INK, fontsize=13, fontweight="bold", x=0.02, ha="left")
    axes = drawing.subplots(1, panels, squeeze=False)[0]
    for ax in axes:
        ax.set_facecolor("white")
        ax.tick_params(colors=INK)
        ax.spines[["top", "right"]].set_visible(False)
        ax.grid(color="#e6e6e3", linewidth=0.8)
    return drawing, axes


def draw_updrafts(folder: Path, hour: float | None, file: Path) -> None:
    """Upward wind at half the height of the inversion."""
    frame = frame_at(folder, hour)
    inversion = value_at(table(folder / "series.csv"), "inversion", frame.time)
    if not inversion > 0:
        raise MissingError("its theta_l has no inversion")
    pyvista = library()
    import numpy

    air = Air(frame, pyvista)
    level = min(int(inversion / 2000 / air.spacing[2]), air.cells[2] - 1)
    wind = air.upward()[level]
    strongest = float(numpy.abs(wind).max()) or 1.0
    height = 1000 * (level + 0.5) * air.spacing[2]
    drawing, (ax,) = figure(7.2, 6.6, 1, f"Upward wind at {height:.0f} m, half the height of the inversion")
    ax.set_title(air.about(), color=INK, fontsize=10, loc="left")
    ax.grid(visible=False)
    image = ax.imshow(
        wind,
        origin="lower",
        extent=(0, air.size[0], 0, air.size[1]),
        cmap="RdBu_r",
        vmin=-strongest,
        vmax=strongest,
        interpolation="bilinear",
    )
    ax.set_xlabel("x, km")
    ax.set_ylabel("y, km")
    drawing.colorbar(image, ax=ax, label="m/s", shrink=0.85)
    drawing.savefig(file)


@dataclass(frozen=True)
class Quantity:
    """What a panel shows: columns of a table times a factor, and the name in comparison.csv."""

    title: str
    columns: dict[str, str]  # their label, or none
    factor: float = 1
    published: str = ""


OF_TIME = (
    Quantity("Cloud cover, %", {"cover": ""}, 100, "cover"),
    Quantity("Liquid water path, g/m\u00b2", {"liquid_path": ""}, 1000, "liquid water path"),
    Quantity("Turbulent kinetic energy, kg/s\u00b2", {"kinetic_energy": ""}),
)
OF_HEIGHT = (
    Quantity("theta_l, K", {"theta_l": ""}, 1, "theta_l"),
    Quantity("Total water, g/kg", {"q": ""}, 1000, "total water"),
    Quantity("Area, %", {"cloud": "clouds", "core": "buoyant cores"}, 100, "area of clouds"),
)


def scaled(values: list[float], factor: float) -> list[float]:
    return [factor * value for value in values]


def sources(used: list[Band]) -> str:
    """Where bands are from, each once."""
    return "; ".join(dict.fromkeys(band.source for band in used))


def with_values(columns: Table, quantities: tuple[Quantity, ...], file: Path) -> list[Quantity]:
    """Those that are not zero everywhere, as clouds in dry air are."""
    found = [one for one in quantities if any(value for name in one.columns for value in columns[name])]
    if not found:
        raise MissingError(f"{file.name} has nothing but zeros")
    return found


def finish(drawing: Any, axes: Any, used: list[Band], file: Path) -> None:
    """Legends, sources of bands, and the file."""
    for ax in axes:
        if ax.get_legend_handles_labels()[0]:
            ax.legend(frameon=False, fontsize=9)
    if used:
        drawing.supxlabel(f"Published: {sources(used)}", fontsize=8, color=GREY)
    drawing.savefig(file)


def draw_series(folder: Path, _hour: float | None, file: Path) -> None:
    """Numbers of time, with the spread of seeds, and what was published of a period as a band."""
    series, published = table(folder / "series.csv"), bands(folder)
    shown = with_values(series, OF_TIME, folder / "series.csv")
    library()
    hours = scaled(series["time_s"], 1 / 3600)
    drawing, axes = figure(4 * len(shown), 4, len(shown), "The whole domain over time")
    used: list[Band] = []
    for ax, quantity in zip(axes, shown, strict=True):
        for band in published.get(quantity.published, []):
            used.append(band)
            period = [band.period[0], min(band.period[1], hours[-1])]
            ax.fill_between(period, band.least, band.most, color="#d9dbdd", label="mean, published")
        (name,) = quantity.columns
        values = scaled(series[name], quantity.factor)
        ax.plot(hours, values, color=BLUE, linewidth=1.4)
        if f"{name}_spread" in series:
            around = scaled(series[f"{name}_spread"], quantity.factor)
            low, high = ([v + sign * s for v, s in zip(values, around, strict=True)] for sign in (-1, 1))
            ax.fill_between(hours, low, high, color=BLUE, alpha=0.25, linewidth=0, label="spread of seeds")
        ax.set_title(quantity.title, color=INK, fontsize=11, loc="left")
        ax.set_xlabel("hours")
        ax.set_xlim(hours[0], hours[-1])
        ax.set_ylim(bottom=0)
    finish(drawing, axes, used, file)


def draw_profiles(folder: Path, _hour: float | None, file: Path) -> None:
    """Means of the last hour; what was published at heights as bars of one and two deviations."""
    profiles, published = table(folder / "profiles.csv"), bands(folder)
    shown = with_values(profiles, OF_HEIGHT, folder / "profiles.csv")
    library()
    heights = scaled(profiles["z_m"], 1e-3)
    drawing, axes = figure(4 * len(shown), 5.2, len(shown), "Profiles, means of the last hour")
    used: list[Band] = []
    for ax, quantity in zip(axes, shown, strict=True):
        for n, band in enumerate(published.get(quantity.published, [])):
            used.append(band)
            middle, deviation = (band.least + band.most) / 2, (band.most - band.least) / 4
            for times, colour, name in ((2, "#c3c6c9", "published, 2 deviations"), (1, GREY, "1 deviation")):
                ends = [middle - times * deviation, middle + times * deviation]
                (bar,) = ax.plot(ends, [band.height / 1000] * 2, color=colour, linewidth=6)
                bar.set_solid_capstyle("butt")
                bar.set_label(None if n else name)
        for (name, label), colour in zip(quantity.columns.items(), (BLUE, RED), strict=False):
            (line,) = ax.plot(scaled(profiles[name], quantity.factor), heights, color=colour, linewidth=1.6)
            line.set_label(label or None)
        ax.set_title(quantity.title, color=INK, fontsize=11, loc="left")
        ax.set_ylabel("z, km")
        ax.set_ylim(0, heights[-1] + heights[0])
    finish(drawing, axes, used, file)


DRAWERS: dict[str, Callable[[Path, float | None, Path], None]] = {
    "clouds_3d": draw_clouds,
    "updrafts": draw_updrafts,
    "series": draw_series,
    "profiles": draw_profiles,
}


# --- The program --------------------------------------------------------------------------------------------


def library() -> Any:
    """PyVista. Raises ModuleNotFoundError with what to do without it."""
    try:
        import pyvista
        from vtkmodules.vtkCommonCore import vtkLogger
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(
            f"the Python package '{error.name}' is missing, with which pictures are drawn. Install PyVista: "
            "python3 -m venv drawing && drawing/bin/pip install pyvista, and call drawing/bin/python with "
            "this file"
        ) from error
    vtkLogger.SetStderrVerbosity(vtkLogger.VERBOSITY_ERROR)  # else it warns that there is no screen
    return pyvista


def main(arguments: list[str] | None = None) -> int:
    """Draws; what went wrong as a sentence. Returns 1 where nothing was drawn or a file is damaged."""
    parser = argparse.ArgumentParser(
        description=(__doc__ or "").splitlines()[0],
        epilog="Example: pictures.py results --only clouds_3d --hour 5.5",
    )
    parser.add_argument("folder", type=Path, help="results of a run: its --out")
    parser.add_argument("--to", type=Path, help="folder of the pictures (default: that of the run)")
    parser.add_argument("--only", choices=DRAWERS, nargs="+", default=list(DRAWERS), help="pictures to draw")
    parser.add_argument(
        "--hour", type=float, help="of the air, h: the nearest one is drawn (default: the last)"
    )
    options = parser.parse_args(arguments)
    to = options.to or options.folder
    drawn = 0
    try:
        if not options.folder.is_dir():
            raise ValueError(f"'{options.folder}' is no folder; give the --out of a run")
        to.mkdir(parents=True, exist_ok=True)
        for name in options.only:
            file = to / f"{name}.png"
            try:
                DRAWERS[name](options.folder, options.hour, file)
            except MissingError as reason:
                print(f"left out  {file.name}: of the run in '{options.folder}', {reason}")
                continue
            print(f"written   {file}")
            drawn += 1
    except (OSError, ValueError, ModuleNotFoundError) as error:
        print(f"pictures.py: {error}", file=sys.stderr)
        return 1
    return 0 if drawn else 1


if __name__ == "__main__":
    sys.exit(main())
