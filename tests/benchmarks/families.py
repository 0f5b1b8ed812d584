# SPDX-License-Identifier: Apache-2.0
"""What `Schedule()` chooses against the best that exploration finds, family by family.

    python tests/benchmarks/families.py --target cpu|cuda     into results/explored/families/cpu|cuda
    python tests/benchmarks/families.py --page        writes generator/docs/chosen_schedules.md

A row of the page compares schedules with which the entry takes the same arrays: unit_stride and fixed_nx are
the user's to state. One thread of a CPU, by its own clock, since machines are shared. in_turns.py times the
same schedules on the same arrays, in turns.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import heddle
import numpy
import sympy
from explored_spaces import around_walls, robertson, transforms
from explored_spaces import columns as poisson_columns
from heddle import (
    Assignment,
    CacheLines,
    Module,
    Rows,
    Scan,
    Schedule,
    Strips,
    Threads,
    chemistry,
    fields,
    lbm,
    parameters,
)
from heddle.atmosphere import microphysics
from heddle.explorer.exploration import load_results
from heddle.explorer.results import FILE, Result, newest
from heddle.explorer.variants import relaxation_layouts
from heddle.ir.schedule_text import part_text
from heddle.model.spaces import Sparse
from heddle.solvers import relaxation

ROOT = Path(__file__).resolve().parents[2]
RESULTS = ROOT / "tests/benchmarks/results/explored/families"
PAGE = ROOT / "generator/docs/chosen_schedules.md"
ABOUT = """# What `Schedule()` chooses, against the best

Written by `tests/benchmarks/families.py --page` from `tests/benchmarks/results/explored/families`;
change these, not this page. [Schedules](schedules.md#what-schedule-chooses) says by what rules it chooses.

Each row compares what `Schedule()` gives with the fastest of several schedules ("of 6") with which the entry
takes the same arrays; `unit_stride`, `fixed_nx`, interleaved blocks, other tables of a list are the user's to
state. The schedules of a row were timed in one run: one thread of a CPU, by its own clock, or all cores; one
GPU, CUDA 13. Xeon and H200 were idle but for neighbours on the same host, 28 and 29 November 2026; the EPYC
and the Xeon of 2.8 GHz (Ice Lake, g++ 12, 29 and 30 November 2026) did other work, too, at a load of 5 to 17
on two cores: rows of these scatter by 10 %. What was not timed there is chosen since.

What is below 0.95 is better with a schedule that loses on another machine. A kernel's text must not depend on
the machine that generates it ([decision 0193](decisions/0193-schedules.md)), so that no rule can
have both: `heddle explore` writes `schedules.json`, and builds [take it](schedules.md#schedules-from-a-file).

"""
NARROW = 0.95
"""A choice that reaches less of the best is a finding."""

TWO_LOOPS = (
    "`CacheLines(4, nontemporal=True)` also ask for the lines of rows ahead, which a core of the Xeon does "
    "not do by itself for arrays in f64; on the EPYC they reach 0.66 to 0.80, on the Xeon of 2.8 GHz 0.53 to "
    "0.68, where asking for rows ahead of strips of 64 cells took 0.91 to 1.06 of the time, 0.89 once. "
    "`Strips(64, nontemporal=True)` "
    "have the same inner loop as the chosen schedule: how far these two lie apart is the scatter."
)
IN_PLACE = (
    "On the Xeon of 2.8 GHz `Rows()` win by 2 to 14 %; on the EPYC they reach 0.80 to 0.91 of the chosen "
    "`CacheLines(4)`, on the other Xeon 0.87 to 0.95, 0.74 and 1.06 once each: what prefetchers do by "
    "themselves, and what other programs of the host leave to a core, differs."
)
FINDINGS = {
    "stencil of 7 points": TWO_LOOPS,
    "stencil of 5 points": TWO_LOOPS,
    "D3Q19 list, Pull": "g++ gathers the neighbours of a list into vectors (`vgatherqpd`), and Zen 4 does "
    "that slowly: `Rows(simd=False)` take them one by one. On the Xeon of 2.8 GHz they gain 13 to 27 %, in "
    "f32 they take 2.2 times as long there, and on the other Xeon 1.4 times in f64.",
    "D3Q19 BGK, in place": IN_PLACE,
    "D3Q27": IN_PLACE,
    "D3Q19 BGK, eso-pull": IN_PLACE,
    "rounds: Kessler": "The same library takes 25 or 50 ns, as what ran before in its process has left the "
    "core (decision 0237): a gain of one schedule in turns with others is none in a program.",
    "D3Q19, moments": "No schedule wins everywhere: `Rows()` on one core, stores past the caches on all; "
    "what is chosen reaches 0.85 or more of either.",
    "columns of a Poisson problem": "g++ unrolls loops over at most 8 vectors as a whole, which it knows of "
    "strips of 64 or 128 cells: short rows and small bodies gain. On the Xeon these strips reach 0.46 to "
    "0.89 of the chosen ones in rows of 192 cells.",
    "transform, radix 4": "These arrays, 8 and 17 MB, lie in the last cache of all three machines, and only "
    "on the EPYC do stores past it cost; on the Xeon `Rows()` reach 0.65. So no rule of sizes has both.",
}
"""What holds a row, by the name of its family."""

CPU = (
    Rows(),
    Rows(simd=False),
    CacheLines(4),
    CacheLines(4, nontemporal=True),
    *(Strips(size) for size in (256, 128, 64, 32, 16, 8)),
    Strips(64, nontemporal=True),
)
GPU = (
    *(
        Threads(block=block)
        for block in ((256, 1, 1), (128, 1, 1), (64, 1, 1), (64, 4, 1), (32, 8, 1), (32, 4, 1))
    ),
    *(Threads(coarsening=2, block=block) for block in ((128, 1, 1), (64, 4, 1), (32, 4, 1), (256, 1, 1))),
    Threads(coarsening=4, block=(128, 1, 1)),
)


@dataclass(frozen=True)
class Family:
    """A kernel that stands for a kind. make: its module. cpu, gpu: cells along x, y, z. options: of the
    schedule beside its parts. values: as heddle.explore takes them."""

    name: str
    make: Callable[[], Module]
    kernel: str
    cpu: str
    gpu: str
    precisions: tuple[str, ...] = ("f32", "f64")
    values: dict[str, Any] | None = None

    def size(self, target: str) -> str:
        """Cells along x, y, z on a target."""
        return self.gpu if target == "cuda" else self.cpu

    def extent(self, target: str) -> tuple[int, ...]:
        return tuple(map(int, self.size(target).split("x")))


def _lattice(name: str, pattern: Any, operator: Any, lattice: str) -> Callable[[], Module]:
    def make() -> Module:
        d = lbm.Lattice(lattice)
        module = Module(name, precisions=("f64", "f32"))
        module.add("step", pattern(d)(operator(d)), schedule=Schedule(fma=True))
        return module

    return make


def _stencil() -> Module:
    u, u_next = fields("u, u_next: real[3D]")
    around = u[1, 0, 0] + u[-1, 0, 0] + u[0, 1, 0] + u[0, -1, 0] + u[0, 0, 1] + u[0, 0, -1]
    module = Module("stencil")
    module.add("step", [Assignment(u_next.here, u.here + parameters("alpha") * (around - 6 * u.here))])
    return module


def _plane() -> Module:
    u, u_next = fields("u, u_next: real[2D]")
    around = u[1, 0] + u[-1, 0] + u[0, 1] + u[0, -1]
    module = Module("plane_stencil")
    module.add("step", [Assignment(u_next.here, u.here + parameters("alpha") * (around - 4 * u.here))])
    return module


def _columns() -> Module:
    """Implicit diffusion along z: Thomas' elimination, with unit stride along x."""
    a, b, c, right, factor, found = fields("a, b, c, right, factor, found: real[3D]", ghost_layers=0)
    w, d, below, pivot = sympy.symbols("w d below pivot")
    module = Module("columns_explored")
    module.add(
        "solve",
        [
            Scan(
                2,
                {w: 0, d: 0},
                [
                    Assignment(pivot, 1 / (b.here + 4 - a.here * w)),
                    Assignment(factor.here, c.here * pivot),
                    Assignment(found.here, (right.here - a.here * d) * pivot),
                ],
                {w: c.here * pivot, d: (right.here - a.here * d) * pivot},
            ),
            Scan(
                2,
                {below: 0},
                [Assignment(found.here, found.here - factor.here * below)],
                {below: found.here},
                reverse=True,
            ),
        ],
    )
    return module


def _kessler() -> Module:
    module = Module("kessler_explored", precisions=("f32", "f64"))
    module.add("kessler", microphysics.Kessler().step(), schedule=Schedule(math="reproducible"))
    return module


def _relaxation(kernel: str) -> Callable[[], Module]:
    def make() -> Module:
        phi, right = fields("phi, right: real[3D]")
        equation = relaxation.poisson(phi, right)
        module = Module(f"{kernel}_explored")
        if kernel == "sweep":
            module.add("sweep", equation.sor(), schedule=Schedule(colours=2))
        else:
            module.add("residual", equation.norm("largest"))
        return module

    return make


def _layout(layout: str, kernel: str) -> Callable[[], Module]:
    """A kernel of relaxation or multigrid around walls."""

    def make() -> Module:
        whole = relaxation_layouts(around_walls, (layout,))[layout]
        kept = {kernel: whole.kernels[kernel]}
        return replace(whole, name=f"{layout}_{kernel}", kernels=kept, _stages={})

    return make


def _of_list(pattern: Any) -> Callable[[], Module]:
    def make() -> Module:
        d = lbm.Lattice("D3Q19")
        module = Module(f"d3q19_list_{pattern.__name__.lower()}", precisions=("f64", "f32"))
        module.add("step", pattern(d)(lbm.BGK(d)), space=Sparse("fluid"), schedule=Schedule(fma=True))
        return module

    return make


def _poisson() -> Module:
    return poisson_columns()["columns"]


def _transforms() -> Module:
    return transforms()["passes"]


def _robertson(method: str = "Rodas3") -> Module:
    solver = chemistry.Rosenbrock(robertson(), method, dimensions=1, max_steps=1000)
    name = "robertson_explored" if method == "Rodas3" else f"robertson_{method.lower()}"
    module = Module(name, precisions=("f64",))
    module.add("integrate", solver.integrate(), schedule=Schedule(math="reproducible"))
    return module


def _heights(shape: tuple[int, ...]) -> Any:
    """Of levels 300 m apart."""
    return numpy.broadcast_to(300.0 * numpy.arange(shape[0]).reshape(-1, 1, 1), shape)


AIR = {
    "th": 300,
    "qv": 0.02,
    "qc": 2e-3,
    "qr": 2e-3,
    "rho": 1,
    "pii": 0.95,
    "dz": 300,
    "dt": 10,
    "height": _heights,
}
FAMILIES = (
    Family("stencil of 7 points", _stencil, "step", "256x256x128", "512x512x256", values={"alpha": 0.1}),
    Family("stencil of 5 points", _plane, "step", "4096x2048", "8192x8192", values={"alpha": 0.1}),
    Family(
        "D3Q19 BGK, two arrays",
        _lattice("d3q19_pull", lbm.Pull, lbm.BGK, "D3Q19"),
        "step",
        "96x96x96",
        "256x256x256",
        values={"omega": 1.6},
    ),
    Family(
        "D3Q19 BGK, in place",
        _lattice("d3q19_aa", lbm.AA, lbm.BGK, "D3Q19"),
        "step",
        "96x96x96",
        "256x256x256",
        values={"omega": 1.6},
    ),
    Family(
        "D3Q27 cumulant, in place",
        _lattice("d3q27_aa", lbm.AA, lbm.Cumulant, "D3Q27"),
        "step",
        "96x96x64",
        "256x256x192",
        ("f32",),
        {"omega": 1.6},
    ),
    Family(
        "D3Q19, moments in memory",
        _lattice("moments_explored", lbm.MomentStorage, lbm.Regularised, "D3Q19"),
        "step",
        "128x128x96",
        "256x256x256",
        ("f32",),
        {"omega": 1.6},
    ),
    Family(
        "D2Q9 BGK, two arrays",
        _lattice("d2q9_pull", lbm.Pull, lbm.BGK, "D2Q9"),
        "step",
        "1024x1024",
        "4096x4096",
        ("f64",),
        {"omega": 1.6},
    ),
    Family("columns", _columns, "solve", "256x256x40", "512x512x80"),
    Family("rounds: Kessler microphysics", _kessler, "kessler", "128x64x40", "512x256x40", ("f32",), AIR),
    Family(
        "red-black relaxation",
        _relaxation("sweep"),
        "sweep",
        "192x192x128",
        "512x512x256",
        ("f32",),
        {"omega": 1.5},
    ),
    Family(
        "residual, a reduction", _relaxation("residual"), "residual", "192x192x128", "512x512x256", ("f32",)
    ),
    *(
        Family(
            f"chemistry: Robertson, {method}",
            partial(_robertson, method),
            "integrate",
            "4096",
            "1048576",
            ("f64",),
            {
                "temperature": 290,
                "pressure": 1e5,
                "interval": 1,
                "relative_tolerance": 1e-3,
                "absolute_tolerance": 1e-9,
            },
        )
        for method in ("Rodas3", "Ros3", "Rodas4")
    ),
    Family(
        "D3Q19 BGK, eso-pull",
        _lattice("d3q19_eso", lbm.EsoPull, lbm.BGK, "D3Q19"),
        "step",
        "96x96x96",
        "256x256x256",
        values={"omega": 1.6},
    ),
    Family(
        "D3Q27 central moments, in place",
        _lattice("d3q27_central", lbm.AA, lbm.CentralMoment, "D3Q27"),
        "step",
        "96x96x64",
        "256x256x128",
        values={"omega": 1.6},
    ),
    *(
        Family(
            f"D3Q19 list, {pattern.__name__}",
            _of_list(pattern),
            "step",
            "96x96x96",
            "160x160x160",
            values={"omega": 1.6},
        )
        for pattern in (lbm.Pull, lbm.AA)
    ),
    *(
        Family(
            f"colours, fields {how}: {kernel}",
            _layout(layout, kernel),
            kernel,
            "192x192x128",
            "512x512x256",
            ("f32", "f64") if kernel == "sweep" else ("f32",),
            {"open": 63} | ({"omega": 1.5} if kernel == "sweep" else {}),
        )
        for layout, how in (("split", "split"), ("rows", "as they come"))
        for kernel in ("sweep", "first", "smooth", "remains")
    ),
    *(
        Family(f"columns of a Poisson problem: {kernel}", _poisson, kernel, size, "512x512x128")
        for kernel in ("walls", "periodic")
        for size in ("192x128x64", "64x384x64")
    ),
    *(
        Family(f"transform, radix {radix}", _transforms, f"pass_{radix}", "64x64x32", "256x128x32")
        for radix in (4, 8, 16)
    ),
)
"""Sizes are larger than caches of 32 MiB (CPU) and 50 MiB (GPU), but for those that compute more than they
move."""


def own_schedule(family: Family, module: Module) -> Schedule:
    """What is chosen for its kernel, or the kernels that alternate."""
    names = (family.kernel, f"{family.kernel}_even")
    return next(model for name, model in module.kernels.items() if name in names).schedule


def tried(family: Family, module: Module, target: str) -> list[Schedule]:
    """What is chosen, and the others."""
    own = own_schedule(family, module)
    part, parts = ("gpu", GPU) if target == "cuda" else ("cpu", CPU)
    return list(dict.fromkeys((own, *(replace(own, **{part: one}) for one in parts))))


def explored(family: Family, target: str, out: Path | None, **options: Any) -> None:
    """Time what is chosen and the other schedules of a family."""
    module = family.make()
    chosen = {"precisions": family.precisions, "sizes": [family.size(target)], "kernels": [family.kernel]}
    found = heddle.explore(
        module,
        target=target,
        schedules=tried(family, module, target),
        values=family.values or {},
        out=out,
        **chosen | options,
    )
    print(f"\n== {family.name}\n{found.table()}", flush=True)


def rows(runs: Sequence[Sequence[Result]]) -> Iterator[tuple[str, ...]]:
    """Family, machine, precision, the choice, its ns per cell, the best, what part of it is reached: of each
    machine from the newest run that has the row."""
    for family in FAMILIES:
        module = family.make()
        own = own_schedule(family, module)
        for target, part in (("cpu", "cpu"), ("cuda", "gpu")):
            extent = family.extent(target)
            for precision in family.precisions:
                place = module.name, family.kernel, extent, target, precision, "correct"
                of_machine: dict[str, list[Result]] = {}
                for run in runs:
                    here = [
                        r
                        for r in run
                        if (r.module, r.step, r.extent, r.target, r.precision, r.state) == place
                        and not (r.schedule.gpu.unit_stride or r.schedule.cpu.fixed_nx)
                    ]
                    for machine in dict.fromkeys(r.machine for r in here):
                        found = [r for r in newest(here) if r.machine == machine]
                        known = of_machine.get(machine)
                        if known is None or _day(known) < _day(found):
                            of_machine[machine] = found
                for machine, found in of_machine.items():
                    timed = {getattr(r.schedule, part): r for r in found}
                    chosen, best = timed.get(getattr(own, part)), min(found, key=lambda r: r.time)
                    yield (
                        f"{family.name}, {'x'.join(map(str, best.extent))}",
                        machine,
                        precision,
                        f"`{part_text(getattr(own, part))}`",
                        f"{chosen.nanoseconds_per_cell:.3g}" if chosen else "not timed",
                        f"`{part_text(getattr(best.schedule, part))}` of {len(timed)}",
                        f"{best.time / chosen.time:.2f}" if chosen else "",
                    )


def _finding(row: str) -> str:
    return next((text for start, text in FINDINGS.items() if row.startswith(start)), "Not explained yet.")


def _day(results: Sequence[Result]) -> str:
    return max(result.timestamp for result in results)


def page(runs: Sequence[Sequence[Result]]) -> str:
    """The page of the documentation."""
    lines = [ABOUT]
    found = list(rows(runs))
    for machine in dict.fromkeys(row[1] for row in found):
        lines += [
            f"## {machine}",
            "",
            "| kernel, cells | precision | chosen | ns per cell | best | reached |",
        ]
        lines.append("|---|---|---|---|---|---|")
        lines += ["| " + " | ".join((row[0], *row[2:])) + " |" for row in found if row[1] == machine]
        lines.append("")
    low = [row for row in found if row[-1] and float(row[-1]) < NARROW]
    lines += ["## Where less than 0.95 is reached", ""]
    why: dict[str, list[str]] = {}
    for row in low:
        why.setdefault(_finding(row[0]), []).append(f"{row[0]}, {row[2]}, {row[1]}: {row[-1]}")
    for text, several in why.items():
        lines += [text, "", *(f"- {one}" for one in several), ""]
    return "\n".join(line.rstrip() for line in lines).rstrip() + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--target", choices=("cpu", "cuda"), default="cpu")
    parser.add_argument("--out", type=Path, help="in place of the folder of the target")
    parser.add_argument("--only", nargs="+", help="numbers of families, from 0")
    parser.add_argument("--samples", type=int, default=9)
    parser.add_argument("--size", help="in place of those of the families")
    parser.add_argument("--budget", type=float, help="minutes for each family")
    parser.add_argument("--jobs", type=int)
    parser.add_argument("--precisions", nargs="+")
    parser.add_argument("--page", action="store_true", help="write the page from results instead")
    options = parser.parse_args()
    out = options.out or RESULTS / options.target
    if options.page:
        folders = sorted(folder for folder in RESULTS.iterdir() if (folder / FILE).is_file())
        PAGE.write_text(page([load_results([folder]).results for folder in folders]))
        return
    for number, family in enumerate(FAMILIES):
        if options.only and str(number) not in options.only:
            continue
        more: dict[str, Any] = {} if options.size is None else {"sizes": [options.size]}
        if options.precisions is not None:
            more["precisions"] = [p for p in options.precisions if p in family.precisions]
        threads = 1 if options.target == "cpu" else None
        try:
            explored(
                family, options.target, out, samples=options.samples, budget=options.budget,
                jobs=options.jobs, threads=threads, quiet=True, **more,
            )  # fmt: skip
        except heddle.KernelError as error:
            print(f"{family.name}: {error}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
