# SPDX-License-Identifier: Apache-2.0
"""Modules of a build, emitted again by the Python that runs this, have the same bytes:
`compare_modules.py --build build/dev --out build/oldest [--every 2] [--jobs 2]`.

SymPy and the generator are imported once; each module is emitted by a copy of this process, which has the
imports and nothing else. So it costs a second less for each than a process of its own.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import sys
import traceback
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import sympy
from heddle import build, lbm, solvers
from heddle.__main__ import main as heddle_command

IMPORTED_FOR_ALL = (build, lbm, solvers)
SETTING = re.compile(r"^set\((\w+) \[=\[(.*)\]=\]\)$", re.MULTILINE)


@dataclass(frozen=True)
class Module:
    """What CMake wrote down for a module (_heddle_register in runtime/cmake/heddle.cmake)."""

    name: str
    arguments: list[str]
    generated: Path
    files: list[str]

    @classmethod
    def read(cls, path: Path) -> Module:
        settings = dict(SETTING.findall(path.read_text()))
        command = settings["generate"].split(";")
        arguments = command[command.index("heddle") + 1 :]
        files = [name for name in Path(settings["stamp"]).read_text().split("\n") if name]
        return cls(settings["module"], arguments, Path(settings["generated"]), files)


def emit(module: Module, out: Path) -> int:
    """Emit a module in a copy of this process, which goes on; returns its number."""
    sys.stdout.flush()
    process = os.fork()
    if process:
        return process
    status = 1
    try:
        status = heddle_command([*module.arguments, "--out", str(out)])
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)


def differences(module: Module, out: Path) -> Iterator[str]:
    """What is not the same in a module of the build and as it was emitted here."""
    emitted = {path.relative_to(out).as_posix() for path in out.rglob("*") if path.is_file()}
    for name in sorted(emitted | set(module.files)):
        old, new = module.generated / name, out / name
        if not new.is_file():
            yield f"{name} is not emitted any more"
        elif not old.is_file():
            yield f"{name} is missing in {module.generated}"
        elif old.read_bytes() != new.read_bytes():
            yield f"{name} differs"


def main() -> int:
    parser = argparse.ArgumentParser(description="Modules of a build, emitted again, have the same bytes")
    parser.add_argument("--build", type=Path, required=True, help="a build folder with generated modules")
    parser.add_argument("--out", type=Path, required=True, help="a folder for what is emitted; emptied first")
    parser.add_argument("--every", type=int, default=1, help="only every so many modules")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    given = parser.parse_args()
    shutil.rmtree(given.out, ignore_errors=True)
    entries = sorted((given.build / "heddle-modules").glob("*.cmake"))[:: given.every]
    waiting = [Module.read(path) for path in entries]
    running: dict[int, Module] = {}
    wrong: list[str] = []
    count = 0
    while waiting or running:
        if waiting and len(running) < given.jobs:
            module = waiting.pop(0)
            running[emit(module, given.out / module.name)] = module
            continue
        process, status = os.wait()
        module = running.pop(process)
        if status:
            wrong.append(f"{module.name} does not generate")
        else:
            wrong += differences(module, given.out / module.name)
            count += len(module.files)
    print(*wrong, sep="\n", end="\n" if wrong else "")
    print(f"SymPy {sympy.__version__}: {len(entries)} modules, {count} files, {len(wrong)} differences")
    return 1 if wrong or not count else 0


if __name__ == "__main__":
    sys.exit(main())
