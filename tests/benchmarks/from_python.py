# SPDX-License-Identifier: Apache-2.0
"""D3Q19 BGK on a GPU, called from Python with arrays of CuPy and of PyTorch: the kernels that heddle-bench
times as `lbm/d3q19/bgk/.../dense/.../cuda`, on the same sizes. Run both on one machine and compare.

python tests/benchmarks/from_python.py [--edge 384] [--rounds 21] [--bench build/release/bin/heddle-bench]
                                       [--blocks]

Needs a GPU, nvcc, and CuPy or PyTorch. `plain` arrays are of the shape (19, n + 2, n + 2, n + 2), the others
are those of heddle.zeros. A round is two steps between two events; printed is the median of all rounds. With
--bench the rows of heddle-bench are timed before and after, and each line ends with its ratio to the mean of
both. --blocks: instead, on interleaved blocks of a periodic box, vectors of 16 bytes: the kernels alone, and
with what heddle.Domain exchanges.
"""

from __future__ import annotations

import argparse
import importlib
import json
import statistics
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import heddle
from heddle import Domain, Interleaved, Module, Schedule, lbm

MODEL = Path(__file__).resolve().parent / "models/model.py"
POPULATIONS = 19
OMEGA = 1.2
NAMES = {"float32": "f32", "float64": "f64"}


class CuPy:
    options: Mapping[str, str] = {}

    def __init__(self, cupy: Any) -> None:
        self.library = cupy

    def filled(self, shape: tuple[int, ...], dtype: str) -> Any:
        return self.library.random.default_rng(1).random(shape, dtype=dtype) * 0.01 + 1 / POPULATIONS

    def seconds(self, work: Callable[[], None]) -> float:
        begin, end = self.library.cuda.Event(), self.library.cuda.Event()
        begin.record()
        work()
        end.record()
        end.synchronize()
        return float(self.library.cuda.get_elapsed_time(begin, end)) / 1e3

    def release(self) -> None:
        self.library.get_default_memory_pool().free_all_blocks()


class PyTorch:
    options: Mapping[str, str] = {"device": "cuda"}

    def __init__(self, torch: Any) -> None:
        self.library = torch

    def filled(self, shape: tuple[int, ...], dtype: str) -> Any:
        torch = self.library
        values = torch.rand(shape, dtype=getattr(torch, dtype), device="cuda")
        return values.mul_(0.01).add_(1 / POPULATIONS)

    def seconds(self, work: Callable[[], None]) -> float:
        begin, end = (self.library.cuda.Event(enable_timing=True) for _ in range(2))
        begin.record()
        work()
        end.record()
        end.synchronize()
        return float(begin.elapsed_time(end)) / 1e3

    def release(self) -> None:
        self.library.cuda.empty_cache()


def populations(library: CuPy | PyTorch, edge: int, dtype: str, own: bool) -> Any:
    """An array with one ghost layer."""
    if own:
        shape, kind = (POPULATIONS, edge, edge, edge), getattr(library.library, dtype)
        array = heddle.zeros(shape, kind, axes="xyz", library=library.library, **library.options)
        array[...] = 1 / POPULATIONS
        return array
    return library.filled((POPULATIONS, edge + 2, edge + 2, edge + 2), dtype)


def rate(kernels: Any, library: CuPy | PyTorch, f: Any, g: Any, rounds: int) -> float:
    """Million updates per second; in place if g is None."""

    def in_place() -> None:
        kernels.aa_even(f=f, omega=OMEGA, ghosts=1)
        kernels.aa_odd(f=f, omega=OMEGA, ghosts=1)

    def two_arrays() -> None:
        kernels.pull(f=f, f_next=g, omega=OMEGA, ghosts=1)
        kernels.pull(f=g, f_next=f, omega=OMEGA, ghosts=1)

    work = in_place if g is None else two_arrays
    for _ in range(3):
        library.seconds(work)
    edge = f.shape[1] - 2
    return 2 * edge**3 / statistics.median(library.seconds(work) for _ in range(rounds)) / 1e6


def in_blocks(library: CuPy | PyTorch, edge: int, dtype: str, rounds: int) -> tuple[float, float]:
    """Million updates per second of AA on interleaved blocks: of its kernels, and with exchanges."""
    lanes = 4 if dtype == "float32" else 2
    d3q19 = lbm.Lattice("D3Q19")
    model = Module("blocks", about="D3Q19 BGK on interleaved blocks.", precisions=(NAMES[dtype],))
    schedule = Schedule(fma=True, gpu=Interleaved(lanes, block=(128, 1, 1)))
    model.add("aa", lbm.AA(d3q19)(lbm.BGK(d3q19, omega="omega")), schedule=schedule)
    kernels = heddle.load(model, target="cuda")
    domain = Domain(kernels, (edge,) * 3, periodic="xyz", blocks=(lanes, 1, 1))
    f = domain.zeros(getattr(library.library, dtype), POPULATIONS, library=library.library, **library.options)

    def alone() -> None:
        kernels.aa_even(f=f[..., 0], omega=OMEGA, ghosts=1)
        kernels.aa_odd(f=f[..., 0], omega=OMEGA, ghosts=1)

    def exchanged() -> None:
        domain.aa_even(f=f, omega=OMEGA)
        domain.aa_odd(f=f, omega=OMEGA)

    found = []
    for work in (alone, exchanged):
        for _ in range(3):
            library.seconds(work)
        found.append(2 * edge**3 / statistics.median(library.seconds(work) for _ in range(rounds)) / 1e6)
    return found[0], found[1]


def benchmarked(program: Path) -> dict[str, float]:
    """Million updates per second of heddle-bench, by `aa/f32` and so on."""
    out = subprocess.run(
        [program, "--benchmark_filter=^lbm/d3q19/bgk/.*/dense/.*cuda", "--benchmark_format=json"],
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    rows = json.loads(out[out.index("{") :])["benchmarks"]
    found: dict[str, float] = {}
    for row in rows:
        words = row["name"].split("/")
        if "MLUPS" in row:
            found.setdefault(f"{words[3]}/{words[5]}", float(row["MLUPS"]))
    return found


def print_blocks(edge: int, rounds: int) -> int:
    """A line for each library and precision."""
    found = 0
    for name, interface in (("cupy", CuPy), ("torch", PyTorch)):
        try:
            library = interface(importlib.import_module(name))
        except ImportError:
            print(f"{name}: not installed")
            continue
        for dtype, precision in NAMES.items():
            alone, exchanged = in_blocks(library, edge, dtype, rounds)
            print(f"{name:6} aa/{precision} in blocks {alone:9.0f} MLUPS, {exchanged:.0f} with exchanges")
            library.release()
            found += 1
    return 0 if found else 1


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--edge", type=int, default=384, help="cells along each axis")
    parser.add_argument("--rounds", type=int, default=21)
    parser.add_argument("--bench", type=Path, help="heddle-bench, built with CUDA")
    parser.add_argument("--blocks", action="store_true", help="interleaved blocks, with their exchanges")
    options = parser.parse_args()
    if options.blocks:
        return print_blocks(options.edge, options.rounds)
    kernels = heddle.load(MODEL, target="cuda")
    before = benchmarked(options.bench) if options.bench else {}
    rows: list[tuple[str, str, float]] = []
    for name, interface in (("cupy", CuPy), ("torch", PyTorch)):
        try:
            library = interface(importlib.import_module(name))
        except ImportError:
            print(f"{name}: not installed")
            continue
        for dtype, precision in NAMES.items():
            for own in (False, True):
                f = populations(library, options.edge, dtype, own)
                g = populations(library, options.edge, dtype, own)
                what = f"{name}, {'heddle.zeros' if own else 'plain'}"
                for pattern, other in (("aa", None), ("pull", g)):
                    rows.append(
                        (what, f"{pattern}/{precision}", rate(kernels, library, f, other, options.rounds))
                    )
                del f, g
                library.release()
    after = benchmarked(options.bench) if options.bench else {}
    for what, case, mlups in rows:
        ratio = f"{2 * mlups / (before[case] + after[case]):8.3f}" if case in before else ""
        print(f"{case:10} {what:20} {mlups:9.0f} MLUPS{ratio}")
    for case, mlups in before.items():
        print(f"{case:10} heddle-bench         {mlups:9.0f} MLUPS before, {after[case]:.0f} after")
    return 0 if rows else 1


if __name__ == "__main__":
    sys.exit(main())
