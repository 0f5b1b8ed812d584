# SPDX-License-Identifier: Apache-2.0
"""How far a search is: one line that moves on a terminal, one line per candidate elsewhere."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING, TextIO

from heddle.explorer.results import Result

if TYPE_CHECKING:
    from heddle.explorer.exploration import Exploration


class Progress:
    """total: candidates so far known of."""

    def __init__(self, quiet: bool = False, file: TextIO | None = None) -> None:
        self.file = sys.stderr if file is None else file
        self.quiet, self.total, self.done, self.wrong = quiet, 0, 0, 0
        self.best: Result | None = None
        self.started = time.monotonic()
        self.moving = not quiet and self.file.isatty()

    def say(self, what: str) -> None:
        """What happens now."""
        if self.moving:
            best = f", best {self.best.nanoseconds_per_cell:.3g} ns/cell" if self.best else ""
            wrong = f", {self.wrong} wrong" if self.wrong else ""
            line = f"{self._bar()} {self.done}/{self.total}{wrong}{best}, {what}"
            self.file.write(f"\r{line[:100]:<100}")
            self.file.flush()

    def add(self, result: Result) -> None:
        """A candidate is done; one that is timed again counts once more."""
        self.done, self.total = self.done + 1, max(self.total, self.done + 1)
        self.wrong += result.state != "correct"
        if result.state == "correct" and (self.best is None or result.time < self.best.time):
            self.best = result
        if self.moving and result.state == "correct":
            self.say(result.name)
        elif not self.quiet:
            start = "\r" + " " * 100 + "\r" if self.moving else ""
            if result.state == "correct":
                said = f"{result.nanoseconds_per_cell:.3g} ns/cell, {result.fraction:.0%} of the stream"
            else:
                said = f"{result.state}: {result.why}"
            name = f"{result.variant + ' ' if result.variant else ''}{result.step} {result.precision}"
            self.file.write(f"{start}{self.done}/{self.total} {name} {result.shown}: {said}\n")
            self.file.flush()

    def end(self, found: Exploration) -> None:
        if self.quiet:
            return
        minutes, seconds = divmod(round(time.monotonic() - self.started), 60)
        start = "\r" + " " * 100 + "\r" if self.moving else ""
        places = f", in {found.folder}" if found.folder else ""
        self.file.write(f"{start}{len(found.results)} candidates in {minutes}:{seconds:02d} min{places}\n")

    def _bar(self) -> str:
        filled = 20 * self.done // max(1, self.total)
        return f"[{'#' * filled}{'-' * (20 - filled)}]"
