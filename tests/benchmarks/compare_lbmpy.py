# SPDX-License-Identifier: Apache-2.0
"""Heddle's CPU kernels beside those that lbmpy and pystencils generate, in one process on the same arrays.

python tests/benchmarks/compare_lbmpy.py [--edge 160] [--rounds 9] [--threads 1] [--wall]   (in build/venv)

Makes a throw-away Python environment outside the tree, installs the current releases there, generates and
compiles the kernels of both (ours with `-O3 -march=native`, theirs with their own flags), and times them in
turns: one call of ours, one of theirs, median of all rounds. Time is CPU time of the process, which says
something on a shared machine as well; --wall takes the clock. Prints million updates a second and their
ratio. Rows of the arrays begin at cache lines and components lie no power of two apart, for both. Uses the
documented interface of both only.
"""

from __future__ import annotations

import argparse
import ctypes
import os
import statistics
import subprocess
import sys
import tempfile
import time
import venv
from collections.abc import Callable
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve()
ROOT = HERE.parents[2]
PACKAGES = ("lbmpy", "pystencils", "py-cpuinfo", "numpy")
FLAGS = (
    "-O3 -march=native -ffp-contract=off -fno-math-errno -fno-trapping-math -fopenmp -std=c++20 -shared -fPIC"
)
MODELS = {"D3Q19": ("model.py", "d3q19_dense"), "D3Q27": ("cumulant_model.py", "d3q27_dense")}
ASKED = {"pull": 1.7, "aa": 1.1}


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--edge", type=int, default=160, help="cells along each axis")
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--wall", action="store_true", help="the clock instead of CPU time")
    parser.add_argument(
        "--keep", type=Path, help="folder for environment and libraries, taken again if it exists"
    )
    parser.add_argument("--worker", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.worker:
        compare(options)
        return
    with tempfile.TemporaryDirectory() as throw_away:
        folder = options.keep or Path(throw_away)
        prepare(folder)
        environment = dict(os.environ, OMP_NUM_THREADS=str(options.threads), OMP_WAIT_POLICY="passive")
        command = [folder / "peers/bin/python", HERE, "--worker", folder, *sys.argv[1:]]
        subprocess.run(command, check=True, env=environment)


def prepare(folder: Path) -> None:
    """The environment of the peers, and our kernels as one shared library a lattice."""
    if not (folder / "peers").exists():
        venv.create(folder / "peers", with_pip=True)
        subprocess.run([folder / "peers/bin/pip", "--quiet", "install", *PACKAGES], check=True)
    environment = dict(os.environ, PYTHONPATH=str(ROOT / "generator"))
    for model, module in MODELS.values():
        build = [
            sys.executable,
            "-m",
            "heddle",
            "build",
            HERE.parent / "models" / model,
            "--targets",
            "cpu",
            "--out",
            folder,
        ]
        subprocess.run(build, check=True, env=environment)
        sources = sorted((folder / module).glob("*.cpp"))
        library = folder / f"{module}.so"
        if not library.exists() or library.stat().st_mtime < max(s.stat().st_mtime for s in sources):
            subprocess.run(
                ["g++", *FLAGS.split(), f"-I{folder / module}", *sources, "-o", library], check=True
            )


class Populations:
    """`components` values a cell, an edge of `edge` cells and a ghost layer; rows begin at cache lines."""

    def __init__(self, edge: int, components: int, kind: str) -> None:
        import numpy as np

        self.item = np.dtype(kind).itemsize
        line = 64 // self.item
        row = -(-(edge + 2 * line) // line) * line
        plane = row * (edge + 2)
        step = (plane * (edge + 2) // line | 1) * line + 2 * line
        self.strides = (1, row, plane, step)
        memory = np.empty(step * components + 2 * line, kind)
        shift = (-memory.ctypes.data // self.item) % line
        random = np.random.default_rng(1)
        for start in range(0, memory.size, 1 << 22):
            part = memory[start : start + (1 << 22)]
            part[:] = random.uniform(-1e-3, 1e-3, part.size)
        self.memory, self.edge, self.components = memory, edge, components
        self.first = shift + line + row + plane  # the first interior cell

    def with_ghosts(self) -> Any:
        """The array as pystencils takes it: ghost layer, then components."""
        import numpy as np

        n = self.edge + 2
        begin = self.memory[self.first - sum(self.strides[:3]) :]
        bytes_apart = [self.item * stride for stride in self.strides]
        return np.lib.stride_tricks.as_strided(begin, (n, n, n, self.components), bytes_apart)

    def arguments(self) -> list[Any]:
        """Pointer, extents and strides as our kernels take them."""
        extents = (ctypes.c_int64 * 4)(self.edge, self.edge, self.edge, self.components)
        strides = (ctypes.c_int64 * 4)(*self.strides)
        return [ctypes.c_void_p(self.memory.ctypes.data + self.first * self.item), extents, strides]


def peers_kernels(
    lattice: str, kind: str, source: Populations, target: Populations
) -> dict[str, Callable[[], None]]:
    """A pull step and a pair of AA steps by lbmpy, vectorised and parallel."""
    import pystencils as ps
    from lbmpy import (
        LBMConfig,
        LBMOptimisation,
        LBStencil,
        Method,
        Stencil,
        create_lb_collision_rule,
        create_lb_update_rule,
    )
    from lbmpy.advanced_streaming import Timestep

    stencil = LBStencil(Stencil[lattice])
    method = Method.SRT if lattice == "D3Q19" else Method.CUMULANT
    common = {"stencil": stencil, "method": method, "relaxation_rate": 1.2, "compressible": True}
    q = source.components
    f, g = ps.fields(f"f({q}), g({q}): {kind}[3D]", layout="fzyx")
    begin = time.perf_counter()
    collision = create_lb_collision_rule(lbm_config=LBMConfig(**common, zero_centered=True))

    def compiled(pattern: str, step: Any, optimisation: Any) -> Any:
        config = LBMConfig(**common, zero_centered=True, streaming_pattern=pattern, timestep=step)
        rule = create_lb_update_rule(collision, lbm_config=config, lbm_optimisation=optimisation)
        options = ps.CreateKernelConfig(target=ps.Target.CurrentCPU, default_dtype=kind)
        options.cpu.openmp.enable = True
        options.cpu.vectorize.enable = True
        options.cpu.vectorize.assume_inner_stride_one = True
        return ps.create_kernel(rule, options).compile()

    pull = compiled("pull", Timestep.BOTH, LBMOptimisation(symbolic_field=f, symbolic_temporary_field=g))
    in_place = LBMOptimisation(symbolic_field=f)
    even, odd = (compiled("aa", step, in_place) for step in (Timestep.EVEN, Timestep.ODD))
    print(
        f"# lbmpy {lattice} {kind}: generated and compiled in {time.perf_counter() - begin:.0f} s", flush=True
    )
    source_array, target_array = source.with_ghosts(), target.with_ghosts()

    def pair() -> None:
        even(f=source_array)
        odd(f=source_array)

    return {"pull": lambda: pull(f=source_array, g=target_array), "aa": pair}


def own_kernels(
    folder: Path, lattice: str, kind: str, source: Populations, target: Populations
) -> dict[str, Callable[[], None]]:
    """The same by Heddle."""
    module = MODELS[lattice][1]
    library = ctypes.CDLL(str(folder / f"{module}.so"))
    suffix = {"float64": "f64", "float32": "f32"}[kind]
    omega = ctypes.c_double(1.2) if kind == "float64" else ctypes.c_float(1.2)
    one, two = source.arguments(), target.arguments()

    def call(kernel: str, *arguments: Any) -> None:
        status = getattr(library, f"{module}_{kernel}_{suffix}")(*arguments)
        if status != 0:
            raise RuntimeError(f"{kernel} returned {status}")

    def pair() -> None:
        call("aa_even", *one, omega)
        call("aa_odd", *one, omega)

    return {"pull": lambda: call("pull", *one, *two, omega), "aa": pair}


def compare(options: argparse.Namespace) -> None:
    """Time all in turns and print the table."""
    from importlib.metadata import version

    clock = time.perf_counter if options.wall else time.process_time
    print(
        f"# lbmpy {version('lbmpy')}, pystencils {version('pystencils')}, {options.edge}^3 cells, "
        f"{options.threads} threads, {'clock' if options.wall else 'CPU time'}, median of {options.rounds}"
    )
    print("| lattice, operator | precision | pattern | lbmpy MLUPS | Heddle MLUPS | ratio | asked |")
    print("|---|---|---|---|---|---|---|", flush=True)
    for lattice, components, operator in (("D3Q19", 19, "BGK"), ("D3Q27", 27, "cumulant")):
        for kind in ("float64", "float32"):
            source, target = (Populations(options.edge, components, kind) for _ in range(2))
            theirs = peers_kernels(lattice, kind, source, target)
            ours = own_kernels(options.worker, lattice, kind, source, target)
            for pattern, asked in ASKED.items():
                spent: tuple[list[float], list[float]] = ([], [])
                for _ in range(options.rounds + 1):
                    for times, step in zip(spent, (ours[pattern], theirs[pattern]), strict=True):
                        begin = clock()
                        step()
                        times.append(clock() - begin)
                updates = options.edge**3 * (2 if pattern == "aa" else 1) / 1e6
                own, peer = (updates / statistics.median(times[1:]) for times in spent)
                print(
                    f"| {lattice} {operator} | {kind} | {pattern} | {peer:.1f} | {own:.1f} "
                    f"| {own / peer:.2f} | {asked} |",
                    flush=True,
                )


if __name__ == "__main__":
    main()
