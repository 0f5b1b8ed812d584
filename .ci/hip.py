# SPDX-License-Identifier: Apache-2.0
"""Compile a sample of emitted kernels for an AMD GPU: the golden ones, one of each kind, and one of other
modules of the build; and, over HIP, what the runtime asks of a GPU. Writes how many registers each kernel
takes, and fails if something does not compile.

Needs clang++-19, ROCm's device libraries and HIP's headers (Debian: clang-19 rocm-device-libs
libamdhip64-dev), no GPU and no linker.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from heddle import Module
from heddle.build import files, load, write

ROOT = Path(__file__).resolve().parents[1]
COUNT = 40
ARCHITECTURE = "gfx90a"
FLAGS = "-x hip --cuda-device-only -S -std=c++20 -O2 -ffp-contract=off -Wall -Wextra -Werror".split()
HOST_FLAGS = "-std=c++20 -fsyntax-only -D__HIP_PLATFORM_AMD__ -Wall -Wextra -Werror".split()
COLUMNS = {
    "VGPRs": ".vgpr_count",
    "SGPRs": ".sgpr_count",
    "spilled VGPRs": ".vgpr_spill_count",
    "spilled SGPRs": ".sgpr_spill_count",
    "scratch B": ".private_segment_fixed_size",
}


@dataclass(frozen=True)
class Kernel:
    """A kernel of a model of this build; without a name, the one in the middle of the model."""

    model: Path
    module: str
    name: str = ""


@dataclass(frozen=True)
class Compiled:
    """What came of a file: a line of numbers for each function, or what the compiler said."""

    file: str
    functions: tuple[tuple[str, tuple[int, ...]], ...] = ()
    problem: str = ""


def sample(build: Path, count: int) -> list[Kernel]:
    """The golden kernels, then one of as many other modules as it takes, spread over their names."""
    models: dict[str, Path] = {}
    for path in sorted((build / "heddle-modules").glob("*.json")):
        module = json.loads(path.read_text())
        if "cuda" in module["targets"]:
            models[path.stem] = Path(module["model"])
    chosen = {}
    for path in sorted((ROOT / "tests" / "golden").glob("*/*.c*")):
        if path.suffix in (".cpp", ".cu", ".cuh") and path.parent.name in models:
            name = re.split(r"_reference|\.", path.name)[0]
            chosen[path.parent.name, name] = Kernel(models[path.parent.name], path.parent.name, name)
    others = sorted(models.keys() - {module for module, _ in chosen})
    wanted = min(max(count - len(chosen), 0), len(others))
    spread = [others[i * len(others) // wanted] for i in range(wanted)]
    return [*chosen.values(), *(Kernel(models[module], module) for module in spread)]


def compiled(kernel: Kernel, out: Path, rocm: Path) -> Compiled:
    """Emit a kernel for HIP and compile it."""
    whole = load(kernel.model, ROOT)
    name = kernel.name or list(whole.kernels)[len(whole.kernels) // 2]
    alone = Module(whole.name, precisions=whole.precisions)
    alone.kernels[name], alone.model = whole.kernels[name], whole.model
    folder = out / f"{kernel.module}.{name}"
    write(files(alone, ["hip"], sweeps=False), folder)
    source = folder / kernel.module / f"{name}.hip"
    assembly = source.with_suffix(".s")
    libraries = next(rocm.glob("lib/*/amdgcn/bitcode"))
    where = [f"--rocm-path={rocm}", f"--rocm-device-lib-path={libraries}", "-I", str(folder)]
    done = subprocess.run(
        ["clang++-19", *FLAGS, f"--offload-arch={ARCHITECTURE}", *where, str(source), "-o", str(assembly)],
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        return Compiled(source.name, problem=done.stderr)
    found = tuple(functions(assembly.read_text()))
    return Compiled(source.name, found, "" if found else "there is no kernel function in its assembly")


def runtime_compiled() -> list[Compiled]:
    """The runtime's calls of a GPU's run time, over that of HIP."""
    results = []
    for source in sorted((ROOT / "runtime" / "src" / "core" / "gpu").glob("*.cpp")):
        include = ["-I", str(ROOT / "runtime" / "include")]
        command = ["clang++-19", *HOST_FLAGS, *include, str(source)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        results.append(Compiled(f"runtime/{source.name}", problem=done.stderr if done.returncode else ""))
    return results


def functions(assembly: str) -> Iterator[tuple[str, tuple[int, ...]]]:
    """The kernel functions of a file and their numbers, from the metadata at its end."""
    for entry in assembly.partition("amdhsa.kernels:")[2].split("\n  - .")[1:]:
        values = dict(re.findall(r"^ {4}(\.\w+): +(\S+)$", "    ." + entry, re.MULTILINE))
        yield values[".name"], tuple(int(values[key]) for key in COLUMNS.values())


def report(results: list[Compiled]) -> str:
    """A table, one line a function; what several files have, such as the last stages of a reduction, once."""
    rows = dict(row for result in results for row in result.functions)
    names = subprocess.run(
        ["c++filt", "--no-params"], input="\n".join(rows), capture_output=True, text=True, check=True
    ).stdout.splitlines()
    lines = [f"{'function, for ' + ARCHITECTURE:60}" + "".join(f"{name:>15}" for name in COLUMNS)]
    for name, numbers in zip(names, rows.values(), strict=True):
        lines.append(f"{name.removeprefix('void '):60}" + "".join(f"{number:15}" for number in numbers))
    return "\n".join(lines) + "\n"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=Path, required=True, help="build folder whose modules are generated")
    parser.add_argument("--out", type=Path, required=True, help="folder for text, assembly and report.txt")
    parser.add_argument("--rocm", type=Path, default=Path("/usr"), help="where ROCm is installed")
    parser.add_argument("--count", type=int, default=COUNT, help="of kernels")
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    kernels = sample(options.build, options.count)
    with ProcessPoolExecutor(options.jobs) as pool:
        results = list(pool.map(partial(compiled, out=options.out, rocm=options.rocm), kernels))
    text = report(results)
    (options.out / "report.txt").write_text(text)
    print(text)
    runtime = runtime_compiled()
    failed = [result for result in (*results, *runtime) if result.problem]
    for result in failed:
        print(f"{result.file} does not compile:\n{result.problem}")
    numbers = list(dict(row for result in results for row in result.functions).values())
    spilling = sum(any(line[2:4]) for line in numbers)
    print(
        f"{sum(not each.problem for each in results)} of {len(results)} kernels compile for {ARCHITECTURE}: "
        f"{len(numbers)} functions, {spilling} of them spill registers; "
        f"{sum(not each.problem for each in runtime)} of {len(runtime)} files of the runtime compile over HIP"
    )
    return 1 if failed or len(results) < options.count else 0


if __name__ == "__main__":
    sys.exit(main())
