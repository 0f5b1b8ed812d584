# SPDX-License-Identifier: Apache-2.0
"""`heddle new`: a project that builds, runs and has a test, to start from."""

from __future__ import annotations

import argparse
import os
import re
import shlex
import shutil
import tempfile
from pathlib import Path

from heddle.emit.files import environment
from heddle.errors import KernelError
from heddle.ir.cpp_names import why_no_name
from heddle.resources import folder

_SHARED = {"model.py": "model.py.j2", ".gitignore": "gitignore.j2"}
_OWN = {
    "cmake": ("CMakeLists.txt", "README.md", "main.cpp", "plane.hpp", "test.cpp"),
    "python": ("README.md", "run.py", "test_model.py"),
}
_CMAKE_TARGETS = frozenset(
    """all test install clean help package edit_cache rebuild_cache list_install_components""".split()
)
_HEADERS = frozenset(
    """assert complex ctype errno fenv float inttypes iso646 limits locale math memory omp setjmp signal
    stdalign stdarg stdbool stddef stdint stdio stdlib stdnoreturn string tgmath threads time uchar unistd
    wchar wctype""".split()
)
"""Of C: the project's own header, <name>.h, would be found in place of them."""
LONGEST = 64


def run(options: argparse.Namespace) -> int:
    """Write the project, say what to do next; returns the exit code."""
    project: Path = options.folder
    write(project, options.kind)
    shown = shlex.quote(str(project))
    cmake = shlex.quote(str(folder("runtime/cmake")))
    print(f"heddle: wrote {project}: {', '.join(sorted(templates(options.kind)))}\nNext:")
    steps = {
        "cmake": (
            f"cmake -S {shown} -B {shown}/build -D heddle_DIR={cmake}",
            f"cmake --build {shown}/build",
            f"ctest --test-dir {shown}/build",
        ),
        "python": (f"cd {shown}", "pip install numpy pytest", "python run.py", "python -m pytest"),
    }
    for step in steps[options.kind]:
        print(f"  {step}")
    return 0


def write(project: Path, kind: str) -> None:
    """Write a project of a kind (cmake or python) to a new folder, which gives it and its module their name.

    The folder appears when it is whole. Raises KernelError for a name that C++, CMake or Python cannot take,
    where the folder is there already, and where the one around it is not.
    """
    name = project.name
    if reason := _why_not(name):
        raise KernelError(
            f"new {project}",
            f"'{name}' cannot be the name of a project: {reason}.",
            f"choose another name, such as {_similar(name)}",
        )
    if os.path.lexists(project):
        raise KernelError(
            f"new {project}",
            f"'{project}' is there already; nothing was changed.",
            "choose another name, or remove it",
        )
    if not project.parent.is_dir():
        raise KernelError(
            f"new {project}",
            f"the folder '{project.parent}' is not there.",
            f"make it: mkdir -p {shlex.quote(str(project.parent))}",
        )
    texts = {file: _text(template, name) for file, template in templates(kind).items()}
    unfinished = Path(tempfile.mkdtemp(prefix=f".{name}-", dir=project.parent))
    try:
        for file, text in texts.items():
            (unfinished / file).write_text(text)
        unfinished.chmod(0o777 & ~_mask())
        unfinished.rename(project)
    except BaseException:
        shutil.rmtree(unfinished, ignore_errors=True)
        raise


KINDS = tuple(_OWN)


def templates(kind: str) -> dict[str, str]:
    """The files of a project, and the templates that they come from."""
    return _SHARED | {file: f"{kind}/{file}.j2" for file in _OWN[kind]}


def _text(template: str, name: str) -> str:
    return environment().get_template(f"project/{template}").render(name=name)


def _why_not(name: str) -> str:
    """Why a name is none for a project; nothing if it is one."""
    if len(name) > LONGEST:
        return f"it has {len(name)} letters, at most {LONGEST} are allowed"
    if reason := why_no_name(name):
        return reason
    if name.startswith("_"):
        return "it begins with _"
    if name.lower() in _CMAKE_TARGETS:
        return "CMake has a target of that name"
    if name.lower() in _HEADERS:
        return f"its header would hide the system's <{name.lower()}.h>"
    own = {Path(file).stem.lower() for files in _OWN.values() for file in files} | {"model"}
    return "one of its own files has that name" if name.lower() in own else ""


def _similar(name: str) -> str:
    """A name that can be taken, made of the letters of another one."""
    letters = re.sub(r"[^A-Za-z0-9]+", "_", name).strip("_")[: LONGEST - 3] or "heat"
    letters = letters if letters[0].isalpha() else f"my_{letters}"
    return f"my_{letters}" if _why_not(letters) else letters


def _mask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
