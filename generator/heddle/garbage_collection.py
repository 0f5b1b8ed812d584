# SPDX-License-Identifier: Apache-2.0
"""Python's search for unused objects that refer to each other, while kernels are made.

Nodes and SymPy's expressions never form circles. The search looks at all of them again and again, a fifth of
the time of a large kernel, and finds nothing.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def without_search() -> Iterator[None]:
    """Pause the search; afterwards it is as it was."""
    before = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if before:
            gc.enable()
