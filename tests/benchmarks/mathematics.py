# SPDX-License-Identifier: Apache-2.0
"""Errors and speed of heddle/device/math.hpp: the table of generator/docs/mathematics.md.

python tests/benchmarks/mathematics.py [exp ...] [--floats 1] [--draws 4000000]   (in build/venv)

Speed: loops over 4096 values on one core, ours and the library's in turns, the best of 41 turns each, in time
of the processor. Errors of doubles, and of pow: beside long doubles, for random arguments. Errors of floats:
beside doubles, for each float, or with --floats 101 each 101st.
"""

from __future__ import annotations

import argparse
import ctypes
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

TESTS = Path(__file__).resolve().parents[1] / "generator"
sys.path[:0] = [str(TESTS), str(TESTS / "ir")]

from mathematics import ARGUMENTS, DTYPES, HARD, NUMPY, called, largest_distance, library  # noqa: E402

COUNT, TURNS, WIDTHS = 4096, 41, (512, 256)
TIMED = {
    "cbrt": (-10.0, 10.0), "cos": (-10.0, 10.0), "exp": (-30.0, 30.0), "exp2": (-30.0, 30.0),
    "log": (1e-3, 100.0), "log2": (1e-3, 100.0), "pow": (0.1, 10.0), "sin": (-10.0, 10.0),
    "tanh": (-5.0, 5.0),
}  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("names", nargs="*", help="functions; all of them if none is named")
    parser.add_argument("--floats", type=int, default=1, help="each so-many-th float")
    parser.add_argument("--draws", type=int, default=4_000_000, help="random arguments per range")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        made = {}
        for width in WIDTHS:
            place = Path(folder) / str(width)
            place.mkdir()
            made[width] = library(place, f"-mprefer-vector-width={width}")
        print("| function | error f64 | error f32 | f64, 512 bits | beside libm | f64, 256 bits |", end="")
        print(" f32, 512 bits | beside libm | f32, 256 bits |\n|---|---|---|---|---|---|---|---|---|")
        for name in options.names or ARGUMENTS:
            error = largest_error(made[512], name, 64, options.draws)
            small = (
                largest_distance(made[512], name, options.floats)
                if ARGUMENTS[name] == 1
                else largest_error(made[512], name, 32, options.draws)
            )
            row = [f"`{name}`", f"{error:.2f}", f"{small:.2f}"]
            for bits in (64, 32):
                ours, theirs = times(made[512], name, bits)
                narrow, _ = times(made[256], name, bits)
                row += [f"{ours:.2f}", f"{theirs / ours:.1f} x", f"{narrow:.2f}"]
            print("|", " | ".join(row), "|", flush=True)


def largest_error(functions: ctypes.CDLL, name: str, bits: int, draws: int) -> float:
    """Of random arguments, in units of the last place of the exact value."""
    generator, largest = np.random.default_rng(bits), 0.0
    digits, least = (53, -1021) if bits == 64 else (24, -125)
    for ends in HARD[name]:
        given = [generator.uniform(*ends, draws).astype(DTYPES[bits]) for _ in range(ARGUMENTS[name])]
        with np.errstate(all="ignore"):
            wanted = NUMPY[name](*(array.astype(np.longdouble) for array in given))
            exponent = np.maximum(np.frexp(wanted)[1], least)
            away = np.abs(np.ldexp(called(functions, name, *given) - wanted, digits - exponent))
        largest = max(largest, float(away[np.isfinite(away)].max()))
    return largest


def times(functions: ctypes.CDLL, name: str, bits: int) -> tuple[float, float]:
    """Nanoseconds per value, ours and the library's."""
    generator = np.random.default_rng(1)
    given: list[Any] = [generator.uniform(*TIMED[name], COUNT).astype(DTYPES[bits]) for _ in range(2)]
    arrays = [*given, np.empty_like(given[0])]
    pointers = [ctypes.c_void_p(array.ctypes.data) for array in arrays]
    best = {name: np.inf, f"std_{name}": np.inf}
    for _ in range(TURNS):
        for entry, repeats in ((name, 100), (f"std_{name}", 20)):
            begin = time.process_time()
            getattr(functions, f"{entry}_{bits}")(*pointers, ctypes.c_long(COUNT), repeats)
            best[entry] = min(best[entry], (time.process_time() - begin) / repeats / COUNT * 1e9)
    return best[name], best[f"std_{name}"]


if __name__ == "__main__":
    main()
