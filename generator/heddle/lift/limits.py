# SPDX-License-Identifier: Apache-2.0
"""Bounds for what somebody else's source may cost: seconds, memory, depth."""

from __future__ import annotations

import resource
import signal
import subprocess
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from types import FrameType

from heddle.errors import KernelError, Place

SECONDS = 120
"""For a function, and for Clang on a file."""
MEMORY = 4 << 30
"""Bytes for Clang on a file."""


class _OutOfTimeError(BaseException):
    """No `except` on the way may take it for a refusal of what is being tried."""


@contextmanager
def bounded(where: Place | str, seconds: float | None = None) -> Iterator[None]:
    """Refuse what takes too long or is nested too deeply. Only the main thread can be interrupted."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    limit = SECONDS if seconds is None else seconds

    def stop(_: int, __: FrameType | None) -> None:
        raise _OutOfTimeError

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, limit)
    try:
        yield
    except _OutOfTimeError:
        raise KernelError(where, f"Lifting takes longer than {limit:g} seconds.", _SIMPLER) from None
    except RecursionError:
        raise KernelError(where, "The source is nested too deeply.", _SIMPLER) from None
    except MemoryError:
        raise KernelError(where, "The source needs too much memory.", _SIMPLER) from None
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


_SIMPLER = "lift a smaller part of it, or write it in simpler steps"


def run(
    command: Sequence[str], where: str, seconds: float | None = None
) -> subprocess.CompletedProcess[bytes]:
    """A program with bounds: its output, or a refusal."""
    limit = SECONDS if seconds is None else seconds
    try:
        return subprocess.run(
            command,
            capture_output=True,
            stdin=subprocess.DEVNULL,
            timeout=limit,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY)),
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise KernelError(
            where,
            f"Clang takes longer than {limit:g} seconds to read the file.",
            "leave out what is slow to compile, or preprocess the file and cut out the loop",
        ) from None
