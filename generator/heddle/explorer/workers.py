# SPDX-License-Identifier: Apache-2.0
"""Work in processes of its own: several at a time, each with a limit of time; one that crashes ends itself
alone. Children are forks, so that models and functions of the user need not be written down."""

from __future__ import annotations

import ctypes
import multiprocessing
import os
import signal
import time
import warnings
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from typing import Any, Generic, TypeVar

from heddle.errors import KernelError
from heddle.python import cache

T = TypeVar("T")
_FORK = multiprocessing.get_context("fork")
_GNU = "libgomp.so.1"
_PAUSE_HARD = 2


@dataclass(frozen=True)
class Outcome(Generic[T]):
    """What a child returned, or why it did not. kind: "" where it did, else "refused" (a KernelError),
    "crash" or "timeout"."""

    value: T | None
    kind: str = ""
    why: str = ""


def in_children(
    tasks: Iterable[Callable[[], T]], at_once: int = 1, limit: float = 600.0
) -> Iterator[tuple[int, Outcome[T]]]:
    """Run tasks, `at_once` at a time, each for at most `limit` seconds; gives the number of a task and what
    came of it, as they are done."""
    os.environ["HEDDLE_CACHE"], before = str(cache.folder()), os.environ.get("HEDDLE_CACHE")
    _end_threads()
    waiting = iter(enumerate(tasks))
    running: dict[Connection, tuple[int, Any, float]] = {}
    try:
        while True:
            while len(running) < at_once and (task := next(waiting, None)) is not None:
                number, work = task
                running.update([_start(number, work, limit)])
            if not running:
                return
            ready = wait(list(running), timeout=0.2)
            for connection in list(running):
                number, process, end = running[connection]
                if connection in ready:
                    outcome = _received(connection, process)
                elif time.monotonic() > end:
                    process.kill()
                    process.join()
                    outcome = Outcome(None, "timeout", f"it took more than {limit:g} s")
                else:
                    continue
                connection.close()
                del running[connection]
                yield number, outcome
    finally:
        for _, process, _ in running.values():
            process.kill()
            process.join()
        if before is None:
            del os.environ["HEDDLE_CACHE"]
        else:
            os.environ["HEDDLE_CACHE"] = before


def in_child(task: Callable[[], T], limit: float = 600.0) -> Outcome[T]:
    """Run one task."""
    return next(iter(in_children([task], limit=limit)))[1]


def _start(number: int, work: Callable[[], Any], limit: float) -> tuple[Connection, tuple[int, Any, float]]:
    receive, send = _FORK.Pipe(duplex=False)
    process = _FORK.Process(target=_child, args=(work, send), daemon=False)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # threads of the parent: see _end_threads
        process.start()
    send.close()
    return receive, (number, process, time.monotonic() + limit)


def _child(work: Callable[[], Any], send: Connection) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent ends its children
    try:
        send.send(Outcome(work()))
    except KernelError as error:
        send.send(Outcome(None, "refused", str(error).partition("\n  Hint")[0]))
    except Exception as error:
        send.send(Outcome(None, "crash", f"{type(error).__name__}: {error}"))
    send.close()


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
