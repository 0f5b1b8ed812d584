# SPDX-License-Identifier: Apache-2.0
"""How long compilers take for a whole integration, Rodas3 with Strips(8): Carbon Bond 2005, and the made-up
mechanism of 209 species. Prints seconds of a processor, for the generator too.

    PYTHONPATH=generator python tests/benchmarks/chemistry/compile_time.py g++ clang++-19 -- -O2 -O3
"""

from __future__ import annotations

import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from heddle import Module, Schedule, Strips, chemistry
from heddle.build import files, write

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "generator" / "chemistry"))

from large import large  # isort: skip

FLAGS = "-std=c++20 -ffp-contract=off -fno-math-errno -fno-trapping-math -march=native -fopenmp".split()


def generated(name: str, mechanism: chemistry.Mechanism, folder: Path) -> Path:
    """The file of the kernel."""
    module = Module(name, precisions=("f64",))
    module.model = Path(Path(__file__).name)
    solver = chemistry.Rosenbrock(mechanism, "Rodas3", dimensions=1)
    schedule = Schedule(cpu=Strips(8), math="reproducible")
    module.add("integrate", solver.integrate(), schedule=schedule)
    write(files(module, ["cpu"]), folder)
    return folder / name / "integrate.cpp"


def seconds(command: Sequence[str]) -> float:
    """Of a processor, user and system."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main(words: Sequence[str]) -> None:
    at = words.index("--") if "--" in words else len(words)
    compilers, levels = words[:at] or ["g++"], words[at + 1 :] or ["-O3"]
    with tempfile.TemporaryDirectory() as place:
        for name, make in (("cb05", chemistry.cb05), ("large", large)):
            begin = time.process_time()
            source = generated(name, make(), Path(place))
            lines = len(source.read_text().splitlines())
            print(f"{name}: {lines} lines, generated in {time.process_time() - begin:.1f} s", flush=True)
            for compiler in compilers:
                for level in levels:
                    folders = ["-I", place, "-I", str(source.parent)]
                    command = [compiler, *FLAGS, level, *folders, "-c", str(source), "-o", f"{place}/k.o"]
                    print(f"{name}: {compiler} {level}: {seconds(command):.1f} s", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
