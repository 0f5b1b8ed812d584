# SPDX-License-Identifier: Apache-2.0
"""The cache of compiled modules: one folder for each, with the sources beside the library.

HEDDLE_CACHE moves it; HEDDLE_CACHE=off keeps nothing beyond the process. By default it is `heddle` in the
user's cache folder (XDG_CACHE_HOME, or ~/.cache). It may be removed at any time.
"""

from __future__ import annotations

import atexit
import fcntl
import hashlib
import json
import os
import shutil
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from heddle.build import write
from heddle.errors import KernelError
from heddle.python.compiler import Compiler

OFF = ("off", "0", "no")


def folder() -> Path:
    """Where modules are kept; with HEDDLE_CACHE=off a folder that ends with the process."""
    named = os.environ.get("HEDDLE_CACHE", "")
    if named.lower() in OFF:
        return _until_the_end(os.getpid())
    if named:
        return Path(named).expanduser().absolute()
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "heddle"


@cache
def _until_the_end(process: int) -> Path:
    made = tempfile.mkdtemp(prefix="heddle-")

    def remove() -> None:
        if os.getpid() == process:
            shutil.rmtree(made, ignore_errors=True)

    atexit.register(remove)
    return Path(made)


def key(texts: Mapping[str, str], compiler: Compiler) -> str:
    """Of all that decides what the library does: every source and header, flags, and the compiler."""
    parts = [json.dumps(sorted(texts.items())), json.dumps(compiler.flags), compiler.identity]
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:20]


@dataclass(frozen=True)
class Job:
    """A module to compile. texts: all its files; sources, calls: those of them that are compiled."""

    name: str
    texts: Mapping[str, str]
    sources: Sequence[str]
    calls: Sequence[str]


def library(job: Job, compiler: Compiler, verbose: bool) -> Path:
    """The shared library of a module, compiled if the cache does not have it.

    Of several processes that ask for it one compiles, the others wait. Its folder appears when it is whole,
    and not before.
    """
    place = folder() / f"{job.name}-{key(job.texts, compiler)}"
    result = place / f"{job.name}.so"
    if result.exists():
        return result
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        with _locked(place.parent / f"{place.name}.lock"):
            if not result.exists():
                _build(job, place, result.name, compiler, verbose)
    except OSError as error:
        raise KernelError(
            "heddle.load",
            f"the cache {place.parent} cannot be written: {error.strerror}.",
            "set HEDDLE_CACHE to a folder that can, or HEDDLE_CACHE=off to keep nothing",
        ) from error
    return result


def _build(job: Job, place: Path, library: str, compiler: Compiler, verbose: bool) -> None:
    making = Path(tempfile.mkdtemp(prefix=f".{place.name}.", dir=place.parent))
    try:
        write(dict(job.texts), making)
        sources, calls = ([making / name for name in names] for names in (job.sources, job.calls))
        commands = compiler.compile(sources, calls, making, making / library, verbose)
        said = [command.replace(str(making), str(place)) for command in commands]
        record = {"commands": said, "compiler": compiler.identity.splitlines()}
        (making / "build.json").write_text(json.dumps(record, indent=2) + "\n")
        os.chmod(making, 0o755)
        if not place.exists():  # a file system without locks may have let two processes through
            os.rename(making, place)
    finally:
        shutil.rmtree(making, ignore_errors=True)


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    """Alone with a file until the block ends, also where the process is killed in it."""
    with path.open("w") as file:
        with suppress(OSError):  # no locks on this file system: the rename keeps the folder whole
            fcntl.flock(file, fcntl.LOCK_EX)
        yield
