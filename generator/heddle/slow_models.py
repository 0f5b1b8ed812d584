# SPDX-License-Identifier: Apache-2.0
"""Which statement of a model takes long: SymPy walks the tree of an expression, which grows with each square
of a square, long before Heddle sees it."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

PATIENCE = 20.0
"""Seconds after which a statement of a model is named."""


@contextmanager
def named_if_slow(model: Path, patience: float = PATIENCE) -> Iterator[None]:
    """Say on standard error which line of the model is being run, if the model takes longer than this."""
    main, read = threading.get_ident(), threading.Event()

    def watch() -> None:
        while not read.wait(patience):
            frame = sys._current_frames().get(main)
            while frame and Path(frame.f_code.co_filename) != model:
                frame = frame.f_back
            if frame:
                print(
                    f"heddle: {model.name}:{frame.f_lineno}: the model has been running for {patience:g} s, "
                    "and is in this line.\n  Hint: if its expressions grow, name intermediate values: "
                    "t = sympy.Symbol('t'), Assignment(t, ...), then use t",
                    file=sys.stderr,
                    flush=True,
                )
                return

    watcher = threading.Thread(target=watch, daemon=True)
    watcher.start()
    try:
        yield
    finally:
        read.set()
        watcher.join()
