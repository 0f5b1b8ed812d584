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
import resource
import shlex
import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import Any

from heddle.build import write
from heddle.errors import KernelError
from heddle.python.compiler import Compiler, run, run_all
from heddle.python.ptxas import taken

OFF = ("off", "0", "no")
RECORD = "build.json"
Record = dict[str, Any]
"""What RECORD says of a product: the commands, the compiler, and of a module what it took, how large its
objects are, and what its kernels take of a multiprocessor (heddle.python.ptxas)."""


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
    """A module to compile. texts: all its files. sources: its kernels; calls: what calls them; common: what
    is the same for all modules and is kept for them all."""

    name: str
    texts: Mapping[str, str]
    sources: Sequence[str]
    calls: Sequence[str]
    common: str

    def build(
        self,
        place: Path,
        library: Path,
        compiler: Compiler,
        common: Callable[[bool], Path] | None,
        verbose: bool,
    ) -> Record:
        """Compile all that lies in a folder; returns the commands, the seconds that they took of all
        processors together, the bytes of each kernel's object, and what kernels take of a GPU. common: gives
        its object, and may compile it, beside the others; without it that is a part of these. Its argument:
        whether to wait where another process compiles it, else it raises BlockingIOError."""
        commands: list[list[str]] = []
        objects: list[Path] = []
        wanted = [*((name, False) for name in self.sources), *((name, True) for name in self.calls)]
        for name, quick in wanted if common else [*wanted, (self.common, True)]:
            objects.append(place / f"{name}.o")
            commands.append(compiler.compile(place / name, place, objects[-1], quick))
        since = seconds_of_children()
        with ThreadPoolExecutor(1) as beside:
            begun = beside.submit(common, False) if common else None
            said = run_all(commands, verbose)
        shared = []
        if common and begun:
            try:
                shared = [begun.result()]
            except BlockingIOError:  # here signals end waiting, which they do not in a thread
                shared = [common(True)]
        link = compiler.link([*objects, *shared], library)
        run(link, verbose)
        sizes = {name: (place / f"{name}.o").stat().st_size for name in self.sources}
        for made in objects:
            made.unlink()
        texts = [shlex.join(command) for command in (*commands, link)]
        return {
            "commands": texts,
            "seconds": seconds_of_children() - since,
            "object_bytes": sizes,
            "taken": [one for text in said for one in taken(text)],
        }


def seconds_of_children() -> float:
    """Those that processes started here, such as compilers, have spent so far."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def library(job: Job, compiler: Compiler, verbose: bool) -> Path:
    """The shared library of a module, compiled if the cache does not have it.

    Of several processes that ask for it one compiles, the others wait. Its folder appears when it is whole,
    and not before.
    """

    def build(place: Path, result: Path) -> Record:
        return job.build(place, result, compiler, partial(_common, job, compiler, verbose), verbose)

    return _kept(job.name, f"{job.name}.so", job.texts, compiler, build)


def _common(job: Job, compiler: Compiler, verbose: bool, wait: bool) -> Path:
    """The object of what all modules have in common. wait: as in _kept."""
    needed = (f"{job.common.rpartition('/')[0]}/", "heddle/device/preconditions.hpp")
    texts = {name: text for name, text in job.texts.items() if name.startswith(needed)}

    def build(place: Path, result: Path) -> Record:
        command = compiler.compile(place / job.common, place, result, quick=True)
        run(command, verbose)
        return {"commands": [shlex.join(command)]}

    return _kept("python_calls", "call.o", texts, compiler, build, wait)


def plug_in(source: str, texts: Mapping[str, str], compiler: Compiler, verbose: bool) -> Path:
    """The shared library of one source that lets another library call kernels. texts: with its headers."""
    name = Path(source).stem

    def build(place: Path, result: Path) -> Record:
        made = place / f"{name}.o"
        commands = [
            compiler.compile(place / source, place, made, quick=True),
            compiler.link([made], result),
        ]
        for command in commands:
            run(command, verbose)
        made.unlink()
        return {"commands": [shlex.join(command) for command in commands]}

    return _kept(f"python_{name}", f"{name}.so", texts, compiler, build)


def _kept(
    name: str,
    product: str,
    texts: Mapping[str, str],
    compiler: Compiler,
    build: Callable[[Path, Path], Record],
    wait: bool = True,
) -> Path:
    """A product of the cache, made by `build` from the files in a folder if it is not there. wait: where
    another process makes it; else BlockingIOError is raised."""
    place = folder() / f"{name}-{key(texts, compiler)}"
    if (place / product).exists():
        return place / product
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        with _locked(place.parent / f"{place.name}.lock", wait):
            if not (place / product).exists():
                _build(place, product, texts, compiler, build)
    except BlockingIOError:
        raise
    except OSError as error:
        raise KernelError(
            "heddle.load",
            f"the cache {place.parent} cannot be written: {error.strerror}.",
            "set HEDDLE_CACHE to a folder that can, or HEDDLE_CACHE=off to keep nothing",
        ) from error
    return place / product


def _build(
    place: Path,
    product: str,
    texts: Mapping[str, str],
    compiler: Compiler,
    build: Callable[[Path, Path], Record],
) -> None:
    making = Path(tempfile.mkdtemp(prefix=f".{place.name}.", dir=place.parent))
    try:
        write(dict(texts), making)
        record = build(making, making / product)
        record["commands"] = [command.replace(str(making), str(place)) for command in record["commands"]]
        record["compiler"] = compiler.identity.splitlines()
        (making / RECORD).write_text(json.dumps(record, indent=2) + "\n")
        os.chmod(making, 0o755)
        if not place.exists():  # a file system without locks may have let two processes through
            os.rename(making, place)
    finally:
        shutil.rmtree(making, ignore_errors=True)


@contextmanager
def _locked(path: Path, wait: bool) -> Iterator[None]:
    """Alone with a file until the block ends, also where the process is killed in it. wait: for others; else
    BlockingIOError is raised where somebody has it."""
    with path.open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise
        except OSError:  # no locks on this file system: the rename keeps the folder whole
            pass
        yield
