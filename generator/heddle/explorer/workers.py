# SPDX-License-Identifier: Apache-2.0
"""Work in processes of its own: several at a time, each with a limit of time; one that crashes ends itself
alone. Children are forks, so that models and functions of the user need not be written down. Each leads a
process group of its own, with the compilers that it starts: they stop and end together."""

from __future__ import annotations

import ctypes
import math
import multiprocessing
import os
import signal
import time
import warnings
from collections import deque
from collections.abc import Callable, Container, Hashable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from typing import Any, Generic, TypeVar

from heddle.errors import KernelError
from heddle.python import cache

T = TypeVar("T")
_FORK = multiprocessing.get_context("fork")
_GNU = "libgomp.so.1"
_PAUSE_HARD = 2
_CLEARING = 10.0
"""Seconds in which a child that has to end may remove what it began to write: 0.03 to 0.2 on busy cores."""
_PARENT_ENDS = 1
"""PR_SET_PDEATHSIG of prctl: the signal for a child whose parent is gone."""


@dataclass(frozen=True)
class Outcome(Generic[T]):
    """What a child returned, or why it did not. kind: "" where it did, else "refused" (a KernelError),
    "crash" or "timeout"."""

    value: T | None
    kind: str = ""
    why: str = ""


@dataclass
class _Running:
    name: Hashable
    process: Any
    end: float

    def signal(self, number: int) -> None:
        """For the child and all that it started."""
        with suppress(ProcessLookupError):
            os.killpg(self.process.pid, number)

    def kill(self) -> None:
        """Let it clear up, and end it where it does not."""
        self.signal(signal.SIGTERM)
        self.process.join(_CLEARING)
        self.signal(signal.SIGKILL)
        self.process.kill()
        self.process.join()


class Children(Generic[T]):
    """Tasks in processes of their own, `at_once` at a time, each for at most `limit` seconds. A context: what
    runs at its end is killed."""

    def __init__(self, at_once: int = 1, limit: float = 600.0) -> None:
        self.at_once, self.limit = at_once, limit
        self._waiting: deque[tuple[Hashable, Callable[[], T]]] = deque()
        self._running: dict[Connection, _Running] = {}
        self._before: str | None = None

    def __enter__(self) -> Children[T]:
        self._before = os.environ.get("HEDDLE_CACHE")
        os.environ["HEDDLE_CACHE"] = str(cache.folder())
        return self

    def __exit__(self, *_: object) -> None:
        self.keep(())
        if self._before is None:
            del os.environ["HEDDLE_CACHE"]
        else:
            os.environ["HEDDLE_CACHE"] = self._before

    def add(self, name: Hashable, task: Callable[[], T], soon: bool = False) -> None:
        """One more task. soon: before all that wait."""
        (self._waiting.appendleft if soon else self._waiting.append)((name, task))

    def names(self) -> set[Hashable]:
        """Those that wait or run."""
        return {name for name, _ in self._waiting} | {one.name for one in self._running.values()}

    def keep(self, names: Container[Hashable]) -> None:
        """Drop all tasks but these, also where they run."""
        self._waiting = deque(one for one in self._waiting if one[0] in names)
        for one in self._running.values():
            if one.name not in names:
                one.signal(signal.SIGTERM)
        for connection, one in list(self._running.items()):
            if one.name not in names:
                one.kill()
                connection.close()
                del self._running[connection]

    def next(self, until: float = math.inf) -> tuple[Hashable, Outcome[T]] | None:
        """Wait for the next task that is done; returns its name and what came of it. None when there is no
        task, or at the time `until`, of time.monotonic."""
        while True:
            while len(self._running) < self.at_once and self._waiting:
                name, work = self._waiting.popleft()
                self._running.update([_start(name, work, self.limit)])
            now = time.monotonic()
            if not self._running or now >= until:
                return None
            ready = wait(list(self._running), timeout=min(0.2, until - now))
            for connection, one in self._running.items():
                if connection in ready:
                    outcome = _received(connection, one.process)
                elif time.monotonic() > one.end:
                    one.kill()
                    outcome = Outcome(None, "timeout", f"it took more than {self.limit:g} s")
                else:
                    continue
                connection.close()
                del self._running[connection]
                return one.name, outcome

    @contextmanager
    def paused(self) -> Iterator[None]:
        """What runs stands still until the block ends, its limit of time, too."""
        started = time.monotonic()
        for one in self._running.values():
            one.signal(signal.SIGSTOP)
        try:
            yield
        finally:
            for one in self._running.values():
                one.signal(signal.SIGCONT)
                one.end += time.monotonic() - started


def in_children(
    tasks: Iterable[Callable[[], T]], at_once: int = 1, limit: float = 600.0
) -> Iterator[tuple[int, Outcome[T]]]:
    """Run tasks, `at_once` at a time, each for at most `limit` seconds; gives the number of a task and what
    came of it, as they are done."""
    with Children[T](at_once, limit) as children:
        for number, task in enumerate(tasks):
            children.add(number, task)
        while (done := children.next()) is not None:
            name, outcome = done
            assert isinstance(name, int)
            yield name, outcome


def in_child(task: Callable[[], T], limit: float = 600.0) -> Outcome[T]:
    """Run one task."""
    return next(iter(in_children([task], limit=limit)))[1]


def _start(name: Hashable, work: Callable[[], Any], limit: float) -> tuple[Connection, _Running]:
    _end_threads()
    receive, send = _FORK.Pipe(duplex=False)
    process = _FORK.Process(target=_child, args=(work, send), daemon=False)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # threads of the parent: see _end_threads
        process.start()
    with suppress(OSError):  # here, too: whoever comes first
        os.setpgid(process.pid or 0, process.pid or 0)
    send.close()
    return receive, _Running(name, process, time.monotonic() + limit)


def _child(work: Callable[[], Any], send: Connection) -> None:
    with suppress(OSError):
        os.setpgid(0, 0)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent ends its children
    signal.signal(signal.SIGTERM, _end)
    ctypes.CDLL(None).prctl(_PARENT_ENDS, signal.SIGTERM)
    try:
        send.send(Outcome(work()))
    except KernelError as error:
        send.send(Outcome(None, "refused", str(error).partition("\n  Hint")[0]))
    except Exception as error:
        send.send(Outcome(None, "crash", f"{type(error).__name__}: {error}"))
    send.close()


def _end(*_: object) -> None:
    """End a child, and what it started, in the ordinary way."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    os.killpg(os.getpid(), signal.SIGTERM)
    raise SystemExit(1)


def _received(connection: Connection, process: Any) -> Outcome[Any]:
    try:
        outcome: Outcome[Any] = connection.recv()
    except EOFError:
        process.join()
        code = process.exitcode or 0
        name = signal.Signals(-code).name if code < 0 else f"exit code {code}"
        return Outcome(None, "crash", f"the process ended by itself: {name}")
    process.join()
    return outcome


def set_threads(count: int) -> None:
    """How many of OpenMP work for what this process calls from now on."""
    os.environ["OMP_NUM_THREADS"] = str(count)  # for a library that is loaded later
    if _loaded():
        ctypes.CDLL(_GNU).omp_set_num_threads(count)


def _loaded() -> bool:
    with open("/proc/self/maps") as maps:
        return any("libgomp" in line for line in maps)


def _end_threads() -> None:
    """End those of GNU's OpenMP, which a fork would wait for in vain. They come back when they are needed."""
    if _loaded():
        ctypes.CDLL(_GNU).omp_pause_resource_all(_PAUSE_HARD)
