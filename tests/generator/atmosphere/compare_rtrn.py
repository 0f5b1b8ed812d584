# SPDX-License-Identifier: Apache-2.0
"""By hand: the longwave kernels against columns that the routine `rtrn` of WRF has computed.

    PYTHONPATH=generator:tests/generator python tests/generator/atmosphere/compare_rtrn.py rtrn.npz

The file holds what the routine read and wrote, under its names for these. Prints the largest differences of
fluxes and heating rates, in parts of the largest value of each, and in parts of each value.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from atmosphere.columns_of_radiation import Arrays, Kernels
from heddle import Module, Schedule, Threads
from heddle.atmosphere import longwave


def module() -> Module:
    schedule = Schedule(math="reproducible", gpu=Threads(block=(160, 1, 1)))
    result = Module("longwave", precisions=("f64", "f32"))
    result.add("table", longwave.fluxes(), schedule=schedule)
    result.add("index", longwave.fluxes("index"), schedule=schedule)
    result.add("heating", longwave.heating())
    return result


def kernel_arrays(data: Any, dtype: Any) -> tuple[Arrays, Arrays]:
    """The fluxes on all faces, to be written, and what the kernels take: what `rtrn` read, whose axes are
    (column, layer, g-point), with theirs."""
    columns, layers, g_points = data["itr"].shape

    def per_g_point(name: str, kind: Any) -> Any:
        return np.ascontiguousarray(data[name], kind).transpose(2, 0, 1)

    def per_layer(name: str) -> Any:
        """One value per row along x, which has stride 0; of faces, the last lies beyond the layers."""
        values = np.ascontiguousarray(data[name], dtype)
        return np.broadcast_to(values, (g_points, *values.shape))[:, :, :layers]

    def per_column(values: Any) -> Any:
        values = np.ascontiguousarray(values, dtype)
        return np.broadcast_to(values, (g_points, *values.shape))

    def repeated(values: Any) -> Any:
        """One value per row along x to be written."""
        return np.lib.stride_tricks.as_strided(values, (g_points, *values.shape), (0, *values.strides))

    tables = longwave.transmission_tables()
    names = ("table_depth", "table_source", "table_passed")
    arrays: Arrays = {name: np.array(values, dtype) for name, values in zip(names, tables, strict=True)}
    faces = {
        name: np.zeros((columns, layers + 1), dtype) for name in ("down", "up", "down_clear", "up_clear")
    }
    arrays |= {name: repeated(values[:, :layers]) for name, values in faces.items()}
    arrays |= {
        name: repeated(faces[face][:, layers])
        for name, face in (("outgoing", "up"), ("outgoing_clear", "up_clear"))
    }
    return faces, arrays | {
        "index": per_g_point("itr", np.int32),
        "fraction": per_g_point("pfrac", dtype),
        "temperature": per_layer("tavel"),
        "face_temperature": per_layer("tz"),
        "cloud": per_layer("cldfrac"),
        "cloud_depth": per_layer("taucloud"),
        "ground_temperature": per_column(data["tbound"]),
        "emissivity": per_column(data["semiss"]),
        "band": np.ascontiguousarray(data["ngb"] - 1, np.int32),
        "planck": np.ascontiguousarray(data["totplnk"], dtype).ravel(),
        "width": data["delwave"].astype(dtype),
    }


def heated(kernels: Kernels, faces: Arrays, pressure: Any, precision: str, kind: str = "") -> Any:
    """Heating rates of the fluxes in some arrays."""
    layers = pressure.shape[1] - 1
    rates = np.zeros((pressure.shape[0], layers), pressure.dtype)
    given = {
        "flux_down": faces[f"down{kind}"][:, :layers],
        "flux_up": faces[f"up{kind}"][:, :layers],
        "pressure_face": pressure[:, :layers],
        "heating_rate": rates,
    }
    kernels("heating", given, precision)
    return rates


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])  # type: ignore[union-attr]
    parser.add_argument("file", type=Path)
    data = np.load(parser.parse_args().file)
    with tempfile.TemporaryDirectory() as folder:
        kernels = Kernels(Path(folder), module())
        for precision, dtype in (("f64", np.float64), ("f32", np.float32)):
            for name in ("table", "index"):
                faces, arrays = kernel_arrays(data, dtype)
                kernels(name, arrays, precision)
                pressure = np.ascontiguousarray(data["pz"], dtype)
                found = {"dn": faces["down"], "up": faces["up"]}
                for what, kind in (("htr", ""), ("htrc", "_clear")):
                    found[what] = heated(kernels, faces, pressure, precision, kind)
                for what, values in found.items():
                    expected = data[f"{what}_{precision}"][:, : values.shape[1]]
                    worst = np.abs(values - expected).max() / np.abs(expected).max()
                    some = expected != 0
                    each = np.abs(values[some] / expected[some] - 1).max()
                    print(f"{precision} {name} {what:4}: {worst:.1e} of the largest, {each:.1e} of each")


if __name__ == "__main__":
    main()
