# SPDX-License-Identifier: Apache-2.0
"""Heddle beside pystencils and lbmpy, all from Python: what a user waits for, and the speed reached then.

pip install ./generator lbmpy==2.0 py-cpuinfo numpy     # and CuPy for a GPU
python tests/benchmarks/beside_from_python.py [--target cpu|cuda] [--edge N] [--rounds 15] [--json FILE]

Three kernels in f32 and f64, each in a process of its own with empty caches: a diffusion step of 7 points
with two arrays (pystencils), D3Q19 BGK and D3Q27 cumulants in place, AA (lbmpy), dense. For each: seconds
to generate, seconds to compile and call it once, microseconds per call on 4^3 cells, and the speed.
Both programs work in turns on the same arrays, those of heddle.zeros: one ghost layer, rows begin at cache
lines, x is contiguous. First they make the same steps from the same random numbers, and must agree.

CPU: one thread, and CPU time, also of compilers. GPU: the clock, and time between CUDA events; of the
peers the best of BLOCKS counts. Medians of all rounds; a round is two steps. What Heddle generates is timed
by a second process, which finds the library in the cache. --jobs: so many kernels are generated and compiled
at once; timed is one at a time.
"""

from __future__ import annotations

import argparse
import fcntl
import importlib
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path
from typing import Any

COMPONENTS = {"diffusion": 0, "D3Q19 BGK": 19, "D3Q27 cumulant": 27}
PRECISIONS = {"float32": "f32", "float64": "f64"}
CASES = [(case, kind) for case in COMPONENTS for kind in PRECISIONS]
TOLERANCE = 64
"""Units of rounding of 1, the density, by which results may differ that change by more than a hundredth."""
BLOCKS = ((8, 8, 4), (256, 1, 1), (128, 1, 1), (64, 1, 1), (32, 1, 1), (64, 2, 1), (32, 4, 1), (128, 2, 1))
TIMES = ("s", "s", "us")
RATES = {"omega": 1.2, "alpha": 0.1}
Step = Callable[[Any, Any], None]
"""Two steps, from an array and back to it; the second array is used by `diffusion` alone."""


class Machine:
    """Arrays and a clock of a target."""

    def __init__(self, target: str) -> None:
        self.cuda = target == "cuda"
        self.library = importlib.import_module("cupy" if self.cuda else "numpy")

    def wait(self) -> None:
        if self.cuda:
            self.library.cuda.get_current_stream().synchronize()

    def arrays(self, case: str, kind: str, edge: int, size: float = 1e-3) -> tuple[Any, Any]:
        """Two arrays of random numbers up to a size, with a ghost layer."""
        import heddle

        components = COMPONENTS[case]
        shape = (*([components] if components else []), edge, edge, edge)
        random = self.library.random.default_rng(1)
        made = []
        for _ in range(1 if components else 2):
            array = heddle.zeros(shape, kind, axes="xyz", library=self.library)
            for part in array:
                part[...] = (random.random(part.shape, dtype=kind) - 0.5) * 2 * size
            made.append(array)
        return made[0], made[-1]

    def seconds(self, work: Callable[[], None]) -> float:
        """CPU time of one thread; on a GPU the time between two events."""
        if not self.cuda:
            begin = time.process_time()
            work()
            return time.process_time() - begin
        first, last = self.library.cuda.Event(), self.library.cuda.Event()
        first.record()
        work()
        last.record()
        last.synchronize()
        return float(self.library.cuda.get_elapsed_time(first, last)) / 1e3

    def now(self) -> float:
        """The clock; without a GPU the CPU time of this process and of the compilers that it started."""
        return time.perf_counter() if self.cuda else sum(os.times()[:4])

    def per_call(self, work: Callable[[], None]) -> float:
        """Microseconds of the host per call, of rounds of two calls; a GPU finishes behind its back."""
        times, clock = [], time.perf_counter if self.cuda else time.process_time
        for _ in range(31):
            self.wait()
            begin = clock()
            for _ in range(50):
                work()
            times.append(clock() - begin)
            self.wait()
        return statistics.median(times) / 100 * 1e6


def ours(case: str, kind: str, target: str) -> Step:
    """With the schedule that Heddle chooses, and fused multiply-adds, as the compilers of the peers take."""
    import heddle
    from heddle import Assignment, Module, Schedule, fields, lbm, parameters

    schedule = Schedule(fma=True)

    name = case.split()[0].lower()
    module = Module(name, about=f"{case} beside other programs.", precisions=(PRECISIONS[kind],))
    if case == "diffusion":
        both: Any = fields("u, u_next: real[3D]")
        u, u_next = both
        around = u[1, 0, 0] + u[-1, 0, 0] + u[0, 1, 0] + u[0, -1, 0] + u[0, 0, 1] + u[0, 0, -1]
        update = Assignment(u_next.here, u.here + parameters("alpha") * (around - 6 * u.here))
        module.add("step", [update], schedule=schedule)
    else:
        lattice = lbm.Lattice(name.upper())
        collide = lbm.BGK(lattice) if case.endswith("BGK") else lbm.Cumulant(lattice, galilean=False)
        module.add("aa", lbm.AA(lattice)(collide), schedule=schedule)
    kernels = heddle.load(module, target)

    def diffuse(f: Any, g: Any) -> None:
        kernels.step(u=f, u_next=g, alpha=RATES["alpha"], ghosts=1)
        kernels.step(u=g, u_next=f, alpha=RATES["alpha"], ghosts=1)

    def in_place(f: Any, _: Any) -> None:
        kernels.aa_even(f=f, omega=RATES["omega"], ghosts=1)
        kernels.aa_odd(f=f, omega=RATES["omega"], ghosts=1)

    return diffuse if case == "diffusion" else in_place


def theirs(case: str, kind: str, target: str) -> tuple[list[Any], Callable[[list[Any]], Step]]:
    """The generated kernels, and what makes a step of them once they are compiled. Axes are x, y, z, q."""
    import sympy

    ps = importlib.import_module("pystencils")
    options = ps.CreateKernelConfig(
        target=ps.Target.CUDA if target == "cuda" else ps.Target.CurrentCPU,
        default_dtype=kind,
        ghost_layers=1,
    )
    if target == "cpu":
        options.cpu.openmp.enable = True
        options.cpu.vectorize.enable = True
        options.cpu.vectorize.assume_inner_stride_one = True
    omega, alpha = sympy.symbols("omega, alpha")
    if case == "diffusion":
        u, v = ps.fields(f"u, v: {kind}[3D]", layout="fzyx")
        around = u[1, 0, 0] + u[-1, 0, 0] + u[0, 1, 0] + u[0, -1, 0] + u[0, 0, 1] + u[0, 0, -1]
        update = ps.Assignment(v[0, 0, 0], u[0, 0, 0] + alpha * (around - 6 * u[0, 0, 0]))

        def diffusion(step: Any) -> Step:
            def run(f: Any, g: Any) -> None:
                step(u=f, v=g, alpha=RATES["alpha"])
                step(u=g, v=f, alpha=RATES["alpha"])

            return run

        return [ps.create_kernel(update, options)], lambda made: diffusion(*made)
    lbmpy = importlib.import_module("lbmpy")
    timestep = importlib.import_module("lbmpy.advanced_streaming").Timestep
    lattice, operator = case.split()
    common = {
        "stencil": lbmpy.LBStencil(lbmpy.Stencil[lattice]),
        "method": lbmpy.Method.SRT if operator == "BGK" else lbmpy.Method.CUMULANT,
        "relaxation_rate": omega,
        "compressible": True,
        "zero_centered": True,
        "continuous_equilibrium": operator != "BGK",  # of BGK the usual one, of second order
    }
    field = ps.fields(f"f({COMPONENTS[case]}): {kind}[3D]", layout="fzyx")
    collision = lbmpy.create_lb_collision_rule(lbm_config=lbmpy.LBMConfig(**common))
    kernels = []
    for parity in (timestep.EVEN, timestep.ODD):
        rule = lbmpy.create_lb_update_rule(
            collision,
            lbm_config=lbmpy.LBMConfig(**common, streaming_pattern="aa", timestep=parity),
            lbm_optimisation=lbmpy.LBMOptimisation(symbolic_field=field),
        )
        kernels.append(ps.create_kernel(rule, options))

    def pair(even: Any, odd: Any) -> Step:
        def run(f: Any, _: Any) -> None:
            even(f=f, omega=RATES["omega"])
            odd(f=f, omega=RATES["omega"])

        return run

    return kernels, lambda made: pair(*made)


def their_order(case: str) -> Any:
    """Of each of our components the number of theirs with the same velocity; nothing for a scalar."""
    if case == "diffusion":
        return ...
    from heddle import lbm

    lbmpy, name = importlib.import_module("lbmpy"), case.split()[0]
    velocities = [tuple(int(c) for c in v) for v in lbmpy.LBStencil(lbmpy.Stencil[name])]
    return [velocities.index(tuple(int(c) for c in v)) for v in lbm.Lattice(name).velocities]


def disagreement(machine: Machine, case: str, kind: str, own: Step, peer: Step) -> float:
    """The largest difference after six steps from the same numbers, in units of rounding of 1."""
    f, g = machine.arrays(case, kind, 12, 0.02)
    p, r = machine.arrays(case, kind, 12, 0.02)
    order = their_order(case)
    p[order] = f
    begin = f.copy()
    for _ in range(3):
        own(f, g)
        peer(p.T, r.T)
    inside = (..., *[slice(1, -1)] * 3)
    units = float(abs(f - p[order])[inside].max() / machine.library.finfo(kind).eps)
    if abs(f - begin)[inside].max() < 0.01:
        raise SystemExit(f"{case}, {kind}: the steps changed nothing")
    return units


def worker(options: argparse.Namespace) -> dict[str, Any]:
    """All numbers of a case, in a process that has loaded nothing yet."""
    case, kind, target = options.case, options.kind, options.target
    machine = Machine(target)
    now = machine.now
    f, g = machine.arrays(case, kind, 4)  # imports Heddle, and wakes the GPU
    machine.wait()
    begin = now()
    own = ours(case, kind, target)
    own(f, g)
    machine.wait()
    found: dict[str, Any] = {"own_ready": now() - begin}
    if options.again:
        return found
    importlib.import_module("pystencils" if case == "diffusion" else "lbmpy")
    begin = now()
    kernels, step = theirs(case, kind, target)
    found["peer_generate"] = now() - begin
    begin = now()
    compiled = [kernel.compile() for kernel in kernels]
    peer = step(compiled)
    tiny = (f.T, g.T)
    peer(*tiny)
    machine.wait()
    found["peer_compile"] = now() - begin
    found["disagreement"] = disagreement(machine, case, kind, own, peer)
    alone = open(os.environ["BESIDE_LOCK"], "w")  # noqa: SIM115 - until the process ends
    fcntl.flock(alone, fcntl.LOCK_EX)
    found["own_call"] = machine.per_call(lambda: own(f, g))
    found["peer_call"] = machine.per_call(lambda: peer(*tiny))
    big = machine.arrays(case, kind, options.edge)

    def with_block(block: Any) -> Callable[[], None]:
        views = big[0].T, big[1].T  # of its own: pystencils keeps the block that it first ran an array with

        def run() -> None:
            for kernel in compiled if block else ():
                kernel.launch_config.trim_block_size(block)
            peer(*views)

        return run

    contenders: dict[str, Callable[[], None]] = {"own": lambda: own(*big)}
    contenders |= {f"peer {block}": with_block(block) for block in (BLOCKS if machine.cuda else (None,))}
    spent: dict[str, list[float]] = {name: [] for name in contenders}
    for number in range(options.rounds + 2):
        for name, run in contenders.items():
            seconds = machine.seconds(run)
            if number > 1:
                spent[name].append(seconds)
    rates = {name: 2 * options.edge**3 / statistics.median(times) / 1e9 for name, times in spent.items()}
    return found | {"rates": rates}


def measure(case: str, kind: str) -> dict[str, Any]:
    """A case in two fresh processes; the first begins with empty caches."""
    with tempfile.TemporaryDirectory() as caches:
        lock = os.environ.get("BESIDE_LOCK", f"{caches}/alone")
        environment = dict(os.environ, CCACHE_DISABLE="1", OMP_NUM_THREADS="1", BESIDE_LOCK=lock)
        for name in ("HEDDLE_CACHE", "XDG_CACHE_HOME", "CUPY_CACHE_DIR", "CUDA_CACHE_PATH"):
            environment[name] = f"{caches}/{name}"
        command = [sys.executable, __file__, *sys.argv[1:], "--worker", "--case", case, "--kind", kind]
        printed = (
            subprocess.run([*command, *more], env=environment, check=True, stdout=subprocess.PIPE).stdout
            for more in ([], ["--again"])
        )
        first, second = (json.loads(text.splitlines()[-1]) for text in printed)
    generate = second["own_ready"]
    best = {p: max(r for name, r in first["rates"].items() if name.startswith(p)) for p in ("own", "peer")}
    first |= best | {"own_generate": generate, "own_compile": first["own_ready"] - generate}
    return dict(first)


def table(done: dict[tuple[str, str], dict[str, Any]]) -> tuple[list[str], list[dict[str, Any]]]:
    """Lines to read, and rows as in results/*.json: the limit is the peer."""
    lines = ["| kernel | program | generate | compile | call | GLUPS | differ by |", "|" + "---|" * 7]
    rows: list[dict[str, Any]] = []
    for case, kind in [pair for pair in CASES if pair in done]:
        found = done[case, kind]
        what, peer = f"{case}, {PRECISIONS[kind]}", "pystencils" if case == "diffusion" else "lbmpy"
        for key, name in (("own", "Heddle"), ("peer", peer)):
            number = [f"{found[f'{key}_{quantity}']:.3g}" for quantity in ("generate", "compile", "call")]
            units = f"{found['disagreement']:.1f} eps"
            words = [what, name, *map(" ".join, zip(number, TIMES, strict=True)), f"{found[key]:.4g}", units]
            lines.append(f"| {' | '.join(words)} |")
        for quantity, unit in zip(("generate", "compile", "call"), TIMES, strict=True):
            value, limit = (float(f"{found[f'{key}_{quantity}']:.3g}") for key in ("own", "peer"))
            rows.append({"what": f"{what}: {quantity}", "value": value, "unit": unit, "limit": limit})
        value, limit = (float(f"{found[key]:.4g}") for key in ("own", "peer"))
        rows.append({"what": f"{what}: speed", "value": value, "unit": "GLUPS", "limit": limit})
    return lines, rows


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--target", choices=("cpu", "cuda"), default="cpu")
    parser.add_argument("--edge", type=int, help="cells along each axis: by default 128, on a GPU 384")
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--only", default="", help="kernels whose name contains this: 'D3Q19 BGK, f32'")
    parser.add_argument("--json", type=Path, help="a file for the rows, and all that was measured")
    for hidden in ("--case", "--kind"):
        parser.add_argument(hidden, help=argparse.SUPPRESS)
    for hidden in ("--worker", "--again"):
        parser.add_argument(hidden, action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    options.edge = options.edge or {"cpu": 128, "cuda": 384}[options.target]
    if options.worker:
        print(json.dumps(worker(options)))
        return
    names = [pair for pair in CASES if options.only in f"{pair[0]}, {PRECISIONS[pair[1]]}"]
    done: dict[tuple[str, str], dict[str, Any]] = {}
    lines: list[str] = []
    with tempfile.NamedTemporaryFile() as lock, ThreadPoolExecutor(options.jobs) as pool:
        os.environ["BESIDE_LOCK"] = lock.name
        for found in as_completed(futures := {pool.submit(measure, *pair): pair for pair in reversed(names)}):
            try:
                done[futures[found]] = found.result()
            except subprocess.CalledProcessError as error:
                print(f"{futures[found]}: {error}", file=sys.stderr, flush=True)
                continue
            lines, rows = table(done)
            print(f"{len(done)} of {len(names)}", file=sys.stderr, flush=True)
            if options.json:
                measured = {f"{case}, {kind}": numbers for (case, kind), numbers in done.items()}
                options.json.write_text(json.dumps({"rows": rows, "measured": measured}, indent=1) + "\n")
    print(*lines, sep="\n")
    wrong = [f"{case}, {kind}" for (case, kind), found in done.items() if found["disagreement"] > TOLERANCE]
    sys.exit(f"these are not the same: {wrong}" if wrong else len(done) < len(names))


if __name__ == "__main__":
    main()
