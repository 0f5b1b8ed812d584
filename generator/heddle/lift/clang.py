# SPDX-License-Identifier: Apache-2.0
"""What both front ends share: the flags with which a file is read, and what Clang complains of."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Sequence
from pathlib import Path, PurePath

from heddle.errors import KernelError, Place

SHIM = Path(__file__).resolve().parent / "shim"
_ERROR = re.compile(
    r"^(?P<file>[^\n]*?):(?P<line>\d+):\d+: (?:fatal )?error: (?P<what>[^\n]*)$", re.MULTILINE
)
_ERROR_OF_DRIVER = re.compile(r"^[^\n]*?error: (?P<what>[^\n]*)$", re.MULTILINE)
# Flags of a compilation database that say what a file includes and defines, and those whose value may stand
# apart; generator/lift/front.cpp has the same. Others, for code generation, warnings, or nvcc, would make the
# record depend on the machine, or are not known to Clang.
_COUNT = ("-D", "-U", "-I", "-i", "-std=", "--std=", "-nostdinc")
_APART = ("-D", "-U", "-I", "-isystem", "-iquote", "-idirafter", "-include", "-imacros", "-isysroot")


def language_flags(path: str, flags: Sequence[str]) -> list[str]:
    """What a file is read as: CUDA by its suffix, with our declarations instead of the toolkit's; else C++20
    unless the flags or the suffix say otherwise."""
    result = []
    if path.endswith((".cu", ".cuh")):
        shim = ["-isystem", str(SHIM / "cuda"), "-include", "cuda.hpp"]
        result += ["-x", "cuda", "--cuda-host-only", "-nocudainc", "-nocudalib", *shim]
    elif not path.endswith(".c") and not any(flag.startswith("-x") for flag in flags):
        result += ["-x", "c++"]
    if not path.endswith(".c") and not any(flag.startswith("-std") for flag in flags):
        result.append("-std=c++20")
    return result


def recorded_flags(path: str, folder: str | Path) -> tuple[list[str], str]:
    """The flags of a file in a compilation database, and the folder in which they are meant."""
    database = Path(folder) / "compile_commands.json"
    hint = "configure with -DCMAKE_EXPORT_COMPILE_COMMANDS=ON, or give the flags instead"
    try:
        commands = json.loads(database.read_text(encoding="utf-8"))
        wanted = Path(path).resolve()
        for command in commands:
            at = Path(command["directory"])
            if (at / command["file"]).resolve() == wanted:
                words = command.get("arguments") or shlex.split(command["command"])
                return _kept(words[1:]), str(at)
    except FileNotFoundError:
        raise KernelError(str(database), "there is no such file", hint) from None
    except (OSError, ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
        raise KernelError(str(database), f"this is no compilation database ({error})", hint) from None
    raise KernelError(str(database), f"no command for {path}", hint)


def _kept(words: Sequence[str]) -> list[str]:
    """The flags that count."""
    kept, following = [], iter(words)
    for word in following:
        if word.startswith(_COUNT):
            kept.append(word)
            if word in _APART:
                kept += [value for value in [next(following, None)] if value is not None]
    return kept


def compile_error(path: str, diagnostics: str) -> KernelError:
    """The first error that Clang reports."""
    hint = (
        "Clang must be able to compile the file: give the flags of its build (-I, -D, -std) or its database"
    )
    if found := _ERROR.search(diagnostics):
        what = found["what"].replace(path, PurePath(path).name)
        return KernelError(Place(PurePath(found["file"]).name, int(found["line"])), what, hint)
    if found := _ERROR_OF_DRIVER.search(diagnostics):
        return KernelError(PurePath(path).name, found["what"].replace(path, PurePath(path).name), hint)
    last = diagnostics.strip().splitlines()[-1:] or ["no reason given"]
    return KernelError(PurePath(path).name, f"Clang failed: {last[0]}", hint)
