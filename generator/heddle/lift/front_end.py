# SPDX-License-Identifier: Apache-2.0
"""From C++ and CUDA text to its record: with heddle-lift where it is found, else with any clang++."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from heddle import resources
from heddle.errors import KernelError
from heddle.ir.json import from_json
from heddle.ir.source import Unit
from heddle.lift import clang_json
from heddle.lift.clang import SHIM, compile_error, recorded_flags

FrontEnd = Literal["heddle-lift", "clang-json"]
COMPILERS = ("clang++-19", "clang++-16", "clang++-14", "clang++")
_CHECKOUT = Path(__file__).resolve().parents[3]
_INSTALL = "install Clang (Debian: apt-get install clang), or build heddle-lift (CMake option HEDDLE_LIFT)"


def read(
    path: str | Path,
    flags: Sequence[str] = (),
    function: str | None = None,
    compile_commands: str | Path | None = None,
    front_end: FrontEnd | None = None,
) -> Unit:
    """The record of a file.

    flags: of the compiler, after those of the database in the folder `compile_commands`. function: only
    functions of this name, last part of a name or key, and what they call. front_end: None for heddle-lift
    where it is found. Raises KernelError where the file cannot be read or compiled, or has no such function.
    """
    (unit,) = read_many([path], flags, function, compile_commands, front_end)
    return unit


def read_many(
    paths: Sequence[str | Path],
    flags: Sequence[str] = (),
    function: str | None = None,
    compile_commands: str | Path | None = None,
    front_end: FrontEnd | None = None,
) -> list[Unit]:
    """The records of files, as `read` makes each; heddle-lift is called once for all."""
    files = [_checked(path) for path in paths]
    program = None if front_end == "clang-json" else heddle_lift()
    if program is not None:
        units = _lifted(program, files, flags, function, compile_commands)
    elif front_end == "heddle-lift":
        where = "in $HEDDLE_LIFT, build/*/bin, the installed prefix or the PATH"
        hint = "build it (CMake option HEDDLE_LIFT), or read with front_end='clang-json'"
        raise KernelError("heddle-lift", f"there is no such program {where}", hint)
    else:
        units = [_dumped(file, flags, function, compile_commands) for file in files]
    for unit in units:
        if function is not None and not any(each.main for each in unit.functions):
            hint = (
                "give its name as in the file, with namespaces if need be; a template must be used somewhere"
            )
            raise KernelError(unit.file, f"there is no function {function!r} with a body", hint)
    return units


def available() -> bool:
    """Whether this machine has a front end."""
    return heddle_lift() is not None or any(shutil.which(name) for name in COMPILERS)


def heddle_lift() -> Path | None:
    """The program: named by $HEDDLE_LIFT, of this checkout's newest build, installed with this package, or on
    the PATH."""
    named = os.environ.get("HEDDLE_LIFT")
    if named:
        if not os.access(named, os.X_OK):
            raise KernelError(
                "$HEDDLE_LIFT", f"{named} is no program", "unset it, or name the built heddle-lift"
            )
        return Path(named)
    built = [each for each in _CHECKOUT.glob("build/*/bin/heddle-lift") if os.access(each, os.X_OK)]
    if built:
        return max(built, key=lambda each: each.stat().st_mtime)
    if (installed := resources.program("heddle-lift")) is not None:
        return installed
    found = shutil.which("heddle-lift")
    return None if found is None else Path(found)


def compiler() -> str:
    """The Clang that writes JSON."""
    for name in COMPILERS:
        if found := shutil.which(name):
            return found
    raise KernelError("clang++", "neither heddle-lift nor a clang++ is found", _INSTALL)


def _checked(path: str | Path) -> str:
    file = str(path)
    if "\0" in file or not Path(file).is_file():
        raise KernelError(file, "there is no such file", "give the path of a C++ or CUDA file")
    return f"./{file}" if file.startswith("-") else file


def _lifted(
    program: Path,
    files: Sequence[str],
    flags: Sequence[str],
    function: str | None,
    compile_commands: str | Path | None,
) -> list[Unit]:
    """With heddle-lift: a line of JSON for each file."""
    command = [str(program), "--shim", str(SHIM / "cuda")]
    if compile_commands is not None:
        command += ["-p", str(compile_commands)]
    if function is not None:
        command += ["--function", function]
    finished = subprocess.run([*command, *files, "--", *flags], capture_output=True, stdin=subprocess.DEVNULL)
    messages = finished.stderr.decode("utf-8", "replace")
    if finished.returncode != 0:
        raise compile_error(files[0], messages)
    lines = finished.stdout.decode("utf-8", "replace").splitlines()
    units = [from_json(line, program.name) for line in lines]
    if len(units) != len(files) or not all(isinstance(unit, Unit) for unit in units):
        what = f"it wrote {len(units)} records for {len(files)} files"
        raise KernelError(program.name, what, "build it again from this checkout")
    return units


def _dumped(
    file: str, flags: Sequence[str], function: str | None, compile_commands: str | Path | None
) -> Unit:
    """With any Clang."""
    if compile_commands is None:
        return clang_json.read(file, flags, function, compiler())
    recorded, folder = recorded_flags(file, compile_commands)
    return clang_json.read(os.path.abspath(file), [*recorded, *flags], function, compiler(), folder)
