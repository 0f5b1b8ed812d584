# SPDX-License-Identifier: Apache-2.0
"""heddle doctor: what of the machine Heddle finds, what each is needed for, and how to install what lacks."""

from __future__ import annotations

import importlib.util
import os
import platform
import shutil
import sys
from collections.abc import Callable
from dataclasses import dataclass

import heddle
from heddle.colours import coloured
from heddle.errors import KernelError
from heddle.python import cache
from heddle.python.compiler import compute_capabilities, host_compiler, nvcc, run


@dataclass(frozen=True)
class Finding:
    """One line: ok, whether it is needed for all else, what was found or lacks, and what to do."""

    name: str
    ok: bool
    needed: bool
    said: str
    remedy: str = ""


def findings() -> list[Finding]:
    """All checks, in the order in which they are printed."""
    return [
        _python(),
        _compiler(),
        _openmp(),
        _cache(),
        _numpy(),
        _nvcc(),
        _gpu(),
        _clang(),
        _mpi(),
        _cmake(),
    ]


def report(write: Callable[[str], object] = print) -> int:
    """Print the findings; returns 0, or 1 if something lacks without which heddle.load does not work."""
    found = findings()
    for finding in found:
        mark, colour = (
            ("ok", "green") if finding.ok else ("MISSING", "red") if finding.needed else ("absent", "yellow")
        )
        write(f"{coloured(mark, colour, sys.stdout)}{' ' * (8 - len(mark))}{finding.name}: {finding.said}")
        if not finding.ok:
            write(f"        {finding.remedy}")
    broken = [finding.name for finding in found if finding.needed and not finding.ok]
    write(f"heddle.load does not work without: {', '.join(broken)}" if broken else "heddle.load works here.")
    return 1 if broken else 0


def _python() -> Finding:
    kind = f"{platform.python_implementation()} {platform.python_version()}, heddle {heddle.__version__}"
    remedy = "kernels are called through CPython's stable ABI: use CPython 3.11 or newer"
    return Finding("Python", platform.python_implementation() == "CPython", True, kind, remedy)


def _compiler() -> Finding:
    try:
        found = host_compiler()
        version = run([*found.command, "--version"]).splitlines()[0]
        return Finding("C++ compiler", True, True, f"{' '.join(found.command)} ({version})")
    except KernelError as error:
        return Finding("C++ compiler", False, True, error.what, error.hint)


def _openmp() -> Finding:
    try:
        has = "-fopenmp" in host_compiler().flags
    except KernelError:
        has = False
    said = f"{os.cpu_count()} cores" if has else "kernels run on one core"
    return Finding("OpenMP", has, False, said, "Debian: apt install libgomp1, or libomp-dev for clang")


def _cache() -> Finding:
    place = cache.folder()
    try:
        place.mkdir(parents=True, exist_ok=True)
        fits = os.access(place, os.W_OK)
    except OSError:
        fits = False
    remedy = "it cannot be written: set HEDDLE_CACHE to another folder, or HEDDLE_CACHE=off"
    return Finding("cache", fits, True, str(place), remedy)


def _numpy() -> Finding:
    has = importlib.util.find_spec("numpy") is not None
    remedy = "pip install numpy, or use another library of arrays"
    return Finding("NumPy", has, False, "arrays of the host", remedy)


def _nvcc() -> Finding:
    try:
        found = nvcc()
        release = [line for line in run([found, "--version"]).splitlines() if "release" in line]
        return Finding("CUDA compiler", True, False, f"{found} ({release[0].strip() if release else '?'})")
    except KernelError as error:
        return Finding("CUDA compiler", False, False, f'{error.what} target="cuda" needs one', error.hint)


def _gpu() -> Finding:
    found = compute_capabilities()
    said = ", ".join(f"sm_{number}" for number in found) or 'none; target="cuda" needs one'
    return Finding("GPU of NVIDIA", bool(found), False, said, "with a GPU: install NVIDIA's driver")


def _clang() -> Finding:
    found = shutil.which("heddle-lift") or next(
        (p for v in (19, 16, 14) if (p := shutil.which(f"clang-{v}"))), ""
    )
    remedy = "Debian: apt install libclang-19-dev llvm-19-dev clang-19, then build the target heddle-lift"
    said = found or "`heddle lift` and `heddle check` need it"
    return Finding("Clang", bool(found), False, said, remedy)


def _mpi() -> Finding:
    found = shutil.which("mpicxx") or shutil.which("mpicc")
    said = found or "programs on several ranks need it"
    return Finding("MPI", found is not None, False, said, "Debian: apt install libopenmpi-dev openmpi-bin")


def _cmake() -> Finding:
    found = shutil.which("cmake")
    said = found or "C++ programs with the runtime need it"
    return Finding("CMake", found is not None, False, said, "Debian: apt install cmake ninja-build")


if __name__ == "__main__":
    sys.exit(report())
