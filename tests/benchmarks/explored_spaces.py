# SPDX-License-Identifier: Apache-2.0
"""Explored spaces that are kept with their results: variants, precisions and schedules of some methods, on a
CPU and a GPU.

    python tests/benchmarks/explored_spaces.py --target cpu|cuda     into results/explored/<space>/cpu|cuda
    python tests/benchmarks/explored_spaces.py --page        writes generator/docs/explored_spaces.md
    python tests/benchmarks/explored_spaces.py --reports FOLDER      the report of each space: <space>.html
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import groupby
from pathlib import Path
from typing import Any

import heddle
from heddle import (
    CacheLines,
    CompressedList,
    Module,
    Rows,
    Schedule,
    Strips,
    Threads,
    chemistry,
    fields,
    profiles,
)
from heddle.explorer.built import emitted
from heddle.explorer.exploration import Exploration, load_results
from heddle.explorer.memory import library as array_library
from heddle.explorer.methods import Method, Variant, module_of_variant
from heddle.explorer.poisson_solvers import poisson_solvers
from heddle.explorer.report import report
from heddle.explorer.results import FILE, Result, best, newest, solve_text
from heddle.explorer.space import space as all_points
from heddle.explorer.trial import own_part, shared_parts
from heddle.explorer.variants import lattice_boltzmann, relaxation_layouts, stiff_integrators
from heddle.explorer.workers import in_children
from heddle.ir.schedule_text import part_text
from heddle.module import KernelModel
from heddle.solvers import relaxation
from heddle.solvers.butterfly import butterfly
from heddle.solvers.tridiagonal import eliminate, eliminate_periodic

ROOT = Path(__file__).resolve().parents[2]
RESULTS = ROOT / "tests/benchmarks/results/explored"
PAGE = ROOT / "generator/docs/explored_spaces.md"
ABOUT = """# Explored spaces

Written by `tests/benchmarks/explored_spaces.py --page` from `tests/benchmarks/results/explored`; change
these, not this page. What the columns mean: [exploring variants](explore.md).

Of each kernel, variant and precision the fastest schedule of those that were tried, and how many these were;
"chosen": the time of what `Schedule()` chooses, empty where that was not timed. All candidates gave the bits
of the reference target before they were timed. One thread of a CPU, by its own clock, and one GPU, each
kernel beside the matching stream in turns. "stream": the time of that, divided by the kernel's. "error": of
one update relative to f64, unless the space says otherwise.

`python tests/benchmarks/explored_spaces.py --reports FOLDER` makes the interactive report of each space, with
what is emitted today for the fastest; the [site](site/build.py) has them as `explored/<space>.html`: d3q19,
d3q19_list, cumulant, sor, smoothers, solvers, columns, transforms, robertson.
"""


@dataclass(frozen=True)
class Explored:
    """A space. variants: made when it is explored. cpu, gpu: cells along x, y, z. kernels: some of them.
    accuracy: called with the target, gives the function that heddle.explore takes."""

    name: str
    title: str
    about: str
    variants: Callable[[], Mapping[str, Variant]]
    cpu: str
    gpu: str
    cpu_parts: Sequence[Any] = (Rows(), CacheLines(4), CacheLines(4, nontemporal=True), Strips(64))
    gpu_parts: Sequence[Any] = (
        Threads(),
        Threads(block=(128, 1, 1)),
        Threads(block=(128, 1, 1), unit_stride=True, same_strides=True),
    )
    options: Mapping[str, Any] = field(default_factory=dict)
    """Of all schedules."""
    precisions: tuple[str, ...] = ("f64", "f32")
    kernels: tuple[str, ...] | None = None
    values: Mapping[str, Any] = field(default_factory=dict)
    accuracy: Callable[[str], Any] | None = None


def around_walls(split: bool) -> relaxation.Equation:
    """div grad phi = right, with a byte per cell that says which faces are open."""
    phi, right = fields("phi, right: real[3D]", split=split)
    return relaxation.poisson(phi, right, openings=fields("open: uint8[3D]", split=split))


def columns() -> dict[str, Module]:
    """The columns of a Poisson problem: one tridiagonal system for each pair of wave numbers."""
    reach, ratio, p = fields("reach, ratio, p: real[3D]", ghost_layers=0)
    density, excess, lower, upper = profiles("density, excess, lower, upper: real[z]", ghost_layers=0)
    lambda_x = profiles("lambda_x: real[x]", ghost_layers=0)
    lambda_y = profiles("lambda_y: real[y]", ghost_layers=0)
    rows = {
        "lower": lower.here,
        "upper": upper.here,
        "excess": density.here * (lambda_x.here + lambda_y.here) + excess.here,
    }
    module = Module("poisson_columns", precisions=("f64", "f32"))
    module.add("walls", eliminate(p, ratio, **rows))
    module.add("periodic", eliminate_periodic(p, ratio, reach, **rows))
    return {"columns": module}


def transforms() -> dict[str, Module]:
    """Passes of Stockham's transform, one kernel for each radix: lines lie along x."""
    module = Module("transform", precisions=("f64", "f32"))
    for radix in (4, 8, 16):
        module.add(f"pass_{radix}", butterfly(radix, twiddled=True))
    return {"passes": module}


def robertson() -> chemistry.Mechanism:
    """Three stiff reactions (Robertson 1966)."""
    problem = chemistry.Mechanism("robertson")
    problem.species("A", "B", "C")
    problem.reaction("A -> B", rate=0.04)
    problem.reaction("2 B -> B + C", rate=3e7)
    problem.reaction("B + C -> A + C", rate=1e4)
    return problem


def distance_from_robertson(target: str) -> Callable[[Any, str], float]:
    """How far A and C lie from the solution at 40 s (Hairer and Wanner, Solving ODEs II: 0.7158, 0.2842)."""

    def distance(kernels: Any, _: str) -> float:
        library = array_library("cupy" if target == "cuda" else "numpy")
        concentration = library.zeros((3, 4))
        concentration[0] = 1
        state = {name: library.zeros(4, kind) for name, kind in OF_A_CELL.items()}
        kernels.integrate(
            concentration=concentration,
            **state,
            temperature=library.full(4, 290.0),
            pressure=library.full(4, 1e5),
            interval=40.0,
            relative_tolerance=1e-4,
            absolute_tolerance=1e-10,
        )
        a, c = float(concentration[0, 0]), float(concentration[2, 0])
        return max(abs(a / 0.7158270688 - 1), abs(c / 0.2841637457 - 1))

    return distance


OF_A_CELL = {"step": "f8", "outcome": "i4", "steps": "i8"}
SPACES = (
    Explored(
        "d3q19",
        "D3Q19 in a box",
        "BGK in three streaming patterns, and moments in memory in place of populations. On the Xeon two "
        "patterns were explored.",
        lambda: {
            **lattice_boltzmann("D3Q19", ("BGK",), ("pull", "AA", "eso-pull")),
            **lattice_boltzmann("D3Q19", ("regularised",), ("moments",)),
        },
        "96x96x96",
        "256x256x256",
        options={"fma": True},
        precisions=("f64", "f32", "f16"),
        values={"omega": 1.6},
    ),
    Explored(
        "d3q19_list",
        "D3Q19 in a porous medium",
        "BGK over the cells of a list, 70 % of a periodic box with solid balls; GPUs also with compressed "
        "tables of neighbours. Times are those of listed cells.",
        lambda: lattice_boltzmann("D3Q19", ("BGK",), ("pull", "AA"), spaces=("list",)),
        "96x96x96",
        "160x160x160",
        cpu_parts=(Rows(), Strips(16), Rows(simd=False)),
        gpu_parts=(
            Threads(),
            Threads(block=(128, 1, 1)),
            CompressedList(block=(128, 1, 1)),
            CompressedList(block=(128, 1, 1), rematerialise=True),
        ),
        options={"fma": True},
        values={"omega": 1.6},
    ),
    Explored(
        "cumulant",
        "D3Q27 with cumulants and central moments",
        "Two collision operators of four times the operations of BGK.",
        lambda: lattice_boltzmann("D3Q27", ("cumulant", "central moments"), ("AA",)),
        "64x64x64",
        "256x256x128",
        options={"fma": True},
        values={"omega": 1.6},
    ),
    Explored(
        "sor",
        "Red-black relaxation",
        "One sweep of successive over-relaxation around walls, with fields as they come and split by colour.",
        lambda: relaxation_layouts(around_walls),
        "128x128x128",
        "512x512x256",
        cpu_parts=(Rows(), Rows(simd=False)),
        gpu_parts=(
            Threads(block=(32, 8, 1)),
            Threads(block=(32, 4, 1)),
            Threads(block=(32, 4, 1), coarsening=2),
        ),
        options={"colours": 2},
        kernels=("sweep",),
        values={"omega": 1.5, "open": 63},
    ),
    Explored(
        "smoothers",
        "Smoothers of multigrid",
        "The first half sweep from zero, a Gauss-Seidel sweep, and what remains, in two layouts.",
        lambda: relaxation_layouts(around_walls),
        "128x128x64",
        "512x512x256",
        cpu_parts=(Rows(), Rows(simd=False)),
        gpu_parts=(
            Threads(block=(32, 8, 1)),
            Threads(block=(32, 4, 1), coarsening=2),
        ),
        options={"colours": 2},
        precisions=("f32",),
        kernels=("first", "smooth", "remains"),
        values={"open": 63},
    ),
    Explored(
        "solvers",
        "Solvers of a Poisson problem",
        "From zero to a residual of 1e-4 of the right-hand side: relaxation with the best factor, cycles of "
        "multigrid with one and two Gauss-Seidel sweeps, conjugate gradients with and without them, and sine "
        "transforms by NumPy or CuPy with columns of ours. Times, bytes and the stream are those of a whole "
        "solve (bytes of transforms are not counted); the error is the distance from the known solution. In "
        "f32 the residual on 128 cells along an axis ends at 1.3e-4 to 5e-4: nothing was timed.",
        partial(poisson_solvers, tolerance=1e-4),
        "64x64x64",
        "128x128x128",
    ),
    Explored(
        "columns",
        "Columns of a Poisson problem",
        "A tridiagonal system along z for each wave number, between walls and periodic.",
        columns,
        "192x128x64",
        "512x512x128",
        cpu_parts=(Rows(), Strips(64), Strips(256), Strips(320)),
        gpu_parts=(Threads(block=(64, 1, 1)), Threads()),
    ),
    Explored(
        "transforms",
        "Passes of Fourier transforms",
        "A pass of radix 4, 8 and 16; a cell is one butterfly, of as many values as the radix.",
        transforms,
        "64x64x32",
        "256x128x32",
        cpu_parts=(Rows(), CacheLines(4), Strips(64)),
        gpu_parts=(Threads(), Threads(block=(64, 1, 1))),
    ),
    Explored(
        "robertson",
        "A stiff mechanism with three integrators",
        "Robertson's three reactions over one second by Rosenbrock methods. The error is the distance from "
        "the known solution at 40 s, with a relative tolerance of 1e-4. A sample begins without remembered "
        "steps.",
        lambda: stiff_integrators(robertson()),
        "4096",
        "1048576",
        cpu_parts=(Rows(), Strips(8), Strips(16), Strips(64)),
        gpu_parts=(Threads(block=(64, 1, 1)), Threads()),
        options={"math": "reproducible"},
        precisions=("f64",),
        values={
            "temperature": 290,
            "pressure": 1e5,
            "interval": 1,
            "relative_tolerance": 1e-4,
            "absolute_tolerance": 1e-9,
        },
        accuracy=distance_from_robertson,
    ),
)


def _schedules(space: Explored, target: str) -> list[Schedule]:
    part, parts = ("gpu", space.gpu_parts) if target == "cuda" else ("cpu", space.cpu_parts)
    return [Schedule(**space.options), *(Schedule(**{part: one}, **space.options) for one in parts)]


def _part(space: Explored, variants: Sequence[str] | None, precisions: Sequence[str] | None) -> Explored:
    """Some variants and precisions of a space; of None all."""

    def some() -> dict[str, Variant]:
        return {name: module for name, module in space.variants().items() if name in (variants or (name,))}

    return replace(space, variants=some, precisions=tuple(precisions or space.precisions))


def compiled(space: Explored, target: str, jobs: int) -> int:
    """Compile all that exploring a space needs, into the cache; returns how many parts that are."""
    found = all_points(
        space.variants(), target, 64, space.kernels, space.precisions, _schedules(space, target)
    )
    parts: dict[Any, Callable[[], Any]] = {}
    for candidate in found.candidates:
        parts[candidate.name] = partial(own_part, candidate, target)
        parts |= dict(shared_parts(candidate, target).values())
    return len(list(in_children(parts.values(), jobs)))


def explored(space: Explored, target: str, out: Path, size: str | None, **options: Any) -> Exploration:
    """Time the candidates of a space. size: in place of its own."""
    return heddle.explore(
        variants=space.variants(),
        target=target,
        kernels=space.kernels,
        precisions=space.precisions,
        schedules=_schedules(space, target),
        sizes=[size or (space.gpu if target == "cuda" else space.cpu)],
        values=space.values,
        accuracy=space.accuracy(target) if space.accuracy else None,
        threads=1 if target == "cpu" else None,
        out=out,
        quiet=True,
        **options,
    )


def kept(space: Explored) -> Exploration | None:
    """The results of a space that lie in the repository; none if there are none."""
    folders = [RESULTS / space.name / target for target in ("cpu", "cuda")]
    found = [folder for folder in folders if (folder / FILE).is_file()]
    return load_results(found) if found else None


def _kernels(module: Module, step: str) -> list[str]:
    """Those of a step."""
    return [name for name in module.kernels if step in (name, name.rpartition("_")[0])]


def texts(space: Explored, results: Sequence[Result]) -> dict[str, str]:
    """What is emitted today for the fastest of each machine, kernel, variant and precision; nothing where
    clang-format is missing."""
    variants, found = space.variants(), {}
    for result in best(results):
        variant = variants[result.variant]
        module = module_of_variant(variant)
        alone = (
            variant.alone(result.precision, result.schedule, result.target)
            if isinstance(variant, Method)
            else module.alone(_kernels(module, result.step), result.precision, result.schedule, result.target)
        )
        try:
            found[result.source] = emitted(alone, result.target)
        except heddle.KernelError:
            return {}
    return found


def chosen(space: Explored, module: Variant | None, several: Sequence[Result]) -> Result | None:
    """Of results of one kernel the one of what Schedule() chooses for it; None where that was not timed."""
    if isinstance(module, Method):
        return None
    first = several[0]
    kernels = [module.kernels[name] for name in _kernels(module, first.step)] if module else []
    if not kernels or not isinstance(kernels[0], KernelModel):
        return None
    wanted = kernels[0].closed(Schedule(**space.options))
    for result in several:
        own = result.schedule  # what it has for the other target does not count
        if own == (replace(wanted, gpu=own.gpu) if result.target == "cpu" else replace(wanted, cpu=own.cpu)):
            return result
    return None


def rows(space: Explored, results: Sequence[Result]) -> Iterator[list[str]]:
    """Of correct results of one machine and size: of each kernel, variant and precision the fastest, as cells
    of a table."""

    def group(result: Result) -> tuple[str, ...]:
        return result.step, result.variant, result.precision

    variants = space.variants()
    for (step, variant, precision), several in groupby(sorted(results, key=group), group):
        found = list(several)
        best = min(found, key=lambda result: result.time)
        usual = chosen(space, variants.get(variant), found)
        gpu = best.target == "cuda"
        taken = (
            [f"{best.registers}", "" if best.occupancy is None else f"{best.occupancy:.0%}"] if gpu else []
        )
        yield [
            step,
            variant,
            precision,
            f"{best.nanoseconds_per_cell:.3g}",
            "" if usual is None else f"{usual.nanoseconds_per_cell:.3g}",
            f"{best.fraction:.0%}",
            f"{best.bytes:g}",
            "" if best.error is None else f"{best.error:.1e}",
            *taken,
            f"{best.lines}",
            f"{best.compilation:.1f}",
            solve_text(best)
            if best.residual is not None
            else f"`{part_text(best.schedule.gpu if gpu else best.schedule.cpu)}` of {len(found)}",
        ]


HEADS = {
    "cpu": "kernel,variant,precision,ns/cell,chosen,stream,B/cell,error,lines,compile s,fastest schedule",
    "cuda": "kernel,variant,precision,ns/cell,chosen,stream,B/cell,error,registers,occupancy,lines,compile s,"
    "fastest schedule",
}


def page() -> str:
    """The page of the documentation: of each space a table for each machine and size."""

    def table(result: Result) -> tuple[str, str, tuple[int, ...]]:
        return result.machine, result.target, result.extent

    lines = [ABOUT]
    for space in SPACES:
        found = kept(space)
        if found is None:
            continue
        lines += [f"## {space.title}", "", space.about, ""]
        correct = [result for result in newest(found.results) if result.state == "correct"]
        for (machine, target, extent), several in groupby(sorted(correct, key=table), table):
            own = list(several)
            size, day = "x".join(map(str, extent)), max(result.timestamp for result in own)[:10]
            heads = HEADS[target].split(",")
            lines += [
                f"{machine}, {size}, {day}:",
                "",
                "| " + " | ".join(heads) + " |",
                "|" + "---|" * len(heads),
            ]
            lines += ["| " + " | ".join(row) + " |" for row in rows(space, own)]
            lines.append("")
        if not any(result.target == "cuda" for result in found.results):
            lines += ["Not explored on a GPU yet.", ""]
    return "\n".join(lines).rstrip() + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--target", choices=("cpu", "cuda"), default="cpu")
    parser.add_argument("--out", type=Path, default=RESULTS, help="in place of the folder of results")
    parser.add_argument("--only", nargs="+", help="names of spaces")
    parser.add_argument("--variants", nargs="+", help="names of variants, in place of all of a space")
    parser.add_argument("--precisions", nargs="+", help="in place of those of the spaces")
    parser.add_argument("--samples", type=int, default=7)
    parser.add_argument("--size", help="in place of those of the spaces")
    parser.add_argument("--budget", type=float, help="minutes for all of it")
    parser.add_argument("--jobs", type=int)
    parser.add_argument("--compile", action="store_true", help="compile only, into the cache")
    parser.add_argument("--page", action="store_true", help="write the page from results instead")
    parser.add_argument("--reports", type=Path, help="write the reports of the spaces there instead")
    options = parser.parse_args()
    if options.page:
        PAGE.write_text(page())
        return
    end = time.monotonic() + 60 * (options.budget or 1e6)
    for space in SPACES:
        if options.only and space.name not in options.only:
            continue
        space = _part(space, options.variants, options.precisions)
        if options.reports:
            found = kept(space)
            if found is not None:
                options.reports.mkdir(parents=True, exist_ok=True)
                (options.reports / f"{space.name}.html").write_text(
                    report(found.results, [], texts(space, found.results))
                )
            continue
        if options.compile:
            started = time.monotonic()
            count = compiled(space, options.target, options.jobs or 1)
            print(f"{space.name}: {count} parts in {time.monotonic() - started:.0f} s", flush=True)
            continue
        left = (end - time.monotonic()) / 60
        if left <= 0:
            print(f"{space.name}: no time is left", file=sys.stderr)
            continue
        started = time.monotonic()
        out = options.out / space.name / options.target
        found = explored(
            space, options.target, out, options.size, samples=options.samples, budget=left, jobs=options.jobs
        )
        print(
            f"{space.name}: {len(found.correct)} timed, {len(found.wrong)} wrong, {len(found.refused)} not "
            f"legal, {time.monotonic() - started:.0f} s",
            flush=True,
        )
        for wrong in found.wrong[:2]:
            print(f"  {wrong.state}: {wrong.name}: {wrong.why[:200]}", flush=True)


if __name__ == "__main__":
    main()
