# SPDX-License-Identifier: Apache-2.0
"""From C++ and CUDA text to its record, with the program heddle-lift."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Sequence
from pathlib import Path, PurePath

from heddle import resources
from heddle.errors import KernelError, Place
from heddle.ir.json import from_json
from heddle.ir.source import Unit
from heddle.lift.limits import run

SHIM = Path(__file__).resolve().parent / "shim"
"""Declarations that stand in for those of CUDA and of the standard library."""
_CHECKOUT = Path(__file__).resolve().parents[3]
_ERROR = re.compile(
    r"^(?P<file>[^\n]*?):(?P<line>\d+):\d+: (?:fatal )?error: (?P<what>[^\n]*)$", re.MULTILINE
)
_ERROR_OF_DRIVER = re.compile(r"^[^\n]*?error: (?P<what>[^\n]*)$", re.MULTILINE)


def read(
    path: str | Path,
    flags: Sequence[str] = (),
    function: str | None = None,
    compile_commands: str | Path | None = None,
    partly: bool = False,
) -> Unit:
    """The record of a file.

    flags: of the compiler, after those of the database in the folder `compile_commands`. function: only
    functions of this name, last part of a name or key, and what they call. partly: functions that do not
    compile are unknown, if all errors lie in bodies of functions; else the file is refused. Raises
    KernelError where the file cannot be read or compiled, or has no such function.
    """
    file = str(path)
    if "\0" in file or not Path(file).is_file():
        raise KernelError(file, "the file does not exist", "pass the path of a C++ or CUDA file")
    unit = _lifted(f"./{file}" if file.startswith("-") else file, flags, function, compile_commands, partly)
    if function is not None and not any(each.main for each in unit.functions):
        hint = "give the name as in the file, with namespaces; a template must be instantiated somewhere"
        raise KernelError(unit.file, f"there is no function {function!r} with a body", hint)
    return unit


def heddle_lift() -> Path:
    """The program: named by $HEDDLE_LIFT, of this checkout's newest build, installed with this package, or on
    the PATH. Raises KernelError where there is none."""
    named = os.environ.get("HEDDLE_LIFT")
    if named:
        if not os.access(named, os.X_OK):
            raise KernelError(
                "$HEDDLE_LIFT",
                f"{named} is not an executable file",
                "unset it, or set it to the path of heddle-lift",
            )
        return Path(named)
    built = [each for each in _CHECKOUT.glob("build/*/bin/heddle-lift") if os.access(each, os.X_OK)]
    if built:
        return max(built, key=lambda each: each.stat().st_mtime)
    if (installed := resources.program("heddle-lift")) is not None:
        return installed
    if (found := shutil.which("heddle-lift")) is not None:
        return Path(found)
    raise KernelError(
        "heddle-lift",
        "heddle-lift, which reads C++ and CUDA, is not built; it needs LLVM's development files "
        "(Debian: libclang-19-dev llvm-19-dev clang-19)",
        "install them, then run: cmake --preset dev && cmake --build --preset dev --target heddle-lift",
    )


def _lifted(
    file: str,
    flags: Sequence[str],
    function: str | None,
    compile_commands: str | Path | None,
    partly: bool,
) -> Unit:
    program = heddle_lift()
    command = [str(program), "--shim", str(SHIM / "cuda")]
    if compile_commands is not None:
        command += ["-p", str(compile_commands)]
    if function is not None:
        command += ["--function", function]
    if partly:
        command += ["--partly"]
    finished = run([*command, file, "--", *flags], PurePath(file).name)
    if finished.returncode != 0:
        raise _compile_error(file, finished.stderr.decode("utf-8", "replace"))
    lines = finished.stdout.decode("utf-8", "replace").splitlines()
    units = [from_json(line, program.name) for line in lines]
    if len(units) != 1 or not isinstance(units[0], Unit):
        what = f"it wrote {len(units)} records for one file"
        raise KernelError(program.name, what, "build it again from this source tree")
    return units[0]


def _compile_error(path: str, diagnostics: str) -> KernelError:
    """The first error that Clang reports."""
    hint = (
        "Clang must be able to compile the file: pass the flags of its build (-I, -D, -std) or its "
        "compilation database"
    )
    if found := _ERROR.search(diagnostics):
        what = found["what"].replace(path, PurePath(path).name)
        return KernelError(Place(PurePath(found["file"]).name, int(found["line"])), what, hint)
    if found := _ERROR_OF_DRIVER.search(diagnostics):
        return KernelError(PurePath(path).name, found["what"].replace(path, PurePath(path).name), hint)
    last = diagnostics.strip().splitlines()[-1:] or ["no reason given"]
    return KernelError(PurePath(path).name, f"Clang failed: {last[0]}", hint)
