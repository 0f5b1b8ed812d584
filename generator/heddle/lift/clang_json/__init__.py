# SPDX-License-Identifier: Apache-2.0
"""The front end that needs no LLVM development packages: `clang++ -Xclang -ast-dump=json` as the record.

Clang's JSON → `stream` (one declaration after the other) → `declarations` (an index; `types` reads the
spellings) → `expressions`, `statements` → `unit`. It gives the same record as heddle-lift.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path, PurePath

from heddle.errors import KernelError
from heddle.ir.source import Unit
from heddle.lift.clang import compile_error, language_flags
from heddle.lift.clang_json.declarations import Declarations
from heddle.lift.clang_json.stream import declarations
from heddle.lift.clang_json.unit import Units

_DEEP = 10_000  # of Python's calls: a tree of Clang may be that deep, the stack of the system holds it
_UNEXPECTED = (LookupError, TypeError, ValueError, AttributeError, RuntimeError, StopIteration)


def read(
    path: str,
    flags: Sequence[str] = (),
    function: str | None = None,
    compiler: str = "clang++",
    folder: str | None = None,
) -> Unit:
    """The record of a file. function: only functions of this name and what they call; folder: where the
    flags are meant. Raises KernelError where Clang finds errors."""
    with tempfile.TemporaryDirectory(prefix="heddle-") as scratch, _deep_trees():
        command = [
            *(compiler, "-fsyntax-only", "-w", "-Wno-unknown-cuda-version", "-fno-color-diagnostics", "-v"),
            *("-fno-crash-diagnostics", "-Xclang", "-ast-dump=json"),
            *(*language_flags(path, flags), *flags, "-fno-openmp", path),
        ]
        with open(Path(scratch) / "errors", "w+b") as errors:
            index = Declarations(_is_system(Path(errors.name), path, flags, folder))
            problem: Exception | None = None
            with subprocess.Popen(
                command, stdout=subprocess.PIPE, stderr=errors, stdin=subprocess.DEVNULL, cwd=folder
            ) as clang:
                assert clang.stdout is not None
                try:
                    for tree in declarations(clang.stdout):
                        index.add(tree)
                except _UNEXPECTED as error:
                    problem = error
                    clang.kill()
            errors.seek(0)
            diagnostics = errors.read().decode("utf-8", "replace")
        if problem is None and clang.returncode:
            raise compile_error(path, diagnostics)
        try:
            if problem is not None:
                raise problem
            return Units(index, path).unit(function)
        except _UNEXPECTED as error:
            raise _not_understood(path, error) from error


def _not_understood(path: str, error: Exception) -> KernelError:
    name = PurePath(path).name
    if isinstance(error, RecursionError):
        return KernelError(name, "an expression or a type is nested too deeply", "split it into several")
    hint = "use Clang 14 to 19, or build heddle-lift (CMake option HEDDLE_LIFT)"
    return KernelError(
        name, f"Clang's tree has a form that is not known ({type(error).__name__}: {error})", hint
    )


@contextmanager
def _deep_trees() -> Iterator[None]:
    """A tree of Clang's is deeper than Python expects of a program's calls."""
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(max(before, _DEEP))
    try:
        yield
    finally:
        sys.setrecursionlimit(before)


def _is_system(messages: Path, path: str, flags: Sequence[str], folder: str | None) -> Callable[[str], bool]:
    """Whether a file is a system header: it comes from a folder that Clang searches and no flag -I names.
    messages: what Clang says with -v; it has named these folders when the first declaration arrives."""
    known: dict[str, bool] = {}
    folders: dict[str, bool] = {}  # whether it is one of the system's

    def real(file: str) -> str:
        return os.path.realpath(os.path.join(folder or ".", file))

    def is_system(file: str) -> bool:
        if not folders:
            own = {real(each) for each in _own_folders(flags)}
            folders.update({each: each not in own for each in map(real, _searched(messages))})
            known[path] = False
        if file not in known:
            parents = (str(parent) for parent in Path(real(file)).parents)  # the nearest first
            known[file] = next((folders[parent] for parent in parents if parent in folders), False)
        return known[file]

    return is_system


def _searched(messages: Path) -> list[str]:
    """The folders that Clang searches for headers."""
    _, _, rest = messages.read_text(encoding="utf-8", errors="replace").partition("search starts here:")
    lines = rest.partition("End of search list.")[0].splitlines()
    return [line.strip() for line in lines if line.startswith(" ")]


def _own_folders(flags: Sequence[str]) -> Iterator[str]:
    """What -I and -iquote name."""
    for flag, following in zip(flags, (*flags[1:], ""), strict=False):
        for option in ("-I", "-iquote"):
            if flag.startswith(option):
                yield flag.removeprefix(option) or following
